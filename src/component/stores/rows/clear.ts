import { limitKeysOf } from "../../../core/hash.js";
import type { MutationCtx } from "../../_generated/server.js";
import { isBudgetUsed, readBounded } from "../budget.js";
import { CLEARED_AT_ONCE, type From } from "../clearing.js";
import { deleteReadable } from "./readable.js";

/** Deletes the rows of keys with a row that was stored up to a time, the newest first. */
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
  for (const limitKey of limitKeysOf(rows)) {
    const isMoreOfKey = await deleteReadable(ctx, limitKey);
    if (isMoreOfKey || (await isBudgetUsed(ctx, 1 / 2))) {
      return { before, cursor };
    }
  }
  if (!isMore) return undefined;
  return { before, cursor: rows.at(-1)!._creationTime };
}
