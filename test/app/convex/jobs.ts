import { v, type Infer } from "convex/values";
import { internal } from "./_generated/api.js";
import { internalMutation, mutation, query } from "./_generated/server.js";
import { rateLimiter } from "./rateLimiter.js";

const vAdded = v.object({
  scheduledId: v.id("_scheduled_functions"),
  dueAt: v.number(),
});

/** Reserves a token and has the job run when that token exists. */
export const add = mutation({
  args: { owner: v.string(), label: v.string() },
  returns: vAdded,
  handler: async (ctx, { owner, label }): Promise<Infer<typeof vAdded>> => {
    const id = await ctx.db.insert("jobs", { owner, label });
    const scheduled = await rateLimiter.schedule(ctx, "jobs", {
      key: owner,
      fn: internal.jobs.run,
      args: { id },
    });
    if (!scheduled.ok) throw new Error("Too many jobs wait.");
    const { scheduledId, retryAfter } = scheduled;
    return { scheduledId, dueAt: Date.now() + retryAfter };
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

/** Cancels a job that has not run yet and gives its token back. */
export const cancel = mutation({
  args: { scheduledId: v.id("_scheduled_functions") },
  returns: v.object({ cancelled: v.boolean() }),
  handler: async (ctx, { scheduledId }) =>
    rateLimiter.cancelScheduled(ctx, scheduledId),
});

/** In the order in which they were added. */
export const list = query({
  args: { owner: v.string() },
  returns: v.array(
    v.object({ label: v.string(), ranAt: v.optional(v.number()) }),
  ),
  handler: async (ctx, { owner }) => {
    const jobs = await ctx.db
      .query("jobs")
      .withIndex("owner", (q) => q.eq("owner", owner))
      .take(20);
    return jobs.map(({ label, ranAt }) => ({ label, ranAt }));
  },
});
