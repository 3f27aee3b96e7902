/** A limit as a scenario states it. A fixed window starts at the epoch: `start` is 0. */
export type ScenarioLimit = {
  kind: "token bucket" | "fixed window";
  rate: number;
  period: number;
  capacity?: number;
  shards: number;
  /** Whether calls are counted. Only for our package. */
  stats?: boolean;
};

export type ExactBalance = { value: number; ts: number };

/** A balance of the unsharded limit, projected to `now`. Without a balance, the limit is full. */
export function projectExact(
  balance: ExactBalance | undefined,
  { kind, rate, period, capacity = rate }: ScenarioLimit,
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
export function share(config: ScenarioLimit, shards: number): ScenarioLimit {
  const { rate, capacity = rate } = config;
  return { ...config, rate: rate / shards, capacity: capacity / shards };
}

/** The unsharded limit, which takes requests one after the other. */
export class ExactLimit {
  private balance: ExactBalance | undefined;

  constructor(private readonly config: ScenarioLimit) {}

  /** Takes `count` even if there is less, and returns what is left. */
  take(count: number, now: number): number {
    const value = this.at(now) - count;
    this.balance = { value, ts: Math.max(now, this.balance?.ts ?? now) };
    return value;
  }

  at(now: number): number {
    return projectExact(this.balance, this.config, now);
  }
}
