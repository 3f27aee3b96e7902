import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { v } from "convex/values";
import { components } from "./_generated/api.js";
import { internalMutation, mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  rendering: { kind: "token bucket", rate: 100, period: MINUTE },
});

/** The tokens that each plan leaves for those above it. */
const leave = { pro: 0, free: 20 };

export const render = mutation({
  args: { accountId: v.id("accounts") },
  handler: async (ctx, { accountId }) => {
    const account = await ctx.db.get("accounts", accountId);
    if (account === null) throw new Error("There is no such account.");
    await rateLimiter.limit(ctx, "rendering", {
      leave: leave[account.plan],
      throws: true,
    });
    return ctx.db.insert("exports", { accountId });
  },
});

/** Run by a cron job: as many old exports as there is room for. */
export const renderAgain = internalMutation({
  args: { accountIds: v.array(v.id("accounts")) },
  handler: async (ctx, { accountIds }) => {
    const status = await rateLimiter.limit(ctx, "rendering", {
      count: accountIds.length,
      upTo: true,
      leave: 50,
    });
    const taken = status.ok ? status.taken : 0;
    for (const accountId of accountIds.slice(0, taken)) {
      await ctx.db.insert("exports", { accountId });
    }
    return { left: accountIds.slice(taken) };
  },
});
