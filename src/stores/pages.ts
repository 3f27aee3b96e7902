import { compareValues, jsonToConvex, type JSONValue } from "convex/values";
import type { QueryStream } from "convex-helpers/server/stream";
import type { PaginationOptions } from "convex/server";
import type { StoredConfig } from "../core/config.js";
import type { Row } from "../core/rows.js";
import type { NamedLimits, LimitKey } from "../core/validators.js";
import type { QueryCtx } from "../component/_generated/server.js";
import { isBudgetUsed } from "./budget.js";

export type Page<T> = { page: T[]; isDone: boolean; continueCursor: string };

/** How many items to read, after which cursor, and up to which. */
type PageOptions = Pick<PaginationOptions, "numItems" | "cursor" | "endCursor">;

/** The cursor at the end of a list. */
export const END_CURSOR = "[]";

/** What a batch looks for: where a key is stored, from a cursor on. */
export type KeyAndCursor = { key: string; cursor?: string | undefined };

/** A page ends once it has read this many bytes of stored rows. */
export const PAGE_BYTES = 2 ** 21;

/** A list that is read a page at a time. Each item is made only when it is needed. */
export type List<T> = {
  /** How many values its cursors have. */
  fields: number;
  read: (opts: PageOptions) => Promise<Page<() => Promise<T | null>>>;
};

/** A list of stored rows, each turned into an item by `toItem`; nulls are left out. */
export function listOf<Stored extends NonNullable<unknown>, T>(
  stored: QueryStream<Stored>,
  toItem: (row: Stored) => Promise<T | null>,
): List<T> {
  return {
    fields: stored.getIndexFields().length,
    read: async (opts) => {
      const maximumBytesRead = PAGE_BYTES;
      const read = await stored.paginate({ ...opts, maximumBytesRead });
      const page = read.page.map((row) => () => toItem(row));
      return { ...read, page };
    },
  };
}

/** The most keys to find at a time: each takes a query or two. */
const MAX_KEYS_FOUND = 100;

/**
 * A list of limit keys, by name and key, each turned into an item by `toItem`; `next` finds each
 * from the one before. Does not use `distinct` of convex-helpers, which repeats keys when it
 * continues from a cursor (0.1.124).
 */
export function listByKey<T>(
  next: (after: LimitKey | undefined) => Promise<LimitKey | undefined>,
  toItem: (limitKey: LimitKey) => Promise<T | null>,
): List<T> {
  return {
    fields: 2,
    read: async ({ numItems, cursor, endCursor }) => {
      const page: (() => Promise<T | null>)[] = [];
      const end = endCursor ?? END_CURSOR;
      if (cursor === END_CURSOR)
        return { page, isDone: true, continueCursor: END_CURSOR };
      const last = end === END_CURSOR ? undefined : toLimitKey(end);
      let after = cursor ? toLimitKey(cursor) : undefined;
      for (;;) {
        if (
          page.length >=
          (endCursor ? MAX_KEYS_FOUND : Math.min(numItems, MAX_KEYS_FOUND))
        ) {
          return { page, isDone: false, continueCursor: toCursor(after!) };
        }
        const found = await next(after);
        if (found === undefined || (last && compare(found, last) > 0)) {
          return { page, isDone: end === END_CURSOR, continueCursor: end };
        }
        after = found;
        page.push(() => toItem(found));
      }
    },
  };
}

function toCursor({ name, key }: LimitKey): string {
  return JSON.stringify([name, key ?? null]);
}

function toLimitKey(cursor: string): LimitKey {
  const [name, key] = JSON.parse(cursor) as unknown[];
  if (typeof name !== "string" || (key !== null && typeof key !== "string")) {
    throw invalidCursorError(cursor);
  }
  return { name, key: key ?? undefined };
}

/** In the order of Convex's indexes. */
function compare(a: LimitKey, b: LimitKey): number {
  return compareValues(a.name, b.name) || compareValues(a.key, b.key);
}

/**
 * Reads a page of several lists, one after another. Its cursor holds the list in which the page
 * ends, and where. The page ends early if more would be too much for one transaction.
 *
 * Does not use `mergedStream` of convex-helpers, which refuses lists of different tables with
 * different indexes.
 */
