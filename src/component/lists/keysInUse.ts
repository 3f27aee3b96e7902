import { paginator } from "convex-helpers/server/pagination";
import { stream } from "convex-helpers/server/stream";
import type { PaginationOptions } from "convex/server";
import { compareValues } from "convex/values";
import { fullFrom, readChain } from "../../core/chain.js";
import { idOf } from "../../core/hash.js";
import type { Row } from "../../core/rows.js";
import type { NamedLimits } from "../../core/vConfig.js";
import type { Place } from "../../core/vPlace.js";
import type { Doc } from "../_generated/dataModel.js";
import type { QueryCtx } from "../_generated/server.js";
import { idleBefore, isIdleRow } from "../idle.js";
import { storedLeases, toRows } from "../ledgers/leases.js";
import { readBounded } from "../bounded.js";
import { parseRow, storedRows } from "../ledgers/storedRows.js";
import {
  newestFirst,
  newestTaking,
  nextTaken,
} from "../ledgers/storedTakings.js";
import schema from "../schema.js";
import {
  readInTurn,
  readKeysInOrder,
  readStored,
  type Opts,
  type Page,
} from "./walk.js";

export type Args = {
  limits: NamedLimits;
  name?: string;
  order?: "key" | "depleted";
  /** Only keys that begin with it; by name and key, and with a name. */
  prefix?: string;
  paginationOpts: PaginationOptions;
};

/** A key in use, with its rows where those have been read. */
export type InUse = Place & { rows?: Row[] };

type Show<T> = (found: InUse) => Promise<T | undefined>;

/**
 * A page of the keys in use, each as `show` shows it: of those that have rows, of those with
 * takings, of those held.
 */
export async function readKeysInUse<T>(
  ctx: QueryCtx,
  args: Args,
  show: Show<T>,
  now: number,
): Promise<Page<T>> {
  const held = heldNames(args.limits, args.name);
  // What else is stored of a limit on what runs at once is left from when it was of another kind.
  const showUsedUp: Show<T> = async (found) =>
    held.includes(found.name) ? undefined : show(found);
  return readInTurn<T>(
    [
      (opts) => readRowKeys(ctx, args, opts, showUsedUp, now),
      (opts) => readTakingKeys(ctx, args, opts, showUsedUp, now),
      (opts) => readHeldKeys(ctx, held, args.prefix, opts, show, now),
    ],
    args.paginationOpts,
  );
}

async function readRowKeys<T>(
  ctx: QueryCtx,
  args: Args,
  opts: Opts,
  show: Show<T>,
  now: number,
): Promise<Page<T>> {
  const read = new Map<string, KeyRows>();
  const showRow = async (row: Doc<"rateLimits">) => {
    const id = idOf(row);
    const ofKey = read.get(id) ?? (await readKey(ctx, row, args.order, now));
    read.set(id, ofKey);
    // Each key once.
    if (ofKey.first?._id !== row._id) return undefined;
    const rows = ofKey.all.map(parseRow).filter((known) => known !== undefined);
    return show({ name: row.name, key: row.key, rows });
  };
  const fields = args.order === "depleted" ? depletionFields(args) : 3;
  return readStored(
    ctx,
    (opts) => readRows(ctx, args, opts),
    showRow,
    opts,
    fields,
  );
}

/** Of the index by depletion: of all limits, or of one. */
function depletionFields({ name }: Args): number {
  return name === undefined ? 1 : 2;
}

function readRows(
  ctx: QueryCtx,
  { name, order, prefix }: Args,
  opts: Opts & { maximumBytesRead: number },
) {
  const rows = paginator(ctx.db, schema).query("rateLimits");
  if (order !== "depleted") {
    return rows
      .withIndex("name", (q) => {
        if (name === undefined) return q;
        const ofName = q.eq("name", name);
        if (prefix === undefined) return ofName;
        const from = ofName.gte("key", prefix);
        const end = endOf(prefix);
        return end === undefined ? from : from.lt("key", end);
      })
      .paginate(opts);
  }
  const ordered =
    name === undefined
      ? rows.withIndex("fullAt", (q) => q)
      : rows.withIndex("depleted", (q) => q.eq("name", name));
  return ordered.order("desc").paginate(opts);
}

async function readTakingKeys<T>(
  ctx: QueryCtx,
  args: Args,
  opts: Opts,
  show: Show<T>,
  now: number,
): Promise<Page<T>> {
  const { name, order, prefix } = args;
  if (order !== "depleted") {
    return readKeysInOrder(
      ctx,
      async (after) => {
        const found = await nextTaken(ctx, name, after, prefix);
        if (found === null) return undefined;
        return within(prefix, { name: found.name, key: found.key });
      },
      async ({ name, key }) => {
        const newest = await newestTaking(ctx, name, key);
        const isUsed = newest !== null && !(await isIdle(ctx, newest, now));
        return isUsed ? show({ name, key }) : undefined;
      },
      opts,
    );
  }
  const takings = stream(ctx.db, schema).query("takings");
  const byDepletion =
    name === undefined
      ? takings.withIndex("fullAt", (q) => q)
      : takings.withIndex("depleted", (q) => q.eq("name", name));
  return readStored(
    ctx,
    (opts) => byDepletion.order("desc").paginate(opts),
    async ({ name, key, _id }) => {
      const newest = await newestTaking(ctx, name, key);
      // Each key once: where its newest record comes in the order of the list.
      if (newest?._id !== _id || (await isIdle(ctx, newest, now))) {
        return undefined;
      }
      return show({ name, key });
    },
    opts,
    depletionFields(args),
  );
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
  // Of a key that calls refuse for its length, as many as can be read.
  const { rows: all } = await readBounded(ctx, storedRows(ctx, name, key));
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

/** Which of the limits to be listed are limits on what runs at once. */
function heldNames(limits: NamedLimits, only: string | undefined): string[] {
  return limits
    .filter(({ config }) => config.kind === "concurrency")
    .map(({ name }) => name)
    .filter((name) => only === undefined || only === name);
}

/** Of limits on what runs at once the keys that are held, each once, by name and key. */
async function readHeldKeys<T>(
  ctx: QueryCtx,
  names: readonly string[],
  prefix: string | undefined,
  opts: Opts,
  show: Show<T>,
  now: number,
): Promise<Page<T>> {
  const inOrder = names.toSorted(compareValues);
  const next = async (after: Place | undefined) => {
    for (const name of inOrder) {
      if (after && compareValues(name, after.name) < 0) continue;
      const found = await ctx.db
        .query("holds")
        .withIndex("name", (q) => {
          const ofName = q.eq("name", name);
          return after?.name === name
            ? ofName.gt("key", after.key)
            : ofName.gte("key", prefix);
        })
        .first();
      if (found !== null) return within(prefix, { name, key: found.key });
    }
    return undefined;
  };
  const showHeld = async ({ name, key }: Place) => {
    const rows = toRows(await storedLeases(ctx, name, key, now));
    return rows.length > 0 ? show({ name, key, rows }) : undefined;
  };
  return readKeysInOrder(ctx, next, showHeld, opts);
}

/** A place whose key begins with the prefix; nothing if it is behind all of those. */
function within(
  prefix: string | undefined,
  place: Place | undefined,
): Place | undefined {
  return place?.key?.startsWith(prefix ?? "") === false ? undefined : place;
}

/** The first text behind all that begin with the prefix; undefined if there is none. */
export function endOf(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Half of a surrogate pair is no character.
  points.push(last === 0xd7ff ? 0xe000 : last + 1);
  return String.fromCodePoint(...points);
}
