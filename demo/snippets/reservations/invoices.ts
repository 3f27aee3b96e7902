import { ConvexError, v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation } from "./_generated/server";
import { rateLimiter } from "./rateLimiter";

export const request = mutation({
  args: { order: v.string() },
  handler: async (ctx, { order }): Promise<{ ok: boolean }> => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");

    // Runs `send` when its token exists. It need not ask again.
    const { ok } = await rateLimiter.schedule(ctx, "jobs", {
      key: user.tokenIdentifier,
      fn: internal.invoices.send,
      args: { order },
    });
    return { ok };
  },
});

export const send = internalMutation({
  args: { order: v.string() },
  handler: async (_ctx, { order }) => {
    console.log(`Sending the invoice of ${order}.`);
  },
});
