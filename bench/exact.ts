/** A limit as a scenario states it. A fixed window starts at the epoch: `start` is 0. */
export type LimitConfig = {
  kind: "token bucket" | "fixed window";
  rate: number;
  period: number;
  capacity?: number;
  shards: number;
};

export type Balance = { value: number; ts: number };

/** The unsharded limit, exactly: what a balance (none: full) has become at `now`. */
export function project(
  balance: Balance | undefined,
  { kind, rate, period, capacity = rate }: LimitConfig,
  now: number,
): number {
  if (balance === undefined) return capacity;
  const { value, ts } = balance;
  const periods =
    kind === "token bucket"
      ? Math.max(0, now - ts) / period
      : Math.max(0, Math.floor(now / period) - Math.floor(ts / period));
  return Math.min(value + periods * rate, capacity);
}

/** The share of a limit that one of `shards` equal rows holds. */
export function share(config: LimitConfig, shards: number): LimitConfig {
  const { rate, capacity = rate } = config;
  return { ...config, rate: rate / shards, capacity: capacity / shards };
}
