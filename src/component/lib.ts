import { v } from "convex/values";
import {
  vStoredConfig,
  vStoredRefillingConfig,
  vValue,
  vLimitKey,
} from "../core/validators.js";
import { internal } from "./_generated/api.js";
import { mutation, query, type QueryCtx } from "./_generated/server.js";
import {
  creditTokens,
  openToAdjust,
  openToCreditGrowth,
  chargeTokens,
} from "./calls/adjust.js";
import { takeAll } from "./calls/takeAll.js";
import { open } from "./calls/open.js";
import {
  vLimitAllArgs,
  vAmountArgs,
  vAnswer,
  vAnswerToAll,
  vCheckArgs,
  vCharged,
  vCredited,
  vValueArgs,
  vRateLimitArgs,
  vUpdate,
  type Answer,
  type AnswerToAll,
  type Charged,
  type CheckArgs,
  type Credited,
  type ValueArgs,
  type LimitAllArgs,
  type Value,
} from "./calls/signatures.js";
import { toSingleAnswer, decideAll } from "./calls/decideAll.js";
import { readValue } from "./calls/value.js";
import { deleteRows } from "./stores/rows/stored.js";

// Also in `time`: `@convex-dev/rate-limiter` has both, and apps may call either.
export { getServerTime } from "./time.js";

/* The functions that apps call, for limits of every kind and mode. */

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

/** Takes from all of the limits, or from none. */
export const limitAll = mutation({
  get args() {
    return vLimitAllArgs().fields;
  },
  get returns() {
    return vAnswerToAll();
  },
  handler: async (ctx, { limits, ...flags }): Promise<AnswerToAll> =>
    (await takeAll(ctx, limits, flags, Date.now())).answer,
});

/*
 * Each of these is registered twice: as a query and, for asynchronous limits, as a mutation that
 * mutations and actions call. Only a mutation can look without a read dependency, and its answer is
 * never cached.
 */

const check = {
  get args() {
    return vCheckArgs().fields;
  },
  get returns() {
    return vAnswer();
  },
  handler: async (
    ctx: QueryCtx,
    { throws, details, ...args }: CheckArgs,
  ): Promise<Answer> => {
    const flags = { throws, details };
    const request = { denyDebt: throws, ...args };
    return toSingleAnswer(
      (await decideAll(ctx, [request], flags, Date.now())).answer,
    );
  },
};

const checkList = {
  get args() {
    return vLimitAllArgs().fields;
  },
  get returns() {
    return vAnswerToAll();
  },
  handler: async (
    ctx: QueryCtx,
    { limits, ...flags }: LimitAllArgs,
  ): Promise<AnswerToAll> =>
    (await decideAll(ctx, limits, flags, Date.now())).answer,
};

const value = {
  get args() {
    return vValueArgs().fields;
  },
  get returns() {
    return vValue();
  },
  handler: (ctx: QueryCtx, args: ValueArgs): Promise<Value> =>
    readValue(ctx, args, Date.now()),
};

/** What `rateLimit` or `hold` would answer. */
export const checkRateLimit = query(check);

/** `checkRateLimit` as a mutation. */
export const checkRateLimitMutation = mutation(check);

/** What `limitAll` would answer. */
export const checkAll = query(checkList);

/** `checkAll` as a mutation. */
export const checkAllMutation = mutation(checkList);

/** The balance of the whole limit, and what a client needs to project it. */
export const getValue = query(value);

/** `getValue` as a mutation. */
export const getValueMutation = mutation(value);

/**
 * Gives tokens back, up to the capacity, and returns how many found room. With `from`, gives what
 * the capacity has grown by since that config applied.
 */
export const credit = mutation({
  get args() {
    return {
      ...vAmountArgs().fields,
      from: v.optional(vStoredRefillingConfig()),
    };
  },
  get returns() {
    return vCredited();
  },
  handler: async (ctx, { from, ...amount }): Promise<Credited> => {
    const { opened, count } =
      from === undefined
        ? await openToAdjust(ctx, amount)
        : await openToCreditGrowth(ctx, amount, from);
    return { credited: await creditTokens(ctx, opened, count) };
  },
});

/** Takes tokens even into debt, and returns when the debt is paid. */
export const charge = mutation({
  get args() {
    return vAmountArgs().fields;
  },
  get returns() {
    return vCharged();
  },
  handler: async (ctx, amount): Promise<Charged> => {
    const { opened, count } = await openToAdjust(ctx, amount);
    return chargeTokens(ctx, opened, count);
  },
});

/** Makes a limit full for a key. Without a config, deletes its rows. */
export const resetRateLimit = mutation({
  get args() {
    return { ...vLimitKey().fields, config: v.optional(vStoredConfig()) };
  },
  get returns() {
    return v.null();
  },
  handler: async (ctx, { name, key, config }): Promise<null> => {
    if (config === undefined) await deleteRows(ctx, name, key);
    else {
      const { ledger } = await open(ctx, { name, key, config }, Date.now());
      await ledger.reset(ctx);
    }
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
    ctx.runMutation(internal.clear.clear, args),
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
        await ctx.runMutation(internal.clear.clearKey, { name, key });
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
