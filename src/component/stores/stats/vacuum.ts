import { BUCKETS } from "../../../core/stats.js";
import type { By } from "../../../core/vStats.js";
import { internal } from "../../_generated/api.js";
import type { MutationCtx } from "../../_generated/server.js";
import { deleteSome } from "../budget.js";
import { idleBefore } from "../idle.js";
import { END } from "../pages.js";
import { lookStale } from "../stale.js";

/** The most rows of each kind to delete in one transaction: minutes, hours and denied keys. */
const BATCH = 1000;

/**
 * Deletes stats that have been kept for long enough, and schedules a fold if there are leftover
 * events.
 */
export async function vacuumStats(
  ctx: MutationCtx,
  now: number,
): Promise<string | undefined> {
  const { ids } = await lookStale(ctx, internal.stats.oldest, { most: 1 });
  if (ids.length > 0) {
    await ctx.scheduler.runAfter(0, internal.stats.fold, {});
  }
  const endOf = (by: By) => idleBefore(now - BUCKETS[by].keptFor);
  let isMore = false;
  for (const by of ["minute", "hour"] as const) {
    const stats = ctx.db
      .query("stats")
      .withIndex("from", (q) => q.eq("by", by).lt("from", endOf(by)));
    isMore = (await deleteSome(ctx, "stats", stats, BATCH)) || isMore;
  }
  const keys = ctx.db
    .query("deniedKeys")
    .withIndex("from", (q) => q.lt("from", endOf("hour")));
  isMore = (await deleteSome(ctx, "deniedKeys", keys, BATCH)) || isMore;
  return isMore ? undefined : END;
}
