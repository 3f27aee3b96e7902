import { compareValues } from "convex/values";
import { END, type Opts, type Page } from "./inTurn.js";

/** A limit and one of its keys. */
export type Place = { name: string; key: string | undefined };

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
