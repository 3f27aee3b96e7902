import type { LimitKey, Stats } from "../../core/validators.js";
import { internal } from "../../component/_generated/api.js";
import type { MutationCtx } from "../../component/_generated/server.js";
import { documentsWritten } from "../stale.js";

/** On average, one in this many events schedules a fold. */
const FOLD_EVERY = 64;

/** What to count for one limit key. */
export type CountedCalls = LimitKey & {
  /** The share of such calls that is counted. */
  share: number;
  stats: Stats;
};

/**
 * Appends one event for each limit key. Reads no row.
 *
 * @param draw Only limits with a larger share are counted.
 * @param written How many rows the transaction had written before these calls, if all of them were
 * events; otherwise undefined.
 */
export async function appendEvents(
  ctx: MutationCtx,
  calls: readonly CountedCalls[],
  draw: number,
  now: number,
  written: number | undefined,
): Promise<void> {
  let nth = (await documentsWritten(ctx)) === written ? written : undefined;
  for (const { name, key, share, stats } of calls) {
    if (draw >= share) continue;
    if (nth !== undefined) nth++;
    await ctx.db.insert("events", {
      name,
      key,
      at: ctx.db.vars.commitTs,
      time: now,
      nth,
      ...scaled(stats, 1 / share),
    });
    if (Math.random() * FOLD_EVERY < 1) {
      await ctx.scheduler.runAfter(0, internal.jobs.fold, { name });
    }
  }
}

/** Scales the counts up, where only a share of the calls is counted. */
function scaled(stats: Stats, factor: number): Stats {
  if (factor === 1) return stats;
  const { granted, denied, tokens, wouldDeny, closeCalls } = stats;
  return {
    granted: granted * factor,
    denied: denied * factor,
    tokens: tokens * factor,
    ...(wouldDeny !== undefined && { wouldDeny: wouldDeny * factor }),
    ...(closeCalls !== undefined && { closeCalls: closeCalls * factor }),
  };
}

/**
 * How many documents this transaction has written, if all of them are events; otherwise undefined.
 * Reads only its own newest event, so it conflicts with nobody.
 */
export async function eventsWritten(
  ctx: MutationCtx,
): Promise<number | undefined> {
  const written = await documentsWritten(ctx);
  if (written === 0) return 0;
  const newest = await ctx.db
    .query("events")
    .withIndex("at", (q) => q.eq("at", ctx.db.vars.commitTs))
    .order("desc")
    .first();
  return newest?.nth === written ? written : undefined;
}
