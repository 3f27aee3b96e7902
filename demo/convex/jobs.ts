import { v, type Infer } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation, mutation, query } from "./_generated/server.js";
import { rateLimiter } from "./rateLimiter.js";
import { requireSession } from "./session.js";

const vAdded = v.union(
  v.object({
    ok: v.literal(true),
    id: v.id("jobs"),
    dueAt: v.number(),
  }),
  v.object({ ok: v.literal(false), retryAfter: v.number() }),
);

/**
 * Reserves a token and schedules the job for when that token exists. The job does not ask again.
 * If too many wait already, it is denied, and nothing is scheduled.
 */
export const add = mutation({
  args: { session: v.string(), label: v.string() },
  returns: vAdded,
  handler: async (ctx, args): Promise<Infer<typeof vAdded>> => {
    const session = requireSession(args.session);
    const label = args.label.slice(0, 40);
    const now = Date.now();
    const id = await ctx.db.insert("jobs", {
      session,
      label,
      dueAt: now,
    });
    const { ok, retryAfter, scheduledId } = await rateLimiter.schedule(
      ctx,
      "jobs",
      { key: session, fn: internal.jobs.run, args: { id } },
    );
    if (!ok) {
      await ctx.db.delete("jobs", id);
      return { ok: false, retryAfter };
    }
    const dueAt = now + retryAfter;
    await ctx.db.patch("jobs", id, { dueAt, scheduledId });
    return { ok: true, id, dueAt };
  },
});

/** Cancels a job that has not run yet and gives its token back. */
export const cancel = mutation({
  args: { session: v.string(), id: v.id("jobs") },
  returns: v.object({ cancelled: v.boolean() }),
  handler: async (ctx, { session, id }) => {
    const key = requireSession(session);
    const job = await ctx.db.get("jobs", id);
    if (job?.session !== key || job.scheduledId === undefined) {
      return { cancelled: false };
    }
    const { cancelled } = await rateLimiter.cancelScheduled(
      ctx,
      job.scheduledId,
    );
    if (cancelled) await ctx.db.patch("jobs", id, { cancelled: true });
    return { cancelled };
  },
});

/** The work. */
export const run = internalMutation({
  args: { id: v.id("jobs") },
  returns: v.null(),
  handler: async (ctx, { id }) => {
    await ctx.db.patch("jobs", id, { ranAt: Date.now() });
    return null;
  },
});

/**
 * The newest twenty: first those that wait, the soonest first; then the others, the newest first.
 */
export const list = query({
  args: { session: v.string() },
  handler: async (ctx, { session }) => {
    const docs = await ctx.db
      .query("jobs")
      .withIndex("session", (q) => q.eq("session", session))
      .order("desc")
      .take(20);
    const jobs = docs.map((job) => ({
      id: job._id,
      label: job.label,
      addedAt: job._creationTime,
      dueAt: job.dueAt,
      ranAt: job.ranAt,
      state:
        job.ranAt !== undefined
          ? ("done" as const)
          : job.cancelled
            ? ("cancelled" as const)
            : ("waiting" as const),
    }));
    const waiting = jobs.filter(({ state }) => state === "waiting");
    return [
      ...waiting.sort((a, b) => a.dueAt - b.dueAt),
      ...jobs.filter(({ state }) => state !== "waiting"),
    ];
  },
});
