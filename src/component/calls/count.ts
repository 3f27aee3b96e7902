import { internal } from "../_generated/api.js";
import type { MutationCtx } from "../_generated/server.js";
import type { Figures } from "../../core/vFigures.js";
import type { Call } from "./request.js";

/** One of so many events schedules a fold. */
const FOLD_EVERY = 64;

/**
 * Appends what is counted of calls. Reads nothing.
 *
 * @param draw Counts the calls of a limit whose share is larger.
 * @param written How many rows the transaction has written before the calls, if all of them
 * are events.
 */
export async function record(
  ctx: MutationCtx,
  calls: readonly Call[],
  draw: number,
  now: number,
  written: number | undefined,
): Promise<void> {
  let nth = (await rowsWritten(ctx)) === written ? written : undefined;
  for (const { name, key, share, figures } of calls) {
    if (draw >= share) continue;
    if (nth !== undefined) nth++;
    await ctx.db.insert("events", {
      name,
      key,
      at: ctx.db.vars.commitTs,
      time: now,
      nth,
      ...times(figures, 1 / share),
    });
    if (Math.random() * FOLD_EVERY < 1) {
      await ctx.scheduler.runAfter(0, internal.figures.fold, { name });
    }
  }
}

/** What calls stand for of which only a share is counted. */
function times(figures: Figures, factor: number): Figures {
  if (factor === 1) return figures;
  const { granted, denied, tokens, wouldDeny } = figures;
  return {
    granted: granted * factor,
    denied: denied * factor,
    tokens: tokens * factor,
    ...(wouldDeny !== undefined && { wouldDeny: wouldDeny * factor }),
  };
}

/**
 * How many rows this transaction has written, if all of them are events; else undefined.
 * Reads the newest of its own events, which conflicts with nobody.
 */
export async function eventsWritten(
  ctx: MutationCtx,
): Promise<number | undefined> {
  const written = await rowsWritten(ctx);
  if (written === 0) return 0;
  const newest = await ctx.db
    .query("events")
    .withIndex("at", (q) => q.eq("at", ctx.db.vars.commitTs))
    .order("desc")
    .first();
  return newest?.nth === written ? written : undefined;
}

async function rowsWritten(ctx: MutationCtx): Promise<number> {
  const { documentsWritten } = await ctx.meta.getTransactionMetrics();
  return documentsWritten.used;
}
