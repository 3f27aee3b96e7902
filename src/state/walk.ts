import { compareValues } from "convex/values";
import type { IndexKey, QueryStream } from "convex-helpers/server/stream";

/*
 * How lists and housekeeping go through an index. Where Convex stores in SQLite, it reads a range to
 * its end each time that it fetches some documents of it (convex-backend, crates/sqlite). So a walk
 * asks for short ranges first, and for longer ones only if these are empty.
 */

/** A point in the order of a walk: before or past all that begins with these values. */
type Cut = { at: IndexKey; isPast: boolean };

/** What lies between two points. */
export type Span = { from: Cut; to: Cut };

export const before = (...at: IndexKey): Cut => ({ at, isPast: false });
export const past = (...at: IndexKey): Cut => ({ at, isPast: true });

export const ALL: Span = { from: before(), to: past() };

type Order = "asc" | "desc";

/** A backend fetches so many documents at a time. For more, it would read the range again. */
const FETCHED = 100;

/** A walk reads so many documents of a place before it jumps over the others. */
const PASSED_OVER = 3;

/**
 * Walks through documents in the order of their index. Each comes with its place.
 *
 * @param stored An index, narrowed by equal values at most.
 * @param fields How many values a place has. Of documents with the same place, only the first comes.
 */
export async function* walk<T extends NonNullable<unknown>>(
  stored: QueryStream<T>,
  span: Span = ALL,
  fields: number = stored.getIndexFields().length,
): AsyncGenerator<[T, IndexKey]> {
  const order = stored.getOrder();
  const equal = stored.getEqualityIndexFilter();
  const whole = { from: before(...equal), to: past(...equal) };
  const { from, to } = overlap(span, whole, order);
  let start = from;
  while (compare(start, to, order) < 0) {
    for (const end of growing(start, to, stored)) {
      let last: IndexKey | undefined;
      let fetched = 0;
      let same = 0;
      for await (const [doc, key] of between(stored, start, end)) {
        const place = key.slice(0, fields);
        fetched += 1;
        same = last !== undefined && isSame(place, last) ? same + 1 : 0;
        last = place;
        if (doc !== null && same === 0) yield [doc, place];
        if (fetched === FETCHED || same === PASSED_OVER) break;
      }
      const isCut = fetched === FETCHED || same === PASSED_OVER;
      start = isCut ? past(...last!) : end;
      if (isCut) break;
    }
  }
}

/** The documents of a stream between two points. */
function between<T extends NonNullable<unknown>>(
  stored: QueryStream<T>,
  from: Cut,
  to: Cut,
) {
  const first = { at: from.at, isIncluded: !from.isPast };
  const last = { at: to.at, isIncluded: to.isPast };
  const isUp = stored.getOrder() === "asc";
  const [lower, upper] = isUp ? [first, last] : [last, first];
  const narrowed = stored.narrow({
    lowerBound: lower.at,
    lowerBoundInclusive: lower.isIncluded,
    upperBound: upper.at,
    upperBoundInclusive: upper.isIncluded,
  });
  return narrowed.iterWithKeys();
}

/** Where ranges from a point on may end, from near to far. The last one is `to`. */
function* growing(
  from: Cut,
  to: Cut,
  stored: QueryStream<NonNullable<unknown>>,
): Generator<Cut> {
  const order = stored.getOrder();
  const fields = stored.getIndexFields();
  function* ends() {
    for (let depth = from.at.length - 1; depth >= 0; depth--) {
      const head = from.at.slice(0, depth);
      // Nothing is near an id.
      const values =
        fields[depth] === "_id" ? [] : valuesAfter(from.at[depth], order);
      for (const value of values) yield before(...head, value);
      yield past(...head);
    }
  }
  let last = from;
  for (const end of ends()) {
    if (compare(end, to, order) >= 0) break;
    if (compare(end, last, order) <= 0) continue;
    yield end;
    last = end;
  }
  yield to;
}

/** Texts share beginnings, times come in clusters: the distance to the next may be anything. */
function* valuesAfter(
  value: IndexKey[number],
  order: Order,
): Generator<string | number | bigint> {
  const sign = order === "asc" ? 1 : -1;
  if (typeof value === "number" && Number.isFinite(value)) {
    // From a second to a century.
    for (let step = 1e3; step < 1e13; step *= 256) yield value + sign * step;
  } else if (typeof value === "bigint") {
    for (let step = 1e9; step < 1e19; step *= 256) {
      yield value + BigInt(sign * step);
    }
  } else if (typeof value === "string" && order === "asc") {
    const beginning = value.slice(0, 64).replace(/\p{Surrogate}$/u, "");
    const characters = Array.from(beginning);
    let length = characters.length;
    for (let step = 1; length > 0; length -= step, step *= 2) {
      // Past those that begin alike, and past those that begin with the next character.
      const next = textAfter(characters.slice(0, length).join(""));
      if (next === undefined) continue;
      yield next;
      yield textAfter(next) ?? next;
    }
  }
}

/** The first text after all that begin with a prefix; undefined if there is none. */
export function textAfter(prefix: string): string | undefined {
  const characters = Array.from(prefix);
  while (characters.length > 0) {
    const code = characters.pop()!.codePointAt(0)! + 1;
    if (code > 0x10ffff) continue;
    // Halves of surrogate pairs are no characters.
    const next = code === 0xd800 ? 0xe000 : code;
    return characters.join("") + String.fromCodePoint(next);
  }
  return undefined;
}

/** What lies in two spans. */
export function overlap(a: Span, b: Span, order: Order): Span {
  return {
    from: compare(a.from, b.from, order) < 0 ? b.from : a.from,
    to: compare(a.to, b.to, order) < 0 ? a.to : b.to,
  };
}

function isSame(a: IndexKey, b: IndexKey): boolean {
  return a.every((value, i) => compareValues(value, b[i]) === 0);
}

/** Compares two points in the order of a walk. */
function compare(a: Cut, b: Cut, order: Order): number {
  const sign = order === "asc" ? 1 : -1;
  const shared = Math.min(a.at.length, b.at.length);
  for (let i = 0; i < shared; i++) {
    const difference = compareValues(a.at[i], b.at[i]);
    if (difference !== 0) return sign * difference;
  }
  const sideOf = ({ at, isPast }: Cut) =>
    at.length === shared ? (isPast ? 1 : -1) : 0;
  return sideOf(a) - sideOf(b);
}
