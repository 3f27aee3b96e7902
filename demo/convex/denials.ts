import type { RateLimitDenial, MutationCtx } from "convex-rate-limiter";
import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation, query } from "./_generated/server.js";

/**
 * Every denial writes here, and denials come in floods: in a single row per limit they
 * would conflict with each other. Over this many rows they seldom do.
 */
const SLOTS = 16;

/** For `onDenied`. Lost if the caller's mutation throws, as with `throws: true`. */
export async function countDenial(
  ctx: MutationCtx,
  { name }: RateLimitDenial,
): Promise<void> {
  await ctx.runMutation(internal.denials.count, { limit: name });
}

export const count = internalMutation({
  args: { limit: v.string() },
  returns: v.null(),
  handler: async (ctx, { limit }) => {
    const slot = Math.floor(Math.random() * SLOTS);
    const row = await ctx.db
      .query("denials")
      .withIndex("limit", (q) => q.eq("limit", limit).eq("slot", slot))
      .unique();
    if (row === null) {
      await ctx.db.insert("denials", { limit, slot, count: 1 });
    } else {
      await ctx.db.patch("denials", row._id, { count: row.count + 1 });
    }
    return null;
  },
});

/** How often each limit denied. Reads at most {@link SLOTS} rows per limit. */
export const totals = query({
  args: {},
  returns: v.record(v.string(), v.number()),
  handler: async (ctx): Promise<Record<string, number>> => {
    const totals: Record<string, number> = {};
    for await (const row of ctx.db.query("denials")) {
      totals[row.limit] = (totals[row.limit] ?? 0) + row.count;
    }
    return totals;
  },
});
