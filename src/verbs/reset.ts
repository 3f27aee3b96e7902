import { v } from "convex/values";
import { type LimitKey, vLimitKey } from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import { mutation, type MutationCtx } from "../component/_generated/server.js";
import { BATCH, readBounded } from "../state/budget.js";
import { storedLeases, voidHold } from "../state/holds/leases.js";
import { deleteRows } from "../state/row/stored.js";
import { lazily } from "./lazily.js";

/** Makes a limit full for a key. A concurrency limit has leases instead of rows. */
export const resetRateLimit = mutation({
  args: lazily(() =>
    vLimitKey().extend({ kind: v.optional(v.literal("concurrency")) }),
  ),
  returns: lazily(() => v.null()),
  handler: async (ctx, { kind, ...limitKey }) => {
    if (kind === undefined) {
      await resetKey(ctx, limitKey);
      return null;
    }
    for (const { _id } of await storedLeases(ctx, limitKey, Date.now())) {
      await ctx.db.delete("holds", _id);
    }
    return null;
  },
});

/** Deletes the rows of a key, and ends its holds: without the rows, they give nothing back. */
export async function resetKey(
  ctx: MutationCtx,
  { name, key }: LimitKey,
): Promise<void> {
  await deleteRows(ctx, { name, key });
  const open = ctx.db
    .query("holds")
    .withIndex("name", (q) =>
      q.eq("name", name).eq("key", key).gt("expiresAt", Date.now()),
    );
  const { items } = await readBounded(ctx, open, { most: BATCH });
  for (const hold of items) await voidHold(ctx, hold);
}

/**
 * Makes every limit full, or with `before` what was stored up to that time. Overrides stay.
 * Holds give nothing back any more.
 */
export const clearAll = mutation({
  args: lazily(() => v.object({ before: v.optional(v.number()) })),
  returns: lazily(() => v.null()),
  handler: async (ctx, args): Promise<null> =>
    ctx.runMutation(internal.jobs.clear, args),
});
