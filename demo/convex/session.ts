import { v } from "convex/values";
import { api } from "./_generated/api.js";
import { mutation } from "./_generated/server.js";
import { rateLimiter } from "./limits.js";

/**
 * Whose request it is. This app has no sign-in: the page makes a random id, keeps it and
 * sends it, and whoever knows it is that user. A real app never takes the key from the
 * browser; it asks `ctx.auth.getUserIdentity()`.
 *
 * Bounded, because it becomes a key: the browser must not store whatever it likes.
 */
export function requireSession(session: string | undefined): string {
  if (session === undefined || !/^[\w-]{8,64}$/.test(session)) {
    throw new Error("A session is 8 to 64 letters, digits, - or _.");
  }
  return session;
}

/** Most rows of a table that one call of `forget` deletes. */
const BATCH = 500;

/**
 * Deletes what a session has stored and makes its limits full: its owner leaves. Quotas stay
 * as they are, or whoever comes back would have another one.
 */
export const forget = mutation({
  args: { session: v.string() },
  returns: v.null(),
  handler: async (ctx, args): Promise<null> => {
    const session = requireSession(args.session);
    const messages = await ctx.db
      .query("messages")
      .withIndex("session", (q) => q.eq("session", session))
      .take(BATCH);
    for (const { _id } of messages) await ctx.db.delete("messages", _id);
    const jobs = await ctx.db
      .query("jobs")
      .withIndex("session", (q) => q.eq("session", session))
      .take(BATCH);
    for (const { _id, scheduledId, ranAt } of jobs) {
      if (scheduledId !== undefined && ranAt === undefined) {
        await ctx.scheduler.cancel(scheduledId);
      }
      await ctx.db.delete("jobs", _id);
    }
    const renders = await ctx.db
      .query("renders")
      .withIndex("session", (q) => q.eq("session", session))
      .take(BATCH);
    for (const { _id } of renders) await ctx.db.delete("renders", _id);
    await ctx.runMutation(api.answers.startOver, { session });
    await ctx.runMutation(api.rollout.startOver, { session });
    const user = await ctx.db
      .query("users")
      .withIndex("name", (q) => q.eq("name", session))
      .unique();
    if (user !== null) await ctx.db.delete("users", user._id);
    for (const name of [
      "sendMessage",
      "jobs",
      "report",
      "render",
      "organisation",
    ] as const) {
      await rateLimiter.reset(ctx, name, { key: session });
    }
    for (const member of ["Ada", "Grace"]) {
      for (const name of ["user", "read", "upload"] as const) {
        await rateLimiter.reset(ctx, name, { key: `${session}/${member}` });
      }
    }
    return null;
  },
});
