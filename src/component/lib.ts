import { v, type Infer } from "convex/values";
import { project } from "../core/algebra.js";
import {
  parseAmount,
  parseSampleShards,
  rateLimitedError,
  vConfig,
} from "../core/config.js";
import { api } from "./_generated/api.js";
import type { Doc } from "./_generated/dataModel.js";
import {
  mutation,
  query,
  type MutationCtx,
  type QueryCtx,
} from "./_generated/server.js";
import {
  Books,
  effectiveLimit,
  evaluate,
  takeFrom,
  vItem,
  vStatus,
  type Item,
  type Status,
} from "./evaluate.js";
import { withOverride } from "./overrides.js";
import { Rows } from "./rows.js";
import { creditRows } from "./shards.js";

export { getServerTime } from "./time.js";

const requestArgs = {
  ...vItem.fields,
  throws: v.optional(v.boolean()),
  details: v.optional(v.boolean()),
};

type RequestArgs = Item & { throws?: boolean; details?: boolean };

/**
 * Takes tokens, or denies. Granted: reads one row and writes it, as a rule; more
 * only for a limit that is split and short. Denied: writes nothing.
 */
export const rateLimit = mutation({
  args: requestArgs,
  returns: vStatus,
  handler: async (ctx, args): Promise<Status> => {
    const books = new Books(ctx, Date.now());
    const status = await decideOne(ctx, books, args);
    if (status.ok) await books.save(ctx);
    return status;
  },
});

/** What `rateLimit` would say. Reads the rows that it would read. */
export const checkRateLimit = query({
  args: requestArgs,
  returns: vStatus,
  handler: async (ctx, args): Promise<Status> =>
    decideOne(ctx, new Books(ctx, Date.now()), args),
});

const vBlockedBy = v.object({ index: v.number(), name: v.string() });
const [vGranted, vDenied] = vStatus.members;

const vListStatus = v.union(
  vGranted,
  v.object({ ...vDenied.fields, blockedBy: vBlockedBy }),
);

export type ListStatus = Infer<typeof vListStatus>;

const listArgs = {
  limits: v.array(vItem),
  throws: v.optional(v.boolean()),
  details: v.optional(v.boolean()),
};

type ListArgs = { limits: Item[]; throws?: boolean; details?: boolean };

/**
 * Takes from all of the limits or from none. Reads and writes the rows that the
 * single calls would; denied, it writes nothing.
 */
export const limitAll = mutation({
  args: listArgs,
  returns: vListStatus,
  handler: async (ctx, args): Promise<ListStatus> => {
    const books = new Books(ctx, Date.now());
    const status = await decideList(ctx, books, args);
    if (status.ok) await books.save(ctx);
    return status;
  },
});

/** What `limitAll` would say. Reads the rows that it would read. */
export const checkAll = query({
  args: listArgs,
  returns: vListStatus,
  handler: async (ctx, args): Promise<ListStatus> =>
    decideList(ctx, new Books(ctx, Date.now()), args),
});

const amountArgs = {
  name: v.string(),
  key: v.optional(v.string()),
  count: v.optional(v.number()),
  config: vConfig,
};

/**
 * Gives tokens back, up to the capacity, and says how many found room. Reads one
 * row and writes it, as a rule; more only for a limit that is split and whose row
 * has no room for all of them. A full limit is not written.
 */
export const credit = mutation({
  args: amountArgs,
  returns: v.object({ credited: v.number() }),
  handler: async (ctx, args): Promise<{ credited: number }> => {
    const count = parseAmount(args.name, args.count);
    const now = Date.now();
    const { limit, override } = await effectiveLimit(ctx, args, now);
    if (isUnlimited(override)) return { credited: 0 };
    const rows = new Rows(ctx, args.name, args.key, now);
    const credited = await creditRows(limit, rows, count, now, Math.random);
    await rows.save(ctx);
    return { credited };
  },
});

/**
 * Takes tokens without asking, into debt if need be; `retryAfter` is then when the
 * debt is paid. Reads and writes the rows that a reservation would.
 */
export const charge = mutation({
  args: amountArgs,
  returns: v.object({ retryAfter: v.optional(v.number()) }),
  handler: async (ctx, args): Promise<{ retryAfter?: number }> => {
    const count = parseAmount(args.name, args.count);
    return takeAnyway(ctx, args, count);
  },
});

