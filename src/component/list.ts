import { paginator } from "convex-helpers/server/pagination";
import { stream } from "convex-helpers/server/stream";
import { paginationOptsValidator, type PaginationOptions } from "convex/server";
import { v, type Infer } from "convex/values";
import { appends, type StoredConfig } from "../core/config.js";
import { TOLERANCE } from "../core/limit.js";
import { vNamedLimits, type NamedLimits } from "../core/vConfig.js";
import { vOverride } from "../core/vOverride.js";
import { isGranted } from "../core/decide.js";
import { holdings, lastUse, total, type Row } from "../core/rows.js";
import { idOf } from "../core/hash.js";
import type { Doc } from "./_generated/dataModel.js";
import { query, type QueryCtx } from "./_generated/server.js";
import { readInTurn, type Opts, type Page } from "./inTurn.js";
import { readKeysInOrder, type Place } from "./keysInOrder.js";
import { heldNames, readHeldKeys } from "./listHeld.js";
import { open } from "./calls/open.js";
import { allRows, isIdleRow, storedRows, toRow } from "./ledgers/rows.js";
import schema from "./schema.js";
import { isIdle, newestTaking, nextTaken } from "./ledgers/takings.js";

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
  limits: NamedLimits;
  name?: string;
  order?: "key" | "depleted";
  paginationOpts: PaginationOptions;
};

/** A key in use, with its rows where those have been read. */
type InUse = Place & { rows?: Row[] };

/**
 * The keys in use (full for less than an hour), a page at a time: by name and key, or
 * with `order: "depleted"` the one that takes longest to be full again first; those of
 * limits whose takings are appended behind the others, and those of limits on what runs at
 * once last, by name and key. A page may hold fewer entries than asked for. Reads the page's
 * rows, the rows of each of its keys, and an override per key where the config says so.
 */
export const list = query({
  args: {
    limits: vNamedLimits,
    name: v.optional(v.string()),
    order: v.optional(v.union(v.literal("key"), v.literal("depleted"))),
    paginationOpts: paginationOptsValidator,
  },
  returns: v.object({
    page: v.array(vListed),
    isDone: v.boolean(),
    continueCursor: v.string(),
  }),
  handler: async (ctx, args): Promise<Page<Listed>> => {
    const now = Date.now();
    const configs = new Map(args.limits.map((l) => [l.name, l.config]));
    const { page, isDone, continueCursor } = await readPage(ctx, args, now);
    const listed: Listed[] = [];
    for (const found of page) {
      if (!(await isCurrent(ctx, found, configs.get(found.name)))) continue;
      listed.push(await describe(ctx, found, configs.get(found.name), now));
    }
    return { page: listed, isDone, continueCursor };
  },
});

/**
 * Whether what was found is what calls look at. A limit that has changed its mode can have
 * both rows and takings; if its config is not known, those that were used last count.
 */
async function isCurrent(
  ctx: QueryCtx,
  { name, key, rows }: InUse,
  config: StoredConfig | undefined,
): Promise<boolean> {
  if (config?.kind === "concurrency") return true;
  const newest = () => newestTaking(ctx, name, key);
  if (config !== undefined) {
    if (rows === undefined) return appends(config);
    return !appends(config) || (await newest()) === null;
  }
  const stored = rows ?? (await allRows(ctx, name, key));
  const taking = await newest();
  const isTaken =
    taking !== null && stored.every((row) => lastUse(row) <= taking.ts);
  return isTaken === (rows === undefined);
}

/** A page of the keys in use: of those that have rows, of those with takings, of those held. */
async function readPage(
  ctx: QueryCtx,
  args: Args,
  now: number,
): Promise<Page<InUse>> {
  const held = heldNames(args.limits, args.name);
  // What else is stored of a limit on what runs at once is left from when it was of another kind.
  const usedUp = ({ page, ...found }: Page<InUse>) => ({
    ...found,
    page: page.filter(({ name }) => !held.includes(name)),
  });
  return readInTurn<InUse>(
    [
      async (opts) => usedUp(await readRowKeys(ctx, args, opts, now)),
      async (opts) => usedUp(await readTakingKeys(ctx, args, opts, now)),
      (opts) => readHeldKeys(ctx, held, opts, now),
    ],
    args.paginationOpts,
  );
}

/** A page ends before it has read more rows than this, far below Convex's 32,000. */
const MOST_ROWS = 8000;

