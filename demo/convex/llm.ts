import { v, type Infer } from "convex/values";
import { action } from "./_generated/server.js";
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
 * Hold, call, settle. The estimated tokens are held; when the real cost is known, the
 * difference is given back or charged. A call that crashes in between keeps its estimate.
 */
export const ask = action({
  args: { prompt: v.string() },
  returns: vAnswer,
  handler: async (ctx, { prompt }): Promise<Infer<typeof vAnswer>> => {
    const estimated = estimateTokens(prompt);
    const held = await rateLimiter.hold(ctx, "llmTokens", { count: estimated });
    if (!held.ok) {
      return { ok: false, blockedBy: "llmTokens", retryAfter: held.retryAfter };
    }
    const status = await rateLimiter.limit(ctx, "llmRequests");
    if (!status.ok) {
      await rateLimiter.release(ctx, held.id);
      const { retryAfter } = status;
      return { ok: false, blockedBy: "llmRequests", retryAfter };
    }
    const { text, tokens: used } = callModel(prompt);
    await rateLimiter.settle(ctx, held.id, { count: used });
    return { ok: true, text, estimated, used };
  },
});
