import { paginator } from "convex-helpers/server/pagination";
import { v } from "convex/values";
import { idOf } from "../core/hash.js";
import { internal } from "./_generated/api.js";
import type { Doc, Id } from "./_generated/dataModel.js";
import { internalMutation, internalQuery } from "./_generated/server.js";
import { forgetFigures } from "./figures.js";
import { END } from "./lists/walk.js";
import { lookStale } from "./ledgers/ledger.js";
import { idleBefore, isIdleRow } from "./idle.js";
import { parseRow, storedRows } from "./ledgers/storedRows.js";
import schema from "./schema.js";
import { accountsOf, forget } from "./sweep.js";

/** Far inside Convex's limits of 32,000 rows read and 16,000 written per transaction. */
const BATCH = 1000;

/** A look at keys ends before it has read more rows than this, beside those of the key at hand. */
const MOST_ROWS = 2000;

/** Of so many records at a time: each may be a key of its own, which takes four reads. */
const TAKINGS = 250;

/**
 * Deletes rows that have been full for an hour, which say what absent rows say, takings of
 * limits that have, overrides and holds that have been over for as long, bans only once
 * they are forgotten, too, and figures that were kept for long enough. Events that nobody has
 * folded it has folded. Rows without `fullAt` are left alone: the range starts behind them.
 *
 * About 1,000 of each per transaction; schedules itself until none is left, with the `cursor`
 * behind the rows that it has looked at.
 *
 * A call of `limit` conflicts with it only on a row that it deletes: one that
 * nobody had touched for an hour.
 */
export const vacuum = internalMutation({
  args: { cursor: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { cursor = null }): Promise<null> => {
    const now = Date.now();
    const before = idleBefore(now);
    const rows =
      cursor === END
        ? { idle: [], isDone: true, continueCursor: END }
        : await lookStale(ctx, internal.vacuum.look, { now, cursor });
    for (const id of rows.idle) {
      const row = await ctx.db.get("rateLimits", id);
      // Who has just written it needs it.
      if (row && isIdleRow(row, now)) await ctx.db.delete("rateLimits", id);
    }
    const overrides = await ctx.db
      .query("overrides")
      .withIndex("expiresAt", (q) =>
        q
          .eq("forgetAt", undefined)
          .gt("expiresAt", undefined)
          .lt("expiresAt", before),
      )
      .take(BATCH);
    for (const row of overrides) await ctx.db.delete("overrides", row._id);
    const bans = await ctx.db
      .query("overrides")
      .withIndex("expiresAt", (q) =>
        q.gt("forgetAt", undefined).lt("forgetAt", before),
      )
      .take(BATCH);
    for (const row of bans) await ctx.db.delete("overrides", row._id);
    const holds = await ctx.db
      .query("holds")
      .withIndex("expiresAt", (q) => q.lt("expiresAt", before))
      .take(BATCH);
    for (const row of holds) await ctx.db.delete("holds", row._id);
    const isFiguresLeft = await forgetFigures(ctx, now, BATCH);
    const takings = await ctx.db
      .query("takings")
      .withIndex("fullAt", (q) => q.lt("fullAt", before))
      .take(TAKINGS);
    let forgotten = 0;
    for (const account of accountsOf(takings)) {
      if (forgotten < BATCH) forgotten += await forget(ctx, account, now);
    }
    const isMore =
      !rows.isDone ||
      isFiguresLeft ||
      (takings.length === TAKINGS && forgotten > 0) ||
      [overrides, bans, holds].some(({ length }) => length === BATCH);
    if (isMore) {
      const behind = { cursor: rows.continueCursor };
      await ctx.scheduler.runAfter(0, internal.vacuum.vacuum, behind);
    }
    return null;
  },
});

/**
 * Of a page of rows that have been full for an hour, and of the others of their keys that have,
 * those that can go.
 */
export const look = internalQuery({
  args: { now: v.number(), cursor: v.union(v.string(), v.null()) },
  returns: v.object({
    idle: v.array(v.id("rateLimits")),
    isDone: v.boolean(),
    continueCursor: v.string(),
  }),
  handler: async (ctx, { now, cursor }) => {
    const read = (numItems: number) =>
      paginator(ctx.db, schema)
        .query("rateLimits")
        .withIndex("fullAt", (q) =>
          q.gt("fullAt", undefined).lt("fullAt", idleBefore(now)),
        )
        .paginate({ numItems, cursor });
    const { page, isDone, continueCursor } = await read(BATCH);
    const idle: Id<"rateLimits">[] = [];
    const seen = new Set<string>();
    let rowsRead = 0;
    for (const [i, { _id, name, key, of }] of page.entries()) {
      if (rowsRead >= MOST_ROWS || idle.length > BATCH) {
        const upTo = await read(i);
        return { idle, isDone: false, continueCursor: upTo.continueCursor };
      }
      if (of === undefined) {
        // Nothing stands beside the row of a limit that is not split.
        idle.push(_id);
        continue;
      }
      const account = idOf({ name, key });
      if (seen.has(account)) continue;
      seen.add(account);
      const rows = await storedRows(ctx, name, key);
      rowsRead += rows.length;
      idle.push(...withoutNeeded(rows, now).map((row) => row._id));
    }
    return { idle, isDone, continueCursor };
  },
});

/**
 * Of the rows of a key those that have been full for an hour. While another one is in
 * use, one that became full later than that was written is still needed: if the capacity rises,
 * it gains from then on.
 */
function withoutNeeded(
  rows: readonly Doc<"rateLimits">[],
  now: number,
): Doc<"rateLimits">[] {
  const inUse = rows.filter((row) => parseRow(row) && !isIdleRow(row, now));
  const since = Math.min(...inUse.map(({ ts }) => ts));
  return rows.filter((row) => isIdleRow(row, now) && row.fullAt! <= since);
}
