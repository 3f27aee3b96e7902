import { paginator } from "convex-helpers/server/pagination";
import { stream } from "convex-helpers/server/stream";
import type { PaginationOptions } from "convex/server";
import { compareValues } from "convex/values";
import { fullFrom, readChain } from "../../core/chain.js";
import { idOf } from "../../core/hash.js";
import type { Row } from "../../core/rows.js";
import type { NamedLimits } from "../../core/vConfig.js";
import type { Doc } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { idleBefore, isIdleRow } from "../idle.js";
import { storedLeases, toRows } from "../ledgers/leases.js";
import type { Place } from "../ledgers/ledger.js";
import { parseRow, storedRows } from "../ledgers/storedRows.js";
import { newestFirst, newestTaking } from "../ledgers/storedTakings.js";
import schema from "../schema.js";
import { readInTurn, readKeysInOrder, type Opts, type Page } from "./walk.js";

export type Args = {
  limits: NamedLimits;
  name?: string;
  order?: "key" | "depleted";
  paginationOpts: PaginationOptions;
};

/** A key in use, with its rows where those have been read. */
export type InUse = Place & { rows?: Row[] };

/** A page of the keys in use: of those that have rows, of those with takings, of those held. */
export async function readKeysInUse(
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
    const rows = all.map(parseRow).filter((known) => known !== undefined);
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

/** Whether a key with this newest record was made full by it, or has been for so long that it is forgotten. */
async function isIdle(
  ctx: QueryCtx,
  { name, key, count, reset, fullAt }: Doc<"takings">,
  now: number,
): Promise<boolean> {
  if (reset === true && count === 0) return true;
  if (fullAt >= idleBefore(now)) return false;
  return (
    fullFrom(await readChain(newestFirst(ctx, name, key))) < idleBefore(now)
  );
}

/** The first limit and key with records behind another one, by name and key: of all limits, or of one. */
async function nextTaken(
  ctx: QueryCtx,
  name: string | undefined,
  after: Place | undefined,
): Promise<Place | undefined> {
  const takings = () => ctx.db.query("takings");
  let found: Doc<"takings"> | null;
  if (after === undefined) {
    found = await takings()
      .withIndex("at", (q) => (name === undefined ? q : q.eq("name", name)))
      .first();
  } else {
    found = await takings()
      .withIndex("at", (q) => q.eq("name", after.name).gt("key", after.key))
      .first();
    if (found === null && name === undefined) {
      found = await takings()
        .withIndex("at", (q) => q.gt("name", after.name))
        .first();
    }
  }
  return found === null ? undefined : { name: found.name, key: found.key };
}

/** Which of the limits to be listed are limits on what runs at once. */
function heldNames(limits: NamedLimits, only: string | undefined): string[] {
  return limits
    .filter(({ config }) => config.kind === "concurrency")
    .map(({ name }) => name)
    .filter((name) => only === undefined || only === name);
}

/** A page of keys of limits on what runs at once that are held, each once, by name and key, with its leases. */
async function readHeldKeys(
  ctx: QueryCtx,
  names: readonly string[],
  opts: Opts,
  now: number,
): Promise<Page<Place & { rows: Row[] }>> {
  const inOrder = names.toSorted(compareValues);
  const next = async (after: Place | undefined) => {
    for (const name of inOrder) {
      if (after && compareValues(name, after.name) < 0) continue;
      const found = await ctx.db
        .query("holds")
        .withIndex("name", (q) => {
          const ofName = q.eq("name", name);
          return after?.name === name ? ofName.gt("key", after.key) : ofName;
        })
        .first();
      if (found !== null) return { name, key: found.key };
    }
    return undefined;
  };
  const show = async ({ name, key }: Place) => {
    const rows = toRows(await storedLeases(ctx, name, key, now));
    return rows.length > 0 ? { name, key, rows } : undefined;
  };
  return readKeysInOrder(next, show, opts);
}
