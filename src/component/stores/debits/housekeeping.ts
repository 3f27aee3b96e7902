import { paginator } from "convex-helpers/server/pagination";
import { stream } from "convex-helpers/server/stream";
import { limitKeysOf } from "../../../core/limitKey.js";
import { baseOf, fullAtByDebits, readChain } from "../../../core/replay.js";
import { idleBefore, isIdle, lastUsedAt } from "../../../core/rows.js";
import type { LimitKey } from "../../../core/validators.js";
import { internal } from "../../_generated/api.js";
import type { Doc } from "../../_generated/dataModel.js";
import type { MutationCtx, QueryCtx } from "../../_generated/server.js";
import schema from "../../schema.js";
import { CLEARED_AT_ONCE, type Remainder, isBudgetUsed } from "../budget.js";
import {
  type ListArgs,
  END_CURSOR,
  type InUse,
  type List,
  listByKey,
  listOf,
  PAGE_BYTES,
  limitKeyWithPrefix,
} from "../pages.js";
import { queryRows } from "../rows/stored.js";
import { lookStale, documentsWritten } from "../stale.js";
import { type Deletion, DELETED_AT_ONCE, deleteUpTo } from "./ledger.js";
import { newestDebit, newestFirst, nextDebit, ownDebit } from "./stored.js";

/** The keys in use that have debits: by name and key, or by when they are full, the last first. */
export function debitKeys(
  ctx: QueryCtx,
  { name, order, prefix }: ListArgs,
  now: number,
): List<InUse> {
  if (order !== "depleted") {
    return listByKey(
      async (after) =>
        limitKeyWithPrefix(prefix, await nextDebit(ctx, after, name, prefix)),
      async ({ name, key }) => {
        const newest = await newestDebit(ctx, name, key);
        const isUsed =
          newest !== null && !(await areDebitsIdle(ctx, newest, now));
        return isUsed ? { name, key, store: "debits" } : null;
      },
    );
  }
  const debits = stream(ctx.db, schema).query("debits");
  const ordered =
    name === undefined
      ? debits.withIndex("fullAt", (q) => q)
      : debits.withIndex("depleted", (q) => q.eq("name", name));
  return listOf(ordered.order("desc"), async ({ name, key, _id }) => {
    const newest = await newestDebit(ctx, name, key);
    // List each key once: at its newest debit.
    const isListed =
      newest?._id === _id && !(await areDebitsIdle(ctx, newest, now));
    return isListed ? { name, key, store: "debits" } : null;
  });
}

/** Whether a key's newest debit made it full, or the key has been full for an hour. */
async function areDebitsIdle(
  ctx: QueryCtx,
  { name, key, count, reset, fullAt }: Doc<"debits">,
  now: number,
): Promise<boolean> {
  if (reset === true && count === 0) return true;
  if (fullAt > idleBefore(now)) return false;
  const debits = await readChain(newestFirst(ctx, name, key));
  return fullAtByDebits(debits) <= idleBefore(now);
}

/**
 * Makes limit keys with debits full, by name and key, unless they were used after `before`. Appends
 * a debit that does so instead of deleting debits, since a call in flight would bring the old
 * balance back; the vacuum later deletes the debits that it saw. Conflicts with no call that takes
 * tokens.
 */
export async function clearDebits(
  ctx: MutationCtx,
  { before, after }: Remainder,
): Promise<Remainder | undefined> {
  for (const { name, key } of await ownDebits(ctx)) {
    await appendFull(ctx, { name, key }, null);
  }
  const seen = await lookStale(ctx, internal.clear.debitedKeys, { after });
  for (const { name, key, usedAt, newest } of seen.limitKeys) {
    if (usedAt <= before) await appendFull(ctx, { name, key }, newest);
  }
  if (!seen.isMore) return undefined;
  const { name, key } = seen.limitKeys.at(-1)!;
  return { before, after: { name, key } };
}

