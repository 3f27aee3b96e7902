import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { v } from "convex/values";
import { components, internal } from "./_generated/api.js";
import { internalAction, internalMutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  // They allow 30 a minute. Any minute sees at most capacity + rate: 3 + 25.
  webhook: {
    kind: "token bucket",
    rate: 25,
    period: MINUTE,
    capacity: 3,
    maxReserved: 250,
  },
});

export const notify = internalMutation({
  args: { url: v.string(), body: v.string() },
  handler: async (ctx, args): Promise<boolean> => {
    const { ok, retryAfter } = await rateLimiter.schedule(ctx, "webhook", {
      fn: internal.webhooks.deliver,
      args,
    });
    if (!ok) console.warn(`Too many webhooks wait. Try in ${retryAfter} ms.`);
    return ok;
  },
});

export const deliver = internalAction({
  args: { url: v.string(), body: v.string() },
  handler: async (_ctx, { url, body }) => {
    await fetch(url, { method: "POST", body });
  },
});
