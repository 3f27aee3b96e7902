import { v } from "convex/values";
import { internal } from "../component/_generated/api.js";
import {
  internalMutation,
  internalQuery,
  type MutationCtx,
} from "../component/_generated/server.js";
import { type Remainder, isBudgetUsed, vRemainder } from "../stores/budget.js";
import { clearLeases } from "../stores/holds/housekeeping.js";
import { clearRows } from "../stores/rows/housekeeping.js";
import { lookStale } from "../stores/stale.js";

/** How each store is cleared. Each function does one batch, and returns what is left. */
const STORES = {
  leases: clearLeases,
  rows: clearRows,
};

type Store = keyof typeof STORES;

const vStore = () => v.union(v.literal("leases"), v.literal("rows"));

/**
 * Makes every limit full, or only what was stored up to `before`. Schedules itself for the rest.
 */
export const clear = internalMutation({
  args: { before: v.optional(v.number()) },
  returns: v.null(),
  handler: async (ctx, { before }): Promise<null> => {
    const newest =
      before ?? (await lookStale(ctx, internal.jobs.newestStored, {}));
    for (const store of ["leases", "rows"] as const) {
      const from = { before: newest };
      if (await isBudgetUsed(ctx)) await clearLater(ctx, store, from);
      else await clearStore(ctx, store, from);
    }
    return null;
  },
});

/** Clears the rest of one store. */
export const clearRest = internalMutation({
  args: { store: vStore(), from: vRemainder() },
  returns: v.null(),
  handler: async (ctx, { store, from }): Promise<null> => {
    await clearStore(ctx, store, from);
    return null;
  },
});

/** Clears a batch of a store now, and the rest later. */
async function clearStore(
  ctx: MutationCtx,
  store: Store,
  from: Remainder,
): Promise<void> {
  const left = await STORES[store](ctx, from);
  if (left !== undefined) await clearLater(ctx, store, left);
}

async function clearLater(
  ctx: MutationCtx,
  store: Store,
  from: Remainder,
): Promise<void> {
  await ctx.scheduler.runAfter(0, internal.jobs.clearRest, { store, from });
}

/** When the newest row or hold was stored, perhaps by a clock that is ahead. */
export const newestStored = internalQuery({
  args: {},
  returns: v.number(),
  handler: async (ctx) => {
    const newest = (table: "rateLimits" | "holds") =>
      ctx.db.query(table).withIndex("by_creation_time").order("desc").first();
    const times = [await newest("rateLimits"), await newest("holds")].map(
      (row) => row?._creationTime ?? 0,
    );
    // This transaction's own rows are newer.
    return Math.max(Date.now() + 1, ...times);
  },
});
