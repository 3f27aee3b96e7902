import { useMemo, useSyncExternalStore } from "react";
import type { RateLimitStatus } from "./rateLimitAt.js";
import { timedValue, type Moment } from "./timedValue.js";
import { browserTiming } from "./timing.js";

/**
 * Counts down the whole seconds until a denied request would be granted, rounded up. Renders again
 * once a second, and is 0 from `retryAt` on. Also 0 while the request would be granted, while
 * loading, and on the server; `Infinity` if it can never be granted.
 *
 * @param status The `status` that {@link useRateLimit} returned.
 */
export function useRetryCountdown(status: RateLimitStatus | undefined): number {
  const retryAt = status?.retryAt;
  const store = useMemo(
    () => timedValue(browserTiming, (now) => secondsLeft(retryAt, now)),
    [retryAt],
  );
  return useSyncExternalStore(store.subscribe, store.getSnapshot, () => 0);
}

function secondsLeft(retryAt: number | undefined, now: number): Moment<number> {
  if (retryAt === undefined || now >= retryAt) {
    return { value: 0, until: Infinity };
  }
  if (retryAt === Infinity) return { value: Infinity, until: Infinity };
  const value = Math.ceil((retryAt - now) / 1000);
  return { value, until: retryAt - (value - 1) * 1000 };
}
