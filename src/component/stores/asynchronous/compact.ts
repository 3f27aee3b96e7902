import type { LimitKey } from "../../../core/vLimitKey.js";
import { internal } from "../../_generated/api.js";
import type { MutationCtx } from "../../_generated/server.js";
import { lookStale } from "../stale.js";

/** The most debits to delete in one transaction, far below Convex's limit of 16,000. */
const BATCH = 1000;

/** How many debits were deleted, and whether there are more to delete. */
export type Deleted = { deleted: number; isMore: boolean };

/** Deletes the debits of a limit and key up to a commit. */
export async function deleteUpTo(
  ctx: MutationCtx,
  { name, key }: LimitKey,
  at: bigint,
): Promise<Deleted> {
  const asked = { name, key, at, most: BATCH };
  const { ids, isMore } = await lookStale(ctx, internal.compact.upTo, asked);
  for (const id of ids) {
    // Another job may have deleted it since the snapshot.
    const doc = await ctx.db.get("debits", id);
    if (doc !== null) await ctx.db.delete("debits", id);
  }
  return { deleted: ids.length, isMore };
}
