import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation } from "./_generated/server.js";
import { forgetFigures } from "./figures.js";
import { idleBefore } from "./rows.js";
import { accountsOf, forget } from "./takings.js";

/** Far inside Convex's limits of 32,000 rows read and 16,000 written per transaction. */
const BATCH = 1000;

/** Of so many records at a time: each may be a key of its own, which takes four reads. */
const TAKINGS = 250;

/**
 * Deletes rows that have been full for an hour, which say what absent rows say, takings of
 * limits that have, overrides and holds that have been over for as long, bans only once
 * they are forgotten, too, and figures that were kept for long enough. About 1,000 of each per transaction; schedules itself until none
 * is left. Rows without `fullAt` are left alone: the range starts behind them. Events that nobody has folded it has folded.
 *
 * A call of `limit` conflicts with it only on a row that it deletes: one that
 * nobody had touched for an hour.
 */
export const vacuum = internalMutation({
  args: {},
  returns: v.null(),
  handler: async (ctx): Promise<null> => {
    const now = Date.now();
    const rows = await ctx.db
      .query("rateLimits")
      .withIndex("fullAt", (q) =>
        q.gt("fullAt", undefined).lt("fullAt", idleBefore(now)),
      )
      .take(BATCH);
    for (const row of rows) await ctx.db.delete("rateLimits", row._id);
    const overrides = await ctx.db
      .query("overrides")
      .withIndex("expiresAt", (q) =>
        q
          .eq("forgetAt", undefined)
          .gt("expiresAt", undefined)
          .lt("expiresAt", idleBefore(now)),
      )
      .take(BATCH);
    for (const row of overrides) await ctx.db.delete("overrides", row._id);
    const bans = await ctx.db
      .query("overrides")
      .withIndex("expiresAt", (q) =>
        q.gt("forgetAt", undefined).lt("forgetAt", idleBefore(now)),
      )
      .take(BATCH);
    for (const row of bans) await ctx.db.delete("overrides", row._id);
    const holds = await ctx.db
      .query("holds")
      .withIndex("expiresAt", (q) => q.lt("expiresAt", idleBefore(now)))
      .take(BATCH);
    for (const row of holds) await ctx.db.delete("holds", row._id);
    const isFiguresLeft = await forgetFigures(ctx, now, BATCH);
    const takings = await ctx.db
      .query("takings")
      .withIndex("fullAt", (q) => q.lt("fullAt", idleBefore(now)))
      .take(TAKINGS);
    let forgotten = 0;
    for (const account of accountsOf(takings)) {
      if (forgotten < BATCH) forgotten += await forget(ctx, account, now);
    }
    const isMore =
      isFiguresLeft ||
      (takings.length === TAKINGS && forgotten > 0) ||
      [rows, overrides, bans, holds].some(({ length }) => length === BATCH);
    if (isMore) await ctx.scheduler.runAfter(0, internal.vacuum.vacuum);
    return null;
  },
});