const vValue = v.object({
  value: v.number(),
  ts: v.number(),
  shard: v.number(),
  config: vConfig,
});

/** The balance of a limit at the time `ts`; negative for a debt. */
export type Value = Infer<typeof vValue>;

/**
 * The balance of the whole limit and when it was right, for clients that project
 * it themselves. Reads each row of the limit, or `sampleShards` random ones and
 * scales up.
 */
export const getValue = query({
  args: {
    name: v.string(),
    key: v.optional(v.string()),
    config: vConfig,
    sampleShards: v.optional(v.number()),
  },
  returns: vValue,
  handler: async (ctx, args): Promise<Value> => readValue(ctx, args),
});

/** Deletes each row of a limit and key, so that it is full. */
export const resetRateLimit = mutation({
  args: { name: v.string(), key: v.optional(v.string()) },
  returns: v.null(),
  handler: async (ctx, { name, key }) => {
    await deleteRows(ctx, name, key);
    return null;
  },
});

/** How many rows `clearAll` deletes in one transaction. */
const CLEAR_BATCH = 100;

/**
 * Deletes the rows of every limit that were created up to `before` (default: now),
 * the newest first, 100 per transaction; schedules itself until none is left.
 * Overrides stay.
 */
export const clearAll = mutation({
  args: { before: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { before }) => {
    const rows = await ctx.db
      .query("rateLimits")
      .withIndex("by_creation_time", (q) =>
        q.lte("_creationTime", before ?? Date.now()),
      )
      .order("desc")
      .take(CLEAR_BATCH);
    for (const row of rows) await ctx.db.delete("rateLimits", row._id);
    if (rows.length === CLEAR_BATCH) {
      await ctx.scheduler.runAfter(0, api.lib.clearAll, {
        before: rows[CLEAR_BATCH - 1]!._creationTime,
      });
    }
    return null;
  },
});

const vUpdate = v.union(
  v.object({
    kind: v.literal("consume"),
    name: v.string(),
    key: v.optional(v.string()),
    count: v.number(),
    config: vConfig,
    ts: v.number(),
  }),
  v.object({
    kind: v.literal("reset"),
    name: v.string(),
    key: v.optional(v.string()),
  }),
);

/**
 * What `@convex-dev/rate-limiter` queues for `applyUpdates: "asynchronously"`. Here
 * it is applied at once: a `consume` is a `charge`, a `reset` a reset.
 */
export const enqueueUpdates = mutation({
  args: { updates: v.array(vUpdate) },
  returns: v.null(),
  handler: async (ctx, { updates }) => {
    for (const update of updates) {
      const { name, key } = update;
      if (update.kind === "reset") await deleteRows(ctx, name, key);
      else if (update.count !== 0) {
        await takeAnyway(ctx, update, parseAmount(name, update.count));
      }
    }
    return null;
  },
});

async function decideOne(
  ctx: QueryCtx | MutationCtx,
  books: Books,
  { throws, details, ...item }: RequestArgs,
): Promise<Status> {
  const status = await evaluate(ctx, books, item, details === true);
  if (!status.ok && throws === true) {
    throw rateLimitedError(item.name, item.key, status.retryAfter);
  }
  return status;
}

async function decideList(
  ctx: QueryCtx | MutationCtx,
  books: Books,
  { limits, throws, details }: ListArgs,
): Promise<ListStatus> {
  const statuses: Status[] = [];
  for (const item of limits) {
    statuses.push(await evaluate(ctx, books, item, details === true));
  }
  const index = statuses.findIndex((status) => !status.ok);
  const retryAfters = statuses
    .filter((status) => index === -1 || !status.ok)
    .map(({ retryAfter }) => retryAfter)
    .filter((retryAfter) => retryAfter !== undefined);
  const retryAfter =
    retryAfters.length === 0 ? undefined : Math.max(...retryAfters);
  if (index === -1) {
    const wouldDeny = statuses.some((status) => status.ok && status.wouldDeny);
    return {
      ok: true,
      retryAfter,
      wouldDeny: wouldDeny ? true : undefined,
      ...leastRemaining(statuses),
    };
  }
  const { name, key } = limits[index]!;
  if (throws === true) throw rateLimitedError(name, key, retryAfter!);
  return {
    ok: false,
    retryAfter: retryAfter!,
    blockedBy: { index, name },
    ...(details === true && (await leastRemainingNow(ctx, books, limits))),
  };
}