export async function readInTurn<Found, T>(
  ctx: QueryCtx,
  lists: readonly List<Found>[],
  show: (found: Found) => Promise<T | null>,
  { numItems, cursor, endCursor }: PageOptions,
): Promise<Page<T>> {
  const end = endCursor ? parseCursor(endCursor, lists) : undefined;
  const page: T[] = [];
  let { turn, at } = parseCursor(cursor ?? "0:", lists);
  let isFirst = true;
  for (;;) {
    const here = { page, isDone: false, continueCursor: `${turn}:${at}` };
    const isFull = end === undefined && page.length >= numItems;
    if (isFull || (end?.turn === turn && end.at === at)) return here;
    const list = lists[turn]!;
    const opts = {
      numItems: Math.max(1, numItems - page.length),
      cursor: at || null,
    };
    const upTo = (end?.turn === turn && end.at) || null;
    const read = await list.read({ ...opts, endCursor: upTo });
    for (const [i, toItem] of read.page.entries()) {
      if (!isFirst && (await isBudgetUsed(ctx))) {
        if (i === 0) return here;
        const { continueCursor } = await list.read({ ...opts, numItems: i });
        return { ...here, continueCursor: `${turn}:${continueCursor}` };
      }
      isFirst = false;
      const found = await toItem();
      const shown = found && (await show(found));
      if (shown !== null) page.push(shown);
    }
    if (!read.isDone) at = read.continueCursor;
    else if (turn === lists.length - 1) {
      return { page, isDone: true, continueCursor: `${turn}:${END_CURSOR}` };
    } else {
      turn += 1;
      at = "";
    }
  }
}

/** @throws `InvalidCursor` if this is not a cursor of `readInTurn`. */
function parseCursor(
  cursor: string,
  lists: readonly List<unknown>[],
): { turn: number; at: string } {
  const [, digits, at] = /^(\d+):(.*)$/s.exec(cursor) ?? [];
  const turn = Number(digits);
  const list = lists[turn];
  if (at === undefined || list === undefined) throw invalidCursorError(cursor);
  requireCursor(at, list.fields);
  return { turn, at };
}

/**
 * @throws `InvalidCursor` if this is not a list of `fields` values, as the cursors of an index are.
 */
export function requireCursor(
  cursor: string | null | undefined,
  fields: number,
): void {
  if (!cursor || cursor === END_CURSOR) return;
  try {
    const key: unknown = jsonToConvex(JSON.parse(cursor) as JSONValue);
    if (Array.isArray(key) && key.length === fields) return;
  } catch {
    // Not JSON, or not a Convex value.
  }
  throw invalidCursorError(cursor);
}

/** On this error, Convex's hooks start again with the first page. */
function invalidCursorError(cursor: string): Error {
  return new Error(`InvalidCursor: ${JSON.stringify(cursor)}`);
}

/** @throws An `Error` if `numItems` is not a whole number of at least 1. */
export function requireNumItems({ numItems }: PageOptions): void {
  if (Number.isInteger(numItems) && numItems >= 1) return;
  throw new Error(
    `paginationOpts.numItems must be a whole number of at least 1, but is ${numItems}.`,
  );
}

/** The arguments of `list`, without those of the page. */
export type ListArgs = {
  limits: NamedLimits;
  /** Only the keys of this limit. */
  name?: string;
  order?: "key" | "depleted";
  /** Only keys that begin with it. Needs a name and the order by key. */
  prefix?: string;
};

/**
 * A key in use, where it was found, its rows, and the config that is stored with them, if any.
 */
export type InUse = LimitKey & {
  store: "rows" | "leases";
  rows: Row[];
  config?: StoredConfig;
};

/**
 * The limit key that was found; undefined if its key lacks the prefix, since it then comes after
 * all keys that have it.
 */
export function limitKeyWithPrefix(
  prefix: string | undefined,
  found: LimitKey | null,
): LimitKey | undefined {
  if (found === null) return undefined;
  const { name, key } = found;
  return key?.startsWith(prefix ?? "") === false ? undefined : { name, key };
}

/** The first string after all those that begin with the prefix; undefined if there is none. */
export function afterPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!);
  while (points.at(-1) === 0x10ffff) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  // Surrogates are not characters, so skip them.
  points.push(last === 0xd7ff ? 0xe000 : last + 1);
  return String.fromCodePoint(...points);
}
