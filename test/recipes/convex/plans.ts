import { MINUTE, RateLimiter, type RateLimitConfig } from "convex-rate-limiter";
import { v } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter);

const exportsPerPlan = {
  free: { kind: "token bucket", rate: 2, period: MINUTE },
  pro: { kind: "token bucket", rate: 60, period: MINUTE },
} satisfies Record<string, RateLimitConfig>;

export const startExport = mutation({
  args: { accountId: v.id("accounts") },
  handler: async (ctx, { accountId }) => {
    const account = await ctx.db.get("accounts", accountId);
    if (account === null) throw new Error("There is no such account.");
    await rateLimiter.limit(ctx, "exports", {
      key: accountId,
      config: exportsPerPlan[account.plan],
      throws: true,
    });
    return ctx.db.insert("exports", { accountId });
  },
});
