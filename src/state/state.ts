import type { StoredConfig } from "../core/config.js";
import type { Credit, Decision } from "../core/decide.js";
import type { Demand } from "../core/demand.js";
import type { LimitKey } from "../core/validators.js";
import type { Row, View } from "../core/view.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";
import type { Leaf } from "./spread/tree.js";

/**
 * The state of one limit key in one call: what is stored, and what the call changes. It shows its
 * own changes, and writes nothing before `save`.
 */
export interface KeyState {
  /** Decides on demands. Changes nothing. */
  take(demands: readonly Demand[], random: () => number): Promise<Decision>;
  /**
   * Decides where to give tokens back. With the place of a hold, only what the refill has not replaced
   * since. Changes nothing.
   */
  give(count: number, random: () => number, place?: Place): Promise<Credit>;
  /** Puts what was decided into the state. */
  put(writes: readonly Row[]): void;
  /**
   * Writes the changes. A call is close if another transaction wrote the key so recently that the
   * two could have conflicted.
   *
   * @param isHold Whether what was taken may be given back. If so, returns its place, for `give`.
   */
  save(ctx: MutationCtx, isHold?: boolean): Promise<Saved>;
  /** Reads all that is stored. */
  view(): Promise<View>;
  /** The same, without a read dependency where possible. */
  glance(): Promise<View>;
  /** All rows that are stored, with the changes. */
  rows(): Promise<Row[]>;
  /** Reads some random rows of a split limit; undefined if that is hardly less than all. */
  sample(size: number, random: () => number): Promise<Leaf[] | undefined>;
  /** The config that a call brought along last, as a rule, if one did. */
  readonly plan: { rule: string; ts: number } | undefined;
}

export type Saved = { isClose: boolean; place?: Place | undefined };

/** Where in the state of a key tokens were held, and when. Only the state knows what it means. */
export type Place = {
  since: number;
  /** The row, if it was one. */
  shard?: number | undefined;
};

/** A limit and one of its keys, with the limit's config. */
export type Target<Config = StoredConfig> = LimitKey & {
  config: Config;
};

/** Whether a function may write: only a mutation has a scheduler. */
export function isMutation(ctx: QueryCtx | MutationCtx): ctx is MutationCtx {
  return "scheduler" in ctx;
}
