import { HOUR, RateLimiter } from "convex-rate-limiter";
import { v } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  failedLogin: { kind: "token bucket", rate: 5, period: HOUR },
});

export const logIn = mutation({
  args: { email: v.string(), code: v.string() },
  handler: async (ctx, { email, code }) => {
    const key = email.toLowerCase();
    const attempt = await rateLimiter.limit(ctx, "failedLogin", { key });
    if (!attempt.ok) return { ok: false, retryAfter: attempt.retryAfter };

    const login = await ctx.db
      .query("loginCodes")
      .withIndex("email", (q) => q.eq("email", key))
      .unique();
    if (login === null || login.code !== code) {
      // Return. An error would undo the mutation, and the attempt would not count.
      return { ok: false };
    }
    await rateLimiter.credit(ctx, "failedLogin", { key });
    return { ok: true };
  },
});
