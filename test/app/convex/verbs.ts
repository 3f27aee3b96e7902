import {
  type ConcurrencyConfig,
  HOUR,
  MINUTE,
  RateLimiter,
  type RefillingConfig,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import { paginationOptsValidator } from "convex/server";
import { v, type VAny } from "convex/values";
import { components } from "./_generated/api.js";
import { action, mutation, query } from "./_generated/server.js";

/*
 * Every verb, of whatever limit the caller makes up. No app that guards anything may allow that:
 * whoever sends `{ rate: 1e9 }` has no limit.
 */

const rateLimiter = new RateLimiter(components.rateLimiter);

// The component checks what is in them.
const vConfig = v.any() as VAny<RefillingConfig>;
const vPlaces = v.any() as VAny<ConcurrencyConfig>;

const vId = { id: v.string() };
const vKey = { name: v.string(), key: v.optional(v.string()) };
const vTarget = { ...vKey, config: vConfig };
const vAmount = { ...vTarget, count: v.optional(v.number()) };
const vRequest = {
  ...vAmount,
  leave: v.optional(v.number()),
  reserve: v.optional(v.literal(true)),
};

export const limit = mutation({
  args: vRequest,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.limit(ctx, name, options),
});

/** The same, and says what is left. */
export const limitWithDetails = mutation({
  args: vRequest,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.limit(ctx, name, { ...options, details: true }),
});

/** Takes what there is, at most `count`. */
export const limitUpTo = mutation({
  args: vAmount,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.limit(ctx, name, { ...options, upTo: true }),
});

/** Takes, and fails. */
export const limitAndThrow = mutation({
  args: vAmount,
  handler: async (ctx, { name, ...options }): Promise<void> => {
    await rateLimiter.limit(ctx, name, options);
    throw new Error("What follows has failed.");
  },
});

/** The same of the limit's namesake in another mount of the component. */
export const limitSecond = mutation({
  args: vRequest,
  handler: async (ctx, { name, ...options }) =>
    new RateLimiter(components.second).limit(ctx, name, options),
});

/** A mutation: a deployment may answer a query with what it said some seconds ago. */
export const check = mutation({
  args: vAmount,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.check(ctx, name, options),
});

/** The same in a query. */
export const checkByQuery = query({
  args: vAmount,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.check(ctx, name, options),
});

/** Several limits of one config and key, all or none. */
export const limitAll = mutation({
  args: { names: v.array(v.string()), config: vConfig, key: v.string() },
  handler: async (ctx, { names, ...options }) =>
    rateLimiter.limitAll(
      ctx,
      names.map((name) => ({ name, ...options })),
    ),
});

/** Takes from a limit and then from many others, of which the last may be wrong, all or none. */
export const limitMany = mutation({
  args: { ...vTarget, others: v.number(), last: vConfig },
  handler: async (ctx, { others, last, ...first }) => {
    const { ok } = await rateLimiter.limitAll(ctx, [
      first,
      ...Array.from({ length: others }, (_, i) => ({
        ...first,
        name: `${first.name} ${i}`,
      })),
      { ...first, name: `${first.name} last`, config: last },
    ]);
    return ok;
  },
});

export const credit = mutation({
  args: vAmount,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.credit(ctx, name, options),
});

export const charge = mutation({
  args: vAmount,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.charge(ctx, name, options),
});

export const getValue = query({
  args: vTarget,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.getValue(ctx, name, options),
});

/** Full again, and without overrides. */
export const reset = mutation({
  args: vTarget,
  handler: async (ctx, { name, ...options }) => {
    await rateLimiter.reset(ctx, name, options);
    await rateLimiter.clearOverride(ctx, name, { key: options.key });
  },
});

/** Many calls at once, each in a transaction of its own: a client's run one after the other. */
export const burst = action({
  args: { ...vTarget, calls: v.number() },
  handler: async (ctx, { name, calls, ...options }) => {
    const statuses = await Promise.all(
      Array.from({ length: Math.min(calls, 50) }, () =>
        rateLimiter.limit(ctx, name, options),
      ),
    );
    const granted = statuses.filter(({ ok }) => ok).length;
    return { granted, denied: statuses.length - granted };
  },
});

export const hold = mutation({
  args: {
    ...vAmount,
    expiresAfter: v.optional(v.number()),
    once: v.optional(v.string()),
  },
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.hold(ctx, name, options),
});

export const settle = mutation({
  args: { ...vId, count: v.number() },
  handler: async (ctx, { id, count }) => rateLimiter.settle(ctx, id, { count }),
});

export const release = mutation({
  args: vId,
  handler: async (ctx, { id }) => rateLimiter.release(ctx, id),
});

/** Holds an estimate and settles it, as an action does that pays for what it calls. */
export const spend = action({
  args: { ...vTarget, estimated: v.number(), used: v.number() },
  handler: async (ctx, { name, estimated, used, ...options }) => {
    const { result } = await rateLimiter.whileHolding(
      ctx,
      name,
      { ...options, count: estimated, throws: true },
      ({ id }) => rateLimiter.settle(ctx, id, { count: used }),
    );
    return result;
  },
});

const vPlace = { ...vKey, config: vPlaces };

/** A place of a limit on what runs at once. */
export const occupy = mutation({
  args: vPlace,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.hold(ctx, name, options),
});

/** Whether there is a place. */
export const isVacant = query({
  args: vPlace,
  handler: async (ctx, { name, ...options }) => {
    const { ok } = await rateLimiter.check(ctx, name, options);
    return ok;
  },
});

export const renew = mutation({
  args: vId,
  handler: async (ctx, { id }) => rateLimiter.renew(ctx, id),
});

/** Work that has a place while it goes on. */
export const work = action({
  args: { ...vPlace, ms: v.number() },
  handler: async (ctx, { name, ms, ...options }) =>
    rateLimiter.whileHolding(ctx, name, options, async () => {
      await new Promise((resolve) => setTimeout(resolve, ms));
      return "done";
    }),
});

const vOverride = v.any() as VAny<SetOverrideOptions>;

export const setOverride = mutation({
  args: { name: v.string(), override: vOverride },
  handler: async (ctx, { name, override }) =>
    rateLimiter.setOverride(ctx, name, override),
});

export const clearOverride = mutation({
  args: vKey,
  handler: async (ctx, { name, ...options }) =>
    rateLimiter.clearOverride(ctx, name, options),
});

export const penalize = mutation({
  args: { name: v.string(), key: v.string() },
  handler: async (ctx, { name, key }) =>
    rateLimiter.penalize(ctx, name, {
      key,
      bans: [MINUTE, 10 * MINUTE],
      forgetAfter: HOUR,
    }),
});

export const listOverrides = query({
  args: { name: v.string(), paginationOpts: paginationOptsValidator },
  handler: async (ctx, args) => rateLimiter.listOverrides(ctx, args),
});

/** What is listed, or counted, has to be named. */
const named = (name: string, config: RefillingConfig) =>
  new RateLimiter(components.rateLimiter, { [name]: config });

export const list = query({
  args: {
    name: v.string(),
    config: vConfig,
    order: v.union(v.literal("key"), v.literal("depleted")),
    paginationOpts: paginationOptsValidator,
  },
  handler: async (ctx, { config, ...options }) =>
    named(options.name, config).list(ctx, options),
});

/** Another rate for one key, with what its capacity grows by. */
export const upgrade = mutation({
  args: { ...vTarget, key: v.string(), rate: v.number() },
  handler: async (ctx, { name, config, key, rate }) =>
    named(name, config).setOverride(ctx, name, {
      key,
      config: { rate },
      credit: true,
    }),
});

/** The last minute's calls, and whom they were denied. */
export const stats = query({
  args: { name: v.string(), config: vConfig },
  handler: async (ctx, { name, config }) => {
    const limiter = named(name, config);
    const to = Date.now();
    const range = { from: to - 2 * MINUTE, to };
    return {
      minutes: await limiter.stats(ctx, name, { ...range, by: "minute" }),
      keys: await limiter.topDenied(ctx, name, { ...range, numKeys: 10 }),
    };
  },
});

/** Deletes all that is stored of a key. */
export const forget = mutation({
  args: { key: v.string() },
  handler: async (ctx, { key }) => rateLimiter.forget(ctx, key),
});

/** Takes one token of a limit for each of so many keys. */
export const limitKeys = mutation({
  args: { name: v.string(), config: vConfig, keys: v.number() },
  handler: async (ctx, { name, config, keys }): Promise<void> => {
    for (let i = 0; i < keys; i++) {
      await rateLimiter.limit(ctx, name, { key: `${i}`, config });
    }
  },
});

/** Makes a limit full for all of its keys. */
export const resetAll = mutation({
  args: { name: v.string(), config: vConfig },
  handler: async (ctx, { name, config }) =>
    rateLimiter.resetAll(ctx, name, { config }),
});

export const isResetting = query({
  args: { name: v.string() },
  handler: async (ctx, { name }) => rateLimiter.isResetting(ctx, name),
});

export const isForgetting = query({
  args: { key: v.string() },
  handler: async (ctx, { key }) => rateLimiter.isForgetting(ctx, key),
});

/** The clock of a transaction. */
export const now = mutation({ args: {}, handler: async () => Date.now() });
