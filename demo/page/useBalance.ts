import { calculateRateLimit } from "convex-rate-limiter";
import { useCallback } from "react";
import type { Moment } from "../../src/react/timedValue.js";
import { useTimed } from "./clock.js";

type Arguments = Parameters<typeof calculateRateLimit>;

/** What the server says that a limit holds, of any kind. */
export type Stored = NonNullable<Arguments[0]> & { config: Arguments[1] };

export function capacityOf({ config }: Pick<Stored, "config">): number {
  return config.kind === "concurrency"
    ? config.capacity
    : (config.capacity ?? config.rate);
}

/** What is shown are tenths; the bar moves by half of that. */
const STEP = 0.05;
const SHORTEST_MS = 100;

/** The balance at a time, and until when it is shown: until more has come in. */
export function balanceAt(stored: Stored, now: number): Moment<number> {
  const { value } = calculateRateLimit(stored, stored.config, now);
  const more = Math.max(0, Math.min(capacityOf(stored), value + STEP));
  const { retryAfter } = calculateRateLimit(stored, stored.config, now, more);
  return {
    value,
    until:
      retryAfter === undefined
        ? Infinity
        : now + Math.max(retryAfter, SHORTEST_MS),
  };
}

/** The balance now. Renders again whenever more has come in, and not otherwise. */
export function useBalance(stored: Stored): number {
  return useTimed(useCallback((now) => balanceAt(stored, now), [stored]));
}