/** The details of the limit that has the fewest tokens left. */
function leastRemaining(statuses: readonly Status[]) {
  const [least] = statuses
    .filter(({ remaining }) => remaining !== undefined)
    .sort((a, b) => a.remaining! - b.remaining!);
  if (least === undefined) return {};
  const { limit, remaining, resetAfter } = least;
  return { limit, remaining, resetAfter };
}

/** The same with nothing taken: what a denial leaves. */
async function leastRemainingNow(
  ctx: QueryCtx | MutationCtx,
  { now }: Books,
  limits: readonly Item[],
) {
  const statuses: Status[] = [];
  for (const item of limits) {
    const nothing = { ...item, count: 0 };
    statuses.push(await evaluate(ctx, new Books(ctx, now), nothing, true));
  }
  return leastRemaining(statuses);
}

async function takeAnyway(
  ctx: MutationCtx,
  args: Pick<Item, "name" | "key" | "config">,
  count: number,
): Promise<{ retryAfter?: number }> {
  const now = Date.now();
  const { limit, override } = await effectiveLimit(ctx, args, now);
  if (isUnlimited(override)) return {};
  const rows = new Rows(ctx, args.name, args.key, now);
  const unbounded = { maxReserved: Infinity };
  const { retryAfter } = await takeFrom(
    {
      ...limit,
      whole: { ...limit.whole, ...unbounded },
      share: { ...limit.share, ...unbounded },
    },
    rows,
    { count, reserve: true },
    now,
  );
  await rows.save(ctx);
  return { retryAfter };
}

async function readValue(
  ctx: QueryCtx,
  args: Pick<Item, "name" | "key" | "config"> & { sampleShards?: number },
): Promise<Value> {
  const now = Date.now();
  const { limit, override } = await effectiveLimit(ctx, args, now);
  const { whole, share } = limit;
  const samples = parseSampleShards(limit, args.sampleShards);
  const rows = new Rows(ctx, args.name, args.key, now);
  const read =
    samples === limit.rows
      ? await rows.getAll(limit.rows)
      : await rows.getSome(randomShards(limit.rows, samples));
  // An absent row is full at any time; the start of the grid is the same for all calls.
  const anyTime =
    whole.kind === "fixed window"
      ? whole.origin - Math.floor(whole.origin / whole.period) * whole.period
      : 0;
  const states = read.map(
    ({ state }) => state ?? { value: share.capacity, ts: anyTime },
  );
  const ts = Math.max(...states.map((state) => state.ts));
  const values = states.map((state) => project(share, state, ts).value);
  const sum = values.reduce((total, value) => total + value, 0);
  const fullest = values.indexOf(Math.max(...values));
  const config = {
    ...withOverride(args.config, override?.override),
    capacity: whole.capacity,
    shards: args.config.shards ?? 1,
  };
  if (config.kind === "fixed window") config.start ??= ts;
  const value = {
    value: (sum * limit.rows) / samples,
    ts,
    shard: read[fullest]!.shard,
    config,
  };
  if (isUnlimited(override)) return { ...value, value: whole.capacity };
  if (override !== undefined && "deny" in override.override) {
    return { ...value, value: 0, config: { ...config, capacity: 0 } };
  }
  return value;
}

/** `count` different shards out of `n`, at random. */
function randomShards(n: number, count: number): number[] {
  const shards = Array.from({ length: n }, (_, shard) => shard);
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(Math.random() * (n - i));
    [shards[i], shards[j]] = [shards[j]!, shards[i]!];
  }
  return shards.slice(0, count);
}

function isUnlimited(stored: Doc<"overrides"> | undefined): boolean {
  return stored !== undefined && "unlimited" in stored.override;
}

async function deleteRows(
  ctx: MutationCtx,
  name: string,
  key: string | undefined,
): Promise<void> {
  const rows = await ctx.db
    .query("rateLimits")
    .withIndex("name", (q) => q.eq("name", name).eq("key", key))
    .collect();
  for (const row of rows) await ctx.db.delete("rateLimits", row._id);
}
