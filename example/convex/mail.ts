import { v } from "convex/values";
import { internal } from "./_generated/api.js";
import type { DataModel } from "./_generated/dataModel.js";
import { internalMutation, mutation, query } from "./_generated/server.js";
import { type Done, vDone } from "./done.js";
import { requireText } from "./errors.js";
import { rateLimiter } from "./rateLimiter.js";
import { requireUserId } from "./users.js";

/** For the button: how many letters the caller may write. */
export const { getRateLimit, getServerTime } = rateLimiter.hookAPI<DataModel>(
  "writeLetter",
  { key: (ctx) => requireUserId(ctx) },
);

/**
 * Reserves a turn, and schedules the letter for it. All users share the turns; a limit for each
 * user keeps one of them from taking them all.
 */
export const queue = mutation({
  args: { text: v.string() },
  returns: vDone,
  handler: async (ctx, args): Promise<Done> => {
    const owner = await requireUserId(ctx);
    const text = requireText(args.text, 500);
    const own = await rateLimiter.limit(ctx, "writeLetter", { key: owner });
    if (!own.ok) return { ok: false, retryAfter: own.retryAfter };

    const now = Date.now();
    const id = await ctx.db.insert("letters", { owner, text, dueAt: now });
    const { ok, retryAfter, scheduledId } = await rateLimiter.schedule(
      ctx,
      "mail",
      { fn: internal.mail.deliver, args: { id } },
    );
    if (!ok) {
      await rateLimiter.credit(ctx, "writeLetter", { key: owner });
      await ctx.db.delete("letters", id);
      return { ok: false, retryAfter };
    }
    const dueAt = now + retryAfter;
    await ctx.db.patch("letters", id, { dueAt, scheduledId });
    return { ok: true };
  },
});

/** Takes back a letter that has not gone yet, and frees its turn. */
export const cancel = mutation({
  args: { id: v.id("letters") },
  returns: v.object({ cancelled: v.boolean() }),
  handler: async (ctx, { id }) => {
    const owner = await requireUserId(ctx);
    const letter = await ctx.db.get("letters", id);
    if (letter?.owner !== owner || letter.scheduledId === undefined) {
      return { cancelled: false };
    }
    const { cancelled } = await rateLimiter.cancelScheduled(
      ctx,
      letter.scheduledId,
    );
    if (cancelled) await ctx.db.delete("letters", id);
    return { cancelled };
  },
});

/**
 * Sends the letter: its turn has come, so it must not ask the limit again. This app has no mail
 * provider and only notes the time. Call a real one from an internal action.
 */
export const deliver = internalMutation({
  args: { id: v.id("letters") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    await ctx.db.patch("letters", id, { sentAt: Date.now() });
    return null;
  },
});

const vLetter = v.object({
  id: v.id("letters"),
  text: v.string(),
  dueAt: v.number(),
  isSent: v.boolean(),
});

/** The caller's last five, the newest first. */
export const list = query({
  args: {},
  returns: v.array(vLetter),
  handler: async (ctx) => {
    const owner = await requireUserId(ctx);
    const letters = await ctx.db
      .query("letters")
      .withIndex("owner", (q) => q.eq("owner", owner))
      .order("desc")
      .take(5);
    return letters.map(({ _id, text, dueAt, sentAt }) => ({
      id: _id,
      text,
      dueAt,
      isSent: sentAt !== undefined,
    }));
  },
});
