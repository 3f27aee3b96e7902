import { compareValues } from "convex/values";
import type { LimitKey } from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";
import { deleteSome, isBudgetUsed } from "./budget.js";
import { END_CURSOR, type KeyAndCursor } from "./pages.js";
import { deleteReadable } from "./rows/housekeeping.js";
import { queryRows } from "./rows/stored.js";
import { lookOrRead } from "./stale.js";

/** The limits in which a key has rows or holds, and the cursor to continue from. */
type FoundLimits = { names: string[]; cursor: string };

/**
 * Deletes the rows and the holds of a key, limit by limit.
 *
 * Finds the limits by a look: to find a name is to read a row that may be another key's, and calls
 * write such rows all the time. Reads what it deletes, so what a call adds meanwhile is deleted,
 * too.
 */
export async function forgetLimits(
  ctx: MutationCtx,
  key: string,
  cursor: string | undefined,
): Promise<string | undefined> {
  const args: KeyAndCursor = { key, cursor };
  const { limitsOfKey } = internal.jobs;
  const found = await lookOrRead(ctx, limitsOfKey, args, findLimits);
  let done = cursor;
  for (const [i, name] of found.names.entries()) {
    if (i > 0 && (await isBudgetUsed(ctx))) return done;
    const isMore = await deleteOf(ctx, { name, key });
    if (isMore) return done;
    done = cursorAt(name);
  }
  return found.cursor;
}

/** The first limits after a cursor in which a key has rows or holds. */
export async function findLimits(
  ctx: QueryCtx,
  { key, cursor }: KeyAndCursor,
): Promise<FoundLimits> {
  const [after] = JSON.parse(cursor ?? END_CURSOR) as [string?];
  const names: string[] = [];
  for await (const name of namesOf(ctx, after)) {
    if (await isStored(ctx, { name, key })) names.push(name);
    if (await isBudgetUsed(ctx)) return { names, cursor: cursorAt(name) };
  }
  return { names, cursor: END_CURSOR };
}

async function isStored(
  ctx: QueryCtx,
  { name, key }: LimitKey,
): Promise<boolean> {
  const found = await Promise.all([
    queryRows(ctx, name, key).first(),
    queryHolds(ctx, name, key).first(),
  ]);
  return found.some((doc) => doc !== null);
}

/** Deletes what one limit stores for a key, and returns whether there is more. */
async function deleteOf(
  ctx: MutationCtx,
  { name, key }: LimitKey,
): Promise<boolean> {
  return (
    (await deleteReadable(ctx, { name, key })) ||
    (await deleteSome(ctx, "holds", queryHolds(ctx, name, key)))
  );
}

function queryHolds({ db }: QueryCtx, name: string, key: string | undefined) {
  return db
    .query("holds")
    .withIndex("name", (q) => q.eq("name", name).eq("key", key));
}

const cursorAt = (name: string) => JSON.stringify([name]);

/**
 * The names of all limits with rows or holds, in the order of Convex's indexes, from after a given
 * name on. Reads two rows for each name.
 *
 * @param excluded Names to leave out.
 */
export async function* namesOf(
  { db }: QueryCtx,
  after?: string,
  excluded: ReadonlySet<string> = new Set(),
): AsyncGenerator<string> {
  for (;;) {
    const last = after;
    const found = await Promise.all([
      db
        .query("rateLimits")
        .withIndex("name", (q) => (last === undefined ? q : q.gt("name", last)))
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
    if (!excluded.has(after)) yield after;
  }
}
