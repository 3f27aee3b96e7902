import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { ConvexError, v } from "convex/values";
import { components } from "./_generated/api.js";
import { internalAction, mutation } from "./_generated/server.js";

const rateLimiter = new RateLimiter(components.rateLimiter, {
  upload: { kind: "token bucket", rate: 10, period: HOUR, stats: true },
  // Whoever is woken need not be woken twice.
  alert: { kind: "fixed window", rate: 1, period: HOUR },
});

export const upload = mutation({
  args: { text: v.string() },
  handler: async (ctx, { text }) => {
    const user = await ctx.auth.getUserIdentity();
    if (user === null) throw new ConvexError("Sign in first.");
    const key = user.tokenIdentifier;
    const status = await rateLimiter.limit(ctx, "upload", { key });
    // Return: a denial that throws is not counted.
    if (!status.ok) return status;
    await ctx.db.insert("messages", { author: key, text });
    return status;
  },
});

/** Run by a cron: tells if too many calls are denied, or too many users have nothing left. */
export const watch = internalAction({
  args: {},
  handler: async (ctx) => {
    const to = Date.now();
    const range = { from: to - 10 * MINUTE, to };
    const minutes = await rateLimiter.stats(ctx, "upload", {
      ...range,
      by: "minute",
    });
    let calls = 0;
    let denied = 0;
    for (const minute of minutes) {
      calls += minute.granted + minute.denied;
      denied += minute.denied;
    }
    const alerts: string[] = [];
    if (calls >= 100 && denied / calls > 0.2) {
      const top = await rateLimiter.topDenied(ctx, "upload", range);
      const keys = top.map(({ key, denied }) => `${key} (${denied})`);
      alerts.push(
        `${denied} of ${calls} uploads were denied, most of ${keys.join(", ")}.`,
      );
    }
    // Those come first who have least.
    const { page } = await rateLimiter.list(ctx, {
      name: "upload",
      order: "depleted",
      paginationOpts: { numItems: 100, cursor: null },
    });
    const low = page.filter(({ balance, capacity = 0 }) => {
      return balance < capacity / 10;
    });
    if (low.length >= 20) {
      alerts.push(`${low.length} users have less than a tenth left.`);
    }
    if (alerts.length === 0) return;
    const { ok } = await rateLimiter.limit(ctx, "alert");
    if (!ok) return;
    const response = await fetch("https://hooks.example.com/alerts", {
      method: "POST",
      body: JSON.stringify({ text: alerts.join("\n") }),
    });
    if (!response.ok) await rateLimiter.reset(ctx, "alert");
  },
});
