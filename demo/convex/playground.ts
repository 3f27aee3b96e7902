import { RateLimiter } from "convex-rate-limiter";
import { v, type Infer } from "convex/values";
import { components } from "./_generated/api.js";
import { action, mutation, query } from "./_generated/server.js";
import { requireSession } from "./session.js";

/*
 * For the page that plays with configs. A real app never lets the browser choose a
 * config: whoever may send `{ rate: 1e9 }` has no limit. Its limits are named in one
 * place on the server, as in `limits`. What keeps this harmless is that every visitor
 * has limits of their own, which guard nothing.
 */

const numbers = {
  rate: v.number(),
  period: v.number(),
  capacity: v.optional(v.number()),
  maxReserved: v.optional(v.number()),
  shards: v.optional(v.number()),
  enforce: v.optional(v.boolean()),
  applyUpdates: v.optional(v.literal("asynchronously")),
  headroom: v.optional(v.number()),
};

export const vPlaygroundConfig = v.union(
  v.object({ kind: v.literal("token bucket"), ...numbers }),
  v.object({
    kind: v.literal("fixed window"),
    ...numbers,
    start: v.optional(v.number()),
  }),
);

export type PlaygroundConfig = Infer<typeof vPlaygroundConfig>;

const rateLimiter = new RateLimiter(components.rateLimiter);

const target = { session: v.string(), config: vPlaygroundConfig };
const amount = { ...target, count: v.optional(v.number()) };
const request = { ...amount, reserve: v.optional(v.boolean()) };

type Target = { session: string; config: PlaygroundConfig };

/** One limit of each kind per visitor. */
export function nameAndOptions<Options extends Target>({
  session,
  ...options
}: Options) {
  const name = `playground, ${options.config.kind}`;
  return [name, { key: requireSession(session), ...options }] as const;
}

/** Takes, or with `reserve` takes in advance. */
export const limit = mutation({
  args: request,
  handler: async (ctx, args) => {
    const [name, options] = nameAndOptions(args);
    return rateLimiter.limit(ctx, name, options);
  },
});

/**
 * What `limit` would say. A mutation, for somebody acts on the answer: a deployment may
 * answer a query with what it said some seconds ago.
 */
export const check = mutation({
  args: request,
  handler: async (ctx, args) => {
    const [name, options] = nameAndOptions(args);
    return rateLimiter.check(ctx, name, options);
  },
});

/** What `limit` would say of as much twice. */
export const checkTwice = query({
  args: amount,
  handler: async (ctx, args) => {
    const [name, options] = nameAndOptions(args);
    const item = { name, ...options };
    return rateLimiter.checkAll(ctx, [item, item]);
  },
});

/** Gives back. */
export const credit = mutation({
  args: amount,
  returns: v.null(),
  handler: async (ctx, args) => {
    const [name, options] = nameAndOptions(args);
    await rateLimiter.credit(ctx, name, options);
    return null;
  },
});

/** Takes without asking, into debt if need be. */
export const charge = mutation({
  args: amount,
  handler: async (ctx, args) => {
    const [name, options] = nameAndOptions(args);
    return rateLimiter.charge(ctx, name, options);
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

/** The most calls that one burst makes. */
const MOST_CALLS = 50;

/**
 * Calls `limit` many times at once, one token each, each in a transaction of its own. It
 * is an action because a browser's mutations run one after the other.
 */
export const burst = action({
  args: { ...target, calls: v.number() },
  returns: v.object({ granted: v.number(), denied: v.number() }),
  handler: async (ctx, { session, config, calls }) => {
    const name = shardsName(session);
    const length = Math.min(Math.max(calls, 0), MOST_CALLS);
    const statuses = await Promise.all(
      Array.from({ length }, () => rateLimiter.limit(ctx, name, { config })),
    );
    const granted = statuses.filter(({ ok }) => ok).length;
    return { granted, denied: statuses.length - granted };
  },
});

/** The balance of each row of the limit that `burst` takes from. */
export const shards = query({
  args: target,
  returns: v.object({ balances: v.array(v.number()) }),
  handler: async (ctx, { session, config }) => {
    const name = shardsName(session);
    const named = new RateLimiter(components.rateLimiter, { [name]: config });
    const { page } = await named.list(ctx, {
      name,
      paginationOpts: { numItems: 1, cursor: null },
    });
    // A limit that has not been used has no rows, and is full.
    return { balances: page[0]?.shards ?? [] };
  },
});

/**
 * What the limit that `burst` takes from has left if it appends what is taken, and in how
 * many records that is stored.
 */
export const appended = query({
  args: target,
  returns: v.object({ left: v.number(), records: v.number() }),
  handler: async (ctx, { session, config }) => {
    const name = shardsName(session);
    const named = new RateLimiter(components.rateLimiter, { [name]: config });
    const { value } = await named.getValue(ctx, name);
    // The records are the component's own. By depletion its list goes through them one by
    // one, so there are as many as pages of one. No app needs that number.
    let records = 0;
    let cursor: string | null = null;
    for (;;) {
      const paginationOpts = { numItems: 1, cursor };
      const asked = { name, order: "depleted", paginationOpts } as const;
      const listed: { isDone: boolean; continueCursor: string } =
        await named.list(ctx, asked);
      if (listed.isDone) return { left: value, records };
      records++;
      cursor = listed.continueCursor;
    }
  },
});

export const resetShards = mutation({
  args: target,
  returns: v.null(),
  handler: async (ctx, { session, config }) => {
    // The config says how the limit is stored.
    await rateLimiter.reset(ctx, shardsName(session), { config });
    return null;
  },
});

/** A limit of its own, so that `list` can be asked for it alone. */
function shardsName(session: string): string {
  return `playground shards, ${requireSession(session)}`;
}
