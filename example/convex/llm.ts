import { v, type Infer } from "convex/values";
import { internal } from "./_generated/api.js";
import { action, internalMutation } from "./_generated/server.js";
import { rateLimiter } from "./limits.js";

const vAnswer = v.union(
  v.object({
    ok: v.literal(true),
    text: v.string(),
    estimated: v.number(),
    used: v.number(),
  }),
  v.object({
    ok: v.literal(false),
    blockedBy: v.string(),
    retryAfter: v.number(),
  }),
);

export const { getRateLimit: getTokens } = rateLimiter.hookAPI("llmTokens");
export const { getRateLimit: getRequests } = rateLimiter.hookAPI("llmRequests");

/** A stand-in for a model: what it answers, and what that cost. */
function callModel(prompt: string): { text: string; tokens: number } {
  const words = prompt.split(/\s+/).filter((word) => word !== "");
  const text = words.reverse().join(" ");
  return { text, tokens: 2 * words.length };
}

/** Most tokens that we let one prompt cost: about four letters each, and as many for the answer. */
function estimateTokens(prompt: string): number {
  return Math.max(1, Math.ceil(prompt.length / 4) * 2);
}

/**
 * Estimate, call, settle. One request and the estimated tokens are taken together or
 * not at all; when the real cost is known, the difference is given back or charged.
 */
export const ask = action({
  args: { prompt: v.string() },
  returns: vAnswer,
  handler: async (ctx, { prompt }): Promise<Infer<typeof vAnswer>> => {
    const estimated = estimateTokens(prompt);
    const status = await rateLimiter.limitAll(ctx, [
      { name: "llmRequests" },
      { name: "llmTokens", count: estimated },
    ]);
    if (!status.ok) {
      const { blockedBy, retryAfter } = status;
      return { ok: false, blockedBy: blockedBy.name, retryAfter };
    }
    const { text, tokens: used } = callModel(prompt);
    await ctx.runMutation(internal.llm.settle, { estimated, used });
    return { ok: true, text, estimated, used };
  },
});

export const settle = internalMutation({
  args: { estimated: v.number(), used: v.number() },
  returns: v.null(),
  handler: async (ctx, { estimated, used }) => {
    if (used < estimated) {
      await rateLimiter.credit(ctx, "llmTokens", { count: estimated - used });
    }
    if (used > estimated) {
      // The tokens are spent, whether or not they were there: the limit goes into debt.
      await rateLimiter.charge(ctx, "llmTokens", { count: used - estimated });
    }
    return null;
  },
});
