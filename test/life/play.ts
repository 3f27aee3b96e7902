import {
  calculateRateLimit,
  type HoldReturns,
  type ListedKey,
  type RateLimitConfig,
  type ScheduleReturns,
} from "convex-rate-limiter";
import {
  Model,
  UNITS,
  type AnyAsk,
  type ModelAnswer,
  type ModelConfig,
  type ModelOverride,
  type Plan,
  type ModelRule,
} from "../model.js";
import { sumOf } from "./splitRows.js";
import type {
  ShownValue,
  Asked,
  AskAllStep,
  AskedAll,
  Exceeds,
  HoldStep,
  Of,
  OverrideStep,
  PenalizeStep,
  Told,
} from "./steps.js";
import {
  idOf,
  isAppended,
  type Account,
  type Hold,
  type Override,
  type Rows,
  type Version,
  type World,
} from "./world.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const TOLERANCE = 1e-6;

/** Something that the limits do not allow. */
export class Broken extends Error {
  override name = "Broken";
}

export type Judged = {
  now: number;
  /** How many commits its snapshot showed, and how many there are with its own. */
  seen: number;
  commits: number;
  told: readonly Told[];
  /** Whether it was committed and has written. */
  counts: boolean;
};

/** What each request took of a dry run, by the step and whose limit it is; undefined if nobody is told. */
export type Taken = Map<string, number[] | undefined>;

/** One transaction on one state. */
export class Play {
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
  /** Which step it is at. */
  private place = 0;

  constructor(
    private readonly limits: Record<string, ModelConfig>,
    private readonly version: Version,
    private readonly judged: Judged,
    private readonly at: "snapshot" | "commit",
    /** Is filled by the play on the snapshot, and read by the one at the commit. */
    private readonly taken: Taken,
    /** Limits and keys that others wrote to while the transaction ran, or had written to. */
    overlapped: readonly string[] = [],
  ) {
    for (const id of overlapped) {
      this.nets.set(id, { tokens: 0, isReset: false });
    }
    const { now } = judged;
    for (const account of version.world.accounts.values()) {
      if (isAppended(limits, account.of)) forgive(account);
      if (!this.isSplit(account.of)) continue;
      account.lag = Math.max(account.lag, account.clock - now);
      loosen(account);
    }
  }

  /** What these limits hold is not known by their rows: they were split anew while the transaction ran. */
  blurRows(ids: readonly string[]): void {
    for (const id of ids) {
      this.sums.set(id, undefined);
      const account = this.world.accounts.get(id)!;
      const { config } = account.model;
      if (config.kind === "concurrency") continue;
      account.unaware ??= account.deploys * (config.capacity ?? config.rate);
    }
  }

  /** These can hold as much more as their capacity has risen by; it is not known how much of that. */
  allowRise(ids: readonly string[]): void {
    for (const id of ids) {
      const account = this.world.accounts.get(id)!;
      if (!this.isSplit(account.of)) continue;
      account.mayRise = true;
      loosen(account);
      if (account.capacities !== undefined) this.sums.set(id, undefined);
    }
  }

  /** @param recorded Of which limits and keys it has appended a record, and at what time, which is theirs from now on. */
  run(
    rowsAfter?: Rows,
    recorded: ReadonlyMap<string, number> = new Map(),
  ): void {
    for (const [place, told] of this.judged.told.entries()) {
      this.place = place;
      try {
        this.step(told);
      } catch (error) {
        if (!(error instanceof Broken)) throw error;
        throw new Broken(`${error.message}\n${show(told)} at ${this.at}`);
      }
    }
    if (rowsAfter === undefined) return;
    this.moveNets();
    for (const [id, time] of recorded) {
      this.world.accounts.get(id)!.model.countUntil(time);
    }
    for (const id of this.changed) this.requireKept(id, rowsAfter);
  }

  private get now(): number {
    return this.judged.now;
  }

