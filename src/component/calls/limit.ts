import { countedShare, isAsynchronous } from "../../core/config.js";
import type { Stats } from "../../core/vConfig.js";
import { internal } from "../_generated/api.js";
import type { MutationCtx } from "../_generated/server.js";
import { lookStale, snapshotOf } from "../stores/stale.js";
import {
  type AnswerFlags,
  type Call,
  callsOf,
  type Decided,
  type Outcome,
  decideAll,
} from "./decideAll.js";
import type { LimitRequest } from "./open.js";

/** An answer, and how many tokens each request took. */
export type Limited = Pick<Outcome, "answer" | "taken">;

/**
 * Takes for all requests or for none, saves, and counts the calls of limits with `stats`.
 *
 * @throws As `decideAll` does. A call that throws is not counted.
 */
export async function takeAll(
  ctx: MutationCtx,
  requests: readonly LimitRequest[],
  options: AnswerFlags,
  now: number,
): Promise<Limited> {
  const shares = requests.map(({ config }) => countedShare(config));
  // Only a share between 0 and 1 needs a draw.
  const draw = shares.every(Number.isInteger) ? 0 : Math.random();
  const isCounted = shares.some((share) => draw < share);
  // A look does not show this transaction's own writes. Events are no obstacle:
  // no answer depends on them.
  const written = isCounted ? await eventsWritten(ctx) : undefined;
  const canLook = written !== undefined && requests.some(dependsOnRows);
  let random = Math.random;
  if (canLook && options.throws !== true) {
    // A counted denial writes, so it could conflict; decide it from a stale snapshot.
    const { details } = options;
    const snapshot = snapshotOf(ctx);
    const asked = { requests: [...requests], details, now, snapshot };
    const seen = await lookStale(ctx, internal.lookAtAnswers.answers, asked);
    if (seen?.answer.ok === false) {
      await countCalls(ctx, seen.calls, draw, now, written);
      return { answer: seen.answer, taken: [] };
    }
    if (seen !== null) random = replaying(seen.drawn);
  }
  const outcome = await decideAll(ctx, requests, options, now, random);
  const { answer, decided, taken, warnings } = outcome;
  const close: Decided[] = [];
  if (answer.ok) {
    for (const one of decided) {
      if (await one.opened.ledger.save(ctx)) close.push(one);
    }
    if (warnings.length > 0) answer.warnings = warnings;
    if (answer.wouldDeny) {
      answer.spared = decided.flatMap(({ indexes, decision }) =>
        indexes.filter(
          (_, i) => decision.ok && decision.wouldDeny?.includes(i),
        ),
      );
    }
  }
  if (isCounted) {
    await countCalls(ctx, callsOf(outcome, close), draw, now, written);
  }
  return { answer, taken };
}

/** Whether the answer takes a read dependency, so that the call can conflict. */
function dependsOnRows({ config }: LimitRequest): boolean {
  return !isAsynchronous(config) || config.overrides === true;
}

/** Draws the same random numbers again, so that the call chooses the same rows as its look. */
function replaying(drawn: readonly number[]): () => number {
  const left = drawn.values();
  return () => left.next().value ?? Math.random();
}

/** On average, one in this many events schedules a fold. */
const FOLD_EVERY = 64;

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
async function eventsWritten(ctx: MutationCtx): Promise<number | undefined> {
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
