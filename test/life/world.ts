import {
  Model,
  type ModelConfig,
  type ModelOverride,
} from "../support/model.js";
import type { Of } from "./steps.js";

export type Override = ModelOverride & {
  forgetAt?: number;
  /** When it was set to end, if another one replaces it before. */
  ownEnd?: number;
};

export type Hold = {
  of: Of;
  isLease: boolean;
  /** Undefined if the hold took nothing. */
  taken: number | undefined;
  /** Whether it may have taken nothing: a dry run does not always say. */
  isUnsure: boolean;
  /** Which of the writes of its model it was. */
  write: number;
  /** When it was granted, and when it ends. */
  from: number;
  to: number;
};

/** What the judge knows of a limit and key after transactions that run one after the other. */
export class Account {
  /** How many commits have changed it. */
  version = 0;
  /** The latest clock of a transaction that wrote to it. */
  clock = -Infinity;
  /** The most by which another transaction's clock was behind `clock`. */
  lag = 0;
  /** The latest time that a `clearAll` whose clock was behind may have left in place. */
  ahead = -Infinity;
  /** When its last write began, and by when it was committed. */
  write = { from: -Infinity, to: -Infinity };
  /** Whether a row of it may have forgotten of a hold: then the model is an upper bound. */
  isVague = false;
  /** Up to when the limit may be busy, if it is split: see `Judge`. */
  busyUntil = -Infinity;
  /** The highest rate and refill per ms of all its rules so far, in units. */
  generous = { rate: 0, perMs: 0 };

  constructor(
    readonly of: Of,
    readonly model: Model,
  ) {}

  copy(): Account {
    const { model, ...known } = this;
    const copy = new Account(this.of, model.copy());
    return Object.assign(copy, known);
  }
}

/** The state of all limits in one order of the transactions. */
export class World {
  constructor(
    readonly accounts: Map<string, Account>,
    readonly overrides: Map<string, readonly Override[]>,
    readonly holds: Map<string, Hold>,
    /** The configs that come with calls. */
    readonly plans: readonly ModelConfig[],
  ) {}

  copy(): World {
    const accounts = [...this.accounts].map(
      ([id, account]) => [id, account.copy()] as const,
    );
    return new World(
      new Map(accounts),
      new Map(this.overrides),
      new Map(this.holds),
      this.plans,
    );
  }

  account(of: Of): Account {
    const account = this.accounts.get(idOf(of))!;
    const { name, key, plan } = of;
    const { model } = account;
    if (plan !== undefined) model.config = this.plans[plan]!;
    model.keyOverrides = key === undefined ? [] : this.overridesOf(name, key);
    model.limitOverrides = this.overridesOf(name, undefined);
    model.leases = [...this.holds.values()]
      .filter((hold) => hold.isLease && idOf(hold.of) === idOf(of))
      .map(({ taken = 0, from, to }) => ({ count: taken, from, to }));
    return account;
  }

  overridesOf(name: string, key: string | undefined): readonly Override[] {
    return this.overrides.get(idOf({ name, key })) ?? [];
  }
}

/** The state after a number of commits. */
export type Version = { commits: number; world: World };

/** Limits by name. */
export type Configs = Record<string, ModelConfig>;

export function idOf({
  name,
  key,
}: {
  name: string;
  key?: string | undefined;
}): string {
  return `${name} ${key ?? ""}`;
}
