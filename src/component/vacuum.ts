import { paginator } from "convex-helpers/server/pagination";
import { v } from "convex/values";
import { idOf } from "../core/hash.js";
import { isShort } from "../core/reject.js";
import { goneAt } from "../core/rules.js";
import { vPlace } from "../core/vPlace.js";
import { internal } from "./_generated/api.js";
import type { Doc, Id } from "./_generated/dataModel.js";
import {
  internalMutation,
  internalQuery,
  type MutationCtx,
} from "./_generated/server.js";
import { deleteSome, isSpent, readBounded } from "./bounded.js";
import { storedOverrides } from "./calls/storedOverrides.js";
import { deleteFigures, foldWhatIsLeft } from "./figures.js";
import { END, PAGE_BYTES, START } from "./lists/walk.js";
import { lookStale } from "./ledgers/look.js";
import { idleBefore, isIdleRow } from "./idle.js";
import { parseRow, storedRows } from "./ledgers/storedRows.js";
import schema from "./schema.js";
import { accountsOf, forget } from "./sweep.js";

/** So many rows of each table go in one transaction at most, far inside Convex's limits. */
const BATCH = 1000;

/** So many records are looked at for one transaction: each may be a key of its own, which takes four reads. */
const TAKINGS = 250;

/**
 * Deletes what says no more than its absence would: rows that have been full for an hour,
 * takings of limits that have, overrides and holds that have been over for as long, bans that
 * are forgotten besides, and figures that were kept for long enough. Events that nobody has
 * folded it has folded. Rows without `fullAt` are left alone: the range starts behind them.
 *
 * Schedules itself until it has seen all, with cursors behind the rows and the takings that it
 * has looked at.
 *
 * A call of `limit` conflicts with it only on a row that it deletes: one that
 * nobody had touched for an hour.
 */
export const vacuum = internalMutation({
  args: { rows: v.optional(v.string()), takings: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, cursors): Promise<null> => {
    const now = Date.now();
    const rows = await deleteIdleRows(ctx, now, cursors.rows);
    const takings = await forgetTakings(ctx, now, cursors.takings);
    let isMore = rows !== END || takings !== END;
    for (const deleteEnded of [deleteOverrides, deleteHolds, deleteFigures]) {
      const isLeft =
        (await isSpent(ctx)) || (await deleteEnded(ctx, now, BATCH));
      isMore ||= isLeft;
    }
    await foldWhatIsLeft(ctx);
    if (isMore) {
      const behind = { rows, takings };
      await ctx.scheduler.runAfter(0, internal.vacuum.vacuum, behind);
    }
    return null;
  },
});

/**
 * Deletes overrides and bans that have been over for an hour. With an override goes what was
 * gone for good while it held, so that this does not come back without it.
 */
async function deleteOverrides(
  ctx: MutationCtx,
  now: number,
  most: number,
): Promise<boolean> {
  const before = idleBefore(now);
  const overrides = ctx.db
    .query("overrides")
    .withIndex("expiresAt", (q) =>
      q
        .eq("forgetAt", undefined)
        .gt("expiresAt", undefined)
        .lt("expiresAt", before),
    );
  const bans = ctx.db
    .query("overrides")
    .withIndex("expiresAt", (q) =>
      q.gt("forgetAt", undefined).lt("forgetAt", before),
    );
  const { rows, isMore } = await readBounded(ctx, overrides, { most });
  const over = new Set(rows.map(({ _id }) => _id));
  for (const { name, key } of accountsOf(rows)) {
    const stored = await storedOverrides(ctx, name, key);
    for (const { _id } of goneAt(stored, now)) over.add(_id);
  }
  for (const id of over) await ctx.db.delete("overrides", id);
  return (await deleteSome(ctx, "overrides", bans, most)) || isMore;
}

/** Deletes holds that have been over for an hour. */
function deleteHolds(
  ctx: MutationCtx,
  now: number,
  most: number,
): Promise<boolean> {
  const holds = ctx.db
    .query("holds")
    .withIndex("expiresAt", (q) => q.lt("expiresAt", idleBefore(now)));
  return deleteSome(ctx, "holds", holds, most);
}

/** @returns The cursor from which to go on. */
async function deleteIdleRows(
  ctx: MutationCtx,
  now: number,
  cursor: string | undefined,
): Promise<string> {
  if (cursor === END) return END;
  const asked = { now, cursor: cursor ?? null };
  const seen = await lookStale(ctx, internal.vacuum.look, asked);
  for (const id of seen.idle) {
    const row = await ctx.db.get("rateLimits", id);
    // Who has just written it needs it.
    if (row && isIdleRow(row, now)) await ctx.db.delete("rateLimits", id);
  }
  return seen.isDone ? END : seen.continueCursor;
}

/** @returns The cursor from which to go on: the same, if there is more to delete up to the next one. */
async function forgetTakings(
  ctx: MutationCtx,
  now: number,
  cursor: string | undefined,
): Promise<string> {
  if (cursor === END) return END;
  if (await isSpent(ctx)) return cursor ?? START;
  const asked = { now, cursor: cursor ?? null };
  const seen = await lookStale(ctx, internal.vacuum.lookAtTakings, asked);
  let deleted = 0;
  for (const account of seen.accounts) {
    if (deleted >= BATCH || (await isSpent(ctx))) return cursor ?? START;
    const forgotten = await forget(ctx, account, now);
    if (forgotten.isMore) return cursor ?? START;
    deleted += forgotten.deleted;
  }
  return seen.isDone ? END : seen.continueCursor;
}

/** A page of takings whose limits may be full. */
export const lookAtTakings = internalQuery({
  args: { now: v.number(), cursor: v.union(v.string(), v.null()) },
  returns: v.object({
    accounts: v.array(vPlace()),
    isDone: v.boolean(),
    continueCursor: v.string(),
  }),
  handler: async (ctx, { now, cursor }) => {
    const { page, isDone, continueCursor } = await paginator(ctx.db, schema)
      .query("takings")
      .withIndex("fullAt", (q) => q.lt("fullAt", idleBefore(now)))
      .paginate({
        numItems: TAKINGS,
        cursor: cursor || null,
        maximumBytesRead: PAGE_BYTES,
      });
    return { accounts: accountsOf(page), isDone, continueCursor };
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
        .paginate({ numItems, cursor, maximumBytesRead: PAGE_BYTES });
    const { page, isDone, continueCursor } = await read(BATCH);
    const idle: Id<"rateLimits">[] = [];
    const seen = new Set<string>();
    for (const [i, { _id, name, key, of }] of page.entries()) {
      const account = idOf({ name, key });
      if (seen.has(account)) continue;
      // Nothing stands beside the row of a limit that is not split, and no call asks for a
      // key that is too long.
      const isAlone = of === undefined || !isShort(key ?? "");
      const isFull =
        idle.length > BATCH ||
        (!isAlone && seen.size > 0 && (await isSpent(ctx)));
      if (isFull) {
        const upTo = await read(i);
        return { idle, isDone: false, continueCursor: upTo.continueCursor };
      }
      if (isAlone) {
        idle.push(_id);
        continue;
      }
      seen.add(account);
      const rows = await storedRows(ctx, name, key).collect();
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
