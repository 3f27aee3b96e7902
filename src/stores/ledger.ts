import type { StoredConfig } from "../core/config.js";
import type { Row, SplitRow } from "../core/rows.js";
import type { RowRange } from "../core/tree.js";
import type { LimitKey } from "../core/validators.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";

/**
 * The state of one limit key in one call: what is stored, and what the call changes. It shows its
 * own changes, and writes nothing before `save`.
 */
export interface Ledger {
  /** Reads row 0, and returns it if the limit is split over the rows below it. */
  readSplitRoot(): Promise<SplitRow | undefined>;
  /** Reads one row, or all of them. */
  read(shard?: number): Promise<Row[]>;
  /** Reads a range of rows, or all of them; without a read dependency where possible. */
  look(range?: RowRange): Promise<Row[]>;
  /**
   * Like `look`, but may lack what this transaction has written: to choose rows, which are then
   * read.
   */
  glance(): Promise<Row[]>;
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
