import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { mutation, query } from "./_generated/server.js";
import { rateLimiter } from "./limits.js";

/**
 * What operators do, without a deploy. The demo lets everybody try; a real app asks for
 * an administrator first, in each of these.
 */

/** The keys of a limit, the most depleted first or by key. */
export const list = query({
  args: {
    name: v.string(),
    order: v.union(v.literal("key"), v.literal("depleted")),
    paginationOpts: paginationOptsValidator,
  },
  handler: async (ctx, args) => rateLimiter.list(ctx, args),
});

/** The overrides in force: a ban shows even where the key has never been used. */
export const listOverrides = query({
  args: { name: v.string() },
  handler: async (ctx, { name }) => {
    const paginationOpts = { numItems: 100, cursor: null };
    const { page } = await rateLimiter.listOverrides(ctx, {
      name,
      paginationOpts,
    });
    return page;
  },
});

const vMessageKey = { key: v.string() };

export const reset = mutation({
  args: vMessageKey,
  returns: v.null(),
  handler: async (ctx, { key }) => {
    await rateLimiter.reset(ctx, "sendMessage", { key });
    return null;
  },
});

/** Denies everything for as long as it lasts; 1 to 60 minutes here. */
export const ban = mutation({
  args: { ...vMessageKey, minutes: v.number() },
  returns: v.null(),
  handler: async (ctx, { key, minutes }) => {
    const duration = Math.min(Math.max(minutes, 1), 60) * 60_000;
    await rateLimiter.setOverride(ctx, "sendMessage", {
      key,
      deny: true,
      expiresAt: Date.now() + duration,
      note: "Banned by an operator.",
    });
    return null;
  },
});

/** Another plan for one user: ten times the rate, and bursts of twenty. */
export const raise = mutation({
  args: vMessageKey,
  returns: v.null(),
  handler: async (ctx, { key }) => {
    await rateLimiter.setOverride(ctx, "sendMessage", {
      key,
      config: { rate: 100, capacity: 20 },
      note: "Raised by an operator.",
    });
    return null;
  },
});

/** Back to the limit that everybody has. */
export const clear = mutation({
  args: vMessageKey,
  returns: v.null(),
  handler: async (ctx, { key }) => {
    await rateLimiter.clearOverride(ctx, "sendMessage", { key });
    return null;
  },
});

/** Users to look at: each of them tries to send a few messages. */
export const simulateUsers = mutation({
  args: {},
  returns: v.null(),
  handler: async (ctx) => {
    for (const [key, tries] of [
      ["Ada", 1],
      ["Grace", 2],
      ["Katherine", 3],
      ["Hedy", 5],
    ] as const) {
      for (let i = 0; i < tries; i++) {
        await rateLimiter.limit(ctx, "sendMessage", { key });
      }
    }
    return null;
  },
});
