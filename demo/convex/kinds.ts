import { RateLimiter } from "convex-rate-limiter";
import { v, type Infer } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation, query } from "./_generated/server.js";
import { requireSession } from "./session.js";

/*
 * For the part of the page in which visitors change the config. A real app never lets the browser
 * choose one: whoever may send `{ rate: 1e9 }` has no limit. Here it is harmless, since every
 * visitor has limits of their own, which guard nothing.
 */

const vConfig = v.object({
  kind: v.union(v.literal("token bucket"), v.literal("fixed window")),
  rate: v.number(),
  period: v.number(),
  capacity: v.optional(v.number()),
});

export type KindConfig = Infer<typeof vConfig>;

const rateLimiter = new RateLimiter(components.rateLimiter);

const target = { session: v.string(), config: vConfig };

/** One limit of each kind per visitor. */
function nameAndOptions(args: { session: string; config: KindConfig }) {
  const { session, ...options } = args;
  const name = `playground, ${options.config.kind}`;
  return [name, { key: requireSession(session), ...options }] as const;
}

export const limit = mutation({
  args: { ...target, count: v.number() },
  handler: async (ctx, { count, ...args }) => {
    const [name, options] = nameAndOptions(args);
    return rateLimiter.limit(ctx, name, { ...options, count });
  },
});

export const reset = mutation({
  args: target,
  returns: v.null(),
  handler: async (ctx, args) => {
    const [name, options] = nameAndOptions(args);
    await rateLimiter.reset(ctx, name, options);
    return null;
  },
});

/** What the page projects with `calculateRateLimit`. */
export const getValue = query({
  args: target,
  handler: async (ctx, args) => {
    const [name, options] = nameAndOptions(args);
    return rateLimiter.getValue(ctx, name, options);
  },
});
