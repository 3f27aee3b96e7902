import { calculateRateLimit } from "convex-rate-limiter";
import { useCallback } from "react";
import { LONGEST_TIMEOUT_MS, useClock, useReading } from "./clock.js";

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

/** The balance now. Renders again whenever more has come in, and not otherwise. */
export function useBalance(stored: Stored): number {
  const clock = useClock();
  const read = useCallback(
    () => calculateRateLimit(stored, stored.config, clock.now()).value,
    [clock, stored],
  );
  const watch = useCallback(
    (onChange: () => void) => {
      let timeout: ReturnType<typeof setTimeout> | undefined;
      const wait = () => {
        const now = clock.now();
        const more = Math.min(capacityOf(stored), read() + STEP);
        const { retryAfter } = calculateRateLimit(
          stored,
          stored.config,
          now,
          Math.max(0, more),
        );
        if (retryAfter === undefined) return;
        timeout = setTimeout(
          () => {
            onChange();
            wait();
          },
          Math.min(Math.max(retryAfter, SHORTEST_MS), LONGEST_TIMEOUT_MS),
        );
      };
      wait();
      return () => clearTimeout(timeout);
    },
    [clock, stored, read],
  );
  return useReading(read, watch);
}
