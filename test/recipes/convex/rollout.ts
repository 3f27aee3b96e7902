import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api.js";
import { internalMutation, mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  comment: {
    kind: "token bucket",
    rate: 5,
    period: MINUTE,
    enforce: 0,
    overrides: true,
  },
});

export const comment = mutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");
    const key = user.tokenIdentifier;
    const status = await rateLimiter.limit(ctx, "comment", { key });
    if (!status.ok) return status;
    if (status.wouldDeny) console.log(`comment would deny ${key}`);
    await ctx.db.insert("messages", { author: key, text });
    return status;
  },
});

/** From the dashboard: 0.05, 0.5, 1, or 0 to stop. */
export const rollOut = internalMutation({
  args: { enforce: v.number() },
  handler: async (ctx, { enforce }) => {
    await rateLimiter.setOverride(ctx, "comment", { config: { enforce } });
  },
});
