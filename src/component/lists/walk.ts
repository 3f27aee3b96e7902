import type { PaginationOptions } from "convex/server";
import { compareValues, jsonToConvex, type JSONValue } from "convex/values";
import type { Place } from "../../core/vPlace.js";
import type { QueryCtx } from "../_generated/server.js";
import { isSpent } from "../bounded.js";

export type Page<T> = { page: T[]; isDone: boolean; continueCursor: string };

/** How much of a list is read, from which cursor on, and up to which. */
export type Opts = Pick<PaginationOptions, "numItems" | "cursor" | "endCursor">;

/** One of the lists. It knows {@link END}, and a cursor means as much to it as it says itself. */
type List<T> = (opts: Opts) => Promise<Page<T>>;

/** The cursor before all that a list holds. */
export const START = "";

/** The cursor behind whatever a list holds by then. */
export const END = "[]";

/**
 * A page of lists that come one after another. Its cursors say which of them, and where in it:
 * nothing for its beginning.
 */
export async function readInTurn<T>(
  lists: readonly List<T>[],
  { numItems, cursor, endCursor }: Opts,
): Promise<Page<T>> {
  const page: T[] = [];
  const from =
    cursor === null ? { list: 0, at: "" } : parseCursor(cursor, lists);
  const to = endCursor ? parseCursor(endCursor, lists) : undefined;
  for (let i = from.list; ; i++) {
    const start = `${i}:`;
    const isFull = to === undefined && page.length >= numItems;
    if (isFull || (to?.list === i && to.at === "")) {
      return { page, isDone: false, continueCursor: start };
    }
    const read = await lists[i]!({
      numItems: Math.max(1, numItems - page.length),
      cursor: (i === from.list && from.at) || null,
      endCursor: to && (to.list === i ? to.at : END),
    });
    page.push(...read.page);
    const isEnd = to?.list === i || i === lists.length - 1;
    if (!read.isDone || isEnd) {
      return { ...read, page, continueCursor: start + read.continueCursor };
    }
  }
}

function parseCursor(
  cursor: string,
  lists: readonly unknown[],
): { list: number; at: string } {
  const [, list, at] = /^(\d):(.*)$/s.exec(cursor) ?? [];
  if (at === undefined || lists[Number(list)] === undefined) {
    throw invalidCursor(cursor);
  }
  return { list: Number(list), at };
}

/** What Convex's hooks take as a reason to start again with the first page. */
function invalidCursor(cursor: string): Error {
  return new Error(`InvalidCursor: ${JSON.stringify(cursor)}`);
}

/** @throws `InvalidCursor` if this is no list of so many values, as all cursors are within an index. */
function parseKey(cursor: string, length: number): unknown[] {
  try {
    const key: unknown = jsonToConvex(JSON.parse(cursor) as JSONValue);
    if (Array.isArray(key) && key.length === length) return key;
  } catch {
    // It is no JSON, or that of no value.
  }
  throw invalidCursor(cursor);
}

/** @throws An `Error` that says what is wrong with the page that is asked for. */
export function requirePage({ numItems }: Opts): void {
  if (Number.isInteger(numItems) && numItems >= 1) return;
  throw new Error(
    `paginationOpts.numItems must be a whole number of at least 1, but is ${numItems}.`,
  );
}

/** @throws `InvalidCursor` if a cursor is none within an index of so many fields. */
export function requireCursors(
  { cursor, endCursor }: Opts,
  fields: number,
): void {
  for (const one of [cursor, endCursor]) {
    // Every index ends with the time of creation and the id.
    if (one && one !== END) parseKey(one, fields + 2);
  }
}

/** A page of stored rows ends when it has read so many bytes. */
export const PAGE_BYTES = 2 ** 21;

/**
 * A page of what is stored, in the order of an index of so many fields: what `show` makes of
 * each row. It ends early where more would be too much for one transaction.
 */
export async function readStored<Stored, T>(
  ctx: QueryCtx,
  read: (opts: Opts & { maximumBytesRead: number }) => Promise<Page<Stored>>,
  show: (row: Stored) => Promise<T | undefined>,
  opts: Opts,
  fields: number,
): Promise<Page<T>> {
  requireCursors(opts, fields);
  const bounded = { ...opts, maximumBytesRead: PAGE_BYTES };
  const stored = await read(bounded);
  const page: T[] = [];
  for (const [i, row] of stored.page.entries()) {
    if (i > 0 && (await isSpent(ctx))) {
      const upTo = await read({ ...bounded, numItems: i, endCursor: null });
      return { page, isDone: false, continueCursor: upTo.continueCursor };
    }
    const shown = await show(row);
    if (shown !== undefined) page.push(shown);
  }
  const { isDone, continueCursor } = stored;
  return { page, isDone, continueCursor };
}

/**
 * A page of limits and keys, by name and key: what `show` makes of those that `next` finds,
 * each from the one before. It leaves out those of which it makes nothing.
 */
export async function readKeysInOrder<T>(
  ctx: QueryCtx,
  next: (after: Place | undefined) => Promise<Place | undefined>,
  show: (place: Place) => Promise<T | undefined>,
  { numItems, cursor, endCursor }: Opts,
): Promise<Page<T>> {
  const page: T[] = [];
  if (cursor === END) return { page, isDone: true, continueCursor: END };
  const end = endCursor || undefined;
  const last = end === undefined || end === END ? undefined : toPlace(end);
  let place = cursor ? toPlace(cursor) : undefined;
  for (let isFirst = true; ; isFirst = false) {
    const isFull = end === undefined && page.length >= numItems;
    if (isFull || (!isFirst && (await isSpent(ctx)))) {
      return { page, isDone: false, continueCursor: toCursor(place) };
    }
    place = await next(place);
    if (place === undefined || (last && compare(place, last) > 0)) {
      return { page, isDone: !last, continueCursor: end ?? END };
    }
    const shown = await show(place);
    if (shown !== undefined) page.push(shown);
  }
}

function toCursor(place: Place | undefined): string {
  return place === undefined
    ? ""
    : JSON.stringify([place.name, place.key ?? null]);
}

function toPlace(cursor: string): Place {
  const [name, key] = parseKey(cursor, 2);
  if (typeof name !== "string" || (key !== null && typeof key !== "string")) {
    throw invalidCursor(cursor);
  }
  return { name, key: key ?? undefined };
}

/** As Convex's indexes do. */
function compare(a: Place, b: Place): number {
  return compareValues(a.name, b.name) || compareValues(a.key, b.key);
}
