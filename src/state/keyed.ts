import { compareValues } from "convex/values";
import type { IndexKey } from "convex-helpers/server/stream";
import { invalidCursorError } from "../core/errors.js";
import type { LimitKey } from "../core/validators.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";
import { findBatch, type List, toCursor } from "./pages.js";
import type { Store } from "./store.js";

/* What rows and holds have in common: they are stored by limit and key. */

type Keyed = "rateLimits" | "holds";

/**
 * What housekeeping does with each such table in the same way.
 *
 * @param deleteSome Deletes what is stored for a limit key, and returns whether there is more.
 */
export function ofLimitKeys(
  table: Keyed,
  deleteSome: (ctx: MutationCtx, limitKey: LimitKey) => Promise<boolean>,
): Store {
  const store: Store = {
    async newest({ db }) {
      const newest = db.query(table).withIndex("by_creation_time");
      return (await newest.order("desc").first())?._creationTime ?? 0;
    },

    async nameAfter({ db }, name) {
      const next = await db
        .query(table)
        .withIndex("name", (q) => (name === undefined ? q : q.gt("name", name)))
        .first();
      return next?.name;
    },

    forget: {
      find(ctx, key, cursor) {
        const limits: Pick<List<string>, "read"> = {
          async *read(place) {
            const after = toLimitKey(place)?.name;
            for await (const name of namesOf(ctx, [store], { after })) {
              const stored = ctx.db
                .query(table)
                .withIndex("name", (q) => q.eq("name", name).eq("key", key));
              const find = async () => (await stored.first()) && name;
              yield [[name, undefined], find];
            }
          },
        };
        return findBatch(ctx, limits, cursor);
      },
      forgetIn: (ctx, key, name) => deleteSome(ctx, { name, key }),
    },
  };
  return store;
}

/**
 * The names of all limits in some stores, in the order of Convex's indexes. Reads a row of each
 * store for each name.
 *
 * @param after The names come after this one.
 * @param excluded Names to leave out.
 */
export async function* namesOf(
  ctx: QueryCtx,
  stores: readonly Store[],
  { after, excluded }: { after?: string; excluded?: ReadonlySet<string> },
): AsyncGenerator<string> {
  for (;;) {
    const last = after;
    const next = stores.map(async (store) => store.nameAfter?.(ctx, last));
    const names = (await Promise.all(next)).filter(
      (name) => name !== undefined,
    );
    [after] = names.sort(compareValues);
    if (after === undefined) return;
    if (!excluded?.has(after)) yield after;
  }
}

/**
 * A list of the limit keys in a table, by name and key, each turned into an item by `toItem`. Finds
 * each by a query or two: `distinct` of convex-helpers repeats keys when it continues from a cursor
 * (0.1.124).
 *
 * @param names The limits in order, from a given one on.
 */
export function listByKey<T>(
  { db }: QueryCtx,
  table: Keyed,
  names: (from?: string) => AsyncIterable<string> | Iterable<string>,
  prefix: string | undefined,
  toItem: (limitKey: LimitKey) => Promise<T | null>,
): List<T> {
  return {
    fields: 2,
    async *read(after, upTo) {
      const start = toLimitKey(after);
      const end = toLimitKey(upTo);
      for await (const name of names(start?.name)) {
        let last = start?.name === name ? start : undefined;
        for (;;) {
          const next = await db
            .query(table)
            .withIndex("name", (q) => {
              const ofName = q.eq("name", name);
              return last === undefined
                ? ofName.gte("key", prefix)
                : ofName.gt("key", last.key);
            })
            .first();
          // Keys without the prefix come after all keys that have it.
          if (next === null || !(next.key ?? "").startsWith(prefix ?? ""))
            break;
          const limitKey = { name, key: next.key };
          if (end !== undefined && compare(limitKey, end) > 0) return;
          yield [[name, next.key], () => toItem(limitKey)];
          last = limitKey;
        }
      }
    },
  };
}

/** @throws `InvalidCursor` if the place is not that of a limit key. */
function toLimitKey(place: IndexKey): LimitKey | undefined {
  if (place.length === 0) return undefined;
  const [name, key] = place;
  const isText = key === undefined || typeof key === "string";
  if (typeof name === "string" && isText) return { name, key };
  throw invalidCursorError(toCursor(place));
}

/** In the order of Convex's indexes. */
function compare(a: LimitKey, b: LimitKey): number {
  return compareValues(a.name, b.name) || compareValues(a.key, b.key);
}
