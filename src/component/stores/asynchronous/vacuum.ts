import { paginator } from "convex-helpers/server/pagination";
import { limitKeysOf } from "../../../core/hash.js";
import { baseOf, fullFrom } from "../../../core/replay.js";
import { isForgotten, lastUse } from "../../../core/row.js";
import type { LimitKey } from "../../../core/vLimitKey.js";
import { internal } from "../../_generated/api.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { isBudgetUsed } from "../budget.js";
import { idleBefore } from "../idle.js";
import { END, PAGE_BYTES } from "../pages.js";
import { storedRows } from "../rows/stored.js";
import { lookStale } from "../stale.js";
import { deleteUpTo, type Deleted } from "./compact.js";

/** A transaction that has deleted this many debits starts no further key. */
const BATCH = 1000;

/**
 * The most debits to look at for one transaction: each may have a key of its own, which takes four
 * reads.
 */
const LOOKED_AT = 250;

/**
 * Deletes the debits of limits and keys that have been full for an hour. Of keys still in use,
 * deletes only the debits that no call needs.
 *
 * @returns The cursor to continue from: the same one, if there is more to delete before the next.
 */
export async function vacuumDebits(
  ctx: MutationCtx,
  now: number,
  cursor: string | undefined,
): Promise<string | undefined> {
  const asked = { now, cursor: cursor ?? null };
  const seen = await lookStale(ctx, internal.vacuum.idleDebits, asked);
  let deleted = 0;
  for (const limitKey of seen.limitKeys) {
    if (deleted >= BATCH || (await isBudgetUsed(ctx))) return cursor;
    const forgotten = await forget(ctx, limitKey, now);
    if (forgotten.isMore) return cursor;
    deleted += forgotten.deleted;
  }
  return seen.isDone ? END : seen.continueCursor;
}

/** The limits and keys of a page of debits that say they have been full for an hour. */
export async function idleDebits(
  ctx: QueryCtx,
  now: number,
  cursor: string | null,
) {
  const { page, isDone, continueCursor } = await paginator(ctx.db, schema)
    .query("debits")
    .withIndex("fullAt", (q) => q.lte("fullAt", idleBefore(now)))
    .paginate({
      numItems: LOOKED_AT,
      cursor: cursor || null,
      maximumBytesRead: PAGE_BYTES,
    });
  return { limitKeys: limitKeysOf(page), isDone, continueCursor };
}

/**
 * Deletes all debits of a limit and key if they only say that it is full, else those that no call
 * needs. Depends on no debit but those that it deletes.
 */
export async function forget(
  ctx: MutationCtx,
  limitKey: LimitKey,
  now: number,
): Promise<Deleted> {
  const { debits } = await lookStale(
    ctx,
    internal.lookAtDebits.debits,
    limitKey,
  );
  const [newest] = debits;
  if (newest?.at === undefined) return { deleted: 0, isMore: false };
  const inUse = baseOf(debits).seen;
  if (fullFrom(debits) > idleBefore(now)) {
    return deleteUpTo(ctx, limitKey, inUse);
  }
  const lastDebit = Math.max(...debits.map(({ ts }) => ts));
  const { name, key } = limitKey;
  const rows = await storedRows(ctx, name, key).collect();
  const isOlder = !rows.some((row) => lastUse(row) > lastDebit);
  // Without the debits, older rows would bring an older balance back. Those of
  // `@convex-dev/rate-limiter` never say when they are full.
  if (isOlder) {
    const own = rows.filter(({ fullAt }) => fullAt !== undefined);
    if (!isForgotten(own, now)) return deleteUpTo(ctx, limitKey, inUse);
    for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
  }
  return deleteUpTo(ctx, limitKey, newest.at);
}
