import { MINUTE } from "convex-rate-limiter";
import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import type { DataModel } from "./_generated/dataModel.js";
import {
  internalAction,
  internalMutation,
  mutation,
  query,
} from "./_generated/server.js";
import { type Done, vDone } from "./done.js";
import { requireText } from "./errors.js";
import { callModel, MAX_TOKENS } from "./model.js";
import { rateLimiter } from "./rateLimiter.js";
import schema from "./schema.js";
import { requireUserId } from "./users.js";

export const { getRateLimit, getServerTime } = rateLimiter.hookAPI<DataModel>(
  "modelTokens",
  { key: (ctx) => requireUserId(ctx) },
);

/** Convex ends an action after ten minutes, so by then it has stored its answer or never will. */
const GIVE_UP_AFTER = 11 * MINUTE;

/** Holds the most that an answer may cost, and schedules its writing. */
export const ask = mutation({
  args: { question: v.string() },
  returns: vDone,
  handler: async (ctx, args): Promise<Done> => {
    const asker = await requireUserId(ctx);
    const question = requireText(args.question, 200);
    const held = await rateLimiter.hold(ctx, "modelTokens", {
      key: asker,
      count: MAX_TOKENS,
    });
    if (!held.ok) return { ok: false, retryAfter: held.retryAfter };
    const id = await ctx.db.insert("answers", {
      asker,
      question,
      state: { kind: "writing" },
    });
    const answer = { id, holdId: held.id };
    await ctx.scheduler.runAfter(0, internal.answers.write, {
      ...answer,
      question,
    });
    // An action that crashes does not report it, and is not run again.
    await ctx.scheduler.runAfter(GIVE_UP_AFTER, internal.answers.finish, {
      ...answer,
      state: { kind: "failed" },
    });
    return { ok: true };
  },
});

/** Calls the model. An answer that fails costs nothing. */
export const write = internalAction({
  args: { id: v.id("answers"), question: v.string(), holdId: v.string() },
  returns: v.null(),
  handler: async (ctx, { id, question, holdId }) => {
    const state = await callModel(question).then(
      (answer) => ({ kind: "written" as const, ...answer }),
      () => ({ kind: "failed" as const }),
    );
    await ctx.runMutation(internal.answers.finish, { id, holdId, state });
    return null;
  },
});

/** Stores the answer and settles its hold, together. Only the first call does anything. */
export const finish = internalMutation({
  args: {
    id: v.id("answers"),
    holdId: v.string(),
    state: schema.tables.answers.validator.fields.state,
  },
  returns: v.null(),
  handler: async (ctx, { id, holdId, state }) => {
    const count = state.kind === "written" ? state.tokens : 0;
    const { settled } = await rateLimiter.settle(ctx, holdId, { count });
    if (settled) await ctx.db.patch("answers", id, { state });
    return null;
  },
});

const vAnswer = v.object({
  id: v.id("answers"),
  question: v.string(),
  state: schema.tables.answers.validator.fields.state,
});

/** The caller's last three, the newest first. */
export const list = query({
  args: {},
  returns: v.array(vAnswer),
  handler: async (ctx) => {
    const asker = await requireUserId(ctx);
    const answers = await ctx.db
      .query("answers")
      .withIndex("asker", (q) => q.eq("asker", asker))
      .order("desc")
      .take(3);
    return answers.map(({ _id, question, state }) => ({
      id: _id,
      question,
      state,
    }));
  },
});
