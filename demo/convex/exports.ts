import { v, type Infer } from "convex/values";
import { mutation, query, type QueryCtx } from "./_generated/server.js";
import { rateLimiter } from "./rateLimiter.js";
import { requireSession } from "./session.js";

/** Each customer has their own zone. */
const vTimeZone = v.union(
  v.literal("America/New_York"),
  v.literal("Europe/Berlin"),
  v.literal("Asia/Tokyo"),
);

export type TimeZone = Infer<typeof vTimeZone>;

/** How many exports there are in a month, and how many are for paying users alone. */
const QUOTA = 100;
const FOR_PAYING = 20;

/** What each of them wants, and leaves. The job takes what there is. */
const REQUESTS = {
  free: { count: 20, leave: FOR_PAYING },
  paying: { count: 20 },
  job: { count: 50, leave: FOR_PAYING, upTo: true },
} as const;

const vWho = v.union(v.literal("free"), v.literal("paying"), v.literal("job"));

export type Who = Infer<typeof vWho>;

const target = { session: v.string(), timeZone: vTimeZone };

/** The config of a customer's limit comes with the call, for it has the customer's zone. */
function optionsOf(args: { session: string; timeZone: TimeZone }) {
  const { timeZone } = args;
  return {
    // The same limit and key always have the same config.
    key: `${requireSession(args.session)}/${timeZone}`,
    config: {
      kind: "fixed window" as const,
      rate: QUOTA,
      period: "month" as const,
      timeZone,
      warnAt: 0.8,
    },
  };
}

const vTaken = v.union(
  v.object({ ok: v.literal(true), wanted: v.number(), taken: v.number() }),
  v.object({ ok: v.literal(false), retryAfter: v.number() }),
);

export const take = mutation({
  args: { ...target, who: vWho },
  returns: vTaken,
  handler: async (ctx, { who, ...args }): Promise<Infer<typeof vTaken>> => {
    const request = REQUESTS[who];
    const status = await rateLimiter.limit(ctx, "exports", {
      ...optionsOf(args),
      ...request,
    });
    if (!status.ok) return { ok: false, retryAfter: status.retryAfter };
    const wanted = request.count;
    return { ok: true, wanted, taken: status.taken ?? wanted };
  },
});

/** What is left, of it what only paying users may take, and the newest mail about it. */
export const state = query({
  args: target,
  handler: async (ctx, args) => {
    const options = optionsOf(args);
    const mail = await mailsTo(ctx, options.key).order("desc").first();
    return {
      balance: await rateLimiter.getValue(ctx, "exports", options),
      forPaying: FOR_PAYING,
      mailed: mail?.remaining,
    };
  },
});

const mailsTo = (ctx: QueryCtx, key: string) =>
  ctx.db.query("mails").withIndex("key", (q) => q.eq("key", key));

export const startOver = mutation({
  args: target,
  returns: v.null(),
  handler: async (ctx, args) => {
    const options = optionsOf(args);
    await rateLimiter.reset(ctx, "exports", options);
    for (const { _id } of await mailsTo(ctx, options.key).take(100)) {
      await ctx.db.delete("mails", _id);
    }
    return null;
  },
});
