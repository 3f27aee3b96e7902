import type { RateLimitConfig } from "convex-rate-limiter";

type Stored = { value: number; ts: number; config: RateLimitConfig };

/** From when on a limit is full, if nobody takes. Until then its balance changes. */
export function timeWhenFull({ value, ts, config }: Stored): number {
  const { kind, rate, period, capacity = rate } = config;
  const periods = Math.max(0, capacity - value) / rate;
  return ts + (kind === "fixed window" ? Math.ceil(periods) : periods) * period;
}
