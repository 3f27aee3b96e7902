import { paginator } from "convex-helpers/server/pagination";
import { isForgotten } from "../../../core/row.js";
import type { LimitKey } from "../../../core/vLimitKey.js";
import { internal } from "../../_generated/api.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { isBudgetUsed } from "../budget.js";
import { idleBefore } from "../idle.js";
import { END, PAGE_BYTES } from "../pages.js";
import { lookStale } from "../stale.js";
import { storedRows } from "./stored.js";

/** The most rows to look at for one transaction. */
const BATCH = 1000;

/**
 * Deletes the rows of keys that are forgotten, those of each key together. Rows without `fullAt`
 * stay, with those beside them.
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
  for (const [i, { name, key }] of seen.limitKeys.entries()) {
    if (i > 0 && (await isBudgetUsed(ctx, 3 / 4))) return cursor;
    const rows = await storedRows(ctx, name, key).collect();
    // One may have been used since the look.
    if (!isForgotten(rows, now)) continue;
    for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
  }
  return seen.isDone ? END : seen.continueCursor;
}

/** The limits and keys that are forgotten, found by a page of rows: each by its row 0. */
export async function idleRows(
  ctx: QueryCtx,
  now: number,
  cursor: string | null,
) {
  const read = (numItems: number) =>
    paginator(ctx.db, schema)
      .query("rateLimits")
      .withIndex("fullAt", (q) =>
        q.gt("fullAt", undefined).lte("fullAt", idleBefore(now)),
      )
      .paginate({ numItems, cursor, maximumBytesRead: PAGE_BYTES });
  const { page, isDone, continueCursor } = await read(BATCH);
  const limitKeys: LimitKey[] = [];
  for (const [i, { name, key, shard, into }] of page.entries()) {
    if (shard > 0) continue;
    // A limit that is not split has no other row.
    if (into !== undefined) {
      if (i > 0 && (await isBudgetUsed(ctx))) {
        const { continueCursor } = await read(i);
        return { limitKeys, isDone: false, continueCursor };
      }
      const rows = await storedRows(ctx, name, key).collect();
      if (!isForgotten(rows, now)) continue;
    }
    limitKeys.push({ name, key });
  }
  return { limitKeys, isDone, continueCursor };
}
