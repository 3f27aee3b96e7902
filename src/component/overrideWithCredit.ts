import { v } from "convex/values";
import { vStoredConfig, vStoredOverride } from "../core/validators.js";
import { api } from "./_generated/api.js";
import { mutation } from "./_generated/server.js";
import { creditTokens, growthToCredit, fillOf } from "../verbs/adjust.js";
import { open } from "../verbs/open.js";
import { vCredited, type Credited } from "../verbs/signatures.js";

/**
 * Stores an override of one key as `setOverride` does, and gives the key what its capacity grows
 * by. In a module of its own, since it imports the code that knows balances, which other overrides
 * do not need.
 */
export const setOverride = mutation({
  args: {
    ...vStoredOverride().omit("setAt", "bans", "forgetAt").fields,
    credit: v.literal(true),
    /** The config of the limit, which the override changes. */
    config: vStoredConfig(),
  },
  returns: vCredited(),
  handler: async (ctx, { config, credit: _, ...set }): Promise<Credited> => {
    const { name, key, override, startsAt } = set;
    const rejectUnless = (isSo: boolean, but: string) => {
      if (isSo) return;
      throw new Error(
        `Rate limit ${name}: credit gives one key what its capacity grows by at once, but ${but}.`,
      );
    };
    rejectUnless(key !== undefined, "there is no key");
    rejectUnless("config" in override, "the override has no config");
    rejectUnless(startsAt === undefined, `startsAt is ${startsAt}`);
    rejectUnless(
      config.kind !== "concurrency",
      `the limit's kind is "concurrency"`,
    );
    const now = Date.now();
    const before = await fillOf(await open(ctx, { name, key, config }, now));
    await ctx.runMutation(api.overrides.setOverride, set);
    const opened = await open(ctx, { name, key, config }, now);
    const count = await growthToCredit(before, opened);
    return { credited: await creditTokens(ctx, opened, count) };
  },
});
