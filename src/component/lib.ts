import { v } from "convex/values";
import { vStoredConfig } from "../core/vConfig.js";
import { vPlace } from "../core/vPlace.js";
import { vValue } from "../core/vValue.js";
import { internal } from "./_generated/api.js";
import { mutation, query, type QueryCtx } from "./_generated/server.js";
import { chargeTo, creditTo } from "./calls/amounts.js";
import { open } from "./calls/open.js";
import { answerAll, answerOne } from "./calls/request.js";
import { serveAll, serveOne } from "./calls/serve.js";
import {
  vAll,
  vAmount,
  vAnswer,
  vAnswerToAll,
  vAsk,
  vCharged,
  vCredited,
  vGetValue,
  vOne,
  vUpdate,
  type All,
  type Answer,
  type AnswerToAll,
  type Ask,
  type GetValue,
  type Value,
} from "./calls/signatures.js";
import { readValue } from "./calls/value.js";
import { makeFull } from "./ledgers/ledger.js";
import { Rows } from "./ledgers/rows.js";

export { getServerTime } from "./time.js";

/* The functions that apps call, for limits of every kind and mode. */

/** Takes tokens, or denies. */
export const rateLimit = mutation({
  get args() {
    return vOne().fields;
  },
  get returns() {
    return vAnswer();
  },
  handler: async (ctx, args) => (await serveOne(ctx, args, Date.now())).answer,
});

/** Takes from all of the limits or from none. */
export const limitAll = mutation({
  get args() {
    return vAll().fields;
  },
  get returns() {
    return vAnswerToAll();
  },
  handler: async (ctx, { limits, ...options }) =>
    (await serveAll(ctx, limits, options, Date.now())).answer,
});

/** Gives tokens back, up to the capacity, and says how many found room. */
export const credit = mutation({
  get args() {
    return vAmount().fields;
  },
  get returns() {
    return vCredited();
  },
  handler: (ctx, amount) => creditTo(ctx, amount),
});

/** Takes tokens without asking, and says when a debt is paid. */
export const charge = mutation({
  get args() {
    return vAmount().fields;
  },
  get returns() {
    return vCharged();
  },
  handler: (ctx, amount) => chargeTo(ctx, amount),
});

/** Makes a limit full for a key. Without a config it deletes its rows. */
export const resetRateLimit = mutation({
  get args() {
    return { ...vPlace().fields, config: v.optional(vStoredConfig()) };
  },
  get returns() {
    return v.null();
  },
  handler: async (ctx, { name, key, config }) => {
    const ledger =
      config === undefined
        ? new Rows(ctx, name, key, 1)
        : (await open(ctx, { name, key, config }, Date.now())).ledger;
    await makeFull(ctx, ledger);
    return null;
  },
});

/*
 * What asks and takes nothing: queries, and the same as mutations for those who ask of a limit
 * with asynchronous updates in a mutation or an action. Only what runs as a mutation can see what
 * others wrote without a read dependency, and no answer of a mutation is a cached one.
 */

const askOne = {
  get args() {
    return vAsk().fields;
  },
  get returns() {
    return vAnswer();
  },
  handler: (ctx: QueryCtx, asked: Ask): Promise<Answer> =>
    answerOne(ctx, asked, Date.now()),
};

/** What `rateLimit` would say, or `hold`. */
export const checkRateLimit = query(askOne);
export const checkRateLimitFresh = mutation(askOne);

const askAll = {
  get args() {
    return vAll().fields;
  },
  get returns() {
    return vAnswerToAll();
  },
  handler: async (
    ctx: QueryCtx,
    { limits, ...options }: All,
  ): Promise<AnswerToAll> =>
    (await answerAll(ctx, limits, options, Date.now())).answer,
};

/** What `limitAll` would say. */
export const checkAll = query(askAll);
export const checkAllFresh = mutation(askAll);

const askValue = {
  get args() {
    return vGetValue().fields;
  },
  get returns() {
    return vValue();
  },
  handler: (ctx: QueryCtx, asked: GetValue): Promise<Value> =>
    readValue(ctx, asked, Date.now()),
};

/** The balance of the whole limit, and what it takes to project it. */
export const getValue = query(askValue);
export const getValueFresh = mutation(askValue);

/** Makes full what was stored up to `before`, by default every limit. Overrides and holds stay. */
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
 * What `@convex-dev/rate-limiter` queues for `applyUpdates: "asynchronously"`, applied at
 * once: a `consume` is a `charge`, a `reset` a reset.
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
        await ctx.runMutation(internal.clear.key, { name, key });
      } else if (update.count !== 0) {
        const { count, config } = update;
        await chargeTo(ctx, { name, key, count, config });
      }
    }
    return null;
  },
});
