import { v } from "convex/values";
import { type SweepTask, vSweepTask } from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import type { Doc, Id } from "../component/_generated/dataModel.js";
import {
  internalMutation,
  internalQuery,
  type MutationCtx,
  query,
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

/* Work on all that is stored of a key, or of a limit. */

/**
 * Does what one transaction may do, and leaves the rest to a job, which carries an id instead of the
 * key: Convex keeps the arguments of jobs for days. Starts no second job, unless the first has
 * failed.
 *
 * @param hasWritten Whether the transaction has written before. A look does not show that, so the
 * job does it all.
 * @returns Whether all is done.
 */
export async function startSweep(
  ctx: MutationCtx,
  task: SweepTask,
  of: string,
  hasWritten: boolean,
): Promise<boolean> {
  const started = await pendingSweep(ctx, task, of);
  if (started !== null) {
    const { jobId } = started;
    const job =
      jobId && (await ctx.db.system.get("_scheduled_functions", jobId));
    const state = job?.state.kind;
    const isRunning = state === "pending" || state === "inProgress";
    if (!isRunning) await proceedLater(ctx, started._id, started.cursors);
    return false;
  }
  const cursors = hasWritten ? {} : await sweepSome(ctx, task, of, {});
  if (cursors === undefined) return true;
  const id = await ctx.db.insert("sweeps", { task, of, cursors });
  await proceedLater(ctx, id, cursors);
  return false;
}

/** Continues a sweep. */
export const sweepStep = internalMutation({
  args: { id: v.id("sweeps") },
  returns: v.null(),
  handler: async (ctx, { id }): Promise<null> => {
    const pending = await ctx.db.get("sweeps", id);
    if (pending === null) return null;
    const { task, of } = pending;
    const cursors = await sweepSome(ctx, task, of, pending.cursors);
    if (cursors === undefined) await ctx.db.delete("sweeps", id);
    else await proceedLater(ctx, id, cursors);
    return null;
  },
});

/** Does what one transaction may do, and returns where to continue; undefined if all is done. */
async function sweepSome(
  ctx: MutationCtx,
  task: SweepTask,
  of: string,
  cursors: Cursors,
): Promise<Cursors | undefined> {
  let next: Cursors | undefined = cursors;
  do {
    next = await proceed(ctx, next, async (store, cursor, table) => {
      const sweep = store[task];
      if (sweep === undefined) return undefined;
      // To find them is to read what calls write all the time, hence the look.
      const args = { table, task, of, cursor, snapshot: snapshotOf(ctx) };
      const seen = await lookStaleIfPossible(ctx, internal.jobs.toSweep, args);
      const found = seen ?? (await sweep.find(ctx, of, cursor));
      return workOn(ctx, found, cursor, (one) => sweep.sweepIn(ctx, of, one));
    });
  } while (next !== undefined && !(await isEnough(ctx)));
  return next;
}

async function isEnough(ctx: MutationCtx): Promise<boolean> {
  return (await documentsWritten(ctx)) >= WORK || isBudgetUsed(ctx);
}

async function proceedLater(
  ctx: MutationCtx,
  id: Id<"sweeps">,
  cursors: Cursors,
): Promise<void> {
  const { sweepStep } = internal.jobs;
  const jobId = await ctx.scheduler.runAfter(0, sweepStep, { id });
  await ctx.db.patch("sweeps", id, { cursors, jobId });
}

/** Whether a key is still being forgotten, or a limit still being reset. */
export const isSweeping = query({
  args: { task: vSweepTask(), of: v.string() },
  returns: v.boolean(),
  handler: async (ctx, { task, of }) =>
    (await pendingSweep(ctx, task, of)) !== null,
});

/** A sweep that is not done. */
function pendingSweep(
  ctx: QueryCtx,
  task: SweepTask,
  of: string,
): Promise<Doc<"sweeps"> | null> {
  return ctx.db
    .query("sweeps")
    .withIndex("of", (q) => q.eq("task", task).eq("of", of))
    .unique();
}

/** Where a table holds what is to be swept; null if the snapshot is too old. */
export const toSweep = internalQuery({
  args: {
    table: v.string(),
    task: vSweepTask(),
    of: v.string(),
    cursor: v.string(),
    snapshot: v.optional(v.int64()),
  },
  returns: v.nullable(vFound(v.string())),
  handler: async (ctx, { table, task, of, cursor, snapshot }) => {
    if (isOlderSnapshot(ctx, snapshot)) return null;
    const found = STORES.get(table)?.[task]?.find(ctx, of, cursor);
    return found ?? { found: [] };
  },
});
