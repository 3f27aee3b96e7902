import { calculateRateLimit } from "convex-rate-limiter";
import type { GetValueReturns } from "convex-rate-limiter";
import {
  NaiveLimit,
  type AnyAsk,
  type NaiveOverride,
  type NaivePlan,
  type NaiveConfig,
} from "../test/corners/naiveLimit.js";
import type { Document } from "./ranges.js";
import type { Of, Step, Told } from "./steps.js";
import type { Write } from "./store.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const TOLERANCE = 1e-6;

/** Something that the limits do not allow. */
export class Broken extends Error {
  override name = "Broken";
}

type Override = NaiveOverride & { bans?: number; forgetAt?: number };

type Hold = {
  of: Of;
  isLease: boolean;
  taken: number | undefined;
  /** When it was granted, and when it ends. */
  from: number;
  to: number;
};

/** What is known of a limit and key, as if all transactions had run one after the other. */
class Account {
  /** Whether no two transactions that wrote to it ran at once since it was last full. */
  isSerial = true;
  /** Counts what was committed. */
  version = 0;
  /** The latest clock of who wrote to it, and how far behind it another one was. */
  clock = -Infinity;
  lag = 0;
  /** Whether overrides were set for it. */
  isOverridden = false;

  constructor(
    readonly of: Of,
    readonly model: NaiveLimit,
  ) {}

  copy(): Account {
    const copy = new Account(this.of, this.model.copy());
    const { isSerial, version, clock, lag, isOverridden } = this;
    return Object.assign(copy, {
      isSerial,
      version,
      clock,
      lag,
      isOverridden,
    });
  }
}

/** The state of all limits in one order of the transactions. */
class World {
  constructor(
    readonly accounts: Map<string, Account>,
    readonly overrides: Map<string, readonly Override[]>,
    readonly holds: Map<string, Hold>,
  ) {}

  copy(): World {
    const accounts = [...this.accounts].map(
      ([id, account]) => [id, account.copy()] as const,
    );
    return new World(
      new Map(accounts),
      new Map(this.overrides),
      new Map(this.holds),
    );
  }

  account(of: Of): Account {
    const account = this.accounts.get(idOf(of))!;
    const { name, key } = of;
    account.model.keyOverrides = this.overridesOf(name, key);
    account.model.limitOverrides = this.overridesOf(name, undefined);
    account.model.leases = [...this.holds.values()]
      .filter((hold) => hold.isLease && idOf(hold.of) === idOf(of))
      .map(({ taken = 0, from, to }) => ({ count: taken, from, to }));
    return account;
  }

  overridesOf(name: string, key: string | undefined): readonly Override[] {
    return this.overrides.get(idOf({ name, key })) ?? [];
  }
}

type Version = { visibleAt: number; world: World; rows: Rows };

/** The rows of each limit and key, by the id of that. */
type Rows = Map<string, readonly Document[]>;

export type Judged = {
  now: number;
  beganAt: number;
  visibleAt: number;
  steps: readonly Step[];
  told: readonly Told[];
  /** Whether it was committed and has written. */
  counts: boolean;
};

/**
 * Watches transactions in the order of their commits. Of each limit it keeps a number and a time, which it
 * changes by what callers were told, and compares with what they are told next. It shares nothing with the
 * package.
 *
 * All that a transaction reads is of the snapshot of its beginning, so its answers are those of that state. Of
 * a limit of one row or on what runs at once it must have found no other at its commit. Of a split limit rows
 * must have lost what was taken, and may never hold more than the number that is kept. Of an asynchronous one
 * no balance that is told may be above the number, and none but the number as long as no two write at once.
 */
export class Judge {
  private readonly history: Version[] = [];
  private readonly stored = new Map<string, Document>();
  private rows: Rows = new Map();

  constructor(private readonly limits: Record<string, NaiveConfig>) {
    const accounts = new Map<string, Account>();
    for (const [name, config] of Object.entries(limits)) {
      for (const key of ["a", "b"]) {
        const account = new Account({ name, key }, new NaiveLimit(config));
        accounts.set(idOf(account.of), account);
      }
    }
    const world = new World(accounts, new Map(), new Map());
    this.history.push({ visibleAt: -Infinity, world, rows: this.rows });
  }

