import {
  DAY,
  RateLimiter,
  type RefillingConfig,
  SECOND,
} from "convex-rate-limiter";
import { paginationOptsValidator } from "convex/server";
import { v } from "convex/values";
import { components, internal } from "./_generated/api.js";
import {
  action,
  internalMutation,
  type MutationCtx,
  mutation,
  query,
} from "./_generated/server.js";

/** One window, from 1970 to 2070: what has left these limits is what they lack. */
const ONCE = {
  kind: "fixed window",
  rate: 1e6,
  period: 36_525 * DAY,
  start: 0,
} as const;

const limits = {
  unsplit: { ...ONCE, shards: 1 },
  split: { ...ONCE, shards: 4 },
  splitByLoad: ONCE,
  held: ONCE,
  scarce: {
    kind: "token bucket",
    rate: 1,
    period: SECOND,
    capacity: 20,
    shards: 4,
  },
  queued: {
    kind: "token bucket",
    rate: 10,
    period: SECOND,
    maxReserved: 1_000,
  },
} as const;

const rateLimiter = new RateLimiter(components.rateLimiter, limits);

const vName = v.union(
  v.literal("unsplit"),
  v.literal("split"),
  v.literal("splitByLoad"),
  v.literal("held"),
  v.literal("scarce"),
  v.literal("queued"),
);

const vGrant = { load: v.string(), name: vName, id: v.string() };
type Grant = { load: string; name: keyof typeof limits; id: string };

const vAnswer = v.object({
  ok: v.boolean(),
  /** An earlier request with this id was granted. */
  isOld: v.boolean(),
});

/**
 * Takes from a limit and writes a row, both or neither. With `mayBeOld` it looks for the row of an
 * earlier request first: a client that got no answer cannot know what became of it.
 */
export const take = mutation({
  args: { ...vGrant, mayBeOld: v.boolean() },
  returns: vAnswer,
  handler: async (ctx, { mayBeOld, ...grant }) => {
    const { load, id } = grant;
    const earlier = mayBeOld
      ? await ctx.db
          .query("grants")
          .withIndex("id", (q) => q.eq("load", load).eq("id", id))
          .first()
      : null;
    if (earlier !== null) return { ok: true, isOld: true };
    const ok = await takeToken(ctx, grant);
    if (ok) await ctx.db.insert("grants", grant);
    return { ok, isOld: false };
  },
});

async function takeToken(ctx: MutationCtx, grant: Grant): Promise<boolean> {
  const { load: key, name } = grant;
  if (name === "queued") {
    const queued = { key, fn: internal.grants.run, args: grant };
    return (await rateLimiter.schedule(ctx, name, queued)).ok;
  }
  if (name === "held") {
    const count = 3;
    const held = await rateLimiter.hold(ctx, name, {
      key,
      count,
      expiresAfter: DAY,
    });
    if (!held.ok) return false;
    const { id: holdId } = held;
    await ctx.scheduler.runAfter(0, internal.grants.run, { ...grant, holdId });
    return true;
  }
  return (await rateLimiter.limit(ctx, name, { key })).ok;
}

/** The job: a row. It gives back two of three tokens that were held for it. */
export const run = internalMutation({
  args: { ...vGrant, holdId: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { holdId, ...grant }) => {
    if (holdId !== undefined) {
      const { settled } = await rateLimiter.settle(ctx, holdId, { count: 1 });
      if (!settled) throw new Error("The hold was settled before.");
    }
    await ctx.db.insert("runs", grant);
    return null;
  },
});

/** What an app must not do: the token leaves in one transaction, and the row comes in another. */
export const takeApart = action({
  args: vGrant,
  returns: vAnswer,
  handler: async (ctx, { load, name, id }) => {
    const { ok } = await rateLimiter.limit(ctx, name, { key: load });
    if (ok) await ctx.runMutation(internal.grants.insert, { load, name, id });
    return { ok, isOld: false };
  },
});

export const insert = internalMutation({
  args: vGrant,
  returns: v.null(),
  handler: async (ctx, grant) => {
    await ctx.db.insert("grants", grant);
    return null;
  },
});

/** The id of the last job that has run. */
export const lastRun = query({
  args: { load: v.string(), name: vName },
  handler: async (ctx, { load, name }) => {
    const last = await ctx.db
      .query("runs")
      .withIndex("load", (q) => q.eq("load", load).eq("name", name))
      .order("desc")
      .first();
    return last === null ? null : last.id;
  },
});

/** The ids of grants, or of jobs that have run. */
export const list = query({
  args: {
    table: v.union(v.literal("grants"), v.literal("runs")),
    load: v.string(),
    name: vName,
    paginationOpts: paginationOptsValidator,
  },
  handler: async (ctx, { table, load, name, paginationOpts }) => {
    const result = await ctx.db
      .query(table)
      .withIndex("load", (q) => q.eq("load", load).eq("name", name))
      .paginate(paginationOpts);
    return { ...result, page: result.page.map(({ id }) => id) };
  },
});

/** How many tokens a limit lacks. */
export const missing = mutation({
  args: { load: v.string(), name: vName },
  returns: v.number(),
  handler: async (ctx, { load: key, name }) => {
    const { value } = await rateLimiter.getValue(ctx, name, { key });
    const { rate, capacity = rate }: RefillingConfig = limits[name];
    return capacity - value;
  },
});
