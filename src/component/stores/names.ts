import { compareValues } from "convex/values";
import type { QueryCtx } from "../_generated/server.js";

/**
 * The names of all limits with rows, debits or holds, after one of them, in the order of Convex's
 * indexes. Reads three rows for each name.
 *
 * @param left Names to leave out.
 */
export async function* namesOf(
  { db }: QueryCtx,
  after?: string,
  left: ReadonlySet<string> = new Set(),
): AsyncGenerator<string> {
  for (;;) {
    const last = after;
    const found = await Promise.all([
      db
        .query("rateLimits")
        .withIndex("name", (q) => (last === undefined ? q : q.gt("name", last)))
        .first(),
      db
        .query("debits")
        .withIndex("at", (q) => (last === undefined ? q : q.gt("name", last)))
        .first(),
      db
        .query("holds")
        .withIndex("name", (q) => (last === undefined ? q : q.gt("name", last)))
        .first(),
    ]);
    [after] = found
      .flatMap((row) => (row === null ? [] : [row.name]))
      .sort(compareValues);
    if (after === undefined) return;
    if (!left.has(after)) yield after;
  }
}
