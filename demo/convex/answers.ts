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
import {
  ANSWER_LEASE_MS,
  ANSWERS_AT_ONCE,
  rateLimiter,
} from "./rateLimiter.js";
import { requireSession } from "./session.js";

/** How many tokens the model may write, which is what each answer holds. */
const MAX_TOKENS = 300;
/** How fast the model writes. */
const TOKENS_PER_SECOND = 60;

const vAsked = v.union(
  v.object({ ok: v.literal(true), held: v.number() }),
  v.object({
    ok: v.literal(false),
    lacks: v.union(v.literal("place"), v.literal("tokens")),
    retryAfter: v.number(),
  }),
);

/**
 * Holds a place and the most that the answer may cost, then schedules a function that stands in for
 * the model. With `crashes` nothing is scheduled, so nobody ends the holds.
 */
export const ask = mutation({
  args: { session: v.string(), crashes: v.boolean() },
  returns: vAsked,
  handler: async (ctx, { session, crashes }): Promise<Infer<typeof vAsked>> => {
    const key = requireSession(session);
    const place = await rateLimiter.hold(ctx, "writing", { key });
    if (!place.ok) {
      return { ok: false, lacks: "place", retryAfter: place.retryAfter };
    }
    const tokens = await rateLimiter.hold(ctx, "answers", {
      key,
      count: MAX_TOKENS,
      expiresAfter: ANSWER_LEASE_MS,
    });
    if (!tokens.ok) {
      await rateLimiter.release(ctx, place.id);
      return { ok: false, lacks: "tokens", retryAfter: tokens.retryAfter };
    }
    const now = Date.now();
    const length = 120 + Math.floor(Math.random() * 120);
    const id = await ctx.db.insert("answers", {
      session,
      place: await takePlace(ctx, session, now),
      holds: { place: place.id, tokens: tokens.id },
      expiresAt: now + ANSWER_LEASE_MS,
      length,
      ...(crashes && { crashed: true }),
    });
    if (!crashes) {
      const writesFor = (length / TOKENS_PER_SECOND) * 1000;
      await ctx.scheduler.runAfter(writesFor, internal.answers.finish, { id });
    }
    return { ok: true, held: MAX_TOKENS };
  },
});

/** The model is done: the real cost replaces what was held. */
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
    const seconds = (Date.now() - answer._creationTime) / 1000;
    const written = Math.ceil(seconds * TOKENS_PER_SECOND);
    return settle(ctx, answer, Math.min(Math.max(1, written), answer.length));
  },
});

/** Settles once. A second call, or one that comes too late, changes nothing. */
async function settle(
  ctx: MutationCtx,
  { _id, holds }: Doc<"answers">,
  used: number,
) {
  const { settled } = await rateLimiter.settle(ctx, holds.tokens, {
    count: used,
  });
  if (settled) {
    await rateLimiter.release(ctx, holds.place);
    await ctx.db.patch("answers", _id, { used });
  }
  return { settled };
}

/** The last answer in each place, and what the limiter says is left. */
export const list = query({
  args: { session: v.string() },
  handler: async (ctx, args) => {
    const session = requireSession(args.session);
    const answers = await answersOf(ctx, session);
    return {
      answers: answers.map((answer) => ({
        id: answer._id,
        place: answer.place,
        askedAt: answer._creationTime,
        expiresAt: answer.expiresAt,
        used: answer.used,
        crashed: answer.crashed === true,
      })),
      held: MAX_TOKENS,
      tokensPerSecond: TOKENS_PER_SECOND,
      balance: await rateLimiter.getValue(ctx, "answers", { key: session }),
    };
  },
});

/** Deletes the answers and refills the limits. */
export const startOver = mutation({
  args: { session: v.string() },
  returns: v.null(),
  handler: async (ctx, args) => {
    const key = requireSession(args.session);
    for (const { _id } of await answersOf(ctx, key)) {
      await ctx.db.delete("answers", _id);
    }
    await rateLimiter.reset(ctx, "answers", { key });
    await rateLimiter.reset(ctx, "writing", { key });
    return null;
  },
});

function answersOf(ctx: QueryCtx, session: string) {
  return ctx.db
    .query("answers")
    .withIndex("session", (q) => q.eq("session", session))
    .take(ANSWERS_AT_ONCE);
}

/** Finds the first place without an answer being written, and clears it. The limit leaves one. */
async function takePlace(ctx: MutationCtx, session: string, now: number) {
  const answers = await answersOf(ctx, session);
  for (let place = 0; ; place++) {
    const last = answers.find((answer) => answer.place === place);
    if (last === undefined) return place;
    if (last.used === undefined && now < last.expiresAt) continue;
    await ctx.db.delete("answers", last._id);
    return place;
  }
}
