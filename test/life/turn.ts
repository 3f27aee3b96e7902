import { UNITS, type Model } from "../support/model.js";
import type { LifeApp, Of, Told } from "./steps.js";
import {
  idOf,
  type Account,
  type Configs,
  type Version,
  type World,
} from "./world.js";

export const TOLERANCE = 1e-6;

/** An answer that its limit does not allow. */
export class Broken extends Error {
  override name = "Broken";
}

export type Judged = {
  now: number;
  /** When it began and was committed; `now` may differ by what its clock is off. */
  beganAt: number;
  committedAt: number;
  /** Whether all clocks are right. */
  areClocksRight: boolean;
  /** How many commits its snapshot showed. */
  seen: number;
  /** How many commits there are, including its own. */
  commits: number;
  told: readonly Told[];
  /** The app that was called, and its limits. */
  app: LifeApp;
  limits: Configs;
  /** Whether it was committed and wrote something. */
  counts: boolean;
};

/** The balances that `getValue` shows, by the id of limit and key; undefined if unknown. */
export type Sums = Map<string, number | undefined>;

/** What each request took, by step and id of limit and key; undefined if a dry run does not say. */
export type Taken = Map<string, number[] | undefined>;

/** Replays a transaction on a state of the limits, and changes that state. */
export class Turn {
  readonly changed = new Set<string>();
  readonly written = new Set<string>();
  /** The index of the current step. */
  place = 0;
  /** Whether no other transaction has written to a limit and key since this one began. */
  isSame: (id: string) => boolean = () => true;
  /** The split limits and keys that have room for tokens given back, under the rule of their last write. */
  roomy: ReadonlySet<string> = new Set();
  /** The split limits and keys whose rows the transaction has written. */
  stored: ReadonlySet<string> = new Set();

  /**
   * @param sums The balances of split limits by the transaction's clock.
   * @param taken Written by the turn on the snapshot, and read by the turn at the commit.
   */
  constructor(
    readonly version: Version,
    readonly judged: Judged,
    readonly stage: "snapshot" | "commit",
    readonly sums: Sums,
    readonly taken: Taken,
    readonly splits: ReadonlySet<string>,
  ) {
    const { now, limits } = judged;
    for (const { of } of version.world.accounts.values()) {
      const account = version.world.account(of);
      // A plan's config comes with its calls.
      if (!this.isPlan(of)) {
        account.model.config = limits[of.name]!;
        this.noteRule(account);
        if (this.isSplit(of)) this.sums.set(idOf(of), this.told(account));
      }
      account.lag = Math.max(account.lag, account.clock - now);
      if (this.isSplit(of)) loosen(account);
    }
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

  /**
   * The balance of a split limit; undefined if it is banned, unlimited or was last written by a call whose clock is
   * ahead.
   */
  private told({ of, model, clock }: Account): number | undefined {
    const isKnown = clock <= this.now && model.mode(this.now) === "limited";
    return isKnown ? this.sums.get(idOf(of)) : undefined;
  }

  /** Raises `generous` to what the current rule allows. */
  noteRule(account: Account): void {
    const { config } = account.model;
    if (config.kind === "concurrency") return;
    const { rate, period } = account.model.rule(this.now);
    const most = account.generous;
    account.generous = {
      rate: Math.max(most.rate, rate),
      perMs: Math.max(most.perMs, rate / period),
    };
  }

  isSplit({ name }: { name: string }): boolean {
    return this.splits.has(name);
  }

  /** Whether answers must match the model exactly. */
  isExact(of: Of): boolean {
    return !this.isSplit(of) && !this.account(of).isVague;
  }

  /** Whether a split limit may be busy: then it may deny while tokens are left. */
  mayBeBusy(of: Of): boolean {
    const { busyUntil } = this.account(of);
    return (
      this.isSplit(of) && !(this.judged.areClocksRight && busyUntil < this.now)
    );
  }

  /** Whether the transaction may have written rows of a split limit: one that is rolled back does not say. */
  mayHaveWritten(of: Of): boolean {
    return this.stored.has(idOf(of)) || !this.judged.counts;
  }

  model(of: Of): Model {
    return this.account(of).model;
  }

  /** The account of a limit and key, under the config of this call. */
  account(of: Of): Account {
    const { config } = this.world.accounts.get(idOf(of))!.model;
    const account = this.world.account(of);
    if (account.model.config === config) return account;
    this.noteRule(account);
    if (this.isSplit(of)) loosen(account);
    return account;
  }

  /** The balance of a split limit; undefined if unknown, and for every other limit. */
  sum(of: Of): number | undefined {
    return this.isSplit(of) ? this.sums.get(idOf(of)) : undefined;
  }

  add(of: Of, tokens: number): void {
    const id = idOf(of);
    if (tokens !== 0) this.written.add(id);
    const sum = this.sum(of);
    if (sum === undefined) return;
    // Count a rounding error as zero.
    const next = sum + tokens;
    this.sums.set(id, Math.abs(next) < TOLERANCE ? 0 : next);
  }

  touch(of: Of): Account {
    const account = this.account(of);
    this.changed.add(idOf(of));
    account.clock = Math.max(account.clock, this.now);
    return account;
  }

  /** Notes a change that no answer reports. Afterwards, the model is an upper bound. */
  blur(of: Of): void {
    const id = idOf(of);
    this.touch(of);
    this.written.add(id);
    this.sums.set(id, undefined);
  }

  /** Remembers what a dry run took, for the commit. */
  note(of: Of, taken: number[] | undefined): number[] | undefined {
    if (this.stage === "snapshot") {
      this.taken.set(`${this.place} ${idOf(of)}`, taken);
    }
    return taken;
  }

  /** Takes tokens, or gives them back if negative. */
  move(account: Account, tokens: number): { retryAfter?: number } {
    const { model } = account;
    if (this.isSplit(account.of)) model.allowOtherWindows(this.now);
    if (tokens >= 0) return model.charge(tokens, this.now);
    model.credit(-tokens, this.now);
    return {};
  }

  /**
   * Ends the transaction.
   *
   * @param sums The balances of split limits after the commit.
   */
  end(sums: Sums): void {
    for (const id of this.changed) this.requireKept(id, sums.get(id));
    // A call that named a plan but took nothing has left the key as it was.
    for (const { of, model } of this.world.accounts.values()) {
      if (this.isPlan(of)) model.goByWriter();
    }
  }

  /** The most that a limit can hold now. */
  most(of: Of): number {
    const { model, ahead } = this.account(of);
    const { now } = this;
    return balance(model, this.isExact(of) ? now : Math.max(now, ahead));
  }

  /** Requires that a split limit has lost what was taken from it, and no more. */
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

/** Allows a split limit what its most generous rule brings in the time by which clocks differ. */
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
  // A commit's timestamp is a bigint, which JSON cannot hold.
  const text = JSON.stringify(value, (_, item: unknown) =>
    typeof item === "bigint" ? String(item) : item,
  );
  return text ?? "nothing";
}
