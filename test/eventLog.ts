import type {
  CalendarWindowConfig,
  RateLimitConfig,
} from "convex-rate-limiter";

type PlainConfig = Exclude<RateLimitConfig, CalendarWindowConfig>;

/**
 * The unit of the model. Rates, counts and capacities in quarters of a token, and
 * periods that divide a minute, come to whole numbers of it, so that the model knows
 * no rounding.
 */
const CRUMBS_PER_TOKEN = 240_000n;

const crumbs = (tokens: number) =>
  BigInt(Math.round(tokens * 4)) * (CRUMBS_PER_TOKEN / 4n);

type Grant = { now: number; count: number; config: PlainConfig };

type Balance = { amount: bigint; ts: number };

/** What the last grant left, and when it is forgotten: the limit is then as if never used. */
type Held = Balance & { fullFrom: number };

export type Answer = { ok: boolean; retryAfter?: number };

export type Ask = {
  now: number;
  count: number;
  reserve: boolean;
  config: PlainConfig;
};

/**
 * A limit that is one row, as it should be: it keeps nothing but what it has granted, and
 * replays all of it, in whole numbers, for each answer. It shares no code with the package.
 *
 * A fixed window must have a `start`.
 */
export class EventLog {
  private grants: Grant[] = [];

  ask({ now, count, reserve, config }: Ask): Answer {
    const { amount, ts } = this.balance(config, now);
    const next = amount - crumbs(count);
    if (next >= 0n) {
      this.grant({ now, count, config });
      return { ok: true };
    }
    const { maxReserved = Infinity } = config;
    if (reserve && (maxReserved === Infinity || -next <= crumbs(maxReserved))) {
      this.grant({ now, count, config });
      return { ok: true, retryAfter: this.wait(config, now, ts, -next) };
    }
    const spare = reserve ? crumbs(maxReserved) : 0n;
    const paid = this.wait(config, now, ts, -next - spare);
    const { fullFrom } = this.last() ?? { fullFrom: Infinity };
    return { ok: false, retryAfter: Math.min(paid, fullFrom - now) };
  }

  reset() {
    this.grants = [];
  }

  private grant(grant: Grant) {
    if (grant.count > 0) this.grants.push(grant);
  }

  private balance(config: PlainConfig, now: number): Balance {
    return after(this.last(), config, now);
  }

  /** Replays the grants. */
  private last(): Held | undefined {
    let held: Held | undefined;
    for (const { config, now, count } of this.grants) {
      const { amount, ts } = after(held, config, now);
      const left = { amount: amount - crumbs(count), ts };
      held = { ...left, fullFrom: timeWhenFull(config, left) };
    }
    return held;
  }

  /** ms from `now` until `missing` has come in to a balance of the time `ts`. */
  private wait(
    config: PlainConfig,
    now: number,
    ts: number,
    missing: bigint,
  ): number {
    return ts + timeFor(config, missing) - now;
  }
}

function capacityOf({ capacity, rate }: PlainConfig): bigint {
  return crumbs(capacity ?? rate);
}

/** The balance at `now` after the last grant; full without one. */
function after(
  last: Held | undefined,
  config: PlainConfig,
  now: number,
): Balance {
  const capacity = capacityOf(config);
  if (last === undefined || now >= last.fullFrom) {
    return { amount: capacity, ts: currentStart(config, now) };
  }
  // Time never runs backwards.
  const later = Math.max(now, last.ts);
  if (config.kind === "token bucket") {
    const refill =
      (BigInt(later - last.ts) * crumbs(config.rate)) / BigInt(config.period);
    return { amount: least(capacity, last.amount + refill), ts: later };
  }
  let { amount, ts } = last;
  for (; ts + config.period <= later; ts += config.period) {
    amount += crumbs(config.rate);
  }
  return { amount: least(capacity, amount), ts };
}

function currentStart(config: PlainConfig, now: number): number {
  if (config.kind === "token bucket") return now;
  const sinceStart = (now - config.start!) % config.period;
  return now - (sinceStart < 0 ? sinceStart + config.period : sinceStart);
}

/** ms in which so much comes in; for a fixed window whole windows. */
function timeFor(config: PlainConfig, amount: bigint): number {
  const rate = crumbs(config.rate);
  const period = BigInt(config.period);
  return config.kind === "token bucket"
    ? Number(roundedUp(amount * period, rate))
    : Number(roundedUp(amount, rate) * period);
}

function timeWhenFull(config: PlainConfig, { amount, ts }: Balance) {
  const missing = capacityOf(config) - amount;
  return ts + (missing > 0n ? timeFor(config, missing) : 0);
}

const least = (a: bigint, b: bigint) => (a < b ? a : b);

const roundedUp = (a: bigint, b: bigint) => (a + b - 1n) / b;