/**
 * Makes a limit key with debits full: in this transaction's own debit if there is one, else by a
 * new debit.
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
  if ((await documentsWritten(ctx)) === 0) return [];
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
export async function findNewestCommit(
  ctx: QueryCtx,
  { name, key }: LimitKey,
): Promise<bigint | null> {
  const at = (await newestDebit(ctx, name, key))?.at;
  return typeof at === "bigint" ? at : null;
}

/** A limit key with debits: when it was last used, and by which commit. */
type DebitedKey = LimitKey & { usedAt: number; newest: bigint };

/** The first limit keys with debits that come after another one. */
export async function findDebitedKeys(
  ctx: QueryCtx,
  after: LimitKey | undefined,
): Promise<{ limitKeys: DebitedKey[]; isMore: boolean }> {
  const limitKeys: DebitedKey[] = [];
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

/**
 * The most debits to look at for one transaction: each may have a key of its own, which takes four
 * reads.
 */
const BATCH = 250;

/**
 * Deletes the debits of limit keys that have been full for an hour. For keys still in use, deletes
 * only the debits that no call needs.
 *
 * @returns The cursor to continue from: the same one, if there is more to delete before the next.
 */
export async function vacuumDebits(
  ctx: MutationCtx,
  now: number,
  cursor: string | undefined,
): Promise<string | undefined> {
  const args = { now, cursor: cursor ?? null };
  const seen = await lookStale(ctx, internal.vacuum.idleDebits, args);
  let deleted = 0;
  for (const limitKey of seen.limitKeys) {
    if (deleted >= DELETED_AT_ONCE || (await isBudgetUsed(ctx))) return cursor;
    const deletion = await vacuumKey(ctx, limitKey, now);
    if (deletion.isMore) return cursor;
    deleted += deletion.deleted;
  }
  return seen.isDone ? END_CURSOR : seen.continueCursor;
}

/** The limit keys of a page of debits whose `fullAt` is at least an hour ago. */
export async function findIdleDebits(
  ctx: QueryCtx,
  now: number,
  cursor: string | null,
) {
  const { page, isDone, continueCursor } = await paginator(ctx.db, schema)
    .query("debits")
    .withIndex("fullAt", (q) => q.lte("fullAt", idleBefore(now)))
    .paginate({
      numItems: BATCH,
      cursor,
      maximumBytesRead: PAGE_BYTES,
    });
  return { limitKeys: limitKeysOf(page), isDone, continueCursor };
}

/**
 * Deletes the debits of a limit key: all of them if the key has been full for an hour, otherwise
 * those that no call needs. Its only read dependencies on debits are those that it deletes.
 */
async function vacuumKey(
  ctx: MutationCtx,
  limitKey: LimitKey,
  now: number,
): Promise<Deletion> {
  const { debits } = await lookStale(
    ctx,
    internal.lookAtDebits.debits,
    limitKey,
  );
  const [newest] = debits;
  if (newest?.at === undefined) return { deleted: 0, isMore: false };
  const obsoleteUpTo = baseOf(debits).seen;
  if (fullAtByDebits(debits) > idleBefore(now)) {
    return deleteUpTo(ctx, limitKey, obsoleteUpTo);
  }
  const lastDebit = Math.max(...debits.map(({ ts }) => ts));
  const { name, key } = limitKey;
  const rows = await queryRows(ctx, name, key).collect();
  const isOlder = !rows.some((row) => lastUsedAt(row) > lastDebit);
  // Without the debits, older rows would bring an older balance back. Those of
  // `@convex-dev/rate-limiter` do not store when they are full.
  if (isOlder) {
    const own = rows.filter(({ fullAt }) => fullAt !== undefined);
    if (!isIdle(own, now)) return deleteUpTo(ctx, limitKey, obsoleteUpTo);
    for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
  }
  return deleteUpTo(ctx, limitKey, newest.at);
}
