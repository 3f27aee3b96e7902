import { SECOND } from "convex-rate-limiter";
import { v, type Infer } from "convex/values";
import { internal } from "./_generated/api.js";
import type { Doc } from "./_generated/dataModel.js";
import {
  internalMutation,
  mutation,
  query,
  type MutationCtx,
  type QueryCtx,
} from "./_generated/server.js";
import { rateLimiter } from "./rateLimiter.js";
import { requireSession } from "./session.js";

/** The most tokens that we let the model write, and so what is held for each answer. */
const MOST = 300;
/** How fast the model writes. */
const TOKENS_PER_SECOND = 60;
/** A hold that is not settled for so long will not be. */
const EXPIRES_AFTER_MS = 6 * SECOND;
/** As many answers are kept of each session. */
const PLACES = 3;

const vAsked = v.union(
  v.object({ ok: v.literal(true), held: v.number() }),
  v.object({ ok: v.literal(false), retryAfter: v.number() }),
);

/**
 * Holds the most that the answer may cost and has it written: here by a scheduled function
 * that stands in for the model. With `crashes` nothing is, and nobody settles the hold.
 */
export const ask = mutation({
  args: { session: v.string(), label: v.string(), crashes: v.boolean() },
  returns: vAsked,
  handler: async (
    ctx,
    { session, label, crashes },
  ): Promise<Infer<typeof vAsked>> => {
    const key = requireSession(session);
    const held = await rateLimiter.hold(ctx, "answers", {
      key,
      count: MOST,
      expiresAfter: EXPIRES_AFTER_MS,
    });
    if (!held.ok) return { ok: false, retryAfter: held.retryAfter };
    const now = Date.now();
    const length = 120 + Math.floor(Math.random() * 120);
    const id = await ctx.db.insert("answers", {
      session,
      label: label.slice(0, 40),
      place: await vacatePlace(ctx, session, now),
      holdId: held.id,
      expiresAt: now + EXPIRES_AFTER_MS,
      length,
      ...(crashes && { crashed: true }),
    });
    if (!crashes) {
      const writesFor = (length / TOKENS_PER_SECOND) * SECOND;
      await ctx.scheduler.runAfter(writesFor, internal.answers.finish, { id });
    }
    return { ok: true, held: MOST };
  },
});

/** The model is done: what the answer has cost takes the place of what was held. */
export const finish = internalMutation({
  args: { id: v.id("answers") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    const answer = await ctx.db.get("answers", id);
    if (answer !== null) await settle(ctx, answer, answer.length);
    return null;
  },
});

/** Whoever stops an answer pays for what has been written. */
export const stop = mutation({
  args: { session: v.string(), id: v.id("answers") },
  returns: v.object({ settled: v.boolean() }),
  handler: async (ctx, { session, id }) => {
    const answer = await ctx.db.get("answers", id);
    if (answer?.session !== requireSession(session)) return { settled: false };
    const seconds = (Date.now() - answer._creationTime) / SECOND;
    const written = Math.ceil(seconds * TOKENS_PER_SECOND);
    return settle(ctx, answer, Math.min(Math.max(1, written), answer.length));
  },
});

/** Settles once: whoever comes second, or too late, changes nothing. */
async function settle(
  ctx: MutationCtx,
  { _id, holdId }: Doc<"answers">,
  used: number,
) {
  const { settled } = await rateLimiter.settle(ctx, holdId, { count: used });
  if (settled) await ctx.db.patch("answers", _id, { used });
  return { settled };
}

/** What has been asked, what is held for it, and what the limiter says is left. */
export const list = query({
  args: { session: v.string() },
  handler: async (ctx, args) => {
    const session = requireSession(args.session);
    const answers = await answersOf(ctx, session);
    return {
      answers: answers.map((answer) => ({
        id: answer._id,
        label: answer.label,
        place: answer.place,
        askedAt: answer._creationTime,
        expiresAt: answer.expiresAt,
        used: answer.used,
        crashed: answer.crashed === true,
      })),
      held: MOST,
      tokensPerSecond: TOKENS_PER_SECOND,
      balance: await rateLimiter.getValue(ctx, "answers", { key: session }),
    };
  },
});

/** Nothing has been asked today. */
export const startOver = mutation({
  args: { session: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const session = requireSession(args.session);
    for (const { _id, holdId } of await answersOf(ctx, session)) {
      await rateLimiter.release(ctx, holdId);
      await ctx.db.delete("answers", _id);
    }
    await rateLimiter.reset(ctx, "answers", { key: session });
    return null;
  },
});

function answersOf(ctx: QueryCtx, session: string) {
  return ctx.db
    .query("answers")
    .withIndex("session", (q) => q.eq("session", session))
    .take(PLACES);
}

/** A place that is free, or that the oldest answer leaves, of those that are done if there are any. */
async function vacatePlace(
  ctx: MutationCtx,
  session: string,
  now: number,
): Promise<number> {
  const answers = await answersOf(ctx, session);
  const taken = new Set(answers.map(({ place }) => place));
  for (let place = 0; place < PLACES; place++) {
    if (!taken.has(place)) return place;
  }
  const isDone = ({ used, expiresAt }: Doc<"answers">) =>
    used !== undefined || now >= expiresAt;
  const oldest = answers.find(isDone) ?? answers[0]!;
  await ctx.db.delete("answers", oldest._id);
  return oldest.place;
}
