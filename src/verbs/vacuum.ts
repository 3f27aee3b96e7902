import { v } from "convex/values";
import { vLimitKey } from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import {
  internalMutation,
  internalQuery,
} from "../component/_generated/server.js";
import { vFound } from "../state/budget.js";
import { findIdleKeys } from "../state/spread/housekeeping.js";
import { proceed, vCursors } from "../state/stores.js";

/**
 * Deletes rows whose absence means the same, and stats that have been kept for long enough. Also
 * folds leftover events. Schedules itself until every store is done.
 *
 * A call of `limit` conflicts with it only on a row that it deletes, which nobody had touched for
 * an hour.
 */
export const vacuum = internalMutation({
  args: { cursors: v.optional(vCursors()) },
  returns: v.null(),
  handler: async (ctx, args): Promise<null> => {
    const now = Date.now();
    const cursors = await proceed(ctx, args.cursors, (store, cursor) =>
      store.vacuum?.(ctx, now, cursor),
    );
    if (cursors !== undefined) {
      await ctx.scheduler.runAfter(0, internal.jobs.vacuum, { cursors });
    }
    return null;
  },
});

/** Limit keys whose rows may be deleted. */
export const idleKeys = internalQuery({
  args: { now: v.number(), cursor: v.string() },
  returns: vFound(vLimitKey()),
  handler: (ctx, { now, cursor }) => findIdleKeys(ctx, now, cursor),
});
