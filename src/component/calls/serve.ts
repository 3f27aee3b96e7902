import { appends, countedShare } from "../../core/config.js";
import { internal } from "../_generated/api.js";
import type { MutationCtx } from "../_generated/server.js";
import { lookStale, snapshotOf } from "../ledgers/look.js";
import { eventsWritten, record } from "./count.js";
import {
  alone,
  answerAll,
  callsOf,
  type AnswerOptions,
  type Request,
} from "./request.js";
import type { Answer, AnswerToAll } from "./signatures.js";

/** An answer, and how many tokens were taken. */
export type Served<Given = Answer> = { answer: Given; taken: number };

/**
 * Answers requests that are granted together or not at all, writes what they take, and counts
 * them for limits with `stats`.
 *
 * @throws As `answerAll` does. What throws is not counted.
 */
export async function serveAll(
  ctx: MutationCtx,
  requests: readonly Request[],
  options: AnswerOptions,
  now: number,
): Promise<Served<AnswerToAll>> {
  const shares = requests.map(({ config }) => countedShare(config));
  // Drawn only where it decides which calls are counted.
  const draw = shares.every(Number.isInteger) ? 0 : Math.random();
  const isCounted = shares.some((share) => draw < share);
  // A look does not show what this transaction has written, but for events, on which no
  // answer depends.
  const written = isCounted ? await eventsWritten(ctx) : undefined;
  const canLook = written !== undefined && requests.some(dependsOnRows);
  let random = Math.random;
  if (canLook && options.throws !== true) {
    // A denial that is counted is validated like all that writes. So that it conflicts no more
    // than one that writes nothing, it is decided by a look.
    const { details } = options;
    const snapshot = snapshotOf(ctx);
    const asked = { requests: [...requests], details, now, snapshot };
    const seen = await lookStale(ctx, internal.lookAtAnswers.look, asked);
    if (seen?.answer.ok === false) {
      await record(ctx, seen.calls, draw, now, written);
      return { answer: seen.answer, taken: 0 };
    }
    if (seen !== null) random = replaying(seen.drawn);
  }
  const outcome = await answerAll(ctx, requests, options, now, random);
  const { answer, groups, taken, warnings } = outcome;
  if (answer.ok) {
    for (const { account } of groups) await account.ledger.save(ctx);
    if (warnings.length > 0) answer.warnings = warnings;
  }
  if (isCounted) await record(ctx, callsOf(outcome), draw, now, written);
  return { answer, taken };
}

/** Serves one request, as {@link serveAll} does. */
export async function serveOne(
  ctx: MutationCtx,
  { throws, details, ...request }: Request & AnswerOptions,
  now: number,
): Promise<Served> {
  const options = { throws, details };
  const served = await serveAll(ctx, [request], options, now);
  return { answer: alone(served.answer), taken: served.taken };
}

/** Whether an answer makes the transaction depend on what others write. */
function dependsOnRows({ config }: Request): boolean {
  return !appends(config) || config.overrides === true;
}

/** The same random numbers again, so that a look and what follows it choose the same rows. */
function replaying(drawn: readonly number[]): () => number {
  const left = drawn.values();
  return () => left.next().value ?? Math.random();
}