  /** Is told of each commit, before `judge` is told of the answers. */
  watch(writes: readonly Write[]): void {
    const touched = new Set<string>();
    for (const { table, before, after } of writes) {
      if (!table.endsWith("/rateLimits")) continue;
      const document = after ?? before;
      // Made and deleted by one transaction.
      if (document === undefined) continue;
      if (after === undefined) this.stored.delete(document._id);
      else this.stored.set(document._id, after);
      touched.add(idOf(document as unknown as Of));
    }
    if (touched.size === 0) return;
    this.rows = new Map(this.rows);
    for (const id of touched) {
      const rows = [...this.stored.values()].filter(
        (row) => idOf(row as unknown as Of) === id,
      );
      this.rows.set(id, rows);
    }
  }

  judge(judged: Judged): void {
    const { beganAt, visibleAt, counts } = judged;
    const seen = this.history.findLast(
      (version) => version.visibleAt <= beganAt,
    )!;
    const last = this.history.at(-1)!;
    const snapshot = { ...seen, world: seen.world.copy() };
    new Play(this.limits, snapshot, judged, "snapshot").run();
    if (!counts) return;
    const world = last.world.copy();
    const isSame = (id: string) =>
      seen.world.accounts.get(id)!.version ===
      last.world.accounts.get(id)!.version;
    const overlapped = [...world.accounts].flatMap(([id, { of, isSerial }]) =>
      isAppended(this.limits, of) && !(isSerial && isSame(id)) ? [id] : [],
    );
    const state = { ...last, world };
    const play = new Play(this.limits, state, judged, "commit", overlapped);
    play.run(this.rows);
    for (const id of play.changed) {
      const account = world.accounts.get(id)!;
      if (!isSame(id)) account.isSerial = false;
      else if (play.made.has(id)) account.isSerial = true;
      account.version++;
    }
    this.history.push({ visibleAt, world, rows: this.rows });
    while (this.history[1]!.visibleAt < beganAt - 120_000) this.history.shift();
  }
}

/** One transaction on one state. */
class Play {
  readonly changed = new Set<string>();
  /** Those that were reset. */
  readonly made = new Set<string>();
  /** What the rows of split limits hold at the clock of the transaction; undefined if unknown. */
  private readonly sums = new Map<string, number | undefined>();
  private readonly written = new Set<string>();
  private readonly nets = new Map<
    string,
    { tokens: number; isReset: boolean }
  >();

  constructor(
    private readonly limits: Record<string, NaiveConfig>,
    private readonly version: Version,
    private readonly judged: Judged,
    private readonly at: "snapshot" | "commit",
    /** Limits and keys that others wrote to while the transaction ran, or had written to. */
    overlapped: readonly string[] = [],
  ) {
    for (const id of overlapped) {
      this.nets.set(id, { tokens: 0, isReset: false });
    }
    const { now } = judged;
    for (const account of version.world.accounts.values()) {
      // What was granted beside each other under another rule leaves no debt.
      const { isSerial, isOverridden, model } = account;
      if (isAppended(limits, account.of) && isOverridden && !isSerial) {
        model.forgive();
      }
      if (!this.isSplit(account.of)) continue;
      account.lag = Math.max(account.lag, account.clock - now);
      const { config } = account.model;
      if (config.kind === "concurrency" || account.lag <= 0) continue;
      const { period } = config;
      const periods =
        config.kind === "token bucket"
          ? account.lag / period
          : Math.floor(account.lag / period) + 1;
      account.model.allowAbove(periods * MOST_RATE);
    }
  }

  run(rowsAfter?: Rows): void {
    const { steps, told } = this.judged;
    told.forEach(({ answer, id }, i) => {
      const step = steps[i]!;
      try {
        this.step(step, answer, id);
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        throw new Broken(
          `${error.message}\nstep ${i}, ${JSON.stringify(step)} at ${this.at}, told ${show(answer)}`,
        );
      }
    });
    if (rowsAfter === undefined) return;
    this.moveNets();
    for (const id of this.changed) this.requireKept(id, rowsAfter);
  }

  private get now(): number {
    return this.judged.now;
  }

