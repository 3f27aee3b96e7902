import { paginator } from "convex-helpers/server/pagination";
import { paginationOptsValidator, type PaginationOptions } from "convex/server";
import { v, type Infer } from "convex/values";
import { vConfig, type StoredConfig } from "../core/config.js";
import { isGranted } from "../core/decide.js";
import { TOLERANCE } from "../core/limit.js";
import { holdings, lastUse, total } from "../core/rows.js";
import { vOverride } from "../core/rules.js";
import type { Doc } from "./_generated/dataModel.js";
import { query, type QueryCtx } from "./_generated/server.js";
import { open } from "./open.js";
import { idleBefore, toRow } from "./rows.js";
import schema from "./schema.js";

const vListed = v.object({
  name: v.string(),
  key: v.optional(v.string()),
  /** Tokens now, over all rows; as last stored if the config is not known. */
  balance: v.number(),
  /** The part of `balance` in each row: one number, or more of a limit that is split. */
  shards: v.array(v.number()),
  /** Absent if the config is not known. */
  capacity: v.optional(v.number()),
  /** For a fixed window that is not split, the start of the window in which it was used. */
  usedAt: v.number(),
  limited: v.boolean(),
  override: v.optional(vOverride),
});

/** One limit and key, for operators. */
export type Listed = Infer<typeof vListed>;

type Args = {
  limits: { name: string; config: StoredConfig }[];
  name?: string;
  order?: "key" | "depleted";
  paginationOpts: PaginationOptions;
};

/**
 * The keys in use (full for less than an hour), a page at a time: by name and key, or
 * with `order: "depleted"` the one that takes longest to be full again first. A page
 * may hold fewer entries than asked for. Reads the page's rows, the rows of each of
 * its keys, and an override per key where the config says so.
 */
export const list = query({
  args: {
    limits: v.array(v.object({ name: v.string(), config: vConfig })),
    name: v.optional(v.string()),
    order: v.optional(v.union(v.literal("key"), v.literal("depleted"))),
    paginationOpts: paginationOptsValidator,
  },
  returns: v.object({
    page: v.array(vListed),
    isDone: v.boolean(),
    continueCursor: v.string(),
  }),
  handler: async (ctx, args) => {
    const now = Date.now();
    const configs = new Map(args.limits.map((l) => [l.name, l.config]));
    const found = await readPage(ctx, args);
    const listed: Listed[] = [];
    const read = new Map<string, Doc<"rateLimits">[]>();
    let rowsRead = 0;
    for (const [i, row] of found.page.entries()) {
      const id = JSON.stringify([row.name, row.key ?? null]);
      if (!read.has(id)) {
        if (rowsRead >= MOST_ROWS) {
          const { continueCursor } = await readPage(ctx, args, i);
          return { page: listed, isDone: false, continueCursor };
        }
        read.set(id, await rowsInUse(ctx, row, now));
        rowsRead += read.get(id)!.length;
      }
      const rows = read.get(id)!;
      // Each key once: where the first of its rows comes in the order of the list.
      if (leader(rows, args.order)?._id !== row._id) continue;
      listed.push(await describe(ctx, row, rows, configs.get(row.name), now));
    }
    const { isDone, continueCursor } = found;
    return { page: listed, isDone, continueCursor };
  },
});

/** A page ends before it has read more rows than this, far below Convex's 32,000. */
const MOST_ROWS = 8000;

function readPage(
  ctx: QueryCtx,
  { name, order, paginationOpts: asked }: Args,
  numItems: number = asked.numItems,
) {
  const paginationOpts = { ...asked, numItems };
  const rows = paginator(ctx.db, schema).query("rateLimits");
  if (order !== "depleted") {
    return rows
      .withIndex("name", (q) => (name === undefined ? q : q.eq("name", name)))
      .paginate(paginationOpts);
  }
  const ordered =
    name === undefined
      ? rows.withIndex("fullAt", (q) => q.gt("fullAt", undefined))
      : rows.withIndex("depleted", (q) =>
          q.eq("name", name).gt("fullAt", undefined),
        );
  return ordered.order("desc").paginate(paginationOpts);
}

/** All rows of a key, but for those that the vacuum may or may not have taken. */
async function rowsInUse(
  ctx: QueryCtx,
  { name, key }: Doc<"rateLimits">,
  now: number,
): Promise<Doc<"rateLimits">[]> {
  const rows = await ctx.db
    .query("rateLimits")
    .withIndex("name", (q) => q.eq("name", name).eq("key", key))
    .collect();
  return rows.filter(({ fullAt = Infinity }) => fullAt >= idleBefore(now));
}

function leader(
  rows: readonly Doc<"rateLimits">[],
  order: Args["order"],
): Doc<"rateLimits"> | undefined {
  const rank = (row: Doc<"rateLimits">) =>
    order === "depleted"
      ? [-(row.fullAt ?? 0), -row._creationTime]
      : [row.shard, 0];
  return [...rows].sort((a, b) => {
    const [a0, a1] = rank(a) as [number, number];
    const [b0, b1] = rank(b) as [number, number];
    return a0 - b0 || a1 - b1;
  })[0];
}

async function describe(
  ctx: QueryCtx,
  { name, key }: Doc<"rateLimits">,
  rows: readonly Doc<"rateLimits">[],
  config: StoredConfig | undefined,
  now: number,
): Promise<Listed> {
  const stored = rows.map(toRow).filter((row) => row !== undefined);
  const usedAt = Math.max(...stored.map(lastUse));
  if (config === undefined) {
    const shards = stored.map((row) => row.value);
    const balance = shards.reduce((sum, value) => sum + value, 0);
    const limited = balance < 1 - TOLERANCE;
    return { name, key, balance, shards, usedAt, limited };
  }
  const { rules, override } = await open(ctx, { name, key, config }, now);
  const [rule] = rules;
  const held = holdings(rule.limit, stored, now);
  const one = { count: 1, debt: "none", upTo: false } as const;
  const demand = { ...one, leave: rule.limit.headroom };
  return {
    name,
    key,
    balance: total(held),
    shards: held.map(({ value }) => value),
    capacity: rule.limit.whole.capacity,
    usedAt,
    limited: !isGranted(rule, stored, [demand], now),
    override,
  };
}
