import type { Model } from "../model.js";
import { sumOf } from "./splitRows.js";
import type { Document } from "../../sim/ranges.js";
import type { Of, Told } from "./steps.js";
import {
  idOf,
  isAppended,
  type Account,
  type Rows,
  type Version,
  type World,
} from "./world.js";
import type { ModelConfig } from "../model.js";
import type { RateLimitConfig } from "convex-rate-limiter";

export const TOLERANCE = 1e-6;

/** Something that the limits do not allow. */
export class Broken extends Error {
  override name = "Broken";
}

export type Judged = {
  now: number;
  /** How many commits its snapshot showed, its looks, and how many there are with its own. */
  seen: number;
  looked: number;
  commits: number;
  told: readonly Told[];
  /** Of limits that follow a calendar, when its windows start by the app that was called. */
  starts?: Record<string, readonly number[] | undefined>;
  /** Which windows limits have by the app that was called, if a deploy changes them. */
  windows?:
    | Record<string, Pick<RateLimitConfig, "kind" | "start" | "period">>
    | undefined;
  /** Over how many rows the app that was called splits limits, if a deploy changes that. */
  shards?: number | "auto" | undefined;
  /** Whether it was committed and has written. */
  counts: boolean;
};

/** What each request took of a dry run, by the step and whose limit it is; undefined if nobody is told. */
export type Taken = Map<string, number[] | undefined>;

/** One transaction on one state: what is known of each limit, and how that changes. */
export class Turn {
  readonly changed = new Set<string>();
  /** Those that were reset. */
  readonly made = new Set<string>();
  /** What the rows of split limits hold at the clock of the transaction; undefined if unknown. */
  readonly sums = new Map<string, number | undefined>();
  readonly written = new Set<string>();
  readonly nets = new Map<string, { tokens: number; isReset: boolean }>();
  /** Which step it is at. */
  place = 0;

