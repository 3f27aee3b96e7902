import { v } from "convex/values";
import { vNamedLimits } from "../core/validators.js";
import { mutation } from "../component/_generated/server.js";
import { endHold, onlyReleasedError, requireUsed, takeHolds } from "./hold.js";
import {
  seedField,
  vHoldAllAnswer,
  vHoldRequest,
  warningsField,
  vSettlement,
  type Warning,
} from "./signatures.js";
import {
  findHold,
  isLease,
  isRunning,
  renewLease,
  toDocId,
} from "../stores/holds/ledger.js";
import { lazily } from "./lazily.js";

/* Grants that can be settled or released, once. */

/**
 * Takes tokens as `limitAll` does, and stores each grant so that it can be settled once. A
 * concurrency limit's tokens are held until they are released or the lease ends.
 */
export const holdAll = mutation({
  args: lazily(() =>
    v.object({
      limits: v.array(vHoldRequest()),
      /** For requests without their own. */
      expiresAfter: v.optional(v.number()),
      ...seedField(),
    }),
  ),
  returns: lazily(vHoldAllAnswer),
  handler: (ctx, { limits, expiresAfter, seed }) =>
    takeHolds(ctx, limits, expiresAfter, seed),
});

/**
 * Replaces the count that each hold took with the count that was used, once: gives back or takes
 * the difference. Releases those without a count, and so all leases.
 */
export const settleAll = mutation({
  args: lazily(() =>
    v.object({
      holds: v.array(vSettlement()),
      /** For `settle`: requires a count, and releases a lease by its own count or by 0. */
      isSettle: v.optional(v.boolean()),
    }),
  ),
  returns: lazily(() =>
    v.object({ settled: v.array(v.boolean()), ...warningsField() }),
  ),
  handler: async (ctx, { holds, isSettle = false }) => {
    const settled: boolean[] = [];
    const warnings: Warning[] = [];
    for (const { id, count, config } of holds) {
      if (isSettle) requireUsed("settle", count);
      const hold = await findHold(ctx, id);
      if (!isSettle && count !== undefined) {
        requireUsed("settleAll", count);
        if (hold !== null && isLease(hold)) {
          throw onlyReleasedError(hold.name, count);
        }
      }
      const ended = await endHold(ctx, hold, count ?? 0, config);
      settled.push(ended.settled);
      warnings.push(...(ended.warnings ?? []));
    }
    return { settled, ...(warnings.length > 0 && { warnings }) };
  },
});

/** Gives a hold a full lease from now, unless it was released or its lease has ended. */
export const renew = mutation({
  args: lazily(() => v.object({ id: v.string() })),
  returns: lazily(() => v.object({ renewed: v.boolean() })),
  handler: async (ctx, { id }) => {
    const hold = await findHold(ctx, id);
    if (hold === null) return { renewed: false };
    if (!isLease(hold)) {
      throw new Error(
        `Rate limit ${hold.name}: only holds of a concurrency limit have a lease to renew.`,
      );
    }
    const now = Date.now();
    if (!(await isRunning(ctx, hold, now))) return { renewed: false };
    await renewLease(ctx, hold, now);
    return { renewed: true };
  },
});

/** Stores which scheduled function a hold is for. */
export const attach = mutation({
  args: lazily(() => v.object({ id: v.string(), scheduledId: v.string() })),
  returns: lazily(() => v.null()),
  handler: async (ctx, { id, scheduledId }) => {
    await ctx.db.patch("holds", toDocId(ctx, id), { scheduledId });
    return null;
  },
});

/** Settles the hold of a scheduled function with 0, if it has one. */
export const releaseScheduled = mutation({
  args: lazily(() =>
    v.object({ scheduledId: v.string(), limits: v.optional(vNamedLimits()) }),
  ),
  returns: lazily(() => v.object({ found: v.boolean() })),
  handler: async (ctx, { scheduledId, limits = [] }) => {
    const hold = await ctx.db
      .query("holds")
      .withIndex("scheduledId", (q) => q.eq("scheduledId", scheduledId))
      .unique();
    const current = limits.find(({ name }) => name === hold?.name)?.config;
    await endHold(ctx, hold, 0, current);
    return { found: hold !== null };
  },
});
