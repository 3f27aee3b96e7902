import { paginator } from "convex-helpers/server/pagination";
import { limitKeysOf } from "../../../core/hash.js";
import { isShort } from "../../../core/reject.js";
import { baseOf, fullFrom } from "../../../core/replay.js";
import { lastUse } from "../../../core/rows.js";
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

/** So many debits are deleted in one transaction at most. */
const BATCH = 1000;

/** So many debits are looked at for one transaction: each may be a key of its own, which takes four reads. */
const LOOKED_AT = 250;

/**
 * Forgets the limits and keys that have been full for an hour, and deletes what no call needs
 * of the others.
 *
 * @returns The cursor from which to go on: the same, if there is more to delete up to the next one.
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

/** The limits and keys of a page of debits, by which they have been full for an hour. */
export async function idleDebits(
  ctx: QueryCtx,
  now: number,
  cursor: string | null,
) {
  const { page, isDone, continueCursor } = await paginator(ctx.db, schema)
    .query("debits")
    .withIndex("fullAt", (q) => q.lt("fullAt", idleBefore(now)))
    .paginate({
      numItems: LOOKED_AT,
      cursor: cursor || null,
      maximumBytesRead: PAGE_BYTES,
    });
  return { limitKeys: limitKeysOf(page), isDone, continueCursor };
}

/**
 * Deletes all debits of a limit and key if they only say that it is full, else those that no
 * call needs. Takes no read dependency on debits.
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
  if (fullFrom(debits) >= idleBefore(now)) {
    return deleteUpTo(ctx, limitKey, inUse);
  }
  const lastDebit = Math.max(...debits.map(({ ts }) => ts));
  const { name, key } = limitKey;
  // Rows from before the debits would bring an older balance back. The vacuum takes them once
  // they are full; those of `@convex-dev/rate-limiter` never say when. No call asks for a key
  // that is too long.
  const rows = isShort(key ?? "")
    ? await storedRows(ctx, name, key).collect()
    : [];
  const older = rows.filter((row) => lastUse(row) <= lastDebit);
  for (const { _id, fullAt } of older) {
    if (fullAt === undefined) await ctx.db.delete("rateLimits", _id);
    else if (fullAt >= idleBefore(now)) {
      return deleteUpTo(ctx, limitKey, inUse);
    }
  }
  return deleteUpTo(ctx, limitKey, newest.at);
}
