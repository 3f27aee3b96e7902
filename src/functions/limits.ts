import { v } from "convex/values";
import { vValue, vLimitKey } from "../core/validators.js";
import { internal } from "../component/_generated/api.js";
import { mutation, query } from "../component/_generated/server.js";
import { openToAdjust, chargeTokens } from "../verbs/adjust.js";
import { takeAll } from "../verbs/takeAll.js";
import {
  vAnswer,
  vCheckArgs,
  vChecked,
  vRateLimitArgs,
  vValueArgs,
  vUpdate,
  type Answer,
  type Checked,
  type Value,
} from "../verbs/signatures.js";
import { toSingleAnswer, decideAll } from "../verbs/decideAll.js";
import { readValue } from "../verbs/value.js";
import { deleteLeases } from "../stores/holds/ledger.js";
import { deleteRows } from "../stores/rows/stored.js";

/* The functions that apps call, for limits of every kind. */

/** Takes tokens, or denies. */
export const rateLimit = mutation({
  get args() {
    return vRateLimitArgs().fields;
  },
  get returns() {
    return vAnswer();
  },
  handler: async (ctx, { throws, details, ...args }): Promise<Answer> => {
    const flags = { throws, details };
    const request = { denyDebt: throws, ...args };
    const { answer } = await takeAll(ctx, [request], flags, Date.now());
    return toSingleAnswer(answer);
  },
});

/** What `rateLimit` or `hold` would answer. */
export const checkRateLimit = query({
  get args() {
    return vCheckArgs().fields;
  },
  get returns() {
    return vChecked();
  },
  handler: async (ctx, { throws, details, ...args }): Promise<Checked> => {
    const flags = { throws, details };
    const request = { denyDebt: throws, ...args };
    const { answer } = await decideAll(ctx, [request], flags, Date.now());
    return toSingleAnswer(answer);
  },
});

/** The balance of the whole limit, and what a client needs to project it. */
export const getValue = query({
  get args() {
    return vValueArgs().fields;
  },
  get returns() {
    return vValue();
  },
  handler: (ctx, args): Promise<Value> => readValue(ctx, args, Date.now()),
});

/** Makes a limit full for a key. A concurrency limit has leases instead of rows. */
export const resetRateLimit = mutation({
  get args() {
    const vKind = v.literal("concurrency");
    return { ...vLimitKey().fields, kind: v.optional(vKind) };
  },
  get returns() {
    return v.null();
  },
  handler: async (ctx, { name, key, kind }): Promise<null> => {
    if (kind === undefined) await deleteRows(ctx, name, key);
    else await deleteLeases(ctx, name, key, Date.now());
    return null;
  },
});

/**
 * Makes every limit full, or with `before` what was stored up to that time. Overrides stay, and so
 * do holds, except leases.
 */
export const clearAll = mutation({
  get args() {
    return { before: v.optional(v.number()) };
  },
  get returns() {
    return v.null();
  },
  handler: async (ctx, args): Promise<null> =>
    ctx.runMutation(internal.jobs.clear, args),
});

/**
 * Applies at once what `@convex-dev/rate-limiter` queues for `applyUpdates: "asynchronously"`: a
 * `consume` charges, a `reset` resets.
 */
export const enqueueUpdates = mutation({
  get args() {
    return { updates: v.array(vUpdate()) };
  },
  get returns() {
    return v.null();
  },
  handler: async (ctx, { updates }): Promise<null> => {
    for (const update of updates) {
      const { name, key } = update;
      if (update.kind === "reset") {
        await deleteRows(ctx, name, key);
      } else if (update.count !== 0) {
        const { config } = update;
        const amount = { name, key, config, count: update.count };
        const { opened, count } = await openToAdjust(ctx, amount);
        await chargeTokens(ctx, opened, count);
      }
    }
    return null;
  },
});
