import { v } from "convex/values";
import { vPlace, type Place } from "../core/vPlace.js";
import { internal } from "./_generated/api.js";
import type { Doc } from "./_generated/dataModel.js";
import {
  internalMutation,
  internalQuery,
  type MutationCtx,
  type QueryCtx,
} from "./_generated/server.js";
import { isSpent, readBounded } from "./bounded.js";
import { isLease } from "./ledgers/leases.js";
import { makeFull } from "./ledgers/ledger.js";
import { lookStale } from "./ledgers/look.js";
import { Rows } from "./ledgers/rows.js";
import { newestTaking, nextTaken, ownTaking } from "./ledgers/storedTakings.js";

/** So many rows are deleted, or keys made full, in one transaction at most. */
const BATCH = 100;

/** Makes every limit full, or what was stored up to `before`, and goes on by itself. */
export const clear = internalMutation({
  args: { before: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { before }): Promise<null> => {
    const newest = before ?? (await lookStale(ctx, internal.clear.look, {}));
    const upTo = { before: newest };
    const behind = { before: newest + 1 };
    const { scheduler } = ctx;
    await clearTakings(ctx, before, undefined);
    if (!(await isSpent(ctx))) await clearLeases(ctx, behind.before);
    else await scheduler.runAfter(0, internal.clear.leases, behind);
    if (!(await isSpent(ctx))) await clearRows(ctx, upTo.before);
    else await scheduler.runAfter(0, internal.clear.rows, upTo);
    return null;
  },
});

/** Makes a limit full for a key, where it is not known what it is kept in. */
export const key = internalMutation({
  args: vPlace().fields,
  returns: v.null(),
  handler: async (ctx, account): Promise<null> => {
    await makeFull(ctx, new Rows(ctx, account.name, account.key, 1));
    const newest = await lookStale(ctx, internal.clear.newest, account);
    // A look may be too old to show the first of its takings.
    await appendFull(ctx, account, newest ?? (await newestOf(ctx, account)));
    return null;
  },
});

/** The commit of the newest taking of a key; null if there is none, or it is the own transaction's. */
export const newest = internalQuery({
  args: vPlace().fields,
  returns: v.union(v.int64(), v.null()),
  handler: newestOf,
});

async function newestOf(
  ctx: QueryCtx,
  { name, key }: Place,
): Promise<bigint | null> {
  const at = (await newestTaking(ctx, name, key))?.at;
  return typeof at === "bigint" ? at : null;
}

/** Notes that a key with takings is full, in the own transaction's record if there is one. */
async function appendFull(
  ctx: MutationCtx,
  { name, key }: Place,
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
  const own = await ownTaking(ctx, { name, key });
  if (own !== null) await ctx.db.patch("takings", own._id, full);
  else if (newest !== null) {
    const at = ctx.db.vars.commitTs;
    await ctx.db.insert("takings", { name, key, ...full, at, seen: newest });
  }
}

/** When the newest row or hold was stored, also by a clock that is ahead. */
export const look = internalQuery({
  args: {},
  returns: v.number(),
  handler: async (ctx) => {
    const newest = (table: "rateLimits" | "holds") =>
      ctx.db.query(table).withIndex("by_creation_time").order("desc").first();
    const times = [await newest("rateLimits"), await newest("holds")].map(
      (row) => row?._creationTime ?? 0,
    );
    // What this transaction has stored is newer.
    return Math.max(Date.now() + 1, ...times);
  },
});

/** Goes on with the rows. */
export const rows = internalMutation({
  args: { before: v.number() },
  returns: v.null(),
  handler: async (ctx, { before }): Promise<null> => {
    await clearRows(ctx, before);
    return null;
  },
});

/** Goes on with the leases. */
export const leases = internalMutation({
  args: { before: v.number() },
  returns: v.null(),
  handler: async (ctx, { before }): Promise<null> => {
    await clearLeases(ctx, before);
    return null;
  },
});

