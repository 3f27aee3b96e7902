import { v, type Validator } from "convex/values";
import type { QueryStream } from "convex-helpers/server/stream";
import type { Doc, TableNames } from "../component/_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../component/_generated/server.js";
import { before, past, type Span, walk } from "./walk.js";

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

/** The most documents to read in one batch, far below Convex's limits. */
export const BATCH = 1000;

/**
 * The most keys or documents to work on in one batch. A slow machine has a second for it, and while
 * they are in use they may conflict with calls.
 */
export const WORK = 100;

/**
 * Deletes the first documents of spans of a table.
 *
 * @returns Whether there are more.
 */
export async function deleteSome<Table extends TableNames>(
  ctx: MutationCtx,
  table: Table,
  stored: QueryStream<Doc<Table>>,
  ...spans: Span[]
): Promise<boolean> {
  let isAnyMore = false;
  for (const span of spans) {
    const found = walk(stored, span);
    const { items, isMore } = await readBounded(ctx, found, { most: WORK });
    for (const [{ _id }] of items) await ctx.db.delete(table, _id);
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

/**
 * Finds a batch to clear in documents that were stored up to a time, and up to which time to
 * continue.
 *
 * @param newestFirst By when they were stored, in descending order.
 */
export async function findToClear<Stored extends { _creationTime: number }>(
  ctx: QueryCtx,
  newestFirst: QueryStream<Stored>,
  upTo: number,
): Promise<Found<Stored, number>> {
  const upToThen = walk(newestFirst, { from: before(upTo), to: past() });
  const most = WORK;
  const { items, isMore } = await readBounded(ctx, upToThen, { most });
  const found = items.map(([doc]) => doc);
  return { found, next: isMore ? found.at(-1)!._creationTime : undefined };
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
