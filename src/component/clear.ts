import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import type { Doc } from "./_generated/dataModel.js";
import { internalMutation, type MutationCtx } from "./_generated/server.js";
import { ownTaking } from "./ledgers/storedTakings.js";
import { accountsOf } from "./sweep.js";

/** How many rows are deleted, and takings looked at, in one transaction. */
const BATCH = 100;

/** Makes full what was stored up to a time, the newest first, and goes on by itself. */
export const clear = internalMutation({
  args: { before: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { before = Date.now() + 1 }) => {
    const takings = await clearTakings(ctx, before, BATCH);
    const rows = await ctx.db
      .query("rateLimits")
      .withIndex("by_creation_time", (q) => q.lte("_creationTime", before))
      .order("desc")
      .take(BATCH);
    for (const row of rows) await ctx.db.delete("rateLimits", row._id);
    const last = [rows[BATCH - 1]?._creationTime, takings[BATCH - 1]].filter(
      (createdAt) => createdAt !== undefined,
    );
    if (last.length > 0) {
      const rest = { before: Math.max(...last) };
      await ctx.scheduler.runAfter(0, internal.clear.clear, rest);
    }
    return null;
  },
});

/**
 * Makes the limits full that takings are stored for, up to a time, the newest first. A call
 * in flight would bring the old balance back, so a record says it; what it has seen is left
 * to the vacuum. Conflicts with no call that takes.
 *
 * @returns When the takings were created that it has looked at.
 */
async function clearTakings(
  ctx: MutationCtx,
  before: number,
  most: number,
): Promise<number[]> {
  const now = Date.now();
  const full = {
    reset: true,
    count: 0,
    value: 0,
    ts: now,
    fullAt: now,
  } as const;
  for (const { _id } of await ownTakings(ctx, before)) {
    await ctx.db.patch("takings", _id, full);
  }
  const created = await ctx.runQuery(
    internal.lookAtTakings.createdUpTo,
    { before, most },
    { useStaleSnapshot: true },
  );
  for (const account of accountsOf(created)) {
    const newest = await ctx.runQuery(internal.lookAtTakings.newest, account, {
      useStaleSnapshot: true,
    });
    // One that has been used since has been made full before.
    if (newest === null || newest.createdAt > before) continue;
    if ((await ownTaking(ctx, account)) !== null) continue;
    const at = ctx.db.vars.commitTs;
    const { at: seen } = newest;
    await ctx.db.insert("takings", { ...account, ...full, at, seen });
  }
  return created.map(({ createdAt }) => createdAt);
}

/** What this transaction has written, if anything, of whatever limit. */
async function ownTakings(
  ctx: MutationCtx,
  before: number,
): Promise<Doc<"takings">[]> {
  const { documentsWritten } = await ctx.meta.getTransactionMetrics();
  if (documentsWritten.used === 0) return [];
  const since = Date.now();
  const docs = await ctx.db
    .query("takings")
    .withIndex("by_creation_time", (q) =>
      q.gte("_creationTime", since).lte("_creationTime", before),
    )
    .collect();
  return docs.filter(({ at }) => typeof at !== "bigint");
}
