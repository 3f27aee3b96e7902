import type {
  CalendarWindowConfig,
  LimitConfig,
  RateLimitConfig,
} from "convex-rate-limiter";

/** A limit whose periods are all as long. */
export type ModelConfig = Exclude<LimitConfig, CalendarWindowConfig>;

/**
 * The unit in which the model counts. With rates, counts and capacities in quarters of
 * a token and periods that divide a minute, each ms refills a whole number of it.
 */
export const UNITS = 240_000;

export const MINUTE_MS = 60_000;

/** An override, as the model keeps it: in force from `from` on, until before `to`. */
export type ModelOverride = {
  change:
    | { deny: true }
    | { unlimited: true }
    | {
        config: Partial<
          Pick<
            RateLimitConfig,
            "rate" | "period" | "capacity" | "maxReserved"
          > & { enforce: boolean }
        >;
      };
  from: number;
  to: number;
  /** When it came to lie over those before it: when it was set, or when it begins if that is later. */
  since: number;
  /** Of a ban of `penalize`, which holds before all others: which one in a row it is. */
  bans?: number;
};

/** Whether one that ends is gone for good by now: two more have begun, the first while the second did. */
export function isReplaced(
  one: ModelOverride,
  overrides: readonly ModelOverride[],
  now: number,
): boolean {
  const later = overrides.filter(
    ({ bans, from, to, since }) =>
      bans === undefined && from <= now && to < Infinity && since > one.since,
  );
  return (
    one.bans === undefined &&
    one.to < Infinity &&
    later.some(({ since }) =>
      later.some((middle) => middle.since < since && since < middle.to),
    )
  );
}

export type Ask = { count: number; reserve: boolean };

/** One that leaves tokens, or is content with fewer. */
export type AnyAsk = Ask & { leave?: number | undefined; upTo?: boolean };

export type ModelAnswer =
  | {
      ok: true;
      retryAfter?: number | undefined;
      taken?: number | undefined;
      wouldDeny?: true | undefined;
    }
  | { ok: false; retryAfter: number }
  /** Nothing that is known will ever grant it. */
  | "exceeds";

/** What several requests come to, which are granted together or not at all. */
export type Plan =
  | {
      ok: true;
      taken: number[];
      retryAfter?: number | undefined;
      wouldDeny?: true | undefined;
    }
  | { ok: false; refused: number; retryAfter: number }
  | "exceeds";

/** A balance, its time, and from when on nothing is left to remember. */
type Held = { units: number; ts: number; fullFrom: number; nextAt?: number };

/** From when on windows count, and of a calendar when the next tokens come, whatever it is by then. */
export type Since = { ts: number; nextAt?: number | undefined };

/** How many windows have brought tokens since, by when the calendar's start: those that lie wholly behind. */
export function windowsSince(
  starts: readonly number[],
  { ts, nextAt }: Since,
  now: number,
): Since & { n: number } {
  if (nextAt !== undefined && now < nextAt) return { n: 0, ts, nextAt };
  const from = nextAt ?? ts;
  const passed = starts.filter((start) => start >= from && start <= now);
  const whole = Math.max(0, passed.length - 1);
  const n = whole + (nextAt === undefined ? 0 : 1);
  return { n, ts: whole > 0 ? passed.at(-1)! : from };
}

/** When the n-th window since brings its tokens. */
function endOfWindow(
  starts: readonly number[],
  { ts, nextAt }: Since,
  n: number,
): number {
  if (nextAt !== undefined && n === 1) return nextAt;
  const from = nextAt ?? ts;
  const first = starts.findIndex((start) => start >= from);
  return starts[first + n - (nextAt === undefined ? 0 : 1)]!;
}

/** So many tokens, held of a limit on what runs at once until before a time. */
type ModelLease = { count: number; from: number; to: number };

export type ModelRule = {
  mode: "limited" | "banned" | "unlimited";
  rate: number;
  period: number;
  capacity: number;
  most: number;
  headroom: number;
  enforce: boolean;
};

