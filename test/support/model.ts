import type { CalendarWindowConfig, LimitConfig } from "convex-rate-limiter";

/**
 * A config without a calendar. `starts` lists the window starts that a calendar would give. `isInline`: it comes with
 * each call.
 */
export type ModelConfig = Exclude<LimitConfig, CalendarWindowConfig> & {
  starts?: readonly number[] | undefined;
  isInline?: true;
};

/**
 * The unit in which the model counts. With rates, counts and capacities in quarters of
 * a token and periods that divide an hour, each ms refills a whole number of units.
 */
export const UNITS = 14_400_000;

export const MINUTE_MS = 60_000;

/** An override, in force from `from` until just before `to`. */
export type ModelOverride = {
  change:
    | { deny: true }
    | { unlimited: true }
    | {
        config: {
          rate?: number;
          period?: number;
          capacity?: number;
          maxReserved?: number;
          maxDebt?: number;
          enforce?: boolean;
        };
      };
  from: number;
  to: number;
  /** Whether it lasts, if only until another one that is to last begins. By default if it has no end. */
  isLasting?: boolean;
  /** For a ban by `penalize`: its number among bans in a row. */
  bans?: number;
};

/**
 * The order in which the overrides of a key, or of a limit, win: a ban of `penalize`, then one with
 * an end, then one without; of two without an end, the one that begins later.
 */
export function byPrecedence(a: ModelOverride, b: ModelOverride): number {
  const isBan = ({ bans }: ModelOverride) => Number(bans !== undefined);
  const ends = ({ to, isLasting = to === Infinity }: ModelOverride) =>
    Number(!isLasting);
  return isBan(b) - isBan(a) || ends(b) - ends(a) || b.from - a.from;
}

export type Ask = { count: number; reserve: boolean };

/** A request that may have to leave tokens, or accept fewer than its count. */
export type AnyAsk = Ask & { leave?: number | undefined; upTo?: boolean };

export type ModelAnswer =
  | {
      ok: true;
      retryAfter?: number | undefined;
      taken?: number | undefined;
      wouldDeny?: true | undefined;
    }
  | { ok: false; retryAfter: number }
  /** No known rule will ever grant it. */
  | "exceeds";

/** The outcome of several requests that are granted together or not at all. */
export type Plan =
  | {
      ok: true;
      taken: number[];
      retryAfter?: number | undefined;
      wouldDeny?: true | undefined;
    }
  | { ok: false; refused: number; retryAfter: number }
  | "exceeds";

/** Up to when tokens are counted. With a calendar, `nextAt` fixes when the next tokens come. */
export type Since = { ts: number; nextAt?: number | undefined };

type Balance = Since & { units: number };

/** The balance at a key's last write, and when the key is idle. */
type LastWrite = Balance & {
  /** The rule of the last write. */
  by: ModelRule;
  /** The config of the last call that took or gave something. */
  config: ModelConfig;
  /** When it was written. What another rule would have brought before that time does not count. */
  writtenAt: number;
  idleAt: number;
};

/** A write that a model can play again. */
type Write = {
  amount: number;
  now: number;
  by: ModelRule;
  config: ModelConfig;
  /** The rules that say when the key is idle. */
  rules: readonly ModelRule[];
  /** When its window began, if windows begin with the first use: a window that has begun stays. */
  window?: number | undefined;
};

/** Tokens held of a concurrency limit, from `from` until just before `to`. */
type ModelLease = { count: number; from: number; to: number };

export type ModelRule = {
  kind: ModelConfig["kind"];
  mode: "limited" | "banned" | "unlimited";
  rate: number;
  period: number;
  starts: readonly number[] | undefined;
  /** Whether the calendar comes with each call, which may name another time zone. */
  mayMove: boolean;
  /** When one of the windows starts; undefined if with the first use, unused with `starts`. */
  origin: number | undefined;
  capacity: number;
  most: number;
  /** How deep a debt charges may leave. */
  maxDebt: number;
  enforce: boolean;
};

const HOUR_MS = 60 * MINUTE_MS;

