import { v, type Infer } from "convex/values";
import { mutation, query } from "./_generated/server.js";
import { rateLimiter } from "./limits.js";
import { requireSession } from "./session.js";

/** The exports of a plan. Its zone and its period differ by customer. */
const vPlan = v.object({
  timeZone: v.union(
    v.literal("America/New_York"),
    v.literal("Europe/Berlin"),
    v.literal("Asia/Tokyo"),
  ),
  period: v.union(
    v.literal("day"),
    v.literal("week"),
    v.literal("month"),
    v.literal("year"),
  ),
  weekStart: v.union(v.literal("monday"), v.literal("sunday")),
});

export type Plan = Infer<typeof vPlan>;

/** How many exports a plan has in each of its windows. */
const QUOTA = 100;

/** As many of them are for paying users alone. */
const FOR_PAYING = 20;

/** What each of the users takes, and what it leaves. */
const EXPORTS = 20;
const LEAVE = { free: FOR_PAYING, paying: 0 };

/** The job that exports what can wait. */
const JOB = { count: 50, leave: FOR_PAYING, upTo: true } as const;

const vWho = v.union(v.literal("free"), v.literal("paying"), v.literal("job"));

export type Who = Infer<typeof vWho>;

const target = { session: v.string(), plan: vPlan };

/** The config of a customer's limit comes with the call, for it has the customer's zone. */
function optionsOf(args: { session: string; plan: Plan }) {
  const { period, timeZone, weekStart } = args.plan;
  const isWeek = period === "week";
  const session = requireSession(args.session);
  // The same limit and key always have the same config.
  const key = [session, timeZone, period, ...(isWeek ? [weekStart] : [])];
  return {
    key: key.join("/"),
    config: {
      kind: "fixed window" as const,
      rate: QUOTA,
      period,
      timeZone,
      ...(isWeek && { weekStart }),
    },
  };
}

const vTaken = v.union(
  v.object({ ok: v.literal(true), wanted: v.number(), taken: v.number() }),
  v.object({
    ok: v.literal(false),
    wanted: v.number(),
    retryAfter: v.number(),
  }),
);

/**
 * Free users leave some exports for paying ones. The job leaves as many, and takes what
 * there is of what it wants.
 */
export const take = mutation({
  args: { ...target, who: vWho },
  returns: vTaken,
  handler: async (ctx, { who, ...args }): Promise<Infer<typeof vTaken>> => {
    const options = optionsOf(args);
    if (who === "job") {
      const request = { ...options, ...JOB };
      const status = await rateLimiter.limit(ctx, "exports", request);
      return status.ok
        ? { ok: true, wanted: JOB.count, taken: status.taken }
        : { ok: false, wanted: JOB.count, retryAfter: status.retryAfter };
    }
    const status = await rateLimiter.limit(ctx, "exports", {
      ...options,
      count: EXPORTS,
      leave: LEAVE[who],
    });
    return status.ok
      ? { ok: true, wanted: EXPORTS, taken: EXPORTS }
      : { ok: false, wanted: EXPORTS, retryAfter: status.retryAfter };
  },
});

/** What is left, and of it what only paying users may take. */
export const state = query({
  args: target,
  handler: async (ctx, args) => ({
    balance: await rateLimiter.getValue(ctx, "exports", optionsOf(args)),
    forPaying: FOR_PAYING,
  }),
});

export const startOver = mutation({
  args: target,
  returns: v.null(),
  handler: async (ctx, args) => {
    await rateLimiter.reset(ctx, "exports", optionsOf(args));
    return null;
  },
});
