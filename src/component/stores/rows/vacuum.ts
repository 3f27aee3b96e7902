import { paginator } from "convex-helpers/server/pagination";
import { idOf } from "../../../core/hash.js";
import { isShort } from "../../../core/reject.js";
import { isChild } from "../../../core/tree.js";
import { internal } from "../../_generated/api.js";
import type { Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { isBudgetUsed } from "../budget.js";
import { idleBefore, isIdleRow } from "../idle.js";
import { END, PAGE_BYTES } from "../pages.js";
import { lookStale } from "../stale.js";
import { storedRows } from "./stored.js";

/** About how many rows to delete in one transaction at most, far below Convex's limits. */
const BATCH = 1000;

/**
 * Deletes rows that have been full for an hour. Rows without `fullAt` stay: the range starts after
 * them.
 *
 * @returns The cursor to continue from.
 */
export async function vacuumRows(
  ctx: MutationCtx,
  now: number,
  cursor: string | undefined,
): Promise<string | undefined> {
  const asked = { now, cursor: cursor ?? null };
  const seen = await lookStale(ctx, internal.vacuum.idleRows, asked);
  for (const id of seen.idle) {
    const row = await ctx.db.get("rateLimits", id);
    // It may have been used since the look.
    if (!row || !isIdleRow(row, now)) continue;
    const { name, key, shard, into } = row;
    if (shard === 0 && into === undefined)
      await ctx.db.delete("rateLimits", id);
    else {
      await deleteIdleTree(ctx, name, key, now);
      if (await isBudgetUsed(ctx)) return cursor;
    }
  }
  return seen.isDone ? END : seen.continueCursor;
}

/**
 * Deletes the rows of a split limit, if all are idle. They are deleted together, since the rows
 * below a signpost mean nothing without it.
 */
async function deleteIdleTree(
  ctx: MutationCtx,
  name: string,
  key: string | undefined,
  now: number,
): Promise<void> {
  const rows = await storedRows(ctx, name, key).collect();
  if (!rows.every((row) => isIdleRow(row, now))) return;
  for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
}

/**
 * The rows to delete, out of a page of rows that have been full for an hour and the other rows of
 * their keys.
 */
export async function idleRows(
  ctx: QueryCtx,
  now: number,
  cursor: string | null,
) {
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
  for (const [i, row] of page.entries()) {
    const { _id, name, key, into } = row;
    const id = idOf({ name, key });
    if (seen.has(id)) continue;
    // An unsplit limit has one row. Calls refuse a key that is too long, so
    // none of its rows needs another.
    const isSplit = into !== undefined || isChild(row);
    const isAlone = !isSplit || !isShort(key ?? "");
    const isFull =
      idle.length > BATCH ||
      (!isAlone && seen.size > 0 && (await isBudgetUsed(ctx)));
    if (isFull) {
      const upTo = await read(i);
      return { idle, isDone: false, continueCursor: upTo.continueCursor };
    }
    if (isAlone) {
      idle.push(_id);
      continue;
    }
    seen.add(id);
    const rows = await storedRows(ctx, name, key).collect();
    if (rows.every((row) => isIdleRow(row, now))) idle.push(_id);
  }
  return { idle, isDone, continueCursor };
}
