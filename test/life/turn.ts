import { UNITS, type Model } from "../model.js";
import type { App, Of, Told } from "./steps.js";
import {
  idOf,
  isAppended,
  type Account,
  type Configs,
  type Version,
  type World,
} from "./world.js";

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
  /** The app that was called, and its limits. */
  app: App;
  limits: Configs;
  /** Whether it was committed and has written. */
  counts: boolean;
};

/** What limits hold by what the app tells of them, by their ids; undefined if unknown. */
export type Sums = Map<string, number | undefined>;

/** What each request took of a dry run, by the step and whose limit it is; undefined if nobody is told. */
export type Taken = Map<string, number[] | undefined>;

/** One transaction on one state: what is known of each limit, and how that changes. */
export class Turn {
  readonly changed = new Set<string>();
  /** Those that were reset. */
  readonly made = new Set<string>();
  readonly written = new Set<string>();
  readonly nets = new Map<string, { tokens: number; isReset: boolean }>();
  /** Which step it is at. */
  place = 0;
  /** Whether nobody else has written to a limit and key since the transaction began. */
  isSame: (id: string) => boolean = () => true;

  /**
   * @param sums What split limits hold, at the clock of the transaction.
   * @param taken Written when the calls run on the snapshot; read when they run again at the commit.
   * @param rewritten Split limits and keys whose rows a job has written anew.
   * @param overlapped Limits and keys that others wrote to while the transaction ran, or had written to.
   * @param resets Of which asynchronous limits and keys the commit has appended a reset.
   */
  constructor(
    readonly version: Version,
    readonly judged: Judged,
    readonly at: "snapshot" | "commit",
    readonly sums: Sums,
    readonly taken: Taken,
    readonly splits: ReadonlySet<string>,
    readonly rewritten: ReadonlySet<string>,
    overlapped: readonly string[] = [],
    readonly resets: ReadonlySet<string> = new Set(),
  ) {
    for (const id of overlapped) {
      this.nets.set(id, { tokens: 0, isReset: false });
    }
    const { now, limits } = judged;
    for (const { of } of version.world.accounts.values()) {
      const account = version.world.account(of);
      const before = account.model.config;
      if (this.isPlan(of)) continue;
      account.model.config = limits[of.name]!;
      if (before !== account.model.config) account.isChanged = true;
      this.noteRule(account);
      if (isAppended(limits, of)) loosenChanged(account);
      if (!this.isSplit(of)) continue;
      account.lag = Math.max(account.lag, account.clock - now);
      this.sums.set(idOf(of), this.told(account));
      loosen(account);
      this.loosenRewritten(account);
    }
  }

  /** What a job has written anew has been written, by the rule of before. */
  private loosenRewritten({ of, model }: Account): void {
    if (!this.isSplit(of) || !this.rewritten.has(idOf(of))) return;
    model.allowCounted(this.now);
  }

  get now(): number {
    return this.judged.now;
  }

  get limits(): Configs {
    return this.judged.limits;
  }

  get world(): World {
    return this.version.world;
  }

  private isPlan({ name }: Of): boolean {
    return name === PLAN;
  }

  /** What a split limit holds, if its clock is not behind that of its last write. */
  private told({ of, model, clock }: Account): number | undefined {
    const isKnown = clock <= this.now && model.mode(this.now) === "limited";
    return isKnown ? this.sums.get(idOf(of)) : undefined;
  }

  /** Notes what the rule of now would let the limit hold. */
  noteRule(account: Account): void {
    const { config } = account.model;
    if (config.kind === "concurrency") return;
    const { capacity, rate, period } = account.model.rule(this.now);
    const most = account.generous;
    account.generous = {
      capacity: Math.max(most.capacity, capacity),
      rate: Math.max(most.rate, rate),
      perMs: Math.max(most.perMs, rate / period),
    };
  }

  isSplit({ name }: { name: string }): boolean {
    return this.splits.has(name);
  }

  /** Whether answers must be those of the number that is kept. */
  isExact(of: Of): boolean {
    if (this.isSplit(of)) return false;
    const account = this.world.accounts.get(idOf(of))!;
    if (!isAppended(this.limits, of)) return true;
    return this.at === "snapshot" && account.isSerial;
  }

  model(of: Of): Model {
    return this.account(of).model;
  }

  /** What is known of a limit, by the config of this call. */
  account(of: Of): Account {
    const { config } = this.world.accounts.get(idOf(of))!.model;
    const account = this.world.account(of);
    if (account.model.config === config) return account;
    account.isChanged = true;
    this.loosenRewritten(account);
    this.noteRule(account);
    if (isAppended(this.limits, of)) loosenChanged(account);
    return account;
  }

  /** What a split limit holds; undefined if unknown, and of any other limit. */
  sum(of: Of): number | undefined {
    return this.isSplit(of) ? this.sums.get(idOf(of)) : undefined;
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
    const account = this.account(of);
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
      if (this.isSplit(account.of)) model.allowOtherWindows(this.now);
      if (tokens > 0) return model.charge(tokens, this.now);
      model.credit(-tokens, this.now);
    } else if (tokens < 0 || model.rule(this.now).mode !== "unlimited") {
      net.tokens += tokens;
      // Behind its own reset there is no room for what comes back.
      if (net.isReset) net.tokens = Math.max(0, net.tokens);
    }
    return {};
  }

  /**
   * Ends the transaction.
   *
   * @param sums What split limits hold now.
   * @param recorded Of which limits and keys it has appended a record, and at what time, which is theirs from now on.
   * @param seen What its snapshot showed, and what it did to that.
   */
  end(sums: Sums, recorded: ReadonlyMap<string, number>, seen: World): void {
    this.moveNets(recorded, seen);
    for (const [id, time] of recorded) {
      this.world.accounts.get(id)!.model.countUntil(time);
    }
    for (const id of this.changed) this.requireKept(id, sums.get(id));
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
    const { model, ahead } = this.account(of);
    const { now } = this;
    return balance(model, this.isExact(of) ? now : Math.max(now, ahead));
  }

  /** Split limits have lost what was taken from them, and no more. */
  private requireKept(id: string, after: number | undefined): void {
    const { of, clock } = this.world.accounts.get(id)!;
    const { now } = this;
    if (!this.isSplit(of) || after === undefined || clock > now) return;
    const { model } = this.world.account(of);
    if (model.mode(now) !== "limited") return;
    const most = model.balance(now);
    this.require(
      after <= most + TOLERANCE,
      `${id} holds ${after}, of at most ${most}`,
    );
    const expected = this.sums.get(id);
    if (expected === undefined) return;
    this.require(
      near(after, expected),
      `${id} holds ${after}, not ${expected}`,
    );
  }

  require(holds: boolean, message: string): asserts holds {
    if (!holds) throw new Broken(message);
  }
}

/** The limit whose config comes with each call. */
export const PLAN = "plan";

/**
 * What was granted beside each other under another rule leaves no debt, and may be counted as if the present
 * rule had held.
 */
export function loosenChanged(account: Account): void {
  const { model, isSerial, isChanged, generous } = account;
  if (!isChanged || isSerial) return;
  model.forgive();
  model.allowAbove(generous.capacity / UNITS);
}

/** Where clocks differ, a split limit may hold what has arrived between them by the most generous rule. */
export function loosen({ model, lag, generous }: Account): void {
  const { config } = model;
  if (config.kind === "concurrency" || lag <= 0) return;
  const { rate, perMs } = generous;
  model.allowAbove((lag * perMs + rate) / UNITS);
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