  private step(step: Step, answer: any, id: string | undefined): void {
    switch (step.verb) {
      case "limit":
      case "check":
        return this.ask(step.of, step.ask, answer, step.verb === "limit");
      case "limitAll":
      case "checkAll":
        return this.askAll(step, answer);
      case "credit":
        return this.credit(step.of, step.count, answer.credited);
      case "charge":
        return this.charge(step.of, step.count, answer);
      case "reset":
        return this.reset(step.of);
      case "getValue":
        return this.value(step.of, answer);
      case "hold":
        return this.hold(step, answer, id);
      case "schedule":
        return this.schedule(step.of, step.count, answer);
      case "settle":
        return this.end(id, step.count, answer?.settled);
      case "release":
        return this.end(id, 0, answer?.settled);
      case "renew":
        return this.renew(id, answer?.renewed);
      case "cancel":
        if (answer?.cancelled === true) this.end(id, 0, undefined);
        return;
      case "override":
        return this.override(step);
      case "clear":
        this.world.overrides.delete(idOf(step));
        return this.forget(step);
      case "penalize":
        return this.penalize(step, answer);
      case "vacuum":
        return;
    }
  }

  private get world(): World {
    return this.version.world;
  }

  private isSplit({ name }: { name: string }): boolean {
    const config = this.limits[name]!;
    return (
      config.kind !== "concurrency" &&
      config.applyUpdates !== "asynchronously" &&
      (config.shards ?? 1) > 1
    );
  }

  /** Whether answers must be those of the number that is kept. */
  private isExact(of: Of): boolean {
    if (this.isSplit(of)) return false;
    if (!isAppended(this.limits, of)) return true;
    return (
      this.at === "snapshot" && this.world.accounts.get(idOf(of))!.isSerial
    );
  }

  private model(of: Of): NaiveLimit {
    return this.world.account(of).model;
  }

  /** What the rows of a split limit hold. */
  private sum(of: Of): number | undefined {
    const id = idOf(of);
    if (!this.sums.has(id)) {
      const rows = this.version.rows.get(id) ?? [];
      // Behind a clock that was ahead, rows are at times of their own.
      const isBehind = this.newest(of) > this.now;
      const sum = isBehind ? undefined : sumOf(rows, this.model(of), this.now);
      this.sums.set(id, sum);
    }
    return this.sums.get(id);
  }

  private add(of: Of, tokens: number): void {
    const id = idOf(of);
    if (tokens !== 0) this.written.add(id);
    if (!this.isSplit(of)) return;
    const sum = this.sum(of);
    if (sum === undefined) return;
    // What is next to nothing is nothing.
    const next = sum + tokens;
    this.sums.set(id, Math.abs(next) < TOLERANCE ? 0 : next);
  }

  private touch(of: Of): Account {
    const account = this.world.account(of);
    this.changed.add(idOf(of));
    account.clock = Math.max(account.clock, this.now);
    return account;
  }

  private ask(of: Of, ask: AnyAsk, answer: any, takes: boolean): void {
    const { now } = this;
    const model = this.model(of);
    const before = model.copy();
    if (this.isExact(of)) {
      const asked = takes ? this.touch(of).model : model.copy();
      const wanted = asked.ask(ask, now);
      this.require(sameAnswer(answer, wanted), `should be ${show(wanted)}`);
      if (answer === "exceeds") return;
      const details = asked.details(now);
      const { limit, remaining, resetAfter } = answer;
      const given = { limit, remaining, resetAfter };
      this.require(same(given, details), `details ${show(details)}`);
      this.add(of, balance(asked, now) - balance(before, now));
      return;
    }
    if (answer === "exceeds") return this.requireNever(model, [ask]);
    const { taken } = this.judgeLoosely(of, [ask], answer);
    const sum = this.isSplit(of) ? this.sum(of) : undefined;
    const total = taken[0]!;
    if (takes && answer.ok) {
      this.takeFrom(of, total);
      this.add(of, -total);
    }
    const { mode, headroom } = model.rule(now);
    if (mode !== "limited") return;
    const least = before.copy();
    if (answer.ok) least.charge(total, now);
    const most = Math.max(
      0,
      Math.floor(balance(least, now) - headroom / UNITS + TOLERANCE),
    );
    this.require(
      this.at === "commit" || answer.remaining <= most,
      `remaining is at most ${most}`,
    );
    if (sum === undefined || this.at === "commit") return;
    const left = answer.ok ? sum - total : sum;
    const remaining = [-TOLERANCE, TOLERANCE, 2 * TOLERANCE].map((error) =>
      Math.max(0, Math.floor(left + error)),
    );
    this.require(remaining.includes(answer.remaining), `remaining of ${left}`);
  }

