import type { LimitKey } from "../../../core/vLimitKey.js";
import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import { isBudgetUsed } from "../budget.js";
import { CLEARED_AT_ONCE, type From } from "../clearing.js";
import { lookStale } from "../stale.js";
import { newestDebit, nextDebit, ownDebit } from "./stored.js";

/**
 * Makes limits and keys with debits full, by name and key, unless they were used after `before`.
 * Appends a debit that does so instead of deleting debits, since a call in flight would bring the
 * old balance back; the vacuum later deletes the debits that it saw. Conflicts with no call that
 * takes tokens.
 */
export async function clearDebits(
  ctx: MutationCtx,
  { before, after }: From,
): Promise<From | undefined> {
  for (const { name, key } of await ownDebits(ctx)) {
    await appendFull(ctx, { name, key }, null);
  }
  const seen = await lookStale(ctx, internal.clear.debited, { after });
  for (const { name, key, usedAt, newest } of seen.limitKeys) {
    if (usedAt <= before) await appendFull(ctx, { name, key }, newest);
  }
  if (!seen.isMore) return undefined;
  const { name, key } = seen.limitKeys.at(-1)!;
  return { before, after: { name, key } };
}

/**
 * Makes a limit and key with debits full: in this transaction's own debit if there is one, else by
 * a new debit.
 */
export async function appendFull(
  ctx: MutationCtx,
  { name, key }: LimitKey,
  newest: bigint | null,
): Promise<void> {
  const now = Date.now();
  const full = {
    reset: true as const,
    count: 0,
    value: 0,
    ts: now,
    fullAt: now,
  };
  const own = await ownDebit(ctx, { name, key });
  if (own !== null) await ctx.db.patch("debits", own._id, full);
  else if (newest !== null) {
    const at = ctx.db.vars.commitTs;
    await ctx.db.insert("debits", { name, key, ...full, at, seen: newest });
  }
}

/** The debits that this transaction has written, for all limits. */
async function ownDebits(ctx: MutationCtx): Promise<Doc<"debits">[]> {
  const { documentsWritten } = await ctx.meta.getTransactionMetrics();
  if (documentsWritten.used === 0) return [];
  const since = Date.now();
  const docs = await ctx.db
    .query("debits")
    .withIndex("by_creation_time", (q) => q.gte("_creationTime", since))
    .collect();
  return docs.filter(({ at }) => typeof at !== "bigint");
}

/**
 * The commit of a key's newest debit; null if it has no debit, or if this transaction wrote the
 * newest.
 */
export async function newestCommit(
  ctx: QueryCtx,
  { name, key }: LimitKey,
): Promise<bigint | null> {
  const at = (await newestDebit(ctx, name, key))?.at;
  return typeof at === "bigint" ? at : null;
}

/** A limit and key with debits: when it was last used, and by which commit. */
type Debited = LimitKey & { usedAt: number; newest: bigint };

/** The first limits and keys with debits that come after another one. */
export async function debitedAfter(
  ctx: QueryCtx,
  after: LimitKey | undefined,
): Promise<{ limitKeys: Debited[]; isMore: boolean }> {
  const limitKeys: Debited[] = [];
  let next = await nextDebit(ctx, after);
  while (next !== null) {
    const { name, key } = next;
    const newest = (await newestDebit(ctx, name, key))!;
    const { at, _creationTime: usedAt } = newest;
    // A look never shows this transaction's own debits, so each has its commit.
    limitKeys.push({ name, key, usedAt, newest: at as bigint });
    const isFull =
      limitKeys.length >= CLEARED_AT_ONCE || (await isBudgetUsed(ctx));
    next = await nextDebit(ctx, { name, key });
    if (isFull) break;
  }
  return { limitKeys, isMore: next !== null };
}
