import { v, type Validator } from "convex/values";
import type { Doc, TableNames } from "../component/_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";

/**
 * Whether a transaction has used this share of what Convex lets it read and write. A quarter by
 * default, since each row that a look found is read twice more when it is deleted.
 */
export async function isBudgetUsed(
  ctx: QueryCtx,
  share: number = 1 / 4,
): Promise<boolean> {
  const { bytesRead, documentsRead, databaseQueries, documentsWritten } =
    await ctx.meta.getTransactionMetrics();
  return [bytesRead, documentsRead, databaseQueries, documentsWritten].some(
    ({ used, remaining }) => used > share * (used + remaining),
  );
}

/** The first items of a query: at least one, at most `most`, and no more than the budget allows. */
export async function readBounded<T>(
  ctx: QueryCtx,
  query: AsyncIterable<T>,
  { most = Infinity, share }: { most?: number; share?: number } = {},
): Promise<{ items: T[]; isMore: boolean }> {
  const items: T[] = [];
  for await (const item of query) {
    if (
      items.length >= most ||
      (items.length > 0 && (await isBudgetUsed(ctx, share)))
    ) {
      return { items, isMore: true };
    }
    items.push(item);
  }
  return { items, isMore: false };
}

/** The most documents to clear in one batch: those in use may conflict with calls. */
const CLEARED_AT_ONCE = 100;

/** The most documents to find or to delete in one batch, far below Convex's limits. */
export const BATCH = 1000;

/**
 * Deletes the first documents of queries on a table.
 *
 * @returns Whether there are more.
 */
export async function deleteSome<Table extends TableNames>(
  ctx: MutationCtx,
  table: Table,
  ...queries: AsyncIterable<Doc<Table>>[]
): Promise<boolean> {
  let isAnyMore = false;
  for (const query of queries) {
    const { items, isMore } = await readBounded(ctx, query, { most: BATCH });
    for (const { _id } of items) await ctx.db.delete(table, _id);
    isAnyMore ||= isMore;
  }
  return isAnyMore;
}

/** What a batch has found to work on, and the cursor to search on from; without it, that is all. */
export type Found<T, Cursor = string> = {
  found: T[];
  next?: Cursor | undefined;
};

/** Any {@link Found}. */
export const vFound = <T>(vOne: Validator<T, "required", string>) =>
  v.object({ found: v.array(vOne), next: v.optional(v.string()) });

/** Finds a batch to clear in documents, the newest first, and up to which time to continue. */
export async function findToClear<Stored extends { _creationTime: number }>(
  ctx: QueryCtx,
  newestFirst: AsyncIterable<Stored>,
): Promise<Found<Stored, number>> {
  const most = CLEARED_AT_ONCE;
  const { items, isMore } = await readBounded(ctx, newestFirst, { most });
  return {
    found: items,
    next: isMore ? items.at(-1)!._creationTime : undefined,
  };
}

/**
 * Works on what a batch has found, until a share of the budget is used: to find it took a quarter.
 *
 * @param cursor Where the batch began. To begin there again finds what is left.
 * @param work Returns whether there is more to do.
 * @returns The cursor to continue from; undefined if all is done.
 */
export async function workOn<T, Cursor>(
  ctx: QueryCtx,
  { found, next }: Found<T, Cursor>,
  cursor: Cursor,
  work: (one: T) => Promise<boolean>,
  share: number = 1 / 2,
): Promise<Cursor | undefined> {
  for (const [i, one] of found.entries()) {
    if (i > 0 && (await isBudgetUsed(ctx, share))) return cursor;
    if (await work(one)) return cursor;
  }
  return next;
}