  /** Judges what was told of a limit whose balance is not known to the last token: what each request took. */
  private judgeLoosely(
    of: Of,
    asks: readonly AnyAsk[],
    answer: any,
    isInList = false,
  ): { taken: number[] } {
    const { now } = this;
    const model = this.model(of);
    const { mode, most, headroom, enforce, rate, period } = model.rule(now);
    const nothing = { taken: asks.map(() => 0) };
    if (mode === "unlimited") {
      this.require(answer.ok, "an unlimited key is denied");
      return nothing;
    }
    if (mode === "banned") {
      this.require(!answer.ok || !enforce, "a banned key is granted");
      return nothing;
    }
    if (answer.wouldDeny) return nothing;
    const taken = asks.map((ask) =>
      ask.upTo && answer.ok ? answer.taken : ask.count,
    );
    const isSplit = this.isSplit(of);
    const sum = isSplit ? this.sum(of) : undefined;
    // What is granted is there: by the rows that it saw, and by the number at its commit.
    const bounds = [
      isSplit === (this.at === "commit") ? balance(model, now) : undefined,
      this.at === "snapshot" ? sum : undefined,
    ].filter((bound) => bound !== undefined);
    const fits = (bound: number, error: number) => {
      let left = bound;
      return asks.every((ask, i) => {
        const leave = Math.max(ask.leave ?? 0, headroom / UNITS);
        const floor =
          ask.reserve && (ask.leave ?? 0) === 0 ? -most / UNITS : leave;
        left -= ask.upTo && !answer.ok ? 1 : taken[i]!;
        return left >= floor - error;
      });
    };
    if (answer.ok) {
      for (const bound of bounds) {
        this.require(fits(bound, TOLERANCE), `granted of ${bound}`);
      }
      return { taken };
    }
    if (sum === undefined || this.at === "commit" || isInList) return { taken };
    const [{ count, leave = 0, reserve }] = asks as [AnyAsk];
    const calm =
      (rate / UNITS / period) * 1000 <=
      Math.max(0.25, asks[0]!.upTo ? 1 : count);
    if (asks.length > 1 || calm || leave > 0 || reserve) {
      this.require(!fits(sum, -TOLERANCE), `denied of ${sum}`);
    }
    return { taken };
  }

