import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api.js";
import { action } from "./_generated/server.js";
import { callModel } from "./model.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  render: { kind: "concurrency", capacity: 3, lease: 2 * MINUTE },
});

export const render = action({
  args: { scene: v.string() },
  handler: async (ctx, { scene }) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");
    const status = await rateLimiter.whileHolding(
      ctx,
      "render",
      { key: user.tokenIdentifier },
      () => callModel(`Draw: ${scene}`),
    );
    if (!status.ok) return { ok: false, retryAfter: status.retryAfter };
    return { ok: true, text: status.result.text };
  },
});
