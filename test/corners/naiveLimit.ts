import type {
  CalendarWindowConfig,
  RateLimitConfig,
} from "convex-rate-limiter";

type PlainConfig = Exclude<RateLimitConfig, CalendarWindowConfig>;

/**
 * The unit in which the model counts. With rates, counts and capacities in quarters of
 * a token and periods that divide a minute, each ms refills a whole number of it.
 */
const UNITS = 240_000;

export const MINUTE_MS = 60_000;

/** An override, as the model keeps it: in force from `from` on, until before `to`. */
export type NaiveOverride = {
  change:
    | { deny: true }
    | { unlimited: true }
    | { config: Partial<Pick<PlainConfig, "rate" | "capacity">> };
  from: number;
  to: number;
};

export type Ask = { count: number; reserve: boolean };

export type NaiveAnswer =
  | { ok: true; retryAfter?: number }
  | { ok: false; retryAfter: number }
  /** Nothing that is known will ever grant it. */
  | "exceeds";

/** A balance, its time, and from when on nothing is left to remember. */
type Held = { units: number; ts: number; fullFrom: number };

type Rule = {
  mode: "limited" | "banned" | "unlimited";
  rate: number;
  period: number;
  capacity: number;
  most: number;
};

/**
 * A limit that is not split, for one key: a number and a time. It shares nothing with
 * the package.
 */
export class NaiveLimit {
  private held: Held | null = null;
  /** At most one that has begun and one that has not, each. */
  keyOverrides: readonly NaiveOverride[] = [];
  limitOverrides: readonly NaiveOverride[] = [];

  constructor(readonly config: PlainConfig) {}

  copy(): NaiveLimit {
    const copy = new NaiveLimit(this.config);
    copy.restore(this);
    return copy;
  }

  restore({ held, keyOverrides, limitOverrides }: NaiveLimit): void {
    Object.assign(this, { held, keyOverrides, limitOverrides });
  }

  /** One that is still to begin stands beside the one that holds. */
  override(
    slot: "keyOverrides" | "limitOverrides",
    override: NaiveOverride,
    now: number,
  ): void {
    const isComing = ({ from }: NaiveOverride) => from > now;
    const others = this[slot].filter(
      (other) => isComing(other) !== isComing(override),
    );
    this[slot] = [...others, override];
  }

  mode(now: number): Rule["mode"] {
    return this.rule(now).mode;
  }

  /** Whether an override is known that will begin or end. */
  changesAfter(now: number): boolean {
    return this.boundaries(now).some((at) => at !== this.held?.fullFrom);
  }

  /** A ban that is in force now and has no end. */
  isBannedForGood(now: number): boolean {
    return [now, ...this.boundaries(now)].every(
      (time) => this.mode(time) === "banned",
    );
  }

  capacity(now: number): number {
    return this.rule(now).capacity / UNITS;
  }

  /** In tokens. */
  balance(now: number): number {
    return this.project(now).units / UNITS;
  }

  isUsed(): boolean {
    return this.held !== null;
  }

  ask(ask: Ask, now: number): NaiveAnswer {
    const { mode } = this.rule(now);
    if (mode === "unlimited") return { ok: true };
    if (this.fits([ask], now)) {
      this.take(units(ask.count), now);
      const debt = this.project(now).units < 0;
      return debt
        ? { ok: true, retryAfter: this.paidAfter(now) }
        : { ok: true };
    }
    return this.denial([ask], now);
  }

  /** When all of them fit, one after the other. */
  denial(
    asks: readonly Ask[],
    now: number,
  ): Exclude<NaiveAnswer, { ok: true }> {
    const at = this.firstTime(now, (time) => this.fits(asks, time));
    if (at !== undefined) return { ok: false, retryAfter: at - now };
    return this.isBannedForGood(now)
      ? { ok: false, retryAfter: this.rule(now).period }
      : "exceeds";
  }

  fits(asks: readonly Ask[], now: number): boolean {
    const { mode, most } = this.rule(now);
    if (mode !== "limited") return mode === "unlimited";
    let left = this.project(now).units;
    for (const { count, reserve } of asks) {
      left -= units(count);
      if (left < (reserve ? -most : 0)) return false;
    }
    return true;
  }

