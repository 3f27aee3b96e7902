import { compareValues, v, type Infer, type Validator } from "convex/values";
import { paginationOptsValidator } from "convex/server";
import { TOLERANCE } from "../core/tolerance.js";
import { sum } from "../core/sum.js";
import {
  type GivenConfig,
  vNamedLimits,
  vOverride,
  vLimitKey,
} from "../core/validators.js";
import { wouldGrantAll } from "../core/wait.js";
import { query, type QueryCtx } from "../component/_generated/server.js";
import { readBounded } from "../state/budget.js";
import { lastUsedAt } from "../state/row/row.js";
import { readInTurn, requireNumItems } from "../state/pages.js";
import { balancesOfKey, storedValues, viewOfKey } from "../state/show.js";
import type { InUse } from "../state/store.js";
import { STORES } from "../state/stores.js";
import { open } from "./open.js";

/** Any `Page`. */
export const vPageOf = <T>(vOne: Validator<T, "required", string>) =>
  v.object({
    page: v.array(vOne),
    isDone: v.boolean(),
    continueCursor: v.string(),
  });

const vListedKey = vLimitKey().extend({
  /** Tokens now, in all rows; as last stored if the config is not known. */
  balance: v.number(),
  /** The part of `balance` in each row: one number, or several for a split limit. */
  shards: v.array(v.number()),
  /** Absent if the config is not known. */
  capacity: v.optional(v.number()),
  /**
   * When it was last used; for a window of `@convex-dev/rate-limiter`, the start of that window.
   */
  usedAt: v.number(),
  limited: v.boolean(),
  override: v.optional(vOverride()),
});

/**
 * The keys in use, or full for less than an hour, a page at a time: by name and key, or with
 * `order: "depleted"` by when they are full, the last first. Lists keys with rows first, then those
 * with leases, always by name and key. A page may hold fewer entries than asked for. Reads a row for
 * each limit and each key of the page, all rows of those keys, and an override per key where the
 * config says so.
 */
export const list = query({
  args: {
    limits: vNamedLimits(),
    name: v.optional(v.string()),
    order: v.optional(v.union(v.literal("key"), v.literal("depleted"))),
    prefix: v.optional(v.string()),
    paginationOpts: paginationOptsValidator,
  },
  returns: vPageOf(vListedKey),
  handler: async (ctx, args) => {
    const { paginationOpts, ...filter } = args;
    requireNumItems(paginationOpts);
    const { name, order, prefix } = filter;
    if (prefix !== undefined && (name === undefined || order === "depleted")) {
      throw new Error("list: a prefix needs a name, and the order by key.");
    }
    const now = Date.now();
    const configs = new Map(args.limits.map((l) => [l.name, l.config]));
    const show = (found: InUse) =>
      toListedKey(ctx, found, configs.get(found.name) ?? found.config, now);
    const lists = [...STORES.values()].flatMap(
      (store) => store.keys?.(ctx, filter, now) ?? [],
    );
    return readInTurn(ctx, lists, show, paginationOpts);
  },
});

async function toListedKey(
  ctx: QueryCtx,
  { name, key, rows }: InUse,
  config: GivenConfig | undefined,
  now: number,
): Promise<Infer<typeof vListedKey>> {
  const usedAt = Math.max(...rows.map(lastUsedAt));
  if (config === undefined) {
    const shards = storedValues(rows);
    const balance = sum(shards);
    const limited = balance < 1 - TOLERANCE;
    return { name, key, balance, shards, usedAt, limited };
  }
  const { phases } = await open(ctx, { name, key, config }, now);
  const [phase] = phases;
  const { limit } = phase;
  const view = viewOfKey(limit, rows);
  const demand = { count: 1, debt: "none", leave: 0, upTo: false } as const;
  return {
    name,
    key,
    balance: view.balance(limit, now),
    shards: balancesOfKey(limit, rows, now).map(({ value }) => value),
    capacity: limit.whole.capacity,
    usedAt,
    limited: limit.enforce && !wouldGrantAll(phase, view, [demand], now),
    override: phase.override,
  };
}

/** The most limits to name in addition to the known ones. */
const MAX_LIMITS = 50;

/**
 * The names of the limits that have rows or holds, or only of those that have any of one key,
 * without the known ones. Reads some rows for each name, and twice between known ones.
 */
export const names = query({
  args: { known: v.array(v.string()), key: v.optional(v.string()) },
  returns: v.object({ names: v.array(v.string()), isMore: v.boolean() }),
  handler: async (ctx, { known, key }) => {
    const excluded = new Set(known);
    const others = new Set<string>();
    let isMore = false;
    for (const store of STORES.values()) {
      const found = store.limitsBeside?.(ctx, excluded, key);
      if (found === undefined) continue;
      const read = await readBounded(ctx, found, { most: MAX_LIMITS });
      for (const name of read.items) others.add(name);
      isMore ||= read.isMore;
    }
    const all = [...others].sort(compareValues);
    const names = all.slice(0, MAX_LIMITS);
    return { names, isMore: isMore || names.length < all.length };
  },
});
