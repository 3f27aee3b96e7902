import { BUCKETS } from "../../../core/stats.js";
import type { By } from "../../../core/vStats.js";
import { internal } from "../../_generated/api.js";
import type { MutationCtx } from "../../_generated/server.js";
import { deleteSome } from "../budget.js";
import { idleBefore } from "../idle.js";
import { END } from "../pages.js";
import { lookStale } from "../stale.js";

/** So many rows of a table go in one transaction at most. */
const BATCH = 1000;

/** Deletes stats that were kept for long enough, and has leftover events folded. */
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
