import { calculateRateLimit } from "convex-rate-limiter";
import { useCallback } from "react";
import { capacityOf } from "../../dashboard/page/rule.js";
import type { Moment } from "../../src/react/timedValue.js";
import { useTimed } from "./clock.js";

type Arguments = Parameters<typeof calculateRateLimit>;

/** What the server says that a limit of any kind holds. */
export type Stored = NonNullable<Arguments[0]> & { config: Arguments[1] };

/** The page shows tenths; the bar moves in steps of half of that. */
const STEP = 0.05;
const MIN_MS = 100;

/** The balance at a time, and until when to show it: until more has come in. */
export function shownBalanceAt(stored: Stored, now: number): Moment<number> {
  const { value } = calculateRateLimit(stored, stored.config, now);
  const more = Math.max(0, Math.min(capacityOf(stored.config), value + STEP));
  const { retryAfter } = calculateRateLimit(stored, stored.config, now, more);
  return {
    value,
    until:
      retryAfter === undefined ? Infinity : now + Math.max(retryAfter, MIN_MS),
  };
}

/** The balance now. Renders again only when more has come in. */
export function useBalance(stored: Stored): number {
  return useTimed(useCallback((now) => shownBalanceAt(stored, now), [stored]));
}
