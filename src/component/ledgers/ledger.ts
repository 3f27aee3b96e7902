import type { StoredConfig } from "../../core/config.js";
import type { Row } from "../../core/rows.js";
import type { Place } from "../../core/vPlace.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";

/**
 * What one call sees and changes of one limit and key. What it has changed it sees.
 * Nothing is written before `save`.
 */
export interface Ledger {
  /** Reads one row. */
  get(shard: number): Promise<Row | undefined>;
  /** Reads all rows that are stored. */
  all(): Promise<Row[]>;
  /**
   * Looks at so many rows from `first` on, by default at all, without a read dependency
   * where that is possible.
   */
  look(first?: number, count?: number): Promise<Row[]>;
  /** Notes what rows are to become. */
  set(rows: readonly Row[]): void;
  /** Notes that the limit is to be full. */
  reset(): Promise<void>;
  save(ctx: MutationCtx): Promise<void>;
}

/** A limit and one of its keys, with the limit's config. */
export type Named<Config extends StoredConfig = StoredConfig> = Place & {
  config: Config;
};

/** Makes a limit and key full. */
export async function makeFull(
  ctx: MutationCtx,
  ledger: Ledger,
): Promise<void> {
  await ledger.reset();
  await ledger.save(ctx);
}

/** Whether a function may write: a mutation is what has a scheduler. */
export function isMutation(ctx: QueryCtx | MutationCtx): ctx is MutationCtx {
  return "scheduler" in ctx;
}
