import { DAY, ipKey, RateLimiter } from "convex-rate-limiter";
import { v } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  signUp: { kind: "token bucket", rate: 3, period: DAY },
});

export const signUp = mutation({
  args: { email: v.string() },
  handler: async (ctx, { email }) => {
    const { ip } = await ctx.meta.getRequestMetadata();
    await rateLimiter.limit(ctx, "signUp", {
      key: ip === null ? "no address" : ipKey(ip),
      throws: true,
    });
    return ctx.db.insert("users", { email });
  },
});
