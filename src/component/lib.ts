import { v } from "convex/values";
import { appends } from "../core/config.js";
import { vConfig, vStoredRateLimit } from "../core/vConfig.js";
import { vPlace } from "../core/vPlace.js";
import { vValue } from "../core/vValue.js";
import { api, internal } from "./_generated/api.js";
import { mutation, query } from "./_generated/server.js";
import { chargeTo, creditTo } from "./calls/amounts.js";
import { answerAll, answerOne } from "./calls/request.js";
import { serveAll, serveOne } from "./calls/serve.js";
import {
  vAll,
  vAmount,
  vAnswer,
  vAnswerToAll,
  vCharged,
  vCredited,
  vGetValue,
  vOne,
  type Answer,
  type AnswerToAll,
  type Charged,
  type Credited,
  type Value,
} from "./calls/signatures.js";
import { readValue } from "./calls/value.js";
import { makeFull } from "./ledgers/ledger.js";
import { Rows, rowsOf } from "./ledgers/rows.js";

export { getServerTime } from "./time.js";

/*
 * The functions that apps call, for limits that are kept in rows. What is asked here of a limit
 * with `applyUpdates: "asynchronously"`, `asynchronous` answers.
 */

/** Takes tokens, or denies. */
export const rateLimit = mutation({
  get args() {
    return vOne().fields;
  },
  get returns() {
    return vAnswer();
  },
  handler: async (ctx, args): Promise<Answer> =>
    appends(args.config)
      ? ctx.runMutation(api.asynchronous.rateLimit, args)
      : (await serveOne(ctx, rowsOf, args, Date.now())).answer,
});

/** What `rateLimit` would say. */
export const checkRateLimit = query({
  get args() {
    return vOne().fields;
  },
  get returns() {
    return vAnswer();
  },
  handler: async (ctx, args): Promise<Answer> =>
    appends(args.config)
      ? ctx.runQuery(api.asynchronous.checkRateLimit, args)
      : answerOne(ctx, rowsOf, args, Date.now()),
});

/** Takes from all of the limits or from none. */
export const limitAll = mutation({
  get args() {
    return vAll().fields;
  },
  get returns() {
    return vAnswerToAll();
  },
  handler: async (ctx, args): Promise<AnswerToAll> => {
    const { limits, ...options } = args;
    return limits.some(({ config }) => appends(config))
      ? ctx.runMutation(api.asynchronous.limitAll, args)
      : (await serveAll(ctx, rowsOf, limits, options, Date.now())).answer;
  },
});

/** What `limitAll` would say. */
export const checkAll = query({
  get args() {
    return vAll().fields;
  },
  get returns() {
    return vAnswerToAll();
  },
  handler: async (ctx, args): Promise<AnswerToAll> => {
    const { limits, ...options } = args;
    return limits.some(({ config }) => appends(config))
      ? ctx.runQuery(api.asynchronous.checkAll, args)
      : (await answerAll(ctx, rowsOf, limits, options, Date.now())).answer;
  },
});

/** Gives tokens back, up to the capacity, and says how many found room. */
export const credit = mutation({
  get args() {
    return vAmount().fields;
  },
  get returns() {
    return vCredited();
  },
  handler: async (ctx, args): Promise<Credited> =>
    appends(args.config)
      ? ctx.runMutation(api.asynchronous.credit, args)
      : creditTo(ctx, rowsOf, args),
});

/** Takes tokens without asking, and says when a debt is paid. */
export const charge = mutation({
  get args() {
    return vAmount().fields;
  },
  get returns() {
    return vCharged();
  },
  handler: async (ctx, args): Promise<Charged> =>
    appends(args.config)
      ? ctx.runMutation(api.asynchronous.charge, args)
      : chargeTo(ctx, rowsOf, args),
});

/** The balance of the whole limit, and what it takes to project it. */
export const getValue = query({
  get args() {
    return vGetValue().fields;
  },
  get returns() {
    return vValue();
  },
  handler: async (ctx, args): Promise<Value> =>
    appends(args.config)
      ? ctx.runQuery(api.asynchronous.getValue, args)
      : readValue(ctx, rowsOf, args, Date.now()),
});

/** Makes a limit full for a key. Without a config it deletes its rows. */
export const resetRateLimit = mutation({
  get args() {
    return { ...vPlace().fields, config: v.optional(vStoredRateLimit()) };
  },
  get returns() {
    return v.null();
  },
  handler: async (ctx, { name, key, config }): Promise<null> => {
    if (config !== undefined && appends(config)) {
      const account = { name, key, config };
      return ctx.runMutation(api.asynchronous.resetRateLimit, account);
    }
    await makeFull(ctx, new Rows(ctx, name, key, 1));
    return null;
  },
});

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

const vUpdate = () =>
  v.union(
    vPlace().extend({
      kind: v.literal("consume"),
      count: v.number(),
      config: vConfig(),
      ts: v.number(),
    }),
    vPlace().extend({ kind: v.literal("reset") }),
  );

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
      if (update.kind === "reset") {
        const { name, key } = update;
        await ctx.runMutation(internal.clear.key, { name, key });
      } else if (update.count !== 0) {
        const { name, key, count, config } = update;
        const amount = { name, key, count, config };
        if (!appends(config)) await chargeTo(ctx, rowsOf, amount);
        else await ctx.runMutation(api.asynchronous.charge, amount);
      }
    }
    return null;
  },
});
