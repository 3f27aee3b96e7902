import { v } from "convex/values";
import { type ListedOverride, vListedOverride } from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import type { Doc, Id } from "../component/_generated/dataModel.js";
import {
  internalMutation,
  internalQuery,
  mutation,
  query,
  type MutationCtx,
  type QueryCtx,
} from "../component/_generated/server.js";
import { isBudgetUsed, vFound, WORK, workOn } from "../state/budget.js";
import {
  documentsWritten,
  isOlderSnapshot,
  lookStaleIfPossible,
  snapshotOf,
} from "../state/stale.js";
import { type Cursors, proceed, STORES } from "../state/stores.js";

/**
 * Deletes all that is stored for a key, in all limits. What is too much for one transaction is left
 * to a job, which carries an id instead of the key: Convex keeps the arguments of jobs for days.
 */
export const forget = mutation({
  args: { key: v.string(), bans: v.optional(v.boolean()) },
  returns: v.object({
    isDone: v.boolean(),
    /** The bans that stay. */
    bans: v.array(vListedOverride()),
  }),
  handler: async (ctx, { key, bans = false }) => {
    const now = Date.now();
    const hasWritten = (await documentsWritten(ctx)) > 0;
    const kept: ListedOverride[] = [];
    for (const store of STORES.values()) {
      const options = { bans, now };
      kept.push(...((await store.forgetAtOnce?.(ctx, key, options)) ?? []));
    }
    const started = await pendingOf(ctx, key);
    if (started !== null) {
      const { jobId } = started;
      const job =
        jobId && (await ctx.db.system.get("_scheduled_functions", jobId));
      const state = job?.state.kind;
      const isRunning = state === "pending" || state === "inProgress";
      if (!isRunning) await proceedLater(ctx, started._id, started.cursors);
      return { isDone: false, bans: kept };
    }
    // A look does not show what the transaction has written before, so the job does it all.
    const cursors = hasWritten ? {} : await forgetSome(ctx, key, {});
    if (cursors === undefined) return { isDone: true, bans: kept };
    const id = await ctx.db.insert("forgets", { key, cursors });
    await proceedLater(ctx, id, cursors);
    return { isDone: false, bans: kept };
  },
});

/** Whether a key is still being forgotten. */
export const isForgetting = query({
  args: { key: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { key }) => (await pendingOf(ctx, key)) !== null,
});

/** Continues to forget a key. */
export const forgetStep = internalMutation({
  args: { id: v.id("forgets") },
  returns: v.null(),
  handler: async (ctx, { id }): Promise<null> => {
    const pending = await ctx.db.get("forgets", id);
    if (pending === null) return null;
    const cursors = await forgetSome(ctx, pending.key, pending.cursors);
    if (cursors === undefined) await ctx.db.delete("forgets", id);
    else await proceedLater(ctx, id, cursors);
    return null;
  },
});

/** Does what one transaction may do, and returns where to continue; undefined if all is done. */
async function forgetSome(
  ctx: MutationCtx,
  key: string,
  cursors: Cursors,
): Promise<Cursors | undefined> {
  let next: Cursors | undefined = cursors;
  do {
    next = await proceed(ctx, next, async ({ forget }, cursor, table) => {
      if (forget === undefined) return undefined;
      // To find a key is to read what calls write all the time, hence the look.
      const args = { table, key, cursor, snapshot: snapshotOf(ctx) };
      const seen = await lookStaleIfPossible(ctx, internal.jobs.keyIn, args);
      const found = seen ?? (await forget.find(ctx, key, cursor));
      return workOn(ctx, found, cursor, (one) =>
        forget.forgetIn(ctx, key, one),
      );
    });
  } while (next !== undefined && !(await isEnough(ctx)));
  return next;
}

async function isEnough(ctx: MutationCtx): Promise<boolean> {
  return (await documentsWritten(ctx)) >= WORK || isBudgetUsed(ctx);
}

async function proceedLater(
  ctx: MutationCtx,
  id: Id<"forgets">,
  cursors: Cursors,
): Promise<void> {
  const { forgetStep } = internal.jobs;
  const jobId = await ctx.scheduler.runAfter(0, forgetStep, { id });
  await ctx.db.patch("forgets", id, { cursors, jobId });
}

function pendingOf(ctx: QueryCtx, key: string): Promise<Doc<"forgets"> | null> {
  return ctx.db
    .query("forgets")
    .withIndex("key", (q) => q.eq("key", key))
    .unique();
}

/** Where a table holds a key; null if the snapshot is too old. */
export const keyIn = internalQuery({
  args: {
    table: v.string(),
    key: v.string(),
    cursor: v.string(),
    snapshot: v.optional(v.int64()),
  },
  returns: v.nullable(vFound(v.string())),
  handler: async (ctx, { table, key, cursor, snapshot }) => {
    if (isOlderSnapshot(ctx, snapshot)) return null;
    const found = STORES.get(table)?.forget?.find(ctx, key, cursor);
    return found ?? { found: [] };
  },
});