  charge(count: number, now: number): { retryAfter?: number } {
    if (this.rule(now).mode === "unlimited") return {};
    this.take(units(count), now);
    const debt = this.project(now).units < 0;
    return debt ? { retryAfter: this.paidAfter(now) } : {};
  }

  credit(count: number, now: number): number {
    const rule = this.rule(now);
    if (rule.mode === "unlimited") return 0;
    const { units: before } = this.project(now);
    const given = Math.min(units(count), rule.capacity - before);
    if (given > 0) this.take(-given, now);
    return given / UNITS;
  }

  reset(): void {
    this.held = null;
  }

  /** In how many ms it is full, if no override changes before. */
  fullAfter(now: number): number {
    const full = (time: number) =>
      this.project(time).units >= this.rule(time).capacity;
    return full(now) ? 0 : this.firstTime(now, full)! - now;
  }

  private take(amount: number, now: number): void {
    if (amount === 0) return;
    const { units: before, ts } = this.project(now);
    const { capacity, rate, period } = this.rule(now);
    const left = before - amount;
    const periods = (capacity - left) / rate;
    const wait =
      this.config.kind === "fixed window"
        ? Math.ceil(periods) * period
        : Math.ceil((capacity - left) / (rate / period));
    this.held = { units: left, ts, fullFrom: ts + wait };
  }

  private project(now: number): { units: number; ts: number } {
    const { kind, start } = this.config;
    const { rate, period, capacity } = this.rule(now);
    if (this.held === null || now >= this.held.fullFrom) {
      const sinceStart = now - (start ?? 0);
      const ts =
        kind === "token bucket"
          ? now
          : now - (sinceStart - Math.floor(sinceStart / period) * period);
      return { units: capacity, ts };
    }
    const elapsed = Math.max(0, now - this.held.ts);
    if (kind === "token bucket") {
      const refill = elapsed * (rate / period);
      return {
        units: Math.min(capacity, this.held.units + refill),
        ts: Math.max(now, this.held.ts),
      };
    }
    const windows = Math.floor(elapsed / period);
    return {
      units: Math.min(capacity, this.held.units + windows * rate),
      ts: this.held.ts + windows * period,
    };
  }

  private paidAfter(now: number): number {
    const paid = (time: number) => this.project(time).units >= 0;
    return this.firstTime(now, paid)! - now;
  }

  private rule(now: number): Rule {
    const inForce = (overrides: readonly NaiveOverride[]) =>
      overrides
        .filter(({ from, to }) => from <= now && now < to)
        .sort((a, b) => (a.from < b.from ? 1 : -1))[0]?.change;
    const change = inForce(this.keyOverrides) ?? inForce(this.limitOverrides);
    const laid =
      change !== undefined && "config" in change
        ? { ...this.config, ...change.config }
        : this.config;
    const { rate, period, capacity = rate, maxReserved = Infinity } = laid;
    return {
      mode:
        change === undefined || "config" in change
          ? "limited"
          : "deny" in change
            ? "banned"
            : "unlimited",
      rate: units(rate),
      period,
      capacity: units(capacity),
      most: units(maxReserved),
    };
  }

  /** The times after `now` at which something other than refill changes. */
  private boundaries(now: number): number[] {
    return [...this.keyOverrides, ...this.limitOverrides]
      .flatMap(({ from, to }) => [from, to])
      .concat(this.held?.fullFrom ?? [])
      .filter((time) => time > now && time < Infinity)
      .sort((a, b) => a - b);
  }

  /** The first ms after `now` at which it holds: between two boundaries it stays true. */
  private firstTime(
    now: number,
    holds: (time: number) => boolean,
  ): number | undefined {
    const stops = [now + 1, ...this.boundaries(now)];
    for (const [i, from] of stops.entries()) {
      // A year refills whatever is asked for here.
      const last = (stops[i + 1] ?? from + 365 * 24 * 60 * MINUTE_MS) - 1;
      if (last < from || !holds(last)) continue;
      let [early, late] = [from - 1, last];
      while (late - early > 1) {
        const middle = Math.floor((early + late) / 2);
        if (holds(middle)) late = middle;
        else early = middle;
      }
      return late;
    }
    return undefined;
  }
}

const units = (tokens: number) =>
  tokens === Infinity ? Infinity : Math.round(tokens * UNITS);