  private askAll(step: Extract<Step, { items: unknown }>, answer: any): void {
    const { now } = this;
    const takes = step.verb === "limitAll";
    const groups = new Map<
      string,
      { of: Of; asks: AnyAsk[]; indexes: number[] }
    >();
    step.items.forEach(({ of, ask: { count, reserve, leave } }, index) => {
      const id = idOf(of);
      const group = groups.get(id) ?? { of, asks: [], indexes: [] };
      group.asks.push({ count, reserve, leave });
      group.indexes.push(index);
      groups.set(id, group);
    });
    const planned = [...groups.values()].map((group) => ({
      ...group,
      model: this.model(group.of),
      plan: this.model(group.of).plan(group.asks, now),
      isExact: this.isExact(group.of),
    }));
    const exact = planned.filter(({ isExact }) => isExact);
    if (answer === "exceeds") {
      this.require(
        planned.some(({ plan, isExact }) => !isExact || plan === "exceeds"),
        "can be granted",
      );
      return;
    }
    this.require(
      exact.every(({ plan }) => plan !== "exceeds"),
      "can never be granted",
    );
    const refused = exact.flatMap(({ plan, indexes }) =>
      plan !== "exceeds" && !plan.ok ? [indexes[plan.refused]!] : [],
    );
    const waits = exact.map(({ plan }) =>
      plan === "exceeds" ? 0 : (plan.retryAfter ?? 0),
    );
    if (!answer.ok) {
      const { index } = answer.blockedBy;
      this.require(index <= Math.min(...refused, Infinity), "blocked before");
      const blocking = planned.find(({ indexes }) => indexes.includes(index))!;
      if (blocking.isExact)
        this.require(refused.includes(index), "not blocked by it");
      else
        this.judgeLoosely(
          blocking.of,
          blocking.asks,
          answer,
          blocking.asks.length === 1,
        );
      const denied = exact.filter(({ plan }) => plan !== "exceeds" && !plan.ok);
      const longest = Math.max(
        0,
        ...denied.map(
          ({ plan }) => (plan as { retryAfter: number }).retryAfter,
        ),
      );
      const isSame =
        exact.length === planned.length
          ? answer.retryAfter === longest
          : answer.retryAfter >= longest;
      this.require(isSame, `retryAfter ${longest}`);
    } else {
      this.require(refused.length === 0, `refused by ${refused.join()}`);
      const longest = Math.max(...waits, 0);
      const given = answer.retryAfter ?? 0;
      this.require(
        exact.length === planned.length ? given === longest : given >= longest,
        `retryAfter ${longest}`,
      );
      if (exact.length === planned.length) {
        const would = exact.some(
          ({ plan }) => plan !== "exceeds" && plan.ok && plan.wouldDeny,
        );
        this.require(
          (answer.wouldDeny ?? false) === would,
          `wouldDeny ${would}`,
        );
      }
    }
    const details: ReturnType<NaiveLimit["details"]>[] = [];
    for (const { of, asks, plan, isExact, model } of planned) {
      const after =
        isExact && takes && answer.ok ? this.touch(of).model : model.copy();
      const before = balance(after, now);
      if (isExact) {
        if (answer.ok) after.follow(plan, now);
        if (takes) this.add(of, balance(after, now) - before);
        details.push(after.details(now));
        continue;
      }
      if (!answer.ok) continue;
      // What would be denied is of another limit: these are no dry runs.
      const { taken } = this.judgeLoosely(of, asks, { ok: true });
      if (!takes) continue;
      const total = taken.reduce((sum, count) => sum + count, 0);
      this.takeFrom(of, total);
      this.add(of, -total);
    }
    const least = details.sort((a, b) => a.remaining - b.remaining)[0];
    if (least === undefined) return;
    const { limit, remaining, resetAfter } = answer;
    if (exact.length === planned.length) {
      const given = { limit, remaining, resetAfter };
      this.require(same(given, least), `details ${show(least)}`);
    } else {
      this.require(
        remaining <= least.remaining,
        `remaining at most ${least.remaining}`,
      );
    }
  }

  private takeFrom(of: Of, tokens: number): void {
    const account = this.touch(of);
    if (tokens !== 0) this.move(account, tokens);
  }

  /** Takes tokens, or gives back. */
  private move(account: Account, tokens: number): { retryAfter?: number } {
    const { model } = account;
    const net = this.nets.get(idOf(account.of));
    if (net === undefined) {
      if (tokens > 0) return model.charge(tokens, this.now);
      model.credit(-tokens, this.now);
    } else if (model.rule(this.now).mode !== "unlimited") net.tokens += tokens;
    return {};
  }

  /** What the transaction did to limits whose records say no more than what it took in all. */
  private moveNets(): void {
    for (const [id, { tokens, isReset }] of this.nets) {
      const account = this.world.accounts.get(id)!;
      this.nets.delete(id);
      if (isReset) account.model.reset();
      if (tokens !== 0) this.move(account, tokens);
    }
  }

  private credit(of: Of, count: number, credited: number): void {
    const { now } = this;
    const account = this.touch(of);
    const { mode, capacity } = account.model.rule(now);
    if (this.isExact(of)) {
      const given = Math.max(0, account.model.credit(count, now));
      this.require(near(credited, given), `credited ${given}`);
    } else if (credited > 0) this.move(account, -credited);
    const sum = this.isSplit(of) ? this.sum(of) : undefined;
    if (mode === "unlimited") return this.require(credited === 0, "credited 0");
    if (sum !== undefined) {
      const room = Math.max(0, Math.min(count, capacity / UNITS - sum));
      if (this.at === "snapshot")
        this.require(near(credited, room), `credited ${room}`);
      this.add(of, credited);
    } else if (credited > 0) this.written.add(idOf(of));
  }

  private charge(of: Of, count: number, answer: { retryAfter?: number }): void {
    const { now } = this;
    const account = this.touch(of);
    const { mode } = account.model.rule(now);
    const wanted = this.move(account, count);
    if (this.isExact(of)) {
      this.require(answer.retryAfter === wanted.retryAfter, `${show(wanted)}`);
    }
    if (mode === "unlimited") return;
    this.add(of, -count);
    const sum = this.isSplit(of) ? this.sum(of) : undefined;
    if (sum === undefined || this.at === "commit") return;
    this.require(
      (answer.retryAfter !== undefined) === sum < 0,
      `a debt of ${-sum}`,
    );
  }

