import { DAY, HOUR, MINUTE } from "convex-rate-limiter";
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { mutation, query } from "./_generated/server.js";
import { rateLimiter } from "./limits.js";
import { requireSession } from "./session.js";

/**
 * What operators do, without a deploy. The demo lets everybody try; a real app asks for
 * an administrator first, in each of these.
 */

/**
 * The keys of a limit, the most depleted first or by key; with the time of these balances
 * and the config without overrides, so that a page can tell how the balances go on.
 */
export const list = query({
  args: {
    name: v.literal("sendMessage"),
    order: v.union(v.literal("key"), v.literal("depleted")),
    paginationOpts: paginationOptsValidator,
  },
  handler: async (ctx, args) => {
    const listed = await rateLimiter.list(ctx, args);
    const { config } = await rateLimiter.getValue(ctx, args.name);
    return { ...listed, listedAt: Date.now(), config };
  },
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

/** A ban for a minute, the next for ten, the third for an hour: for whoever does not stop. */
export const penalize = mutation({
  args: vMessageKey,
  returns: v.object({ retryAfter: v.number() }),
  handler: async (ctx, { key }) =>
    rateLimiter.penalize(ctx, "sendMessage", {
      key,
      bans: [MINUTE, 10 * MINUTE, HOUR],
      forgetAfter: DAY,
    }),
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

/** Users to look at, of each session its own: each of them tries to send a few messages. */
export const simulateUsers = mutation({
  args: { session: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const session = requireSession(args.session);
    for (const [user, tries] of [
      ["Ada", 1],
      ["Grace", 2],
      ["Katherine", 3],
      ["Hedy", 5],
    ] as const) {
      const key = `${session}/${user}`;
      for (let i = 0; i < tries; i++) {
        await rateLimiter.limit(ctx, "sendMessage", { key });
      }
    }
    return null;
  },
});
