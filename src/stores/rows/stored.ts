import type { Row } from "../../core/rows.js";
import type { LimitKey } from "../../core/validators.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";

/** A row. Its `at` is a placeholder if this transaction has written it. */
type Stored = Omit<Row, "at"> & { at?: unknown };

/**
 * A stored row, or undefined if a number in it is not finite: `@convex-dev/rate-limiter` could
 * store NaN. Such a row counts as absent.
 */
export function parseRow(doc: Stored): Row | undefined {
  const { shard, value, ts, fullAt, nextAt, usedAt } = doc;
  const { into, rule, plan, close, overlappedAt } = doc;
  if (![value, ts].every(Number.isFinite)) return undefined;
  return {
    shard,
    value,
    ts,
    fullAt,
    nextAt,
    usedAt,
    into,
    rule,
    plan,
    close,
    overlappedAt,
    at: typeof doc.at === "bigint" ? doc.at : undefined,
  };
}

/** The rows that {@link parseRow} does not drop. */
export function parseRows(docs: readonly Stored[]): Row[] {
  return docs.flatMap((doc) => parseRow(doc) ?? []);
}

/** The rows of a limit key, all of them or one. */
export function queryRows(
  ctx: QueryCtx,
  { name, key }: LimitKey,
  shard?: number,
) {
  return ctx.db.query("rateLimits").withIndex("name", (q) => {
    const ofKey = q.eq("name", name).eq("key", key);
    return shard === undefined ? ofKey : ofKey.eq("shard", shard);
  });
}

export async function deleteRows(
  ctx: MutationCtx,
  limitKey: LimitKey,
): Promise<void> {
  for (const { _id } of await queryRows(ctx, limitKey).collect()) {
    await ctx.db.delete("rateLimits", _id);
  }
}
