import { compareValues } from "convex/values";
import type { IndexKey, QueryStream } from "convex-helpers/server/stream";
import { invalidCursorError } from "../core/errors.js";
import type { LimitKey } from "../core/validators.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";
import { findBatch, type List, listOf, toCursor } from "./pages.js";
import type { Store } from "./store.js";
import { ALL, before, past, type Span, textAfter, walk } from "./walk.js";

/* What rows and holds have in common: they are stored by limit and key. */

/** What housekeeping has to know of such a table. */
type Keyed = {
  table: "rateLimits" | "holds";
  /** All that is stored, by limit and key. */
  byLimit: (ctx: QueryCtx) => QueryStream<LimitKey>;
  /** What is stored of one key, by limit. */
  ofKey: (ctx: QueryCtx, key: string) => QueryStream<LimitKey>;
  /** Deletes what is stored for a limit key, and returns whether there is more. */
  deleteSome: (ctx: MutationCtx, limitKey: LimitKey) => Promise<boolean>;
};

/** What housekeeping does with each such table in the same way. */
export function ofLimitKeys({
  table,
  byLimit,
  ofKey,
  deleteSome,
}: Keyed): Store {
  return {
    async newestSince({ db }, since) {
      const newest = db
        .query(table)
        .withIndex("by_creation_time", (q) => q.gt("_creationTime", since))
        .order("desc");
      return (await newest.first())?._creationTime ?? since;
    },

    async *limitsBeside(ctx, known, key) {
      if (key === undefined) {
        for (const span of spansBeside([...known])) {
          for await (const [{ name }] of walk(byLimit(ctx), span, 1))
            yield name;
        }
        return;
      }
      for await (const [{ name }] of walk(ofKey(ctx, key), ALL, 2)) {
        if (!known.has(name)) yield name;
      }
    },

    forget: {
      find(ctx, key, cursor) {
        const toName = async ({ name }: LimitKey) => name;
        const limits = listOf(ofKey(ctx, key), toName, { fields: 2 });
        return findBatch(ctx, limits, cursor);
      },
      sweepIn: (ctx, key, name) => deleteSome(ctx, { name, key }),
    },
  };
}

/**
 * A list of the limit keys in a table, by name and key, each turned into an item by `toItem`.
 *
 * @param spans What the list goes through, in order.
 */
export function listByKey<T>(
  byLimit: QueryStream<LimitKey>,
  spans: readonly Span[],
  toItem: (limitKey: LimitKey) => Promise<T | null>,
): List<T> {
  const list = listOf(byLimit, ({ name, key }) => toItem({ name, key }), {
    fields: 2,
    spans,
  });
  return {
    ...list,
    read(after, upTo) {
      for (const place of [after, upTo]) requireLimitKey(place);
      return list.read(after, upTo);
    },
  };
}

/** @throws `InvalidCursor` if the place is not that of a limit key. */
function requireLimitKey(place: IndexKey): void {
  const isText = (value: IndexKey[number]) => typeof value === "string";
  const [name, key] = place;
  const isOne = isText(name) && (key === undefined || isText(key));
  if (place.length > 0 && !isOne) throw invalidCursorError(toCursor(place));
}

const sorted = (names: readonly string[]) => names.toSorted(compareValues);

/** Limits between those with these names, without them. */
function spansBeside(names: readonly string[]): Span[] {
  const known = sorted(names);
  const ends = [...known.map((name) => before(name)), past()];
  return ends.map((to, i) => ({
    from: i === 0 ? before() : past(known[i - 1]),
    to,
  }));
}

/** The most spans into which all limits are divided. */
const MOST_SPANS = 100;

/** All limits, divided at known names: where these are stored, short ranges are known to hold some. */
export function spansAt(names: readonly string[]): Span[] {
  const every = Math.ceil(names.length / MOST_SPANS);
  const some = sorted(names).filter((_, i) => i % every === 0);
  const ends = [...some.map((name) => before(name)), past()];
  return ends.map((to, i) => ({ from: ends[i - 1] ?? before(), to }));
}

/** The keys of a limit, or those that begin with a prefix. */
export function spanOfLimit(name: string, prefix?: string): Span {
  if (prefix === undefined) return { from: before(name), to: past(name) };
  const end = textAfter(prefix);
  return {
    from: before(name, prefix),
    to: end === undefined ? past(name) : before(name, end),
  };
}
