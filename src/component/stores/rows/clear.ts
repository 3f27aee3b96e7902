import type { MutationCtx } from "../../_generated/server.js";
import { readBounded } from "../budget.js";
import { CLEARED_AT_ONCE, type From } from "../clearing.js";

/** Deletes rows that were stored up to a time, the newest first. */
export async function clearRows(
  ctx: MutationCtx,
  { before, cursor = before }: From,
): Promise<From | undefined> {
  const newestFirst = ctx.db
    .query("rateLimits")
    .withIndex("by_creation_time", (q) => q.lte("_creationTime", cursor))
    .order("desc");
  const { rows, isMore } = await readBounded(ctx, newestFirst, {
    most: CLEARED_AT_ONCE,
  });
  for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
  if (!isMore) return undefined;
  return { before, cursor: rows.at(-1)!._creationTime };
}
