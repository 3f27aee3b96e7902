import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { v, type Infer } from "convex/values";
import { components } from "./_generated/api.js";
import { mutation, query } from "./_generated/server.js";
import { requireSession } from "./session.js";

/** Without names: every visitor of the page rolls out a limit of their own. */
const rateLimiter = new RateLimiter(components.rateLimiter);

/** One comment a minute: a dry run until an override enforces it. */
const config = {
  kind: "token bucket" as const,
  rate: 1,
  period: MINUTE,
  enforce: 0,
  overrides: true,
};

const USERS = Array.from({ length: 60 }, (_, i) => `user-${i + 1}`);

function nameOf(session: string): string {
  return `comment, ${requireSession(session)}`;
}

/** For operators: enforces the limit for a share of the keys. */
export const enforce = mutation({
  args: { session: v.string(), share: v.number() },
  returns: v.null(),
  handler: async (ctx, { session, share }) => {
    await rateLimiter.setOverride(ctx, nameOf(session), {
      config: { enforce: share },
    });
    return null;
  },
});

const vOutcome = v.union(
  v.literal("granted"),
  v.literal("wouldDeny"),
  v.literal("denied"),
);

export type CommentOutcome = Infer<typeof vOutcome>;

/** Every user posts a comment. Returns the outcomes in the order of the users. */
export const comment = mutation({
  args: { session: v.string() },
  returns: v.array(vOutcome),
  handler: async (ctx, { session }) => {
    const name = nameOf(session);
    const outcomes: CommentOutcome[] = [];
    for (const key of USERS) {
      const status = await rateLimiter.limit(ctx, name, { key, config });
      if (!status.ok) outcomes.push("denied");
      else outcomes.push(status.wouldDeny ? "wouldDeny" : "granted");
    }
    return outcomes;
  },
});

/** The current share, and for which users the limit is enforced. */
export const state = query({
  args: { session: v.string() },
  returns: v.object({ share: v.number(), enforced: v.array(v.boolean()) }),
  handler: async (ctx, { session }) => {
    const name = nameOf(session);
    const { page } = await rateLimiter.listOverrides(ctx, {
      name,
      paginationOpts: { numItems: 1, cursor: null },
    });
    const [first] = page;
    // Without an override it is a dry run for all.
    if (first === undefined || !("config" in first.override)) {
      return { share: 0, enforced: USERS.map(() => false) };
    }
    const enforced = await Promise.all(
      USERS.map(async (key) => {
        const value = await rateLimiter.getValue(ctx, name, { key, config });
        return value.config.enforce === true;
      }),
    );
    return { share: Number(first.override.config.enforce ?? 0), enforced };
  },
});

/** Goes back to a dry run in which nobody has posted. */
export const startOver = mutation({
  args: { session: v.string() },
  returns: v.null(),
  handler: async (ctx, { session }) => {
    const name = nameOf(session);
    await rateLimiter.clearOverride(ctx, name);
    for (const key of USERS) await rateLimiter.reset(ctx, name, { key });
    return null;
  },
});