  private reset(of: Of): void {
    const { now } = this;
    const account = this.touch(of);
    if (this.limits[of.name]!.kind === "concurrency") {
      for (const [id, hold] of this.world.holds) {
        const isOf = idOf(hold.of) === idOf(of);
        if (isOf && hold.isLease && hold.to > now) this.world.holds.delete(id);
      }
      return;
    }
    const net = this.nets.get(idOf(of));
    if (net === undefined) account.model.reset();
    else this.nets.set(idOf(of), { tokens: 0, isReset: true });
    this.made.add(idOf(of));
    this.written.add(idOf(of));
    if (this.isSplit(of)) {
      this.sums.set(idOf(of), account.model.rule(now).capacity / UNITS);
    }
  }

  private value(of: Of, told: GetValueReturns): void {
    if (this.at === "commit") return;
    const { now } = this;
    const model = this.model(of);
    const { mode, capacity } = model.rule(now);
    const { value } = calculateRateLimit(told, told.config, now);
    if (mode === "banned") return this.require(value === 0, "a ban");
    if (mode === "unlimited") {
      return this.require(near(value, capacity / UNITS), "full");
    }
    const most = balance(model, now);
    if (this.isExact(of))
      return this.require(near(value, most), `balance ${most}, not ${value}`);
    this.require(value <= most + TOLERANCE, `balance ${value} at most ${most}`);
    const sum = this.isSplit(of) ? this.sum(of) : undefined;
    if (sum === undefined || this.written.has(idOf(of))) return;
    this.require(near(value, sum), `balance ${sum}, not ${value}`);
  }

  private newest(of: Of): number {
    const rows = this.version.rows.get(idOf(of)) ?? [];
    return Math.max(-Infinity, ...rows.map(({ ts }) => ts as number));
  }

  private hold(
    { of, count, expiresAfter }: Extract<Step, { verb: "hold" }>,
    answer: any,
    id: string | undefined,
  ): void {
    const ask = { count, reserve: false };
    const taken = this.grant(of, ask, answer);
    if (taken === undefined) return;
    const { now } = this;
    const config = this.limits[of.name]!;
    const isLease = config.kind === "concurrency";
    const to = now + (isLease ? config.lease : (expiresAfter ?? DAY_MS));
    const isExempt = taken === 0 && count !== 0;
    this.world.holds.set(id!, {
      of,
      isLease,
      taken: isExempt ? undefined : taken,
      from: now,
      to,
    });
  }

  private schedule(of: Of, count: number, answer: any): void {
    const taken = this.grant(of, { count, reserve: true }, answer);
    if (taken === undefined) return;
    this.world.holds.set(answer.scheduledId, {
      of,
      isLease: false,
      taken: taken === 0 && count !== 0 ? undefined : taken,
      from: this.now,
      to: this.now + answer.retryAfter + DAY_MS,
    });
  }

  /** Takes what a hold was granted: how much; undefined if it was denied. */
  private grant(of: Of, ask: AnyAsk, answer: any): number | undefined {
    const { now } = this;
    const model = this.model(of);
    if (!this.isExact(of)) {
      if (answer === "exceeds") {
        this.requireNever(model, [ask]);
        return undefined;
      }
      const { taken } = this.judgeLoosely(of, [ask], answer);
      if (!answer.ok) return undefined;
      this.takeFrom(of, taken[0]!);
      this.add(of, -taken[0]!);
      return taken[0]!;
    }
    const plan: NaivePlan = model.plan([ask], now);
    if (plan === "exceeds" || answer === "exceeds") {
      this.require(plan === answer, `should be ${show(plan)}`);
      return undefined;
    }
    this.require(
      answer.ok === plan.ok &&
        (answer.retryAfter ?? 0) === (plan.retryAfter ?? 0),
      `should be ${show(plan)}`,
    );
    if (!plan.ok) return undefined;
    const { model: changed } = this.touch(of);
    const before = balance(changed, now);
    changed.follow(plan, now);
    this.add(of, balance(changed, now) - before);
    return plan.taken[0]!;
  }

