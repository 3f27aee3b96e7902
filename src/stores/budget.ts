import { type Infer, v } from "convex/values";
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

/**
 * Deletes the first documents of a query on a table.
 *
 * @returns Whether there are more.
 */
export async function deleteSome<Table extends TableNames>(
  ctx: MutationCtx,
  table: Table,
  query: AsyncIterable<Doc<Table>>,
  most?: number,
): Promise<boolean> {
  const { items, isMore } = await readBounded(ctx, query, { most });
  for (const { _id } of items) await ctx.db.delete(table, _id);
  return isMore;
}

/** The most rows to delete, or keys to make full, in one transaction. */
export const CLEARED_AT_ONCE = 100;

/** What is left to clear in a store. */
export const vRemainder = () =>
  v.object({
    /** Clears only what was stored up to this time, in ms. */
    before: v.number(),
    /** Rows and holds are cleared newest first: continue with those created up to this time. */
    cursor: v.optional(v.number()),
  });

export type Remainder = Infer<ReturnType<typeof vRemainder>>;
