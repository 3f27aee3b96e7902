import { DAY, RateLimiter } from "convex-rate-limiter";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api.js";
import { action } from "./_generated/server.js";
import { callModel } from "./model.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  dailyTokens: { kind: "token bucket", rate: 10_000, period: DAY },
});

const ESTIMATE = 500;

export const summarize = action({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");
    const key = user.tokenIdentifier;
    const held = await rateLimiter.hold(ctx, "dailyTokens", {
      key,
      count: ESTIMATE,
    });
    if (!held.ok) return { ok: false, retryAfter: held.retryAfter };
    const answer = await callModel(`Summarize: ${text}`);
    await rateLimiter.settle(ctx, held.id, { count: answer.tokens });
    return { ok: true, text: answer.text };
  },
});
