import type { Doc, TableNames } from "../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../_generated/server.js";

/**
 * Whether a transaction has used this share of what Convex lets it read and write. A quarter by
 * default, since each row that a look found is read twice more to delete it.
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

/** The first rows of a query: at least one, at most `most`, and no more than the budget allows. */
export async function readBounded<T>(
  ctx: QueryCtx,
  query: AsyncIterable<T>,
  { most = Infinity, share }: { most?: number; share?: number } = {},
): Promise<{ rows: T[]; isMore: boolean }> {
  const rows: T[] = [];
  for await (const row of query) {
    if (
      rows.length >= most ||
      (rows.length > 0 && (await isBudgetUsed(ctx, share)))
    ) {
      return { rows, isMore: true };
    }
    rows.push(row);
  }
  return { rows, isMore: false };
}

/**
 * Deletes the first rows of a query on a table.
 *
 * @returns Whether there are more.
 */
export async function deleteSome<Table extends TableNames>(
  ctx: MutationCtx,
  table: Table,
  query: AsyncIterable<Doc<Table>>,
  most?: number,
): Promise<boolean> {
  const { rows, isMore } = await readBounded(ctx, query, { most });
  for (const { _id } of rows) await ctx.db.delete(table, _id);
  return isMore;
}
