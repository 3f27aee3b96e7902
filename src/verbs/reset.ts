import { v } from "convex/values";
import { vLimitKey } from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import { mutation } from "../component/_generated/server.js";
import { storedLeases } from "../state/holds/leases.js";
import { resetKey } from "../state/reset.js";
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
