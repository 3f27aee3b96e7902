import { v } from "convex/values";
import { internal } from "./_generated/api";
import { internalMutation, mutation } from "./_generated/server";
import { rateLimiter } from "./rateLimiter";
import { requireUserId } from "./users";

export const request = mutation({
  args: { order: v.string() },
  handler: async (ctx, { order }): Promise<{ ok: boolean }> => {
    // Runs `send` when its token exists. It need not ask again.
    const { ok } = await rateLimiter.schedule(ctx, "jobs", {
      key: await requireUserId(ctx),
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