  constructor(
    readonly limits: Record<string, ModelConfig>,
    readonly version: Version,
    readonly judged: Judged,
    readonly at: "snapshot" | "commit",
    /** Is filled by the play on the snapshot, and read by the one at the commit. */
    readonly taken: Taken,
    /** Limits and keys that others wrote to while the transaction ran, or had written to. */
    overlapped: readonly string[] = [],
    /** Of which asynchronous limits and keys the commit has appended a reset. */
    readonly resets: ReadonlySet<string> = new Set(),
  ) {
    for (const id of overlapped) {
      this.nets.set(id, { tokens: 0, isReset: false });
    }
    const { now, starts = {}, windows = {} } = judged;
    for (const account of version.world.accounts.values()) {
      const { name } = account.of;
      const { model } = account;
      const isPlainNow = model.starts !== undefined && !starts[name];
      model.setWindows(windows[name], starts[name]);
      if (isAppended(limits, account.of)) {
        forgive(account);
        if (isPlainNow) refillEarly(account);
      }
      if (!this.isSplit(account.of)) continue;
      account.model.usedUntil = this.usedUntil(version.rows, account.of);
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

  get now(): number {
    return this.judged.now;
  }

  get world(): World {
    return this.version.world;
  }

  isSplit({ name }: { name: string }): boolean {
    const config = this.limits[name]!;
    return (
      config.kind !== "concurrency" &&
      config.applyUpdates !== "asynchronously" &&
      (config.shards ?? 1) !== 1
    );
  }

  /** Whether answers must be those of the number that is kept. */
  isExact(of: Of): boolean {
    if (this.isSplit(of)) return false;
    if (!isAppended(this.limits, of)) return true;
    return (
      this.at === "snapshot" && this.world.accounts.get(idOf(of))!.isSerial
    );
  }

  model(of: Of): Model {
    return this.world.account(of).model;
  }

  /** What the rows of a split limit hold; undefined if unknown, and of any other limit. */
  sum(of: Of): number | undefined {
    if (!this.isSplit(of)) return undefined;
    const id = idOf(of);
    if (!this.sums.has(id)) {
      const rows = this.version.rows.get(id) ?? [];
      // Behind a clock that was ahead, rows are at times of their own.
      const isBehind = this.newest(of) > this.now;
      const sum = isBehind ? undefined : this.sumOf(rows, this.model(of));
      this.sums.set(id, sum);
    }
    return this.sums.get(id);
  }

  private sumOf(rows: readonly Document[], model: Model): number | undefined {
    const { shards = 2 } = model.config;
    return sumOf(rows, model, this.now, this.judged.shards ?? shards);
  }

  add(of: Of, tokens: number): void {
    const id = idOf(of);
    if (tokens !== 0) this.written.add(id);
    const sum = this.sum(of);
    if (sum === undefined) return;
    // What is next to nothing is nothing.
    const next = sum + tokens;
    this.sums.set(id, Math.abs(next) < TOLERANCE ? 0 : next);
  }

  touch(of: Of): Account {
    const account = this.world.account(of);
    this.changed.add(idOf(of));
    account.clock = Math.max(account.clock, this.now);
    return account;
  }

  /** What has become of a limit is not told: at most what is known. */
  blur(of: Of): void {
    const id = idOf(of);
    const account = this.touch(of);
    account.isSerial = false;
    this.made.delete(id);
    this.written.add(id);
    this.sums.set(id, undefined);
  }

  /** Notes what a dry run takes, to be known at the commit. */
  note(of: Of, taken: number[] | undefined): number[] | undefined {
    if (this.at === "snapshot") {
      this.taken.set(`${this.place} ${idOf(of)}`, taken);
    }
    return taken;
  }

  /** Takes tokens, or gives back. */
  move(account: Account, tokens: number): { retryAfter?: number } {
    const { model } = account;
    const net = this.nets.get(idOf(account.of));
    if (net === undefined) {
      if (tokens > 0) return model.charge(tokens, this.now);
      model.credit(-tokens, this.now);
      // Rows that are full when they are written say so, whatever the capacity will be.
      if (this.isSplit(account.of)) model.settle(this.now);
    } else if (tokens < 0 || model.rule(this.now).mode !== "unlimited") {
      net.tokens += tokens;
      // Behind its own reset there is no room for what comes back.
      if (net.isReset) net.tokens = Math.max(0, net.tokens);
    }
    return {};
  }

  /**
   * Ends the transaction: what its rows hold is what was taken from them.
   *
   * @param recorded Of which limits and keys it has appended a record, and at what time, which is theirs from now on.
   * @param seen What its snapshot showed, and what it did to that.
   */
  end(
    rowsAfter: Rows,
    recorded: ReadonlyMap<string, number>,
    seen: World,
  ): void {
    this.moveNets(recorded, seen);
    for (const { of, model } of this.world.accounts.values()) {
      if (this.isSplit(of)) model.usedUntil = this.usedUntil(rowsAfter, of);
    }
    for (const [id, time] of recorded) {
      this.world.accounts.get(id)!.model.countUntil(time);
    }
    for (const id of this.changed) this.requireKept(id, rowsAfter);
  }

  /** What the transaction did to limits whose records say no more than what it took in all. */
  private moveNets(recorded: ReadonlyMap<string, number>, seen: World): void {
    for (const [id, { tokens, isReset }] of this.nets) {
      const { model } = this.world.accounts.get(id)!;
      this.nets.delete(id);
      if (isReset) model.reset();
      const time = recorded.get(id);
      if (time !== undefined && !isReset) {
        model.beginAs(seen.accounts.get(id)!.model, time);
      }
      // An override that the transaction has set since does not undo it.
      model.move(tokens, this.now);
      if (time !== undefined && !isReset) model.use(time);
    }
  }

  /** What a limit holds at most. */
  most(of: Of): number {
    const { model, ahead } = this.world.account(of);
    const { now } = this;
    return balance(model, this.isExact(of) ? now : Math.max(now, ahead));
  }

  /** A split limit is in use until the last of its rows is full, and keeps its windows as long. */
  private usedUntil(rows: Rows, of: Of): number {
    if (this.judged.windows === undefined) return -Infinity;
    const fullAts = (rows.get(idOf(of)) ?? []).map(({ fullAt }) => fullAt);
    return Math.max(-Infinity, ...(fullAts as number[]));
  }

  newest(of: Of): number {
    const rows = this.version.rows.get(idOf(of)) ?? [];
    return Math.max(-Infinity, ...rows.map(({ ts }) => ts as number));
  }

  /** Rows have lost what was taken from them, and no more. */
  private requireKept(id: string, rowsAfter: Rows): void {
    const account = this.world.accounts.get(id)!;
    if (!this.isSplit(account.of)) return;
    const { now } = this;
    const model = this.model(account.of);
    const rows = rowsAfter.get(id) ?? [];
    const after = this.sumOf(rows, model);
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

  require(holds: boolean, message: string): asserts holds {
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
export function forgive({
  model,
  isSerial,
  isOverridden,
  capacities,
}: Account): void {
  if (!isOverridden || isSerial) return;
  model.forgive();
  const [least, most] = capacities ?? [0, 0];
  model.allowAbove(most - least);
}

/**
 * What was granted beside each other by a calendar is replayed in plain windows. So it may be full earlier than
 * by the calendar, and begin in new windows.
 */
function refillEarly({ model, isSerial }: Account): void {
  if (!isSerial) model.allowAbove(model.capacity(-Infinity));
}

/** A split limit may hold more than one row would: where clocks differ, or rates change. */
export function loosen(account: Account): void {
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

/** In tokens. */
export const balance = (model: Model, now: number) => model.balance(now);

export const near = (a: number, b: number) => Math.abs(a - b) < 5 * TOLERANCE;

export function same(a: object, b: object): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

export function show(value: unknown): string {
  // A commit's timestamp is a bigint, which has no JSON.
  const text = JSON.stringify(value, (_, item: unknown) =>
    typeof item === "bigint" ? String(item) : item,
  );
  return text ?? "nothing";
}
