import { DAY, HOUR, MINUTE, RateLimiter, WEEK } from "convex-rate-limiter";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  message: {
    kind: "token bucket",
    rate: 10,
    period: MINUTE,
    overrides: true,
  },
  // Four denials in an hour are forgiven. The fifth finds no token here.
  forgiven: { kind: "token bucket", rate: 4, period: HOUR },
});

export const send = mutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");
    const key = user.tokenIdentifier;
    const { ok, retryAfter } = await rateLimiter.limit(ctx, "message", { key });
    if (ok) {
      await ctx.db.insert("messages", { author: key, text });
      return { ok };
    }
    // From here on return: an error would undo what the denial costs.
    const forgiven = await rateLimiter.limit(ctx, "forgiven", { key });
    if (forgiven.ok) return { ok, retryAfter };
    // The next ban takes five more.
    await rateLimiter.reset(ctx, "forgiven", { key });
    const ban = await rateLimiter.penalize(ctx, "message", {
      key,
      bans: [10 * MINUTE, HOUR, DAY],
      forgetAfter: WEEK,
    });
    return { ok, retryAfter: ban.retryAfter };
  },
});
