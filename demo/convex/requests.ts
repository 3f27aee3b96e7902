import { RateLimiter } from "convex-rate-limiter";
import { v } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation, query } from "./_generated/server.js";
import { requireSession } from "./session.js";

/*
 * Requests with whatever config and options are sent, and the overrides that they meet: as
 * `playground`, which says why no real app does so. For trying a deployment.
 */

const vEnforce = v.union(v.boolean(), v.number());

const vConfig = v.union(
  v.object({
    kind: v.literal("token bucket"),
    rate: v.number(),
    period: v.number(),
    capacity: v.optional(v.number()),
    enforce: v.optional(vEnforce),
    overrides: v.literal(true),
  }),
  v.object({
    kind: v.literal("fixed window"),
    rate: v.number(),
    period: v.union(
      v.literal("day"),
      v.literal("week"),
      v.literal("month"),
      v.literal("year"),
    ),
    timeZone: v.string(),
  }),
);

const rateLimiter = new RateLimiter(components.rateLimiter);

const NAME = "requests";

/** Takes, and says what is left. */
export const limit = mutation({
  args: {
    session: v.string(),
    config: vConfig,
    count: v.optional(v.number()),
    leave: v.optional(v.number()),
    upTo: v.optional(v.boolean()),
  },
  handler: async (ctx, { session, ...options }) => {
    const key = requireSession(session);
    return rateLimiter.limit(ctx, NAME, { key, ...options, details: true });
  },
});

export const getValue = query({
  args: { session: v.string(), config: vConfig },
  handler: async (ctx, { session, config }) => {
    const key = requireSession(session);
    return rateLimiter.getValue(ctx, NAME, { key, config });
  },
});

const times = {
  startsAt: v.optional(v.number()),
  expiresAt: v.optional(v.number()),
};

const vOverride = v.union(
  v.object({
    config: v.object({
      capacity: v.optional(v.number()),
      enforce: v.optional(vEnforce),
    }),
    ...times,
  }),
  v.object({ deny: v.literal(true), ...times }),
  v.object({ unlimited: v.literal(true), ...times }),
);

export const setOverride = mutation({
  args: { session: v.string(), override: vOverride },
  returns: v.null(),
  handler: async (ctx, { session, override }) => {
    const key = requireSession(session);
    await rateLimiter.setOverride(ctx, NAME, { key, ...override });
    return null;
  },
});

/** Full again, and without overrides. */
export const forget = mutation({
  args: { session: v.string() },
  returns: v.null(),
  handler: async (ctx, { session }) => {
    const key = requireSession(session);
    await rateLimiter.reset(ctx, NAME, { key });
    await rateLimiter.clearOverride(ctx, NAME, { key });
    return null;
  },
});