  private end(
    id: string | undefined,
    used: number,
    settled: boolean | undefined,
  ): void {
    if (id === undefined) return;
    const { now } = this;
    const hold = this.world.holds.get(id);
    const isOver = hold === undefined || hold.to <= now;
    if (settled !== undefined)
      this.require(settled === !isOver, `settled ${!isOver}`);
    if (isOver) return;
    this.world.holds.delete(id);
    const { of, taken, isLease } = hold;
    const account = this.touch(of);
    if (isLease || taken === undefined || taken === used) return;
    const { mode, capacity } = account.model.rule(now);
    if (mode === "unlimited") return;
    if (used > taken) {
      this.move(account, used - taken);
      this.add(of, taken - used);
      return;
    }
    this.move(account, used - taken);
    const sum = this.isSplit(of) ? this.sum(of) : undefined;
    this.written.add(idOf(of));
    if (sum === undefined) return;
    const room = Math.max(0, capacity / UNITS - sum);
    this.add(of, Math.min(taken - used, room));
  }

  private renew(id: string | undefined, renewed: boolean): void {
    if (id === undefined) return;
    const { now } = this;
    const hold = this.world.holds.get(id);
    const isOver = hold === undefined || hold.to <= now;
    const others = [...this.world.holds.values()].filter(
      (other) =>
        other !== hold &&
        other.isLease &&
        hold !== undefined &&
        idOf(other.of) === idOf(hold.of),
    );
    if (!renewed) {
      const isBehind = others.some(({ to, from }) => to > now && from > now);
      return this.require(
        isOver ||
          isBehind ||
          others.some(
            ({ to }) =>
              to > now + (this.limits[hold.of.name] as { lease: number }).lease,
          ),
        "it has not ended",
      );
    }
    this.require(!isOver, "it had ended");
    const taker = others.find(({ from, to }) => from >= hold!.to && to > now);
    this.require(taker === undefined, "another has its place");
    const { lease } = this.limits[hold!.of.name] as { lease: number };
    const to = Math.max(hold!.to, now + lease);
    this.touch(hold!.of);
    this.world.holds.set(id, { ...hold!, to });
  }

  private override({
    name,
    key,
    change,
    startsIn,
    lasts,
  }: Extract<Step, { verb: "override" }>): void {
    const { now } = this;
    const begin = now + (startsIn ?? 0);
    const from = startsIn === undefined ? -Infinity : begin;
    const to = lasts === undefined ? Infinity : begin + lasts;
    const isComing = (one: NaiveOverride) => one.from > now;
    const isMemory = (one: Override) => one.bans !== undefined && one.to <= now;
    const stored = this.world.overridesOf(name, key);
    const kept = stored.filter(
      (one) =>
        isMemory(one) || isComing(one) !== isComing({ change, from, to }),
    );
    this.world.overrides.set(idOf({ name, key }), [
      { change, from, to },
      ...kept,
    ]);
    this.forget({ name, key });
  }

  private penalize(
    { of, bans, forgetAfter }: Extract<Step, { verb: "penalize" }>,
    answer: { retryAfter: number },
  ): void {
    const { now } = this;
    const stored = this.world.overridesOf(of.name, of.key);
    const last = stored.find((one) => one.bans !== undefined);
    const isRemembered = last !== undefined && now < last.forgetAt!;
    const before = isRemembered ? last.bans! : 0;
    const ban = bans[Math.min(before, bans.length - 1)]!;
    const to = Math.max(isRemembered ? last.to : now, now + ban);
    this.require(answer.retryAfter === to - now, `until ${to - now}`);
    const one: Override = {
      change: { deny: true },
      from: now,
      to,
      bans: before + 1,
      forgetAt: to + forgetAfter,
    };
    this.world.overrides.set(idOf(of), [
      one,
      ...stored.filter((other) => other !== last),
    ]);
    this.forget(of);
  }

  /** A rule has changed: what rows hold by it is not known before they are seen. */
  private forget({
    name,
    key,
  }: {
    name: string;
    key: string | undefined;
  }): void {
    for (const [id, { of }] of this.world.accounts) {
      if (of.name !== name || (key !== undefined && of.key !== key)) continue;
      this.world.accounts.get(id)!.isOverridden = true;
      if (this.isSplit(of)) this.sums.set(id, undefined);
    }
  }

