import type { MutationCtx } from "../../_generated/server.js";
import { readBounded } from "../budget.js";
import { CLEARED_AT_ONCE, type From } from "../clearing.js";
import { isLease } from "./stored.js";

/** Deletes leases that were stored up to a time, the newest first. Other holds stay. */
export async function clearLeases(
  ctx: MutationCtx,
  { before, cursor = before + 1 }: From,
): Promise<From | undefined> {
  const newestFirst = ctx.db
    .query("holds")
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", cursor))
    .order("desc");
  const { rows, isMore } = await readBounded(ctx, newestFirst, {
    most: CLEARED_AT_ONCE,
  });
  for (const hold of rows) {
    if (isLease(hold)) await ctx.db.delete("holds", hold._id);
  }
  if (!isMore) return undefined;
  return { before, cursor: rows.at(-1)!._creationTime };
}
