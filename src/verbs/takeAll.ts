import { countedShare } from "../core/config.js";
import { newSeed } from "../core/random.js";
import { internal } from "../component/_generated/api.js";
import type { MutationCtx } from "../component/_generated/server.js";
import { lookStaleIfPossible, snapshotOf } from "../state/stale.js";
import { appendEvents, eventsWritten } from "../state/stats/events.js";
import {
  type AnswerFlags,
  callsOf,
  type Outcome,
  decideAll,
} from "./decideAll.js";
import type { LimitRequest } from "./open.js";

/**
 * Grants all requests or none, saves, and counts the calls of limits with `stats`.
 *
 * @param isHold Whether what is taken may be given back.
 * @throws As `decideAll` does. A call that throws is not counted.
 */
export async function takeAll(
  ctx: MutationCtx,
  requests: readonly LimitRequest[],
  flags: AnswerFlags,
  now: number,
  isHold: boolean = false,
): Promise<Outcome> {
  const shares = requests.map(({ config }) => countedShare(config));
  // Only a share between 0 and 1 needs a draw.
  const draw = shares.every(Number.isInteger) ? 0 : Math.random();
  const isCounted = shares.some((share) => draw < share);
  // A look does not show this transaction's own writes. Events are no obstacle: no answer depends
  // on them.
  const written = isCounted ? await eventsWritten(ctx) : undefined;
  let { seed } = flags;
  if (written !== undefined && flags.throws !== true) {
    // A denial that is counted writes an event, so it could conflict. A look decides it.
    // By the same seed the call chooses the same rows as its look.
    seed ??= newSeed();
    const args = {
      requests: [...requests],
      details: flags.details,
      seed,
      now,
      snapshot: snapshotOf(ctx),
    };
    const seen = await lookStaleIfPossible(ctx, internal.verbs.answers, args);
    if (seen?.answer.ok === false) {
      await appendEvents(ctx, seen.calls, draw, now, written);
      return { answer: seen.answer, taken: [], decided: [] };
    }
  }
  const outcome = await decideAll(ctx, requests, { ...flags, seed }, now);
  if (outcome.answer.ok) {
    for (const one of outcome.decided) {
      const { decision, opened } = one;
      if (!decision.ok || decision.writes.length === 0) continue;
      one.saved = await (await opened.state()).save(ctx, isHold);
    }
  }
  if (isCounted) {
    await appendEvents(ctx, callsOf(outcome), draw, now, written);
  }
  return outcome;
}
