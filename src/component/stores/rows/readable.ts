import { isShort } from "../../../core/reject.js";
import type { LimitKey } from "../../../core/vLimitKey.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { readBounded } from "../budget.js";
import { storedRows } from "./stored.js";

/**
 * The rows of a limit and key. Of a key that calls refuse as too long, `@convex-dev/rate-limiter`
 * may have left more than one transaction may read: then only the first ones.
 */
export async function readableRows(
  ctx: QueryCtx,
  { name, key }: LimitKey,
): Promise<{ rows: Doc<"rateLimits">[]; isMore: boolean }> {
  const rows = storedRows(ctx, name, key);
  return isShort(key ?? "")
    ? { rows: await rows.collect(), isMore: false }
    : readBounded(ctx, rows);
}

/** Deletes {@link readableRows}, and returns whether there are more. */
export async function deleteReadable(
  ctx: MutationCtx,
  limitKey: LimitKey,
): Promise<boolean> {
  const { rows, isMore } = await readableRows(ctx, limitKey);
  for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
  return isMore;
}
