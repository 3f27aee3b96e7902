import { RateLimiter } from "convex-rate-limiter";
import { v, type Infer } from "convex/values";
import { components } from "./_generated/api.js";
import { action, mutation, query } from "./_generated/server.js";
import { nameAndOptions, vPlaygroundConfig } from "./playground.js";
import { requireSession } from "./session.js";

/*
 * Holds, with whatever config is sent: as `playground`, which says why no real app does so.
 * For trying a deployment.
 */

const vPlaces = v.object({
  kind: v.literal("concurrency"),
  capacity: v.number(),
  lease: v.number(),
});

export type PlacesConfig = Infer<typeof vPlaces>;

const rateLimiter = new RateLimiter(components.rateLimiter);

const vHeld = v.union(
  v.object({
    ok: v.literal(true),
    id: v.string(),
    wouldDeny: v.optional(v.literal(true)),
  }),
  v.object({ ok: v.literal(false), retryAfter: v.number() }),
);

type Answer = Infer<typeof vHeld>;

/** Takes from the limit that `playground.limit` takes from, until it is settled. */
export const hold = mutation({
  args: {
    session: v.string(),
    config: vPlaygroundConfig,
    count: v.optional(v.number()),
    expiresAfter: v.optional(v.number()),
  },
  returns: vHeld,
  handler: async (ctx, args): Promise<Answer> => {
    const [name, options] = nameAndOptions(args);
    return rateLimiter.hold(ctx, name, options);
  },
});

/** Corrects what a hold took to what was used. */
export const settle = mutation({
  args: { id: v.string(), count: v.number() },
  returns: v.object({ settled: v.boolean() }),
  handler: async (ctx, { id, count }) => rateLimiter.settle(ctx, id, { count }),
});

/** Gives back all that a hold took, or its place. */
export const release = mutation({
  args: { id: v.string() },
  returns: v.object({ settled: v.boolean() }),
  handler: async (ctx, { id }) => rateLimiter.release(ctx, id),
});

const vPlace = { session: v.string(), config: vPlaces };

/** A place of a limit on what runs at once, for work that goes on outside of Convex. */
export const occupy = mutation({
  args: vPlace,
  returns: vHeld,
  handler: async (ctx, { session, config }): Promise<Answer> => {
    const key = requireSession(session);
    return rateLimiter.hold(ctx, "places", { key, config });
  },
});

/** Whether there is a place. */
export const isVacant = query({
  args: vPlace,
  returns: v.boolean(),
  handler: async (ctx, { session, config }) => {
    const key = requireSession(session);
    const { ok } = await rateLimiter.check(ctx, "places", { key, config });
    return ok;
  },
});

/** Such work says that it still goes on. */
export const renew = mutation({
  args: { id: v.string() },
  returns: v.object({ renewed: v.boolean() }),
  handler: async (ctx, { id }) => rateLimiter.renew(ctx, id),
});

/** The longest that `work` goes on. */
const LONGEST_MS = 20_000;

/** Work in an action: it has a place while it goes on, and none once it ends or fails. */
export const work = action({
  args: { ...vPlace, ms: v.number(), fails: v.optional(v.boolean()) },
  returns: v.union(
    v.object({ ok: v.literal(true), result: v.string() }),
    v.object({ ok: v.literal(false), retryAfter: v.number() }),
  ),
  handler: async (ctx, { session, config, ms, fails }) => {
    const key = requireSession(session);
    return rateLimiter.whileHolding(
      ctx,
      "places",
      { key, config },
      async () => {
        await new Promise((resolve) =>
          setTimeout(resolve, Math.min(ms, LONGEST_MS)),
        );
        if (fails === true) throw new Error("The work has failed.");
        return "done";
      },
    );
  },
});