/** What the package derives from a hash of limit and key. */
export type Drawn = {
  /** Where windows without `start` begin, as a fraction of the period. */
  phase: number;
  isInShare: (share: number) => boolean;
};

/**
 * When the next tokens come, if a write has fixed that time. If the write fixed the end of a day, and windows are now
 * months, the tokens come when the next month begins.
 */
function fixedEnd(
  { starts }: ModelRule,
  { ts, nextAt }: Since,
): number | undefined {
  if (starts === undefined || nextAt === undefined) return undefined;
  const usual = (starts.at(-1)! - starts[0]!) / (starts.length - 1);
  if (nextAt - ts >= 0.75 * usual) return nextAt;
  return starts.find((start) => start >= nextAt)!;
}

/** The tokens that arrived since, and the time up to which they are counted. */
function arrived(
  rule: ModelRule,
  since: Since,
  now: number,
): Since & { tokens: number } {
  const { kind, rate, period, starts } = rule;
  const { ts } = since;
  const elapsed = Math.max(0, now - ts);
  if (kind === "token bucket") {
    return { tokens: elapsed * (rate / period), ts: Math.max(now, ts) };
  }
  if (starts === undefined) {
    const n = Math.floor(elapsed / period);
    return { tokens: n * rate, ts: ts + n * period };
  }
  const nextAt = fixedEnd(rule, since);
  if (nextAt !== undefined && now < nextAt) return { tokens: 0, ts, nextAt };
  const from = nextAt ?? ts;
  const passed = starts.filter((start) => start >= from && start <= now);
  // In a calendar, only whole windows count.
  const whole = Math.max(0, passed.length - 1);
  const n = whole + (nextAt === undefined ? 0 : 1);
  return { tokens: n * rate, ts: whole > 0 ? passed.at(-1)! : from };
}

/** When the tokens of the next `n` windows have arrived. */
function endOfWindow(rule: ModelRule, since: Since, n: number): number {
  const { period, starts } = rule;
  const { ts } = since;
  if (starts === undefined) return ts + n * period;
  const nextAt = fixedEnd(rule, since);
  if (nextAt !== undefined && n === 1) return nextAt;
  const from = nextAt ?? ts;
  const first = starts.findIndex((start) => start >= from);
  return starts[first + n - (nextAt === undefined ? 0 : 1)]!;
}

/** How much a balance may lack and still count as full: a millionth of a token, or less if that refills slowly. */
function tolerated({ kind, rate, period }: ModelRule): number {
  const refill = kind === "token bucket" ? (0.01 * rate) / period : Infinity;
  return Math.min(1e-6 * UNITS, refill);
}

/** The `ts` of a key on its first use. */
function beginsAt(
  { kind, period, starts, origin }: ModelRule,
  now: number,
): number {
  if (kind !== "fixed window") return now;
  if (starts !== undefined) return starts.findLast((one) => one <= now)!;
  if (origin === undefined) return now;
  return now - modulo(now - origin, period);
}

/** Whether a key has windows only while it is not full. */
function isFromFirstUse({ kind, starts, origin }: ModelRule): boolean {
  return (
    kind === "fixed window" && starts === undefined && origin === undefined
  );
}

/** A balance with windows from the first use: one window after the other, until one ends with a full balance. */
function afterWindows(
  { rate, period, capacity }: ModelRule,
  { units, ts, writtenAt }: LastWrite,
  slack: number,
  now: number,
): Balance {
  const most = capacity + slack;
  let left = Math.min(units, most);
  // Windows that ended before the last write, which another rule made longer, brought nothing.
  const before = Math.max(0, Math.min(writtenAt, now) - ts);
  let end = ts + (Math.floor(before / period) + 1) * period;
  for (; end <= now; end += period) {
    left = Math.min(left + rate, most);
    if (left >= capacity) return { units: left, ts: now };
  }
  return { units: left, ts: end - period };
}

/** How low a request may bring a balance. */
export function floorOf(
  { most }: ModelRule,
  { reserve, leave = 0 }: AnyAsk,
): number {
  return reserve && leave === 0 ? -most : units(leave);
}

