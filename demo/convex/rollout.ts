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

/** The longest that an operator may look ahead here. */
const LONGEST_AHEAD_MS = MINUTE;

/** For operators: enforces the limit for a share of the keys, now or from a time on. */
export const enforce = mutation({
  args: { session: v.string(), share: v.number(), ahead: v.number() },
  returns: v.null(),
  handler: async (ctx, { session, share, ahead }) => {
    const startsAt = Date.now() + Math.min(ahead, LONGEST_AHEAD_MS);
    await rateLimiter.setOverride(ctx, nameOf(session), {
      config: { enforce: share },
      ...(ahead > 0 && { startsAt }),
    });
    return null;
  },
});

const vCounts = v.object({
  granted: v.number(),
  wouldDeny: v.number(),
  denied: v.number(),
});

/** Every user posts a comment. */
export const comment = mutation({
  args: { session: v.string() },
  returns: vCounts,
  handler: async (ctx, { session }): Promise<Infer<typeof vCounts>> => {
    const counts = { granted: 0, wouldDeny: 0, denied: 0 };
    const name = nameOf(session);
    for (const key of USERS) {
      const status = await rateLimiter.limit(ctx, name, { key, config });
      if (!status.ok) counts.denied++;
      else if (status.wouldDeny) counts.wouldDeny++;
      else counts.granted++;
    }
    return counts;
  },
});

const vRule = v.object({
  isEnforced: v.boolean(),
  /** When it ends; absent for the last one. */
  until: v.optional(v.number()),
});

type Rule = Infer<typeof vRule>;

/** What is set, and what that means for each user, now and when what is set begins. */
export const state = query({
  args: { session: v.string() },
  returns: v.object({
    shares: v.array(
      v.object({ share: v.number(), startsAt: v.optional(v.number()) }),
    ),
    users: v.array(v.array(vRule)),
  }),
  handler: async (ctx, { session }) => {
    const name = nameOf(session);
    const { page } = await rateLimiter.listOverrides(ctx, {
      name,
      paginationOpts: { numItems: 10, cursor: null },
    });
    const shares = page.flatMap(({ override, startsAt }) =>
      "config" in override
        ? [{ share: Number(override.config.enforce ?? 0), startsAt }]
        : [],
    );
    const rulesOf = async (key: string): Promise<Rule[]> => {
      const value = await rateLimiter.getValue(ctx, name, { key, config });
      const { segments = [{ config: value.config, until: undefined }] } = value;
      return segments.map(({ config, until }) => ({
        isEnforced: config.enforce === true,
        until,
      }));
    };
    // Without any it is a dry run for all: each need not be asked for.
    const users: Rule[][] =
      shares.length > 0
        ? await Promise.all(USERS.map(rulesOf))
        : USERS.map(() => [{ isEnforced: false }]);
    return { shares, users };
  },
});

/** A dry run again, and nobody has posted. */
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
