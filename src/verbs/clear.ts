import { v } from "convex/values";
import { internal } from "../component/_generated/api.js";
import {
  internalMutation,
  internalQuery,
} from "../component/_generated/server.js";
import { lookStale } from "../state/stale.js";
import { proceed, STORES, vCursors } from "../state/stores.js";

/**
 * Makes every limit full, or only what was stored up to `before`. Schedules itself for the rest.
 */
export const clear = internalMutation({
  args: { before: v.optional(v.number()), cursors: v.optional(vCursors()) },
  returns: v.null(),
  handler: async (ctx, args): Promise<null> => {
    const before =
      args.before ?? (await lookStale(ctx, internal.jobs.newestStored, {}));
    const cursors = await proceed(ctx, args.cursors, async (store, cursor) => {
      const upTo = cursor === "" ? before : Number(cursor);
      return (await store.clear?.(ctx, upTo))?.toString();
    });
    if (cursors !== undefined) {
      const rest = { before, cursors };
      await ctx.scheduler.runAfter(0, internal.jobs.clear, rest);
    }
    return null;
  },
});

/** When the newest of what is cleared was stored, perhaps by a clock that is ahead. */
export const newestStored = internalQuery({
  args: {},
  returns: v.number(),
  handler: async (ctx) => {
    // This transaction's own rows are newer.
    let newest = Date.now() + 1;
    for (const store of STORES.values()) {
      newest = (await store.newestSince?.(ctx, newest)) ?? newest;
    }
    return newest;
  },
});