/** When a balance is full under a rule, and by the clocks of all time zones if the calendar may move. */
function fullAt(
  rule: ModelRule,
  { units, writtenAt, ...since }: Balance & { writtenAt: number },
): number {
  const { kind, rate, period, capacity, mayMove } = rule;
  const before = arrived(rule, since, writtenAt).tokens;
  const missing = Math.max(0, capacity - units) + before;
  if (kind === "token bucket") {
    return since.ts + Math.ceil(missing / (rate / period));
  }
  // A window from the first use lasts, whatever is given back.
  const least = isFromFirstUse(rule) ? 1 : 0;
  const n = Math.max(least, Math.ceil(missing / rate));
  const full = n === 0 ? since.ts : endOfWindow(rule, since, n);
  return full + (mayMove ? 26 * HOUR_MS : 0);
}

/**
 * A limit and key as the documentation describes them: a number and its time, however the package stores them.
 */
export class Model {
  private last: LastWrite | null = null;
  /** All writes since `base`, so that they can be played again with another amount. */
  private log: readonly Write[] = [];
  private base: LastWrite | null = null;
  /** How many holds have been taken since the limit was full. */
  holdsSinceFull = 0;
  keyOverrides: readonly ModelOverride[] = [];
  limitOverrides: readonly ModelOverride[] = [];
  /** The unexpired leases of a concurrency limit. */
  leases: readonly ModelLease[] = [];
  /** How far above the capacity the balance may be, where clocks differ or calls overlap. */
  slack = 0;
  /** How often the balance was written. */
  writes = 0;

  constructor(
    public config: ModelConfig,
    readonly drawn: Drawn = { phase: 0, isInShare: () => true },
  ) {}

  copy(): Model {
    const copy = new Model(this.config, this.drawn);
    copy.restore(this);
    return copy;
  }

  restore(from: Model): void {
    const { last, leases, slack, writes, keyOverrides, limitOverrides } = from;
    const { log, base, holdsSinceFull } = from;
    const known = { last, leases, slack, writes, keyOverrides, limitOverrides };
    Object.assign(this, known, { log, base, holdsSinceFull });
  }

  mode(now: number): ModelRule["mode"] {
    return this.rule(now).mode;
  }

  /** Whether the known overrides ban the key for ever. */
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

  /** The rule of the last write. */
  get lastRule(): ModelRule | undefined {
    return this.last?.by;
  }

  /** Restores the config of the last call that took or gave something, if a later call brought another. */
  goByWriter(): void {
    if (this.last !== null) this.config = this.last.config;
  }