/**
 * A limit that is not split, for one key: a number and a time. It shares nothing with
 * the package.
 */
export class Model {
  private held: Held | null = null;
  /** When windows start, if a calendar says so. */
  starts: readonly number[] | undefined;
  keyOverrides: readonly ModelOverride[] = [];
  limitOverrides: readonly ModelOverride[] = [];
  /** What is held of a limit on what runs at once. */
  leases: readonly ModelLease[] = [];
  /** Tokens above the capacity that it may hold: a bound on what rows of clocks that differ hold. */
  slack = 0;

  /** Until when it is in use whatever it holds, as a limit in several rows is until the last one is full. */
  usedUntil = -Infinity;

  constructor(public config: ModelConfig) {}

  /** As a deploy says: when windows start. */
  setWindows(
    windows: Pick<RateLimitConfig, "kind" | "start" | "period"> | undefined,
    starts: readonly number[] | undefined,
  ): void {
    if (windows !== undefined) {
      this.config = { ...this.config, ...windows } as ModelConfig;
    }
    this.starts = starts;
  }

  copy(): Model {
    const copy = new Model(this.config);
    copy.restore(this);
    return copy;
  }

  restore(from: Model): void {
    const { held, starts, usedUntil, leases, slack } = from;
    const { keyOverrides, limitOverrides } = from;
    const overrides = { keyOverrides, limitOverrides };
    const windows = { starts, usedUntil };
    Object.assign(this, { held, ...windows, ...overrides, leases, slack });
  }