/** Goes on with the takings. */
export const takings = internalMutation({
  args: {
    before: v.optional(v.number()),
    after: vPlace(),
  },
  returns: v.null(),
  handler: async (ctx, { before, after }): Promise<null> => {
    await clearTakings(ctx, before, after);
    return null;
  },
});

/** Deletes rows that were stored up to a time, the newest first. */
async function clearRows(ctx: MutationCtx, before: number): Promise<void> {
  const newestFirst = ctx.db
    .query("rateLimits")
    .withIndex("by_creation_time", (q) => q.lte("_creationTime", before))
    .order("desc");
  const { rows, isMore } = await readBounded(ctx, newestFirst, { most: BATCH });
  for (const { _id } of rows) await ctx.db.delete("rateLimits", _id);
  if (!isMore) return;
  const rest = { before: rows.at(-1)!._creationTime };
  await ctx.scheduler.runAfter(0, internal.clear.rows, rest);
}

/**
 * Ends the leases of limits on what runs at once that were stored before a time, the newest
 * first. Other holds stay.
 */
async function clearLeases(ctx: MutationCtx, before: number): Promise<void> {
  const newestFirst = ctx.db
    .query("holds")
    .withIndex("by_creation_time", (q) => q.lt("_creationTime", before))
    .order("desc");
  const { rows, isMore } = await readBounded(ctx, newestFirst, { most: BATCH });
  for (const hold of rows) {
    if (isLease(hold)) await ctx.db.delete("holds", hold._id);
  }
  if (!isMore) return;
  const rest = { before: rows.at(-1)!._creationTime };
  await ctx.scheduler.runAfter(0, internal.clear.leases, rest);
}

/**
 * Makes the limits full that takings are stored for, by name and key. A call in flight would
 * bring the old balance back, so a record says it; what it has seen is left to the vacuum.
 * Conflicts with no call that takes.
 */
async function clearTakings(
  ctx: MutationCtx,
  before: number = Infinity,
  after: Place | undefined,
): Promise<void> {
  for (const { name, key } of await ownTakings(ctx)) {
    await appendFull(ctx, { name, key }, null);
  }
  const asked = { after, most: BATCH };
  const seen = await lookStale(ctx, internal.clear.taken, asked);
  for (const { name, key, usedAt, newest } of seen.accounts) {
    if (usedAt <= before) await appendFull(ctx, { name, key }, newest);
  }
  if (!seen.isMore) return;
  const { name, key } = seen.accounts.at(-1)!;
  const rest = { before, after: { name, key } };
  await ctx.scheduler.runAfter(0, internal.clear.takings, rest);
}

/** What this transaction has written, if anything, of whatever limit. */
async function ownTakings(ctx: MutationCtx): Promise<Doc<"takings">[]> {
  const { documentsWritten } = await ctx.meta.getTransactionMetrics();
  if (documentsWritten.used === 0) return [];
  const since = Date.now();
  const docs = await ctx.db
    .query("takings")
    .withIndex("by_creation_time", (q) => q.gte("_creationTime", since))
    .collect();
  return docs.filter(({ at }) => typeof at !== "bigint");
}

/** The first limits and keys with records behind another one: when they were last used, and their newest record. */
export const taken = internalQuery({
  args: { after: v.optional(vPlace()), most: v.number() },
  returns: v.object({
    accounts: v.array(
      vPlace().extend({ usedAt: v.number(), newest: v.int64() }),
    ),
    isMore: v.boolean(),
  }),
  handler: async (ctx, { after, most }) => {
    const accounts: (Place & { usedAt: number; newest: bigint })[] = [];
    let oldest = await nextTaken(ctx, undefined, after);
    while (oldest !== null) {
      const { name, key } = oldest;
      const newest = (await newestTaking(ctx, name, key))!;
      const { at, _creationTime: usedAt } = newest;
      // None is of the own transaction, of which a look shows nothing.
      accounts.push({ name, key, usedAt, newest: at as bigint });
      const isFull = accounts.length >= most || (await isSpent(ctx));
      oldest = await nextTaken(ctx, undefined, { name, key });
      if (isFull) break;
    }
    return { accounts, isMore: oldest !== null };
  },
});
