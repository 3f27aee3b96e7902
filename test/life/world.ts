import { Model, type ModelConfig, type ModelOverride } from "../model.js";
import type { Document } from "../../sim/ranges.js";
import type { Of } from "./steps.js";

export type Override = ModelOverride & { forgetAt?: number };

export type Hold = {
  of: Of;
  isLease: boolean;
  /** Undefined if nothing. */
  taken: number | undefined;
  /** Whether it may have taken nothing as well: a dry run does not always tell. */
  isUnsure: boolean;
  /** When it was granted, and when it ends. */
  from: number;
  to: number;
};

/** What is known of a limit and key, as if all transactions had run one after the other. */
export class Account {
  /** Whether no two transactions that wrote to it ran at once since it was last full. */
  isSerial = true;
  /** Counts what was committed. */
  version = 0;
  /** The latest clock of who wrote to it, and how far behind it another one was. */
  clock = -Infinity;
  lag = 0;
  /** The latest time that it can have kept though it was cleared, by a clock behind that. */
  ahead = -Infinity;
  /** Whether overrides were set for it. */
  isOverridden = false;
  /** The least and the most that it could hold under any rule, from when on it was overridden. */
  capacities: readonly [number, number] | undefined;
  /** Whether absent rows can be taken for full by a capacity that came later. */
  mayRise = false;
  /** How often its rule can have changed since its rate first could. */
  rateChanges = 0;
  /**
   * How many tokens its rows can grant in a debt that they do not know of: one capacity for each
   * deploy, since rows of the one split were written while those of another were.
   */
  unaware: number | undefined;
  /** How often apps were deployed that split it over another number of rows. */
  deploys = 0;

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
    account.model.keyOverrides =
      key === undefined ? [] : this.overridesOf(name, key);
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

/** What is so after so many commits. */
export type Version = { commits: number; world: World; rows: Rows };

/** The rows of each limit and key, by the id of that. */
export type Rows = Map<string, readonly Document[]>;

export function isAppended(
  limits: Record<string, ModelConfig>,
  { name }: { name: string },
): boolean {
  return limits[name]!.applyUpdates === "asynchronously";
}

export function idOf({
  name,
  key,
}: {
  name: string;
  key?: string | undefined;
}): string {
  return `${name} ${key ?? ""}`;
}
