import { v } from "convex/values";
import { vListedOverride } from "../core/validators.js";
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
import { isBudgetUsed } from "../stores/budget.js";
import { findLimits, forgetLimits } from "../stores/forget.js";
import { forgetOverrides } from "../stores/overrides/housekeeping.js";
import { END_CURSOR } from "../stores/pages.js";
import { isOlderSnapshot, documentsWritten } from "../stores/stale.js";
import {
  findDenied,
  findEvents,
  forgetDenied,
  forgetEvents,
} from "../stores/stats/housekeeping.js";

/**
 * Where a key is stored apart from overrides, and how it is forgotten there, in this order. Each
 * function does one batch from a cursor, and returns the cursor to continue from: `END_CURSOR` when
 * it is done, undefined for the same one.
 */
const FORGET_STEPS = {
  limits: forgetLimits,
  events: forgetEvents,
  denied: forgetDenied,
};

type Cursors = Doc<"forgets">["cursors"];

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
    const kept = await forgetOverrides(ctx, key, { bans, now });
    const isDone = await forgetNowOrLater(ctx, key, hasWritten);
    return { isDone, bans: kept };
  },
});

/**
 * Forgets a key at once, or by a job. Returns whether nothing is left to forget.
 *
 * @param hasWritten Whether the transaction has written before: a look does not show that, so the
 * job does it all.
 */
async function forgetNowOrLater(
  ctx: MutationCtx,
  key: string,
  hasWritten: boolean,
): Promise<boolean> {
  const started = await pendingOf(ctx, key);
  if (started !== null) {
    if (!(await isJobRunning(ctx, started)))
      await proceedLater(ctx, started._id);
    return false;
  }
  const cursors = hasWritten ? {} : await proceed(ctx, key, {});
  if (cursors === undefined) return true;
  await proceedLater(ctx, await ctx.db.insert("forgets", { key, cursors }));
  return false;
}

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
    const cursors = await proceed(ctx, pending.key, pending.cursors);
    if (cursors === undefined) {
      await ctx.db.delete("forgets", id);
    } else {
      await ctx.db.patch("forgets", id, { cursors });
      await proceedLater(ctx, id);
    }
    return null;
  },
});

/** Does what one transaction may do, and returns where to continue; undefined if all is done. */
async function proceed(
  ctx: MutationCtx,
  key: string,
  cursors: Cursors,
): Promise<Cursors | undefined> {
  const next = { ...cursors };
  let isFirst = true;
  for (const [store, forgetIn] of Object.entries(FORGET_STEPS)) {
    while (next[store] !== END_CURSOR) {
      if (!isFirst && (await isBudgetUsed(ctx))) return next;
      isFirst = false;
      const cursor = await forgetIn(ctx, key, next[store]);
      if (cursor !== undefined) next[store] = cursor;
    }
  }
  return undefined;
}

async function proceedLater(
  ctx: MutationCtx,
  id: Id<"forgets">,
): Promise<void> {
  const jobId = await ctx.scheduler.runAfter(0, internal.jobs.forgetStep, {
    id,
  });
  await ctx.db.patch("forgets", id, { jobId });
}

function pendingOf(ctx: QueryCtx, key: string): Promise<Doc<"forgets"> | null> {
  return ctx.db
    .query("forgets")
    .withIndex("key", (q) => q.eq("key", key))
    .unique();
}

async function isJobRunning(
  ctx: QueryCtx,
  { jobId }: Doc<"forgets">,
): Promise<boolean> {
  if (jobId === undefined) return false;
  const job = await ctx.db.system.get("_scheduled_functions", jobId);
  return job?.state.kind === "pending" || job?.state.kind === "inProgress";
}

const vFindArgs = () => ({
  key: v.string(),
  cursor: v.optional(v.string()),
  snapshot: v.optional(v.int64()),
});

/** The limits in which a key has rows or holds; null if the snapshot is too old. */
export const limitsOfKey = internalQuery({
  args: vFindArgs(),
  returns: v.union(
    v.object({ names: v.array(v.string()), cursor: v.string() }),
    v.null(),
  ),
  handler: async (ctx, args) =>
    isOlderSnapshot(ctx, args.snapshot) ? null : findLimits(ctx, args),
});

/** The events of a key; null if the snapshot is too old. */
export const eventsOfKey = internalQuery({
  args: vFindArgs(),
  returns: v.union(
    v.object({ ids: v.array(v.id("events")), cursor: v.string() }),
    v.null(),
  ),
  handler: async (ctx, args) =>
    isOlderSnapshot(ctx, args.snapshot) ? null : findEvents(ctx, args),
});

/** The rows that name a denied key; null if the snapshot is too old. */
export const denialsOfKey = internalQuery({
  args: vFindArgs(),
  returns: v.union(
    v.object({ ids: v.array(v.id("deniedKeys")), cursor: v.string() }),
    v.null(),
  ),
  handler: async (ctx, args) =>
    isOlderSnapshot(ctx, args.snapshot) ? null : findDenied(ctx, args),
});