  private step(told: Told): void {
    if (this.at === "commit" && this.isLook(told)) return;
    switch (told.verb) {
      case "limit":
      case "check":
        return this.ask(told.of, told.ask, told.answer, told.verb === "limit");
      case "limitAll":
      case "checkAll":
        return this.askAll(told, told.answer);
      case "credit":
        return this.credit(told.of, told.count, told.answer.credited);
      case "charge":
        return this.charge(told.of, told.count, told.answer);
      case "reset":
        return this.reset(told.of);
      case "getValue":
        return this.value(told.of, told.answer);
      case "hold":
        return this.hold(told, told.answer);
      case "schedule":
        return this.schedule(told.of, told.count, told.answer);
      case "settle":
        return this.end(told.id, told.count, told.answer.settled);
      case "release":
        return this.end(told.id, 0, told.answer.settled);
      case "renew":
        return this.renew(told.id, told.answer.renewed);
      case "cancel":
        if (told.answer.cancelled) this.end(told.id, 0, undefined);
        return;
      case "override":
        return this.override(told);
      case "clear":
        this.world.overrides.delete(idOf(told));
        return this.forget(told);
      case "list":
        return this.list(told.answer);
      case "clearAll":
        return this.clearAll();
      case "penalize":
        return this.penalize(told, told.answer);
      case "vacuum":
        return;
    }
  }

