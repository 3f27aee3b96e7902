import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api.js";
import { action } from "./_generated/server.js";
import { callModel } from "./model.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  llmRequests: { kind: "token bucket", rate: 50, period: MINUTE, shards: 4 },
  llmTokens: {
    kind: "token bucket",
    rate: 40_000,
    period: MINUTE,
    shards: 4,
  },
  llmRequestsPerUser: { kind: "token bucket", rate: 10, period: MINUTE },
});

export const ask = action({
  args: { prompt: v.string() },
  handler: async (ctx, { prompt }) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");
    // About four letters a token, and at most 500 tokens for the answer.
    const tokens = Math.ceil(prompt.length / 4) + 500;
    const held = await rateLimiter.hold(ctx, "llmTokens", { count: tokens });
    if (!held.ok) {
      return { ok: false, blockedBy: "llmTokens", retryAfter: held.retryAfter };
    }
    const status = await rateLimiter.limitAll(ctx, [
      { name: "llmRequestsPerUser", key: user.tokenIdentifier },
      { name: "llmRequests" },
    ]);
    if (!status.ok) {
      await rateLimiter.release(ctx, held.id);
      const { blockedBy, retryAfter } = status;
      return { ok: false, blockedBy: blockedBy.name, retryAfter };
    }
    const { text, tokens: used } = await callModel(prompt);
    await rateLimiter.settle(ctx, held.id, { count: used });
    return { ok: true, text };
  },
});
