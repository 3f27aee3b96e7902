import { HOUR, ipKey, MINUTE, RateLimiter } from "convex-rate-limiter";
import { v } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  askAsUser: { kind: "token bucket", rate: 20, period: MINUTE },
  askAsVisitor: { kind: "token bucket", rate: 3, period: MINUTE },
  askFromAddress: { kind: "token bucket", rate: 30, period: HOUR },
});

export const ask = mutation({
  args: { visitorId: v.string(), text: v.string() },
  handler: async (ctx, { visitorId, text }) => {
    const user = await ctx.auth.getUserIdentity();
    const { ip } = await ctx.meta.getRequestMetadata();
    if (user !== null) {
      await rateLimiter.limit(ctx, "askAsUser", {
        key: user.tokenIdentifier,
        throws: true,
      });
    } else {
      const address = ip === null ? "no address" : ipKey(ip);
      await rateLimiter.limitAll(
        ctx,
        [
          { name: "askAsVisitor", key: visitorId },
          { name: "askFromAddress", key: address },
        ],
        { throws: true },
      );
    }
    return ctx.db.insert("questions", { text });
  },
});
