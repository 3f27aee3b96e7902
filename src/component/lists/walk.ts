import type { PaginationOptions } from "convex/server";
import { compareValues } from "convex/values";
import type { Place } from "../ledgers/ledger.js";

export type Page<T> = { page: T[]; isDone: boolean; continueCursor: string };

/** How much of a list is read, from which cursor on, and up to which. */
export type Opts = Pick<PaginationOptions, "numItems" | "cursor" | "endCursor">;

/** One of the lists. It knows {@link END}, and a cursor means as much to it as it says itself. */
type List<T> = (opts: Opts) => Promise<Page<T>>;

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
    // What Convex's hooks take as a reason to start again with the first page.
    throw new Error(`InvalidCursor: ${JSON.stringify(cursor)}`);
  }
  return { list: Number(list), at };
}

/** So many keys are looked at for one page: each takes a few reads, of Convex's 4,096. */
const MOST = 1000;

/**
 * A page of limits and keys, by name and key: what `show` makes of those that `next` finds,
 * each from the one before. It leaves out those of which it makes nothing.
 */
export async function readKeysInOrder<T>(
  next: (after: Place | undefined) => Promise<Place | undefined>,
  show: (place: Place) => Promise<T | undefined>,
  { numItems, cursor, endCursor }: Opts,
): Promise<Page<T>> {
  const page: T[] = [];
  const end = endCursor || undefined;
  const last = end === undefined || end === END ? undefined : toPlace(end);
  let place = cursor ? toPlace(cursor) : undefined;
  for (let looked = 0; ; looked++) {
    if (end === undefined && (page.length >= numItems || looked >= MOST)) {
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
  const [name, key] = JSON.parse(cursor) as [string, string | null];
  return { name, key: key ?? undefined };
}

/** As Convex's indexes do. */
function compare(a: Place, b: Place): number {
  return compareValues(a.name, b.name) || compareValues(a.key, b.key);
}