  /** Rows have lost what was taken from them, and no more. */
  private requireKept(id: string, rowsAfter: Rows): void {
    const account = this.world.accounts.get(id)!;
    if (!this.isSplit(account.of)) return;
    const { now } = this;
    const model = this.model(account.of);
    const rows = rowsAfter.get(id) ?? [];
    const after = sumOf(rows, model, now);
    const most = balance(model, now);
    if (model.rule(now).mode === "limited" && after !== undefined) {
      this.require(
        after <= most + TOLERANCE,
        `rows hold ${after}, of at most ${most}: ${show(rows)}`,
      );
    }
    const expected = this.sum(account.of);
    if (expected === undefined || after === undefined) return;
    this.require(
      near(after, expected),
      `rows hold ${after}, not ${expected}: ${show(rows)}`,
    );
  }

  /** What only an override that ends would grant depends on the balance. */
  private requireNever(model: NaiveLimit, asks: readonly AnyAsk[]): void {
    if (model.keyOverrides.length + model.limitOverrides.length > 0) return;
    const full = new NaiveLimit(model.config);
    this.require(full.plan(asks, this.now) === "exceeds", "can be granted");
  }

  private require(holds: boolean, message: string): asserts holds {
    if (!holds) throw new Broken(message);
  }
}

function isAppended(
  limits: Record<string, NaiveConfig>,
  { name }: { name: string },
): boolean {
  return limits[name]!.applyUpdates === "asynchronously";
}

/** Above any rate that is tried. */
const MOST_RATE = 12;

const UNITS = 240_000;

/** In tokens. */
const balance = (model: NaiveLimit, now: number) => model.balance(now);

const near = (a: number, b: number) => Math.abs(a - b) < 5 * TOLERANCE;

/**
 * What rows of a split limit hold together, each at its own time; absent ones are full. Those that say that they
 * were split over another number, or of another capacity, are what they were then.
 */
function sumOf(
  rows: readonly Document[],
  model: NaiveLimit,
  now: number,
): number | undefined {
  const { config } = model;
  if (config.kind === "concurrency") return undefined;
  const rule = model.rule(now);
  const [rate, capacity] = [rule.rate / UNITS, rule.capacity / UNITS];
  const usual = config.capacity ?? config.rate;
  const shards = Math.max(
    1,
    Math.min(config.shards ?? 1, Math.floor(usual / 2)),
  );
  const stored = rows as unknown as {
    shard: number;
    value: number;
    ts: number;
    fullAt: number;
    usedAt?: number;
    capacity?: number;
  }[];
  const live = stored.filter(({ fullAt }) => now < fullAt);
  if (live.length === 0) return capacity;
  const written = live.map(({ usedAt, ts }) => usedAt ?? ts);
  const newest = live[written.indexOf(Math.max(...written))]!;
  const full = Math.min(newest.capacity ?? usual, capacity) / shards;
  const isSame = (newest.capacity ?? usual) === capacity;
  const newestTs = Math.max(...live.map(({ ts }) => ts));
  // Rows of another capacity are brought to one time.
  const at = isSame ? now : Math.max(now, newestTs);
  const inUse = live.filter(({ shard }) => shard < shards);
  // Full by another capacity, absent ones have begun to refill.
  const absent = Array.from({ length: shards - inUse.length }, () => ({
    value: full,
    ts: newest.ts,
  }));
  return [...inUse, ...absent]
    .map(({ value, ts }) => {
      const elapsed = Math.max(0, at - ts);
      const periods =
        config.kind === "token bucket"
          ? elapsed / config.period
          : Math.floor(elapsed / config.period);
      return Math.min(capacity / shards, value + (periods * rate) / shards);
    })
    .reduce((sum, value) => sum + value, 0);
}

function sameAnswer(answer: any, wanted: any): boolean {
  if (answer === "exceeds" || wanted === "exceeds") return answer === wanted;
  const fields = ["ok", "retryAfter", "wouldDeny", "taken"];
  return fields.every((field) => answer[field] === wanted[field]);
}

function same(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

function idOf({
  name,
  key,
}: {
  name: string;
  key?: string | undefined;
}): string {
  return `${name} ${key ?? ""}`;
}
