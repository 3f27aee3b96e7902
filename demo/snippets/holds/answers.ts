import { ConvexError, v } from "convex/values";
import { action } from "./_generated/server";
import { callModel } from "./model";
import { rateLimiter } from "./rateLimiter";

export const ask = action({
  args: { prompt: v.string() },
  handler: async (ctx, { prompt }) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");

    // The most that it may cost.
    const held = await rateLimiter.hold(ctx, "answers", {
      key: user.tokenIdentifier,
      count: 300,
    });
    if (!held.ok) return held;

    const { text, tokens } = await callModel(prompt);
    // What it did cost. The rest comes back.
    await rateLimiter.settle(ctx, held.id, { count: tokens });
    return { ok: true, text };
  },
});
