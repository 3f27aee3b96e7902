import type { Infer } from "convex/values";
import { countedShare } from "../../core/config.js";
import { sum } from "../../core/rows.js";
import { internal } from "../_generated/api.js";
import type { MutationCtx } from "../_generated/server.js";
import type { Stats } from "../../core/vStats.js";
import type { vCall } from "./signatures.js";
import type { Decided, Outcome } from "./take.js";

/** What to count for one limit and key. */
export type Call = Infer<ReturnType<typeof vCall>>;

/** On average, one in this many events schedules a fold. */
const FOLD_EVERY = 64;

/**
 * The calls to count, of limits with `stats`. In a denied list, items that fit are not counted:
 * they were neither granted nor denied.
 *
 * @param close The close calls among them: see `Ledger.save`.
 */
export function callsOf(
  { answer, decided }: Outcome,
  close: readonly Decided[] = [],
): Call[] {
  const calls: Call[] = [];
  for (const one of decided) {
    const { open, indexes, decision } = one;
    const { name, key, phases } = open;
    const share = countedShare(phases[0].config);
    if (share === 0 || (decision.ok && !answer.ok)) continue;
    const stats = decision.ok
      ? {
          granted: indexes.length,
          denied: 0,
          tokens: sum(decision.taken),
          ...(decision.wouldDeny && { wouldDeny: decision.wouldDeny.length }),
          ...(close.includes(one) && { closeCalls: 1 }),
        }
      : { granted: 0, denied: decision.refused.length, tokens: 0 };
    calls.push({ name, key, share, stats });
  }
  return calls;
}

/**
 * Appends one event for each limit and key. Reads no row.
 *
 * @param draw Only limits with a larger share are counted.
 * @param written How many rows the transaction had written before these calls, if all of them were
 * events; else undefined.
 */
export async function countCalls(
  ctx: MutationCtx,
  calls: readonly Call[],
  draw: number,
  now: number,
  written: number | undefined,
): Promise<void> {
  let nth = (await rowsWritten(ctx)) === written ? written : undefined;
  for (const { name, key, share, stats } of calls) {
    if (draw >= share) continue;
    if (nth !== undefined) nth++;
    await ctx.db.insert("events", {
      name,
      key,
      at: ctx.db.vars.commitTs,
      time: now,
      nth,
      ...times(stats, 1 / share),
    });
    if (Math.random() * FOLD_EVERY < 1) {
      await ctx.scheduler.runAfter(0, internal.stats.fold, { name });
    }
  }
}

/** Scales the counts up, where only a share of the calls is counted. */
function times(stats: Stats, factor: number): Stats {
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
 * How many rows this transaction has written, if all of them are events; else undefined. Reads only
 * its own newest event, so it conflicts with nobody.
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
