import type { StoredRefillingConfig } from "../../core/config.js";
import { type Limit, ruleOf, toLimit } from "../../core/limit.js";
import type { LimitKey } from "../../core/validators.js";
import type { Row } from "../../core/view.js";
import type { Id } from "../../component/_generated/dataModel.js";
import type {
  MutationCtx,
  QueryCtx,
} from "../../component/_generated/server.js";
import type { Target } from "../state.js";

/** A row. Its `at` is a placeholder if this transaction has written it. */
type Stored = Omit<Row, "at"> & { at?: unknown };

/**
 * A stored row, or undefined if a number in it is not finite: `@convex-dev/rate-limiter` could
 * store NaN. Such a row counts as absent.
 */
export function parseRow(doc: Stored): Row | undefined {
  const { shard, value, ts, fullAt, nextAt, usedAt } = doc;
  const { held, into, rule, plan, close, overlappedAt, owes } = doc;
  if (![value, ts].every(Number.isFinite)) return undefined;
  const at = typeof doc.at === "bigint" ? doc.at : undefined;
  const times = { ts, fullAt, nextAt, usedAt, at, overlappedAt };
  return { shard, value, ...times, held, into, rule, plan, close, owes };
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

/**
 * Stores a row: in place of the one with this id, if there is one.
 *
 * @param isStamped Whether to store when it is committed.
 */
export async function storeRow(
  ctx: MutationCtx,
  target: Target<StoredRefillingConfig>,
  limit: Limit,
  before: { id?: Id<"rateLimits"> | undefined; row?: Row | undefined },
  { endsAt: _, ...row }: Row,
  isStamped: boolean,
): Promise<void> {
  const { name, key } = target;
  const plan = planOf(target, limit, before.row, row);
  // Also shows later calls of this mutation what it has written.
  const at = isStamped ? (row.at ?? ctx.db.vars.commitTs) : undefined;
  const stored = { ...row, name, key, at, plan };
  if (before.id === undefined) await ctx.db.insert("rateLimits", stored);
  else await ctx.db.replace("rateLimits", before.id, stored);
}

/**
 * The plan that a row is to store: the rule of the config, without overrides. Only row 0 stores it,
 * if this call or an earlier one brought a config.
 */
function planOf(
  { name, key, config }: Target<StoredRefillingConfig>,
  limit: Limit,
  before: Row | undefined,
  { shard }: Row,
): string | undefined {
  const { isInline = false, overrides = false } = config;
  if (before?.plan === undefined && !(isInline && shard === 0)) {
    return undefined;
  }
  return ruleOf(overrides ? toLimit(name, config, key) : limit);
}

export async function deleteRows(
  ctx: MutationCtx,
  limitKey: LimitKey,
): Promise<void> {
  for (const { _id } of await queryRows(ctx, limitKey).collect()) {
    await ctx.db.delete("rateLimits", _id);
  }
}
