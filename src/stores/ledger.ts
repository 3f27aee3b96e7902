import type { StoredConfig } from "../core/config.js";
import type { Credit, Decision } from "../core/decide.js";
import type { Demand } from "../core/demand.js";
import type { Row } from "../core/rows.js";
import type { Leaf } from "../core/tree.js";
import type { LimitKey } from "../core/validators.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";

/**
 * The state of one limit key in one call: what is stored, and what the call changes. It shows its
 * own changes, and writes nothing before `save`.
 */
export interface Ledger {
  /** Decides on demands. Changes nothing. */
  decide(demands: readonly Demand[], random: () => number): Promise<Decision>;
  /** Decides where to give tokens back: to this row first, if it is said. Changes nothing. */
  credit(count: number, random: () => number, shard?: number): Promise<Credit>;
  /** Reads all rows. */
  read(): Promise<Row[]>;
  /** Reads all rows; without a read dependency where possible. */
  look(): Promise<Row[]>;
  /** Reads some random rows of a split limit; undefined if it is not split. */
  sample(size: number, random: () => number): Promise<Leaf[] | undefined>;
  /** Changes rows, without writing them. */
  set(rows: readonly Row[]): void;
  /**
   * Writes the changes. A call is close if another transaction wrote one of the rows so recently
   * that the two could have conflicted.
   */
  save(ctx: MutationCtx): Promise<{ isClose: boolean }>;
}

/** A limit and one of its keys, with the limit's config. */
export type Target<Config = StoredConfig> = LimitKey & {
  config: Config;
};

/** Whether a function may write: only a mutation has a scheduler. */
export function isMutation(ctx: QueryCtx | MutationCtx): ctx is MutationCtx {
  return "scheduler" in ctx;
}