async function readRowKeys(
  ctx: QueryCtx,
  args: Args,
  opts: Opts,
  now: number,
): Promise<Page<InUse>> {
  const stored = await readRows(ctx, args, opts);
  const page: InUse[] = [];
  const read = new Map<string, KeyRows>();
  let rowsRead = 0;
  for (const [i, row] of stored.page.entries()) {
    const { name, key } = row;
    const id = idOf(row);
    let ofKey = read.get(id);
    if (ofKey === undefined) {
      if (rowsRead >= MOST_ROWS) {
        const upTo = { ...opts, numItems: i, endCursor: null };
        const cut = await readRows(ctx, args, upTo);
        return { page, isDone: false, continueCursor: cut.continueCursor };
      }
      ofKey = await readKey(ctx, row, args.order, now);
      rowsRead += ofKey.all.length;
      read.set(id, ofKey);
    }
    const { all, first } = ofKey;
    // Each key once.
    if (first?._id !== row._id) continue;
    const rows = all.map(toRow).filter((known) => known !== undefined);
    page.push({ name, key, rows });
  }
  const { isDone, continueCursor } = stored;
  return { page, isDone, continueCursor };
}

function readRows(ctx: QueryCtx, { name, order }: Args, opts: Opts) {
  const rows = paginator(ctx.db, schema).query("rateLimits");
  if (order !== "depleted") {
    return rows
      .withIndex("name", (q) => (name === undefined ? q : q.eq("name", name)))
      .paginate(opts);
  }
  const ordered =
    name === undefined
      ? rows.withIndex("fullAt", (q) => q.gt("fullAt", undefined))
      : rows.withIndex("depleted", (q) =>
          q.eq("name", name).gt("fullAt", undefined),
        );
  return ordered.order("desc").paginate(opts);
}

async function readTakingKeys(
  ctx: QueryCtx,
  { name, order }: Args,
  opts: Opts,
  now: number,
): Promise<Page<InUse>> {
  if (order !== "depleted") {
    return readKeysInOrder(
      (after) => nextTaken(ctx, name, after),
      async ({ name, key }) => {
        const newest = await newestTaking(ctx, name, key);
        const isUsed = newest !== null && !(await isIdle(ctx, newest, now));
        return isUsed ? { name, key } : undefined;
      },
      opts,
    );
  }
  const takings = stream(ctx.db, schema).query("takings");
  const byDepletion =
    name === undefined
      ? takings.withIndex("fullAt", (q) => q)
      : takings.withIndex("depleted", (q) => q.eq("name", name));
  const stored = await byDepletion.order("desc").paginate(opts);
  const page: InUse[] = [];
  for (const { name, key, _id } of stored.page) {
    const newest = await newestTaking(ctx, name, key);
    // Each key once: where its newest record comes in the order of the list.
    if (newest?._id !== _id || (await isIdle(ctx, newest, now))) continue;
    page.push({ name, key });
  }
  const { isDone, continueCursor } = stored;
  return { page, isDone, continueCursor };
}

type KeyRows = {
  all: Doc<"rateLimits">[];
  /** The first, in the order of the list, of those that are in use. */
  first: Doc<"rateLimits"> | undefined;
};

async function readKey(
  ctx: QueryCtx,
  { name, key }: Doc<"rateLimits">,
  order: Args["order"],
  now: number,
): Promise<KeyRows> {
  const all = await storedRows(ctx, name, key);
  const inUse = all.filter((row) => !isIdleRow(row, now));
  return { all, first: leader(inUse, order) };
}

/** Of a key's rows, which come by shard, the first in the order of the list. */
function leader(
  rows: readonly Doc<"rateLimits">[],
  order: Args["order"],
): Doc<"rateLimits"> | undefined {
  if (order !== "depleted") return rows[0];
  const fullAt = (row: Doc<"rateLimits">) => row.fullAt ?? 0;
  return rows.toSorted(
    (a, b) => fullAt(b) - fullAt(a) || b._creationTime - a._creationTime,
  )[0];
}

async function describe(
  ctx: QueryCtx,
  { name, key, rows: read }: InUse,
  config: StoredConfig | undefined,
  now: number,
): Promise<Listed> {
  if (config === undefined) {
    const rows = read ?? [await newestRow(ctx, name, key)];
    const shards = rows.map((row) => row.value);
    const balance = shards.reduce((sum, value) => sum + value, 0);
    const usedAt = Math.max(...rows.map(lastUse));
    const limited = balance < 1 - TOLERANCE;
    return { name, key, balance, shards, usedAt, limited };
  }
  const account = await open(ctx, { name, key, config }, now);
  const { rules, override } = account;
  const [rule] = rules;
  const rows = read ?? (await account.ledger.all());
  const held = holdings(rule.limit, rows, now);
  const one = { count: 1, debt: "none", upTo: false } as const;
  const demand = { ...one, leave: rule.limit.headroom };
  return {
    name,
    key,
    balance: total(held),
    shards: held.map(({ value }) => value),
    capacity: rule.limit.whole.capacity,
    usedAt: Math.max(...rows.map(lastUse)),
    limited: rule.limit.enforce && !isGranted(rule, rows, [demand], now),
    override,
  };
}

async function newestRow(
  ctx: QueryCtx,
  name: string,
  key: string | undefined,
): Promise<Row> {
  const newest = await newestTaking(ctx, name, key);
  const { value, ts, fullAt } = newest!;
  return { shard: 0, value, ts, fullAt };
}