  /** A denial that is counted may be decided by a look, of which nothing has to be left at the commit. */
  private isLook(told: Told): boolean {
    switch (told.verb) {
      case "limit":
      case "limitAll":
      case "hold":
      case "schedule": {
        const { answer } = told;
        if (answer !== "exceeds" && answer.ok) return false;
        const items = "items" in told ? told.items : [told];
        return items.some(({ of }) => Boolean(this.limits[of.name]!.stats));
      }
      default:
        return false;
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

  private model(of: Of): Model {
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

  /** What has become of a limit is not told: at most what is known. */
  private blur(of: Of): void {
    const id = idOf(of);
    const account = this.touch(of);
    account.isSerial = false;
    this.made.delete(id);
    this.written.add(id);
    this.sums.set(id, undefined);
  }

  /** Notes what a dry run takes, to be known at the commit. */
  private note(of: Of, taken: number[] | undefined): number[] | undefined {
    if (this.at === "snapshot") {
      this.taken.set(`${this.place} ${idOf(of)}`, taken);
    }
    return taken;
  }

  private ask(
    of: Of,
    ask: AnyAsk,
    answer: Asked | Exceeds,
    takes: boolean,
  ): void {
    const { now } = this;
    const model = this.model(of);
    const before = model.copy();
    if (this.isExact(of)) {
      const asked = takes ? this.touch(of).model : model.copy();
      this.noteExact(of, asked.plan([ask], now));
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
    const says = answer.ok && answer.wouldDeny === true;
    const taken = this.judgeLoosely(of, [ask], answer, says);
    const [total = 0] = taken ?? [];
    const sum =
      this.isSplit(of) && taken !== undefined ? this.sum(of) : undefined;
    if (takes && answer.ok) this.takeFrom(of, taken);
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

  private noteExact(of: Of, plan: Plan): void {
    if (plan !== "exceeds" && plan.ok) this.note(of, plan.taken);
  }

  /**
   * Judges what was told of a limit whose balance is not known to the last token: what each request took;
   * undefined if that is of a dry run that does not tell.
   *
   * @param says Whether a dry run says that it would deny; undefined if it may be another limit that would.
   */
  private judgeLoosely(
    of: Of,
    asks: readonly AnyAsk[],
    answer: { ok: boolean; taken?: number },
    says: boolean | undefined,
    isInList = false,
  ): number[] | undefined {
    const { now } = this;
    const model = this.model(of);
    const rule = model.rule(now);
    const { mode, most, headroom, enforce } = rule;
    const nothing = asks.map(() => 0);
    if (mode === "unlimited") {
      this.require(answer.ok, "an unlimited key is denied");
      this.require(says !== true, "an unlimited key would be denied");
      return nothing;
    }
    this.require(answer.ok || enforce, "a dry run denies");
    this.require(says !== true || !enforce, "no dry run would deny");
    if (mode === "banned") {
      this.require(!answer.ok || !enforce, "a banned key is granted");
      this.require(enforce || says !== false, "a ban would deny");
      return nothing;
    }
    const taken = enforce
      ? asks.map((ask) => (ask.upTo && answer.ok ? answer.taken! : ask.count))
      : this.takenDry(of, asks, says);
    if (taken === undefined || (!enforce && says !== false)) return taken;
    const isSplit = this.isSplit(of);
    const sum = isSplit ? this.sum(of) : undefined;
    // What is granted is there: by the rows that it saw, and by the number at its commit.
    const bounds = [
      isSplit === (this.at === "commit") ? this.most(of) : undefined,
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
        const isKnown = fits(bound, TOLERANCE) || this.takeUnaware(of, taken);
        this.require(isKnown, `granted of ${bound}`);
      }
      return taken;
    }
    if (sum === undefined || this.at === "commit" || isInList) return taken;
    const [{ leave = 0 }] = asks as [AnyAsk];
    if (asks.length > 1 || leave > 0 || isCalm(rule, asks)) {
      this.require(!fits(sum, -TOLERANCE), `denied of ${sum}`);
    }
    return taken;
  }

  /** Takes it from what rows that do not know of a debt can still grant, if that suffices. */
  private takeUnaware(of: Of, taken: readonly number[]): boolean {
    const account = this.world.account(of);
    if (this.at === "snapshot" || !account.unaware) return false;
    account.unaware -= taken.reduce((sum, count) => sum + count, 0);
    return account.unaware >= -TOLERANCE;
  }

  /** What a dry run took. */
  private takenDry(
    of: Of,
    asks: readonly AnyAsk[],
    says: boolean | undefined,
  ): number[] | undefined {
    if (this.at === "commit") {
      return this.taken.get(`${this.place} ${idOf(of)}`);
    }
    const counts = asks.map(({ count }) => count);
    const nothing = counts.map(() => 0);
    const isWhole = says === false && asks.every(({ upTo }) => !upTo);
    const isNone = says === true && asks.length === 1;
    const told = isWhole ? counts : isNone ? nothing : undefined;
    const sum = this.isSplit(of) ? this.sum(of) : undefined;
    if (sum === undefined) return this.note(of, told);
    const rule = this.model(of).rule(this.now);
    const least = walk(rule, sum + TOLERANCE / 1000, asks);
    const most = walk(rule, sum + TOLERANCE, asks);
    if (show(least) !== show(most)) return this.note(of, told);
    // A busy limit may refuse what its rows hold together.
    const [{ leave = 0 }] = asks as [AnyAsk];
    const mayRefuse = asks.length === 1 && leave === 0 && !isCalm(rule, asks);
    if (mayRefuse && !least.isRefused && says !== false) {
      return this.note(of, told);
    }
    this.require(
      says === undefined || says === least.isRefused,
      `would deny ${least.isRefused} of ${sum}`,
    );
    return this.note(of, least.taken);
  }

  private askAll(step: AskAllStep, answer: AskedAll | Exceeds): void {
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
          false,
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
    const details: ReturnType<Model["details"]>[] = [];
    for (const { of, asks, plan, isExact, model } of planned) {
      const after =
        isExact && takes && answer.ok ? this.touch(of).model : model.copy();
      const before = balance(after, now);
      if (isExact) {
        if (answer.ok) {
          this.noteExact(of, plan);
          after.follow(plan, now);
        }
        if (takes) this.add(of, balance(after, now) - before);
        details.push(after.details(now));
        continue;
      }
      if (!answer.ok) continue;
      const { wouldDeny = false } = answer;
      const { enforce, mode } = model.rule(now);
      const isHeldBack = enforce || mode === "unlimited";
      const mayBeAnother = wouldDeny && planned.length > 1;
      const says = isHeldBack ? false : mayBeAnother ? undefined : wouldDeny;
      const taken = this.judgeLoosely(of, asks, { ok: true }, says);
      if (takes) this.takeFrom(of, taken);
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

  private takeFrom(of: Of, taken: number[] | undefined): void {
    if (taken === undefined) return this.blur(of);
    const account = this.touch(of);
    const tokens = taken.reduce((sum, count) => sum + count, 0);
    if (tokens !== 0) this.move(account, tokens);
    this.add(of, -tokens);
  }

  /** Takes tokens, or gives back. */
  private move(account: Account, tokens: number): { retryAfter?: number } {
    const { model } = account;
    const net = this.nets.get(idOf(account.of));
    if (net === undefined) {
      if (tokens > 0) return model.charge(tokens, this.now);
      model.credit(-tokens, this.now);
      // Rows that are full when they are written say so, whatever the capacity will be.
      if (this.isSplit(account.of)) model.settle(this.now);
    } else if (model.rule(this.now).mode !== "unlimited") {
      net.tokens += tokens;
      // Behind its own reset there is no room for what comes back.
      if (net.isReset) net.tokens = Math.max(0, net.tokens);
    }
    return {};
  }

  /** What the transaction did to limits whose records say no more than what it took in all. */
  private moveNets(): void {
    for (const [id, { tokens, isReset }] of this.nets) {
      const account = this.world.accounts.get(id)!;
      this.nets.delete(id);
      if (isReset) account.model.reset();
      // An override that the transaction has set since does not undo it.
      account.model.move(tokens, this.now);
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

  /** Each key that is in use, once. */
  private list(listed: readonly ListedKey[]): void {
    if (this.at === "commit") return;
    const byId = new Map<string, ListedKey>();
    for (const one of listed) {
      this.require(!byId.has(idOf(one)), `${idOf(one)} comes twice`);
      byId.set(idOf(one), one);
    }
    for (const [id, { of }] of this.world.accounts) {
      const one = byId.get(id);
      const model = this.model(of);
      const { mode, capacity } = model.rule(this.now);
      if (mode === "limited") {
        this.balance(of, one?.balance ?? capacity / UNITS);
      }
      if (one === undefined) continue;
      this.require(one.capacity === capacity / UNITS, `capacity of ${id}`);
      if (!this.isExact(of)) continue;
      const plan = model.plan([{ count: 1, reserve: false }], this.now);
      const isGranted = plan !== "exceeds" && plan.ok;
      this.require(one.limited !== isGranted, `limited ${!isGranted}: ${id}`);
    }
  }

  /** Only what a clock ahead of this one has created stays. */
  private clearAll(): void {
    const { now } = this;
    for (const [id, account] of this.world.accounts) {
      const { of, clock } = account;
      if (this.limits[of.name]!.kind === "concurrency") continue;
      const rows = this.version.rows.get(id) ?? [];
      const isAhead = isAppended(this.limits, of)
        ? clock > now
        : rows.some((row) => row._creationTime > now + 1);
      const isOne = !isAppended(this.limits, of) && !this.isSplit(of);
      if (isAhead && isOne && !this.made.has(id)) continue;
      this.reset(of);
      if (!isAhead || isOne) continue;
      this.blur(of);
      account.ahead = account.clock;
    }
  }

  private value(of: Of, told: ShownValue): void {
    if (this.at === "commit") return;
    const { now } = this;
    const model = this.model(of);
    const { mode, capacity } = model.rule(now);
    const { value } = calculateRateLimit(told, told.config, now);
    if (mode === "banned") return this.require(value === 0, "a ban");
    if (mode === "unlimited") {
      return this.require(near(value, capacity / UNITS), "full");
    }
    this.balance(of, value);
  }

  /** Of a limit that is in force. */
  private balance(of: Of, value: number): void {
    const most = this.most(of);
    if (this.isExact(of))
      return this.require(near(value, most), `balance ${most}, not ${value}`);
    this.require(value <= most + TOLERANCE, `balance ${value} at most ${most}`);
    const sum = this.isSplit(of) ? this.sum(of) : undefined;
    if (sum === undefined || this.written.has(idOf(of))) return;
    this.require(near(value, sum), `balance ${sum}, not ${value}`);
  }

  /** What a limit holds at most. */
  private most(of: Of): number {
    const { model, ahead } = this.world.account(of);
    const { now } = this;
    return balance(model, this.isExact(of) ? now : Math.max(now, ahead));
  }

  private newest(of: Of): number {
    const rows = this.version.rows.get(idOf(of)) ?? [];
    return Math.max(-Infinity, ...rows.map(({ ts }) => ts as number));
  }

  private hold(
    { of, count, expiresAfter }: HoldStep,
    answer: HoldReturns | Exceeds,
  ): void {
    const says = answer !== "exceeds" && answer.ok && answer.wouldDeny === true;
    const ask = { count, reserve: false };
    const granted = this.grant(of, ask, answer, says);
    if (answer === "exceeds" || !answer.ok) return;
    const config = this.limits[of.name]!;
    const isLease = config.kind === "concurrency";
    const to = this.now + (isLease ? config.lease : (expiresAfter ?? DAY_MS));
    const hold = { of, isLease, ...granted, from: this.now, to };
    this.world.holds.set(answer.id, hold);
  }

  private schedule(
    of: Of,
    count: number,
    answer: ScheduleReturns | Exceeds,
  ): void {
    const granted = this.grant(of, { count, reserve: true }, answer, undefined);
    if (answer === "exceeds" || !answer.ok) return;
    const to = this.now + answer.retryAfter + DAY_MS;
    const hold = { of, isLease: false, ...granted, from: this.now, to };
    this.world.holds.set(answer.scheduledId, hold);
  }

  /** Takes what a hold was granted. */
  private grant(
    of: Of,
    ask: AnyAsk,
    answer: { ok: boolean; retryAfter?: number } | Exceeds,
    says: boolean | undefined,
  ): Pick<Hold, "taken" | "isUnsure"> {
    const { now } = this;
    const model = this.model(of);
    if (!this.isExact(of)) {
      if (answer === "exceeds") {
        this.requireNever(model, [ask]);
        return toTaken(ask, [0]);
      }
      const { mode, enforce } = model.rule(now);
      const isHeldBack = enforce || mode === "unlimited";
      const known = isHeldBack ? (says ?? false) : says;
      const taken = this.judgeLoosely(of, [ask], answer, known);
      if (answer.ok) this.takeFrom(of, taken);
      return toTaken(ask, taken);
    }
    const plan = model.plan([ask], now);
    if (plan === "exceeds" || answer === "exceeds") {
      this.require(plan === answer, `should be ${show(plan)}`);
      return toTaken(ask, [0]);
    }
    this.require(
      answer.ok === plan.ok &&
        (answer.retryAfter ?? 0) === (plan.retryAfter ?? 0),
      `should be ${show(plan)}`,
    );
    if (!plan.ok) return toTaken(ask, [0]);
    this.note(of, plan.taken);
    const { model: changed } = this.touch(of);
    const before = balance(changed, now);
    changed.follow(plan, now);
    this.add(of, balance(changed, now) - before);
    return toTaken(ask, plan.taken);
  }

  private end(id: string, used: number, settled: boolean | undefined): void {
    const { now } = this;
    const hold = this.world.holds.get(id);
    const isOver = hold === undefined || hold.to <= now;
    if (settled !== undefined)
      this.require(settled === !isOver, `settled ${!isOver}`);
    if (isOver) return;
    this.world.holds.delete(id);
    const { of, taken, isUnsure, isLease } = hold;
    const account = this.touch(of);
    if (isLease || taken === undefined || taken === used) return;
    const { mode, capacity } = account.model.rule(now);
    if (mode === "unlimited") return;
    if (isUnsure) {
      // It was not counted. Where it was taken, refill has had room since.
      if (used < taken) this.move(account, used - taken);
      return this.blur(of);
    }
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

  private renew(id: string, renewed: boolean): void {
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
    const taker = others.find(({ from, to }) => from >= hold.to && to > now);
    this.require(taker === undefined, "another has its place");
    const { lease } = this.limits[hold.of.name] as { lease: number };
    const to = Math.max(hold.to, now + lease);
    this.touch(hold.of);
    this.world.holds.set(id, { ...hold, to });
  }

  private override({ name, key, change, startsIn, lasts }: OverrideStep): void {
    const { now } = this;
    const begin = now + (startsIn ?? 0);
    const from = startsIn === undefined ? -Infinity : begin;
    const to = lasts === undefined ? Infinity : begin + lasts;
    const isComing = (one: ModelOverride) => one.from > now;
    const isMemory = (one: Override) => one.bans !== undefined && one.to <= now;
    const stored = this.world.overridesOf(name, key);
    const added: Override = { change, from, to };
    const kept = stored.filter(
      (one) => isMemory(one) || isComing(one) !== isComing(added),
    );
    // Of two that have begun and end, only the one that began last stays.
    const ends = (one: Override) =>
      one.bans === undefined &&
      !isComing(one) &&
      now < one.to &&
      one.to < Infinity;
    const lastBegin = Math.max(...kept.filter(ends).map((one) => one.from));
    this.world.overrides.set(idOf({ name, key }), [
      added,
      ...kept.filter((one) => !ends(one) || one.from === lastBegin),
    ]);
    if ("config" in change) this.widen({ name, key }, change.config);
    this.forget({ name, key });
  }

  /** Notes between which capacities a limit changes. Of one whose rate does, only what it holds at most. */
  private widen(
    { name, key }: { name: string; key: string | undefined },
    change: Partial<Pick<RateLimitConfig, "rate" | "period" | "capacity">>,
  ): void {
    for (const account of this.world.accounts.values()) {
      const { config } = account.model;
      const isIts = key === undefined || account.of.key === key;
      if (config.kind === "concurrency") continue;
      if (account.of.name !== name || !isIts) continue;
      const usual = config.capacity ?? config.rate;
      const { rate, capacity = rate } = { ...config, ...change };
      const [least, most] = account.capacities ?? [usual, usual];
      const isSlower = change.rate !== undefined || change.period !== undefined;
      account.capacities = [
        isSlower ? 0 : Math.min(least, capacity),
        Math.max(most, capacity),
      ];
      if (isSlower) account.rateChanges++;
    }
  }

  private penalize(
    { of, bans, forgetAfter }: PenalizeStep,
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
      const account = this.world.accounts.get(id)!;
      account.isOverridden = true;
      if (isAppended(this.limits, of)) forgive(account);
      if (!this.isSplit(of)) continue;
      this.sums.set(id, undefined);
      // It begins, and ends.
      if (account.rateChanges > 0) account.rateChanges += 2;
      loosen(account);
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
  private requireNever(model: Model, asks: readonly AnyAsk[]): void {
    if (model.keyOverrides.length + model.limitOverrides.length > 0) return;
    const full = new Model(model.config);
    this.require(full.plan(asks, this.now) === "exceeds", "can be granted");
  }

  private require(holds: boolean, message: string): asserts holds {
    if (!holds) throw new Broken(message);
  }
}

/** Above any rate that is tried, and the shortest period. */
const MOST_RATE = 12;
const LEAST_PERIOD_MS = 1000;

/**
 * What was granted beside each other under another rule leaves no debt, and is replayed as if the present one
 * had held.
 */
function forgive({ model, isSerial, isOverridden, capacities }: Account): void {
  if (!isOverridden || isSerial) return;
  model.forgive();
  const [least, most] = capacities ?? [0, 0];
  model.allowAbove(most - least);
}

/** A split limit may hold more than one row would: where clocks differ, or rates change. */
function loosen(account: Account): void {
  const { model, lag, rateChanges, deploys, capacities, mayRise } = account;
  const { config } = model;
  if (config.kind === "concurrency") return;
  const period = rateChanges > 0 ? LEAST_PERIOD_MS : config.period;
  const periods =
    config.kind === "token bucket"
      ? lag / period
      : Math.floor(lag / period) + 1;
  const ofClocks = lag > 0 ? periods * MOST_RATE : 0;
  // Rows that were not written since count on by the new rate; each row does it once. Another split can add
  // one capacity.
  const { rate, capacity = rate } = config;
  const [least, most] = capacities ?? [capacity, capacity];
  const rise = mayRise ? most - least : 0;
  model.allowAbove(ofClocks + rise + (rateChanges + deploys) * most);
}

/** Whether a split limit is searched for the last token. */
function isCalm(
  { rate, period }: ModelRule,
  [ask]: readonly AnyAsk[],
): boolean {
  const { count, reserve, upTo } = ask!;
  const perSecond = (rate / UNITS / period) * 1000;
  return reserve || perSecond <= Math.max(0.25, upTo ? 1 : count);
}

/** What a dry run takes of a balance, for one request after the other. */
function walk(
  { most, headroom }: ModelRule,
  balance: number,
  asks: readonly AnyAsk[],
): { taken: number[]; isRefused: boolean } {
  let left = balance;
  let isRefused = false;
  const taken = asks.map(({ count, reserve, leave = 0, upTo }) => {
    const floor =
      reserve && leave === 0
        ? -most / UNITS
        : Math.max(leave, headroom / UNITS);
    const whole = Math.min(Math.floor(count), Math.floor(left - floor));
    const amount = upTo ? Math.max(1, whole) : count;
    if (left - amount < floor) {
      isRefused = true;
      return 0;
    }
    left -= amount;
    return amount;
  });
  return { taken, isRefused };
}

/** What a hold keeps of what it took: nothing of that, if it was let through. */
function toTaken(
  { count }: AnyAsk,
  taken: number[] | undefined,
): Pick<Hold, "taken" | "isUnsure"> {
  const isUnsure = taken === undefined;
  const [one] = taken ?? [count];
  const isNothing = one === 0 && count !== 0;
  return { taken: isNothing ? undefined : one, isUnsure };
}

/** In tokens. */
const balance = (model: Model, now: number) => model.balance(now);

const near = (a: number, b: number) => Math.abs(a - b) < 5 * TOLERANCE;

function sameAnswer(answer: Asked | Exceeds, wanted: ModelAnswer): boolean {
  if (answer === "exceeds" || wanted === "exceeds") return answer === wanted;
  const told = ({ ok, retryAfter, wouldDeny, taken }: Partial<Asked>) =>
    show({ ok, retryAfter, wouldDeny, taken });
  return told(answer) === told(wanted);
}

function same(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
