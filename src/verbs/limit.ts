import { v } from "convex/values";
import { vValue, vLimitKey } from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import { mutation, query } from "../component/_generated/server.js";
import { openToAdjust, chargeTokens } from "./adjust.js";
import { takeAll } from "./takeAll.js";
import {
  vAnswer,
  vCheckArgs,
  vChecked,
  vRateLimitArgs,
  vValueArgs,
  vUpdate,
} from "./signatures.js";
import { toSingleAnswer, decideAll } from "./decideAll.js";
import { readValue } from "./getValue.js";
import { storedLeases } from "../stores/holds/ledger.js";
import { deleteRows } from "../stores/rows/stored.js";
import { lazily } from "./lazily.js";

/* The functions that apps call, for limits of every kind. */

/** Takes tokens, or denies. */
export const rateLimit = mutation({
  args: lazily(vRateLimitArgs),
  returns: lazily(vAnswer),
  handler: async (ctx, { throws, details, seed, ...args }) => {
    const flags = { throws, details, seed };
    const request = { denyDebt: throws, ...args };
    const { answer } = await takeAll(ctx, [request], flags, Date.now());
    return toSingleAnswer(answer);
  },
});

/** What `rateLimit` or `hold` would answer. */
export const checkRateLimit = query({
  args: lazily(vCheckArgs),
  returns: lazily(vChecked),
  handler: async (ctx, { throws, details, seed, ...args }) => {
    const flags = { throws, details, seed };
    const request = { denyDebt: throws, ...args };
    const { answer } = await decideAll(ctx, [request], flags, Date.now());
    return toSingleAnswer(answer);
  },
});

/** The balance of the whole limit, and what a client needs to project it. */
export const getValue = query({
  args: lazily(vValueArgs),
  returns: lazily(vValue),
  handler: (ctx, args) => readValue(ctx, args, Date.now()),
});

/** Makes a limit full for a key. A concurrency limit has leases instead of rows. */
export const resetRateLimit = mutation({
  args: lazily(() =>
    vLimitKey().extend({ kind: v.optional(v.literal("concurrency")) }),
  ),
  returns: lazily(() => v.null()),
  handler: async (ctx, { kind, ...limitKey }) => {
    if (kind === undefined) {
      await deleteRows(ctx, limitKey);
      return null;
    }
    for (const { _id } of await storedLeases(ctx, limitKey, Date.now())) {
      await ctx.db.delete("holds", _id);
    }
    return null;
  },
});

/**
 * Makes every limit full, or with `before` what was stored up to that time. Overrides stay, and so
 * do holds, except leases.
 */
export const clearAll = mutation({
  args: lazily(() => v.object({ before: v.optional(v.number()) })),
  returns: lazily(() => v.null()),
  handler: async (ctx, args): Promise<null> =>
    ctx.runMutation(internal.jobs.clear, args),
});

/**
 * Applies at once what `@convex-dev/rate-limiter` queues for `applyUpdates: "asynchronously"`: a
 * `consume` charges, a `reset` resets.
 */
export const enqueueUpdates = mutation({
  args: lazily(() => v.object({ updates: v.array(vUpdate()) })),
  returns: lazily(() => v.null()),
  handler: async (ctx, { updates }) => {
    for (const update of updates) {
      if (update.kind === "reset") {
        await deleteRows(ctx, update);
      } else if (update.count !== 0) {
        const { opened, count } = await openToAdjust(ctx, update);
        await chargeTokens(ctx, opened, count);
      }
    }
    return null;
  },
});
