import { RateLimiter } from "convex-rate-limiter";
import { v } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  monthlyExports: {
    kind: "fixed window",
    rate: 100,
    period: "month",
    timeZone: "Europe/Berlin",
    // What is left at the end of a month is kept, up to half of a month.
    capacity: 150,
  },
});

export const startExport = mutation({
  args: { accountId: v.id("accounts") },
  handler: async (ctx, { accountId }) => {
    const key = accountId;
    const status = await rateLimiter.limit(ctx, "monthlyExports", { key });
    if (!status.ok)
      return { ok: false, opensAt: Date.now() + status.retryAfter };
    await ctx.db.insert("exports", { accountId });
    return { ok: true };
  },
});
