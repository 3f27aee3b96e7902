import { v } from "convex/values";
import { fewerRows } from "../core/heat.js";
import { gatheredRoot, allBalances, leavesOf, toRow } from "../core/rows.js";
import { vLimitKey } from "../core/validators.js";
import { internal } from "./_generated/api.js";
import type { Id } from "./_generated/dataModel.js";
import { internalMutation, internalQuery } from "./_generated/server.js";
import { openChecked } from "./calls/open.js";
import { vTarget } from "./calls/signatures.js";
import { DebitLedger, deleteUpTo } from "./stores/debits/ledger.js";
import { readBounded } from "./stores/budget.js";
import { RowLedger } from "./stores/rows/ledger.js";

/**
 * Housekeeping of one asynchronous limit key: adds a checkpoint where calls have to look at many
 * debits, and deletes debits that no call reads. No answer depends on it.
 */
export const compact = internalMutation({
  args: vTarget().fields,
  returns: v.null(),
  handler: async (ctx, target): Promise<null> => {
    const { ledger } = await openChecked(ctx, target, Date.now());
    if (!(ledger instanceof DebitLedger)) return null;
    const last = await ledger.compact(ctx);
    if (last === undefined) return null;
    const { isMore } = await deleteUpTo(ctx, target, last);
    if (isMore) {
      await ctx.scheduler.runAfter(0, internal.compact.compact, target);
    }
    return null;
  },
});

/** The first debits up to a commit. */
export const debitsUpTo = internalQuery({
  args: { ...vLimitKey().fields, at: v.int64(), most: v.number() },
  returns: v.object({ ids: v.array(v.id("debits")), isMore: v.boolean() }),
  handler: async (
    ctx,
    { name, key, at, most },
  ): Promise<{ ids: Id<"debits">[]; isMore: boolean }> => {
    const docs = ctx.db
      .query("debits")
      .withIndex("at", (q) => q.eq("name", name).eq("key", key).lte("at", at));
    const { items, isMore } = await readBounded(ctx, docs, { most });
    return { ids: items.map(({ _id }) => _id), isMore };
  },
});

/**
 * Housekeeping of one limit key that has split itself: after a long calm, gathers its rows in one,
 * and divides that among fewer rows than before.
 */
export const shrink = internalMutation({
  args: vTarget().fields,
  returns: v.null(),
  handler: async (ctx, target): Promise<null> => {
    const now = Date.now();
    const { phases, ledger } = await openChecked(ctx, target, now);
    const [{ limit }] = phases;
    if (!(ledger instanceof RowLedger)) return null;
    // A look first: if there is nothing to do, the job conflicts with nobody.
    const seen = await ledger.look();
    // The config may have changed since the job was scheduled.
    if (ledger.toReplace !== undefined) return null;
    const most = fewerRows(leavesOf(limit, seen, now), now);
    if (most === undefined) return null;
    const rows = await ledger.read();
    const all = gatheredRoot(limit, allBalances(limit, rows, now), most);
    ledger.set([toRow(limit, all, now)]);
    await ledger.save(ctx);
    return null;
  },
});
