import { v } from "convex/values";
import { vLimitKey } from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import {
  internalMutation,
  internalQuery,
} from "../component/_generated/server.js";
import { isBudgetUsed } from "../stores/budget.js";
import { vacuumHolds } from "../stores/holds/housekeeping.js";
import { vacuumOverrides } from "../stores/overrides/housekeeping.js";
import { END_CURSOR } from "../stores/pages.js";
import { findIdleRows, vacuumRows } from "../stores/rows/housekeeping.js";
import { vacuumStats } from "../stores/stats/housekeeping.js";

/**
 * How each store is vacuumed. Each function does one batch from a cursor, and returns the cursor to
 * continue from: `END_CURSOR` when it is done, undefined for the same one.
 */
const STORES = {
  rows: vacuumRows,
  overrides: vacuumOverrides,
  holds: vacuumHolds,
  stats: vacuumStats,
};

/**
 * Deletes rows whose absence means the same, and stats that have been kept for long enough. Also
 * folds leftover events. Schedules itself until every store is done.
 *
 * A call of `limit` conflicts with it only on a row that it deletes, which nobody had touched for
 * an hour.
 */
export const vacuum = internalMutation({
  args: { cursors: v.optional(v.record(v.string(), v.string())) },
  returns: v.null(),
  handler: async (ctx, { cursors = {} }): Promise<null> => {
    const now = Date.now();
    const next = { ...cursors };
    let isFirst = true;
    for (const [store, vacuumStore] of Object.entries(STORES)) {
      if (next[store] === END_CURSOR) continue;
      if (!isFirst && (await isBudgetUsed(ctx))) break;
      isFirst = false;
      const cursor = await vacuumStore(ctx, now, next[store]);
      if (cursor !== undefined) next[store] = cursor;
    }
    const isDone = Object.keys(STORES).every(
      (store) => next[store] === END_CURSOR,
    );
    if (!isDone) {
      const rest = { cursors: next };
      await ctx.scheduler.runAfter(0, internal.jobs.vacuum, rest);
    }
    return null;
  },
});

/** A page of limit keys whose rows may be deleted. */
export const idleRows = internalQuery({
  args: { now: v.number(), cursor: v.union(v.string(), v.null()) },
  returns: v.object({
    limitKeys: v.array(vLimitKey()),
    isDone: v.boolean(),
    continueCursor: v.string(),
  }),
  handler: (ctx, { now, cursor }) => findIdleRows(ctx, now, cursor),
});
