import { paginator } from "convex-helpers/server/pagination";
import { idOf } from "../../../core/hash.js";
import { isShort } from "../../../core/reject.js";
import { isChild } from "../../../core/tree.js";
import { internal } from "../../_generated/api.js";
import type { Doc, Id } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { isBudgetUsed } from "../budget.js";
import { idleBefore, isIdleRow } from "../idle.js";
import { END, PAGE_BYTES } from "../pages.js";
import { lookStale } from "../stale.js";
import { parseRow, storedRows } from "./stored.js";

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
    if (row.into === undefined) await ctx.db.delete("rateLimits", id);
    else {
      const { name, key } = row;
      await deleteIdleTree(ctx, name, key, now);
      if (await isBudgetUsed(ctx)) return cursor;
    }
  }
  return seen.isDone ? END : seen.continueCursor;
}

/**
 * Deletes the rows of a limit that has split itself, if all are idle. They go as a whole: without
 * a signpost, the rows below it would count as parts of another split.
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
    const { _id, name, key, of, into } = row;
    const id = idOf({ name, key });
    if (seen.has(id)) continue;
    // An unsplit limit has one row. Calls refuse a key that is too long, so
    // none of its rows needs another.
    const isSplit = of !== undefined || into !== undefined || isChild(row);
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
    const root = rows.find((row) => row.into !== undefined);
    if (root === undefined) {
      idle.push(...withoutNeeded(rows, now).map((row) => row._id));
    } else if (rows.every((row) => isIdleRow(row, now))) idle.push(root._id);
  }
  return { idle, isDone, continueCursor };
}

/**
 * The rows of a key that have been full for an hour, without those that another row still needs. If
 * the capacity is raised, a full row gains tokens from the time when it was full. So it has to stay
 * while a row is in use that was written before then.
 */
function withoutNeeded(
  rows: readonly Doc<"rateLimits">[],
  now: number,
): Doc<"rateLimits">[] {
  const inUse = rows.filter((row) => parseRow(row) && !isIdleRow(row, now));
  const since = Math.min(...inUse.map(({ ts }) => ts));
  return rows.filter((row) => isIdleRow(row, now) && row.fullAt! <= since);
}