  isUsed(): boolean {
    return this.last !== null;
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

  /** Decides the requests one after the other, without taking anything. */
  plan(asks: readonly AnyAsk[], now: number): Plan {
    const { mode, enforce } = this.rule(now);
    const nothing = asks.map(() => 0);
    if (mode === "unlimited") return { ok: true, taken: nothing };
    const { taken, refused, left } =
      mode === "banned"
        ? { taken: nothing, refused: 0, left: 0 }
        : this.walk(asks, now);
    if (refused !== undefined && (mode === "banned" || enforce)) {
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

  /** Takes what a plan grants. */
  follow(plan: Plan, now: number): void {
    if (plan === "exceeds" || !plan.ok) return;
    if (this.config.kind === "concurrency") return;
    const total = plan.taken.reduce((sum, count) => sum + count, 0);
    this.take(units(total), now);
  }

  /** What each request would get from the current balance, one after the other. */
  private walk(asks: readonly AnyAsk[], now: number) {
    const rule = this.rule(now);
    let left = this.project(now).units;
    let refused: number | undefined;
    const taken = asks.map((ask, i) => {
      const floor = floorOf(rule, ask);
      const there = Math.floor((left - floor) / UNITS);
      const count = ask.upTo
        ? Math.max(1, Math.min(Math.floor(ask.count), there))
        : ask.count;
      if (left - units(count) < floor - tolerated(rule)) {
        refused ??= i;
        return 0;
      }
      left -= units(count);
      return count;
    });
    return { taken, refused, left };
  }

  /** The answer to refused requests: when all of them will fit, one after the other. */
  denial(
    asks: readonly AnyAsk[],
    now: number,
  ): Exclude<ModelAnswer, { ok: true }> {
    const time = this.firstTime(now, (time) => this.fits(asks, time));
    if (time !== undefined) return { ok: false, retryAfter: time - now };
    if (this.isTooMuch(asks, now)) return "exceeds";
    const last = this.boundaries(now).at(-1) ?? now;
    return { ok: false, retryAfter: this.rule(last).period };
  }

  /** Whether the last known rule would not grant one of the requests even from a full limit. */
  isTooMuch(asks: readonly AnyAsk[], now: number): boolean {
    const last = this.boundaries(now).at(-1) ?? now;
    const full = new Model(this.config, this.drawn);
    full.keyOverrides = this.keyOverrides;
    full.limitOverrides = this.limitOverrides;
    return asks.some((ask) => full.walk([ask], last).refused !== undefined);
  }

  fits(asks: readonly AnyAsk[], now: number): boolean {
    const { mode, enforce } = this.rule(now);
    if (mode !== "limited") return mode === "unlimited";
    return !enforce || this.walk(asks, now).refused === undefined;
  }

  charge(count: number, now: number): { retryAfter?: number } {
    if (this.rule(now).mode === "unlimited") return {};
    this.move(count, now);
    const debt = this.project(now).units < 0;
    return debt ? { retryAfter: this.paidAfter(now) } : {};
  }

  /** How much of a charge is taken: the rest is forgiven. */
  chargeable(count: number, now: number): number {
    const most = Math.max(0, this.project(now).units + this.rule(now).maxDebt);
    return Math.min(count, most / UNITS);
  }

  credit(count: number, now: number): number {
    return -this.move(-count, now);
  }

  /** Takes tokens, or gives back as many as fit, even while unlimited. Returns how many it took. */
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

  /** Counts a hold, given that it has taken this much. */
  noteHold(count: number, now: number): void {
    const rule = this.rule(now);
    const before = this.project(now).units + units(count);
    const isFull = before >= rule.capacity - tolerated(rule);
    this.holdsSinceFull = isFull ? 1 : this.holdsSinceFull + 1;
  }

  /**
   * Ends a hold that did not use all that it took: plays all writes again, as if it had taken only what it used.
   *
   * @param write Which write it was.
   */
  release(write: number, unused: number, now: number, by = this.rule(now)) {
    const nth = this.log.length - 1 - (this.writes - write);
    const held = this.log[nth];
    if (held === undefined) return this.move(-unused, now);
    const { units: before, ts: window } = this.project(now, by);
    const known = this.copy();
    known.last = known.base;
    known.log = [];
    for (const [i, one] of this.log.entries()) {
      known.play(
        i === nth ? { ...one, amount: one.amount - units(unused) } : one,
      );
    }
    // What comes to nothing is not written.
    if (known.project(now, by).units === before) return;
    this.last = known.last;
    this.log = known.log;
    this.remember(0, now, { by, config: this.last!.config, window });
  }

  /** Whatever is written from now on can be played again from here. */
  private begin(): void {
    this.base = this.last;
    this.log = [];
  }

  reset(): void {
    this.last = null;
    this.holdsSinceFull = 0;
    this.begin();
    this.slack = 0;
  }

  /** In how many ms the limit is full under the known overrides. A ban without end counts as one period. */
  fullAfter(now: number): number {
    const full = (time: number) => {
      const { mode } = this.rule(time);
      if (mode !== "limited") return mode === "unlimited";
      return this.isFull(time);
    };
    if (full(now)) return 0;
    const time = this.firstTime(now, full);
    return time === undefined ? this.rule(now).period : time - now;
  }

  /** What an answer with `details` should say. */
  details(now: number) {
    const { mode, capacity } = this.rule(now);
    const left = {
      limited: () => this.project(now).units,
      banned: () => 0,
      unlimited: () => capacity,
    }[mode]();
    return {
      limit: capacity / UNITS,
      remaining: Math.max(0, Math.floor(left / UNITS)),
      resetAfter: this.fullAfter(now),
    };
  }

  /** Counts what has arrived, so that it stays even if the clock steps back. */
  countUntil(now: number): void {
    if (this.last === null) return;
    const { by } = this.last;
    const { units, ts, nextAt } = this.project(now, by);
    const since = this.since(ts, nextAt, now, by);
    this.last = { ...this.last, nextAt: undefined, units, ...since };
    this.begin();
  }

  /** A write that changes no balance. */
  write(now: number): void {
    this.remember(0, now);
  }

  private isInUse(now: number): boolean {
    return this.last !== null && now < this.last.idleAt;
  }

  isFull(now: number, rule = this.rule(now)): boolean {
    return this.project(now, rule).units >= rule.capacity - tolerated(rule);
  }

  /**
   * A split limit may stay in use for longer than the model. Its windows then start at other times. Therefore this
   * allows the tokens of one more window, and counts from the start after which the next tokens come first.
   */
  allowOtherWindows(now: number): void {
    const { last } = this;
    const rule = this.rule(now);
    if (last === null || this.isInUse(now)) return;
    if (rule.kind !== "fixed window") return;
    const began = { ts: beginsAt(rule, now) };
    const { ts, nextAt } = arrived(rule, last, now);
    if (ts === began.ts) return;
    this.allowAbove(rule.rate / UNITS);
    const units = rule.capacity + this.slack;
    const next = endOfWindow(rule, { ts, nextAt }, 1);
    const since = next < endOfWindow(rule, began, 1) ? { ts, nextAt } : began;
    const { config } = last;
    const { writtenAt } = last;
    const known = { by: rule, config, writtenAt, idleAt: now + 1 };
    this.last = { units, ...since, ...known };
    this.begin();
  }

  /** Allows this many tokens above the capacity, now and from now on. */
  allowAbove(tokens: number): void {
    const more = Math.ceil(tokens * UNITS) - this.slack;
    if (more <= 0) return;
    this.slack += more;
    if (this.last === null) return;
    this.last = { ...this.last, units: this.last.units + more };
    this.begin();
  }

  private take(amount: number, now: number): void {
    if (amount !== 0) this.remember(amount, now);
  }

  /** A write: takes an amount from the balance, and stores the rest. */
  private remember(
    amount: number,
    now: number,
    { by, config, window }: Pick<Write, "by" | "config" | "window"> = {
      by: this.rule(now),
      config: this.config,
    },
  ): void {
    const usual = new Model(this.config, this.drawn).rule(now);
    const known = [now, ...this.changes(now)].map((time) => this.rule(time));
    const rules = [by, usual, ...known];
    this.play({ amount, now, by, config, rules, window });
    this.writes++;
  }

  private play(write: Write): void {
    const { amount, now, by, config, rules } = write;
    const projected = this.project(now, by);
    const { units, nextAt } = projected;
    const window = isFromFirstUse(by) ? write.window : undefined;
    const ts = window ?? projected.ts;
    const since = this.since(ts, nextAt, now, by);
    const { capacity } = by;
    // What is given back fills the limit at most, also if it is played again after a hold that took less.
    const most = Math.max(units, capacity + this.slack);
    const left = {
      units: amount < 0 ? Math.min(units - amount, most) : units - amount,
      ...since,
      writtenAt: now,
    };
    const full = rules.map((rule) => fullAt(rule, left));
    const idleAt = Math.max(now, ...full) + HOUR_MS;
    this.last = { ...left, by, config, idleAt };
    this.log = [...this.log, { ...write, window: ts }];
  }

  /**
   * Settles a hold whose config came with its call, under the rule of the last write: takes `count` tokens, or gives
   * them back if negative. A key that is not in use is full by the hold's own config.
   *
   * @param write Which write the hold was.
   */
  correct(
    count: number,
    now: number,
    config: ModelConfig,
    write: number,
  ): void {
    const { last } = this;
    if (last === null || Math.max(now, last.ts) >= last.idleAt) {
      this.config = config;
      if (count > 0) this.charge(count, now);
      return;
    }
    if (count > 0) this.remember(units(count), now, last);
    else if (count < 0) this.release(write, -count, now, last.by);
  }

  /** The time to store with a balance. With a calendar, a write also fixes when the next tokens come. */
  private since(
    ts: number,
    nextAt: number | undefined,
    now: number,
    rule = this.rule(now),
  ): Since {
    if (rule.starts === undefined) return { ts };
    return { ts, nextAt: nextAt ?? endOfWindow(rule, { ts }, 1) };
  }

  private project(now: number, rule = this.rule(now)): Balance {
    if (rule.kind === "concurrency") {
      const held = this.leases.reduce(
        (sum, { count, to }) => (to > now ? sum + count : sum),
        0,
      );
      return { units: rule.capacity - units(held), ts: now };
    }
    const capacity = rule.capacity + this.slack;
    const { last } = this;
    // If the clock has stepped back, time stands still at the last write.
    const time = Math.max(now, last?.ts ?? now);
    if (last === null || time >= last.idleAt) {
      return { units: capacity, ts: beginsAt(rule, time) };
    }
    if (isFromFirstUse(rule)) {
      return afterWindows(rule, last, this.slack, time);
    }
    const { tokens, ...since } = arrived(rule, last, now);
    const before = arrived(rule, last, last.writtenAt).tokens;
    const more = Math.max(0, tokens - before);
    if (rule.kind === "token bucket") {
      since.ts = Math.max(since.ts, last.writtenAt);
    }
    return { units: Math.min(capacity, last.units + more), ...since };
  }

  private paidAfter(now: number): number {
    const paid = (time: number) =>
      this.project(time).units >= -tolerated(this.rule(time));
    return this.firstTime(now, paid)! - now;
  }

  rule(now: number): ModelRule {
    const inForce = (overrides: readonly ModelOverride[]) =>
      overrides
        .filter(({ from, to }) => from <= now && now < to)
        .sort(byPrecedence)
        .map((one) => one.change);
    const layers = [this.keyOverrides, this.limitOverrides].flatMap(inForce);
    const [change] = layers;
    const below = layers.find((one) => "config" in one);
    const mode =
      change === undefined || "config" in change
        ? "limited"
        : "deny" in change
          ? "banned"
          : "unlimited";
    const { config } = this;
    const bucket =
      config.kind === "concurrency"
        ? { ...config, rate: 0, period: config.lease }
        : config;
    const { config: changes = {} } = below ?? {};
    const laid = { ...bucket, ...changes };
    const { rate, period, capacity = rate, maxReserved = Infinity } = laid;
    const { maxDebt = Infinity, enforce } = laid;
    // An override's period replaces the calendar.
    const isPlain = changes.period !== undefined;
    const starts = isPlain ? undefined : config.starts;
    const start = config.starts === undefined ? config.start : undefined;
    return {
      kind: config.kind,
      mode,
      rate: units(rate),
      period,
      starts,
      mayMove: starts !== undefined && config.isInline === true,
      origin:
        start === "first use"
          ? undefined
          : (start ?? Math.floor(this.drawn.phase * period)),
      capacity: units(capacity),
      most: units(maxReserved),
      maxDebt: units(maxDebt),
      enforce:
        typeof enforce === "number"
          ? this.drawn.isInShare(enforce)
          : enforce !== false,
    };
  }

  /** The times after `now` at which overrides begin or end. */
  private changes(now: number): number[] {
    return [...this.keyOverrides, ...this.limitOverrides]
      .flatMap(({ from, to }) => [from, to])
      .filter((time) => time > now && time < Infinity);
  }

  /** The times after `now` at which something other than refill changes. */
  boundaries(now: number): number[] {
    return this.leases
      .flatMap(({ from, to }) => [from, to])
      .concat(this.last?.idleAt ?? [], this.changes(now))
      .filter((time) => time > now && time < Infinity)
      .sort((a, b) => a - b);
  }

  /** The first ms after `now` at which a condition holds. Once true, it must stay true up to the next boundary. */
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

/** The first ms at which a condition holds. Once true, it must stay true up to the next stop. */
function firstOf(
  stops: readonly number[],
  holds: (time: number) => boolean,
): number | undefined {
  for (const [i, from] of stops.entries()) {
    // Fifty years are enough to refill anything that these tests ask for.
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

const modulo = (n: number, by: number) => n - Math.floor(n / by) * by;
