import { v } from "convex/values";
import { appends, countedShare, type StoredConfig } from "../../core/config.js";
import { vStoredConfig } from "../../core/vConfig.js";
import { internal } from "../_generated/api.js";
import { internalQuery, type MutationCtx } from "../_generated/server.js";
import { eventsWritten, record } from "../figures.js";
import { lookStale } from "../ledgers/ledger.js";
import {
  alone,
  answerAll,
  vAnswerToAll,
  vCall,
  vSingleRequest,
  type Answer,
  type AnswerOptions,
  type AnswerToAll,
  type Call,
  type Request,
} from "./request.js";

/** An answer, and what each request has taken. */
type Served = { answer: AnswerToAll; taken: number[] };

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
): Promise<Served> {
  const draw = drawFor(requests.map(({ config }) => config));
  let random = Math.random;
  const isCounted = requests.some(({ config }) => isDrawn(config, draw));
  // A look does not show what this transaction has written, but for events, on which no
  // answer depends.
  const written = isCounted ? await eventsWritten(ctx) : undefined;
  const canLook = written !== undefined && requests.some(dependsOnRows);
  if (canLook && options.throws !== true) {
    // A denial that is counted is validated like all that writes. So that it conflicts no more
    // than one that writes nothing, it is decided by a look.
    const { details } = options;
    const asked = { requests: [...requests], details, now };
    const seen = await lookStale(ctx, internal.serve.look, asked);
    if (!seen.answer.ok) {
      await count(ctx, seen.calls, draw, now, written);
      return { answer: seen.answer, taken: requests.map(() => 0) };
    }
    random = replaying(seen.drawn);
  }
  const outcome = await answerAll(ctx, requests, options, now, random);
  const { answer, taken, calls, save } = outcome;
  if (answer.ok) await save(ctx);
  await count(ctx, calls, draw, now, written);
  return { answer, taken };
}

/** Serves one request, as {@link serveAll} does. */
export async function serveOne(
  ctx: MutationCtx,
  { throws, details, ...request }: Request & AnswerOptions,
  now: number,
): Promise<Omit<Served, "answer"> & { answer: Answer }> {
  return alone(await serveAll(ctx, [request], { throws, details }, now));
}

/** What decides whether a call is counted, from 0 up to 1: at random, where that matters. */
function drawFor(configs: readonly StoredConfig[]): number {
  const isSampled = (share: number) => share > 0 && share < 1;
  return configs.map(countedShare).some(isSampled) ? Math.random() : 0;
}

function isDrawn(config: StoredConfig, draw: number): boolean {
  return draw < countedShare(config);
}

/** Whether an answer makes the transaction depend on what others write. */
function dependsOnRows({ config }: Request): boolean {
  return !appends(config) || config.overrides === true;
}

/** Counts calls, if they are drawn. */
async function count(
  ctx: MutationCtx,
  calls: readonly Call[],
  draw: number,
  now: number,
  written: number | undefined,
): Promise<void> {
  const drawn = calls.filter(({ share }) => draw < share);
  if (drawn.length > 0) await record(ctx, drawn, now, Math.random, written);
}

/** The same random numbers again, so that a look and what follows it choose the same rows. */
function replaying(drawn: readonly number[]): () => number {
  const left = drawn.values();
  return () => left.next().value ?? Math.random();
}

/** What requests would be answered, for {@link serveAll}. */
export const look = internalQuery({
  args: {
    requests: v.array(
      v.object({ ...vSingleRequest.fields, config: vStoredConfig }),
    ),
    details: v.optional(v.boolean()),
    now: v.number(),
  },
  returns: v.object({
    answer: vAnswerToAll,
    calls: v.array(vCall),
    drawn: v.array(v.number()),
  }),
  handler: async (
    ctx,
    { requests, details, now },
  ): Promise<{ answer: AnswerToAll; calls: Call[]; drawn: number[] }> => {
    const drawn: number[] = [];
    const random = () => {
      const number = Math.random();
      drawn.push(number);
      return number;
    };
    const outcome = await answerAll(ctx, requests, { details }, now, random);
    return { answer: outcome.answer, calls: outcome.calls, drawn };
  },
});