  mode(now: number): ModelRule["mode"] {
    return this.rule(now).mode;
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

  /** Until when it has counted what arrives; -Infinity if it is full without a time. */
  get time(): number {
    return this.held?.ts ?? -Infinity;
  }

  isUsed(): boolean {
    return this.held !== null;
  }

  ask(ask: AnyAsk, now: number): ModelAnswer {
    const plan = this.plan([ask], now);
    if (plan === "exceeds") return plan;
    if (!plan.ok) return { ok: false, retryAfter: plan.retryAfter };
    this.follow(plan, now);
    const { retryAfter, wouldDeny } = plan;
    const { mode, enforce } = this.rule(now);
    const isCut = mode === "limited" && enforce;
    const taken = isCut ? plan.taken[0] : Math.floor(ask.count);
    return {
      ok: true,
      ...(retryAfter !== undefined && { retryAfter }),
      ...(wouldDeny && { wouldDeny }),
      ...(ask.upTo && { taken }),
    };
  }

  /** What they come to, one after the other. Changes nothing. */
  plan(asks: readonly AnyAsk[], now: number): Plan {
    const { mode, enforce } = this.rule(now);
    const nothing = asks.map(() => 0);
    if (mode === "unlimited") return { ok: true, taken: nothing };
    const { taken, refused, left } =
      mode === "banned"
        ? { taken: nothing, refused: 0, left: 0 }
        : this.walk(asks, now);
    if (refused !== undefined && enforce) {
      const denial = this.denial(asks, now);
      return denial === "exceeds"
        ? denial
        : { ok: false, refused, retryAfter: denial.retryAfter };
    }
    const total = taken.reduce((sum, count) => sum + count, 0);
    const isWaitedFor = left < 0 && !(refused !== undefined && total === 0);
    let retryAfter: number | undefined;
    if (isWaitedFor) {
      const after = this.copy();
      after.take(units(total), now);
      retryAfter = after.paidAfter(now);
    }
    const wouldDeny = refused === undefined ? undefined : true;
    return { ok: true, taken, retryAfter, wouldDeny };
  }

  /** Takes what was planned. */
  follow(plan: Plan, now: number): void {
    if (plan === "exceeds" || !plan.ok) return;
    if (this.config.kind === "concurrency") return;
    const total = plan.taken.reduce((sum, count) => sum + count, 0);
    this.take(units(total), now);
  }

  /** What each would get of what there is now. */
  private walk(asks: readonly AnyAsk[], now: number) {
    const { most, headroom } = this.rule(now);
    let left = this.project(now).units;
    let refused: number | undefined;
    const taken = asks.map((ask, i) => {
      const leave = Math.max(units(ask.leave ?? 0), headroom);
      const floor = ask.reserve && (ask.leave ?? 0) === 0 ? -most : leave;
      const there = Math.floor((left - floor) / UNITS);
      const count = ask.upTo
        ? Math.max(1, Math.min(Math.floor(ask.count), there))
        : ask.count;
      if (left - units(count) < floor) {
        refused ??= i;
        return 0;
      }
      left -= units(count);
      return count;
    });
    return { taken, refused, left };
  }

  /** When all of them fit, one after the other. */
  denial(
    asks: readonly AnyAsk[],
    now: number,
  ): Exclude<ModelAnswer, { ok: true }> {
    const at = this.firstTime(now, (time) => this.fits(asks, time));
    if (at !== undefined) return { ok: false, retryAfter: at - now };
    if (this.isTooMuch(asks, now)) return "exceeds";
    const last = this.boundaries(now).at(-1) ?? now;
    return { ok: false, retryAfter: this.rule(last).period };
  }

  /** Whether the last rule that is known would never grant one of them. */
  isTooMuch(asks: readonly AnyAsk[], now: number): boolean {
    const last = this.boundaries(now).at(-1) ?? now;
    const full = new Model(this.config);
    full.starts = this.starts;
    full.keyOverrides = this.keyOverrides;
    full.limitOverrides = this.limitOverrides;
    return asks.some((ask) => full.walk([ask], last).refused !== undefined);
  }

  fits(asks: readonly AnyAsk[], now: number): boolean {
    const { mode, enforce } = this.rule(now);
    if (mode === "unlimited" || !enforce) return true;
    return mode === "limited" && this.walk(asks, now).refused === undefined;
  }

  charge(count: number, now: number): { retryAfter?: number } {
    if (this.rule(now).mode === "unlimited") return {};
    this.move(count, now);
    const debt = this.project(now).units < 0;
    return debt ? { retryAfter: this.paidAfter(now) } : {};
  }

  credit(count: number, now: number): number {
    return -this.move(-count, now);
  }

  /** Takes tokens, or gives back what there is room for, also while it is unlimited: how many it took. */
  move(count: number, now: number): number {
    if (count >= 0) {
      this.take(units(count), now);
      return count;
    }
    const { units: before } = this.project(now);
    const room = this.rule(now).capacity + this.slack - before;
    const given = Math.max(0, Math.min(units(-count), room));
    this.take(-given, now);
    return -given / UNITS;
  }

  reset(): void {
    this.held = null;
    this.slack = 0;
  }

  /** In how many ms it is full, by what is known; of a ban without end, a period. */
  fullAfter(now: number): number {
    const full = (time: number) => {
      const { mode, capacity } = this.rule(time);
      if (mode !== "limited") return mode === "unlimited";
      return this.project(time).units >= capacity;
    };
    if (full(now)) return 0;
    const at = this.firstTime(now, full);
    return at === undefined ? this.rule(now).period : at - now;
  }

  /** What `details` are to say. */
  details(now: number) {
    const { mode, capacity, headroom } = this.rule(now);
    const left = {
      limited: () => this.project(now).units - headroom,
      banned: () => 0,
      unlimited: () => capacity - headroom,
    }[mode]();
    return {
      limit: capacity / UNITS,
      remaining: Math.max(0, Math.floor(left / UNITS)),
      resetAfter: this.fullAfter(now),
    };
  }

  /** What has arrived by now stays, also for a clock that steps back. */
  countUntil(now: number): void {
    if (this.held === null) return;
    const { units, ts, nextAt } = this.project(now);
    // What fills it at this very ms leaves its windows where they were.
    if (now === this.held.fullFrom && units === this.held.units) return;
    this.held = {
      units,
      ts,
      fullFrom: this.held.fullFrom,
      ...this.next(ts, nextAt),
    };
  }

  /** One that is not used begins in the windows that another one, whose record it is, was in. */
  beginAs(seen: Model, now: number): void {
    if (this.config.kind !== "fixed window" || this.isInUse(now)) return;
    const { units } = this.project(now);
    const { ts, nextAt } = seen.project(now);
    const since = { ts, ...this.next(ts, nextAt) };
    this.held = { units, ...since, fullFrom: Infinity };
  }

  /** One that is used keeps the windows of its calendar, also if all was given back at once. */
  use(now: number): void {
    const isUnsettled = this.held?.fullFrom === Infinity;
    if (isUnsettled || (this.starts !== undefined && !this.isInUse(now))) {
      this.remember(0, now);
    }
  }

  private isInUse(now: number): boolean {
    return this.held !== null && now < this.held.fullFrom;
  }

  /** Nothing is left to remember of one that is full, by the capacity that holds now. */
  settle(now: number): void {
    if (this.isFull(now) && now >= this.usedUntil) this.held = null;
  }

  isFull(now: number): boolean {
    return this.project(now).units >= this.rule(now).capacity;
  }

  /** A debt becomes an empty balance. */
  forgive(): void {
    if (this.held === null || this.held.units >= 0) return;
    this.held = { ...this.held, units: 0 };
  }

  /** It may hold more above the capacity from now on; and may have before. */
  allowAbove(tokens: number): void {
    const more = Math.ceil(tokens * UNITS) - this.slack;
    if (more <= 0) return;
    this.slack += more;
    if (this.held === null) return;
    this.held = { ...this.held, units: this.held.units + more };
  }

  private take(amount: number, now: number): void {
    if (amount !== 0) this.remember(amount, now);
  }

  /** Remembers what is left without so much. */
  private remember(amount: number, now: number): void {
    const { units: before, ts, nextAt } = this.project(now);
    const left = before - amount;
    const since = { ts, ...this.next(ts, nextAt) };
    const full = this.rulesToCome(now).map(({ capacity, rate, period }) => {
      const missing = Math.max(0, capacity - left);
      const windows = Math.ceil(missing / rate);
      return this.starts !== undefined
        ? // Without what it remembers a calendar would count from its running window.
          endOfWindow(this.starts, since, windows + 1)
        : this.config.kind === "fixed window"
          ? ts + windows * period
          : ts + Math.ceil(missing / (rate / period));
    });
    // What fills a window in its midst was not full at its start.
    this.held = { ...since, units: left, fullFrom: Math.max(now, ...full) };
  }

  /** The rules that are known to hold from now on, and the one without any override. */
  private rulesToCome(now: number): ModelRule[] {
    const overrides = [...this.keyOverrides, ...this.limitOverrides];
    const times = overrides
      .flatMap(({ from, to }) => [from, to])
      .filter((time) => time > now && time < Infinity);
    const usual = new Model(this.config);
    const isChanged = overrides.some(
      ({ change, to }) => "config" in change && to > now,
    );
    return [now, ...times]
      .map((time) => this.rule(time))
      .concat(isChanged ? usual.rule(now) : []);
  }

  /** When the next tokens come, of a calendar: that is settled by what is written. */
  private next(ts: number, nextAt: number | undefined): { nextAt?: number } {
    if (this.starts === undefined) return {};
    return { nextAt: nextAt ?? endOfWindow(this.starts, { ts }, 1) };
  }

  private project(now: number): Since & { units: number } {
    const { config, starts } = this;
    const rule = this.rule(now);
    const { rate, period } = rule;
    if (config.kind === "concurrency") {
      const held = this.leases.reduce(
        (sum, { count, to }) => (to > now ? sum + count : sum),
        0,
      );
      return { units: rule.capacity - units(held), ts: now };
    }
    const capacity = rule.capacity + this.slack;
    const { kind, start } = config;
    const { held } = this;
    // A clock that has stepped back stands still at the time of the last change.
    const at = Math.max(now, held?.ts ?? now);
    if (held === null || at >= Math.max(held.fullFrom, this.usedUntil)) {
      if (starts !== undefined) {
        return { units: capacity, ts: starts.findLast((one) => one <= at)! };
      }
      const sinceStart = at - (start ?? 0);
      const ts =
        kind === "token bucket"
          ? at
          : at - (sinceStart - Math.floor(sinceStart / period) * period);
      return { units: capacity, ts };
    }
    if (starts !== undefined) {
      const { n, ...since } = windowsSince(starts, held, now);
      return { units: Math.min(capacity, held.units + n * rate), ...since };
    }
    const elapsed = Math.max(0, now - held.ts);
    if (kind === "token bucket") {
      const refill = elapsed * (rate / period);
      return {
        units: Math.min(capacity, held.units + refill),
        ts: Math.max(now, held.ts),
      };
    }
    const windows = Math.floor(elapsed / period);
    return {
      units: Math.min(capacity, held.units + windows * rate),
      ts: held.ts + windows * period,
    };
  }

  private paidAfter(now: number): number {
    const paid = (time: number) => this.project(time).units >= 0;
    return this.firstTime(now, paid)! - now;
  }

  rule(now: number): ModelRule {
    const isBan = ({ bans }: ModelOverride) => Number(bans !== undefined);
    const inForce = (overrides: readonly ModelOverride[]) =>
      overrides
        .filter(({ from, to }) => from <= now && now < to)
        .filter((one) => !isReplaced(one, overrides, now))
        .sort((a, b) => isBan(b) - isBan(a) || b.since - a.since)
        .map((one) => one.change);
    const changes = [this.keyOverrides, this.limitOverrides].flatMap(inForce);
    const [change] = changes;
    const below = changes.find((one) => "config" in one);
    const { config } = this;
    const bucket =
      config.kind === "concurrency"
        ? { ...config, rate: 0, period: config.lease }
        : config;
    const laid = below === undefined ? bucket : { ...bucket, ...below.config };
    const { rate, period, capacity = rate, maxReserved = Infinity } = laid;
    const mode =
      change === undefined || "config" in change
        ? "limited"
        : "deny" in change
          ? "banned"
          : "unlimited";
    return {
      mode,
      rate: units(rate),
      period,
      capacity: units(capacity),
      most: units(maxReserved),
      headroom: units(laid.headroom ?? 0),
      enforce: (mode === "banned" ? config : laid).enforce !== false,
    };
  }

  /** The times after `now` at which something other than refill changes. */
  boundaries(now: number): number[] {
    return [...this.keyOverrides, ...this.limitOverrides, ...this.leases]
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
    return firstOf([now + 1, ...this.boundaries(now)], holds);
  }
}

/** The first ms after `now` at which all of these would be granted together. */
export function firstGrantOfAll(
  parts: readonly { model: Model; asks: readonly AnyAsk[] }[],
  now: number,
): number | undefined {
  const boundaries = parts.flatMap(({ model }) => model.boundaries(now));
  const stops = [now + 1, ...boundaries.sort((a, b) => a - b)];
  return firstOf(stops, (time) =>
    parts.every(({ model, asks }) => model.fits(asks, time)),
  );
}

/** The first ms at which it holds, if between two stops it stays true. */
function firstOf(
  stops: readonly number[],
  holds: (time: number) => boolean,
): number | undefined {
  for (const [i, from] of stops.entries()) {
    // Fifty years refill whatever is asked for here.
    const last = (stops[i + 1] ?? from + 50 * 365 * 24 * 60 * MINUTE_MS) - 1;
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

const units = (tokens: number) =>
  tokens === Infinity ? Infinity : Math.round(tokens * UNITS);
