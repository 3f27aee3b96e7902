import type { MutationCtx } from "../../_generated/server.js";
import { isChild } from "../../../core/tree.js";
import { isBudgetUsed, readBounded } from "../budget.js";
import { CLEARED_AT_ONCE, type From } from "../clearing.js";
import { storedRows } from "./stored.js";

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
  const gone = new Set<string>();
  for (const { _id, _creationTime, name, key, ...row } of rows) {
    // A limit that has split itself goes as a whole: with row 0, which is the oldest.
    if (isChild(row) || gone.has(_id)) continue;
    if (row.into === undefined) {
      await ctx.db.delete("rateLimits", _id);
      continue;
    }
    for (const { _id } of await storedRows(ctx, name, key).collect()) {
      await ctx.db.delete("rateLimits", _id);
      gone.add(_id);
    }
    if (await isBudgetUsed(ctx)) return { before, cursor: _creationTime };
  }
  if (!isMore) return undefined;
  return { before, cursor: rows.at(-1)!._creationTime };
}
