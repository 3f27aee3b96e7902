import { v } from "convex/values";
import { baseOf, fullFrom } from "../core/chain.js";
import { appends } from "../core/config.js";
import { idOf } from "../core/hash.js";
import { lastUse } from "../core/rows.js";
import { isShort } from "../core/reject.js";
import { vPlace, type Place } from "../core/vPlace.js";
import { internal } from "./_generated/api.js";
import type { Id } from "./_generated/dataModel.js";
import {
  internalMutation,
  internalQuery,
  type MutationCtx,
} from "./_generated/server.js";
import { readBounded } from "./bounded.js";
import { openStored } from "./calls/open.js";
import { vAccount } from "./calls/signatures.js";
import { idleBefore } from "./idle.js";
import { lookStale } from "./ledgers/look.js";
import { storedRows } from "./ledgers/storedRows.js";
import { Takings } from "./ledgers/takings.js";

/** So many records go in one transaction, far below Convex's 16,000. */
const BATCH = 1000;

/**
 * Housekeeping of one limit and key. No answer depends on it: it only deletes what no call
 * reads, and spares calls the reading of many records.
 */
export const sweep = internalMutation({
  args: vAccount().fields,
  returns: v.null(),
  handler: async (ctx, { config, ...place }) => {
    if (!appends(config)) return null;
    const account = { ...place, config };
    const now = Date.now();
    const { rules } = await openStored(ctx, account, now);
    const takings = new Takings(ctx, account, rules[0].limit, now);
    const upTo = await takings.tidy(ctx);
    if (upTo === undefined) return null;
    const { isMore } = await deleteUpTo(ctx, account, upTo);
    if (isMore) {
      await ctx.scheduler.runAfter(0, internal.sweep.sweep, account);
    }
    return null;
  },
});

/**
 * Deletes all that says no more than that a limit is full, and what no call needs of one
 * that is in use. Of the takings it takes no dependency.
 *
 * @returns How many records it has deleted, and whether there are more to delete.
 */
export async function forget(
  ctx: MutationCtx,
  account: Place,
  now: number,
): Promise<Deleted> {
  const { met } = await lookStale(ctx, internal.lookAtTakings.look, account);
  const [newest] = met;
  if (newest?.at === undefined) return { deleted: 0, isMore: false };
  const inUse = baseOf(met).seen;
  if (fullFrom(met) >= idleBefore(now)) return deleteUpTo(ctx, account, inUse);
  const lastTaking = Math.max(...met.map(({ ts }) => ts));
  const { name, key } = account;
  // Rows from before the takings would revive an older balance. The vacuum takes them once
  // they are full; those of the other package never say so. No call asks for a key that is
  // too long.
  const rows = isShort(key ?? "")
    ? await storedRows(ctx, name, key).collect()
    : [];
  const revived = rows.filter((row) => lastUse(row) <= lastTaking);
  for (const { _id, fullAt } of revived) {
    if (fullAt === undefined) await ctx.db.delete("rateLimits", _id);
    else if (fullAt >= idleBefore(now)) {
      return deleteUpTo(ctx, account, inUse);
    }
  }
  return deleteUpTo(ctx, account, newest.at);
}

/** The limits and keys of records, each once. */
export function accountsOf(docs: readonly Place[]): Place[] {
  const accounts = new Map(
    docs.map(({ name, key }) => [idOf({ name, key }), { name, key }]),
  );
  return [...accounts.values()];
}

type Deleted = { deleted: number; isMore: boolean };

async function deleteUpTo(
  ctx: MutationCtx,
  { name, key }: Place,
  at: bigint,
): Promise<Deleted> {
  const { ids, isMore } = await lookStale(ctx, internal.sweep.upTo, {
    name,
    key,
    at,
    most: BATCH,
  });
  for (const id of ids) {
    // The snapshot may be older than what another housekeeping has deleted.
    const doc = await ctx.db.get("takings", id);
    if (doc !== null) await ctx.db.delete("takings", id);
  }
  return { deleted: ids.length, isMore };
}

/** The first records up to a commit. */
export const upTo = internalQuery({
  args: { ...vPlace().fields, at: v.int64(), most: v.number() },
  returns: v.object({ ids: v.array(v.id("takings")), isMore: v.boolean() }),
  handler: async (
    ctx,
    { name, key, at, most },
  ): Promise<{ ids: Id<"takings">[]; isMore: boolean }> => {
    const docs = ctx.db
      .query("takings")
      .withIndex("at", (q) => q.eq("name", name).eq("key", key).lte("at", at));
    const { rows, isMore } = await readBounded(ctx, docs, { most });
    return { ids: rows.map(({ _id }) => _id), isMore };
  },
});
