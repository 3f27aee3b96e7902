import { v } from "convex/values";
import { vValue } from "../core/vValue.js";
import { mutation, query, type QueryCtx } from "./_generated/server.js";
import { chargeTo, creditTo } from "./calls/amounts.js";
import { open } from "./calls/open.js";
import { answerAll, answerOne } from "./calls/request.js";
import { serveAll, serveOne } from "./calls/serve.js";
import {
  vAccount,
  vAll,
  vAmount,
  vAnswer,
  vAnswerToAll,
  vCharged,
  vCredited,
  vGetValue,
  vOne,
  type All,
  type Answer,
  type AnswerToAll,
  type GetValue,
  type One,
  type Value,
} from "./calls/signatures.js";
import { readValue } from "./calls/value.js";
import { makeFull } from "./ledgers/ledger.js";
import { takingsOrRowsOf } from "./ledgers/takings.js";

/*
 * The verbs of `lib` for limits with `applyUpdates: "asynchronously"`, and for lists that have
 * one.
 */

/** Takes tokens, or denies. */
export const rateLimit = mutation({
  get args() {
    return vOne().fields;
  },
  get returns() {
    return vAnswer();
  },
  handler: async (ctx, args) =>
    (await serveOne(ctx, takingsOrRowsOf, args, Date.now())).answer,
});

/** Takes from all of the limits or from none. */
export const limitAll = mutation({
  get args() {
    return vAll().fields;
  },
  get returns() {
    return vAnswerToAll();
  },
  handler: async (ctx, { limits, ...options }) => {
    const now = Date.now();
    return (await serveAll(ctx, takingsOrRowsOf, limits, options, now)).answer;
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
  handler: (ctx, args) => creditTo(ctx, takingsOrRowsOf, args),
});

/** Takes tokens without asking, and says when a debt is paid. */
export const charge = mutation({
  get args() {
    return vAmount().fields;
  },
  get returns() {
    return vCharged();
  },
  handler: (ctx, args) => chargeTo(ctx, takingsOrRowsOf, args),
});

/** Makes a limit full for a key: appends a record that says so. */
export const resetRateLimit = mutation({
  get args() {
    return vAccount().fields;
  },
  get returns() {
    return v.null();
  },
  handler: async (ctx, account) => {
    const now = Date.now();
    const { ledger } = await open(ctx, takingsOrRowsOf, account, now);
    await makeFull(ctx, ledger);
    return null;
  },
});

/*
 * What asks and takes nothing: queries for queries, and the same as mutations for mutations
 * and actions. Only what runs as a mutation can see what others wrote without a read dependency,
 * and no answer of a mutation is a cached one.
 */

const askOne = {
  get args() {
    return vOne().fields;
  },
  get returns() {
    return vAnswer();
  },
  handler: (ctx: QueryCtx, args: One): Promise<Answer> =>
    answerOne(ctx, takingsOrRowsOf, args, Date.now()),
};

/** What `rateLimit` would say. */
export const checkRateLimit = query(askOne);

/** The same, for mutations and actions. */
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
  ): Promise<AnswerToAll> => {
    const now = Date.now();
    return (await answerAll(ctx, takingsOrRowsOf, limits, options, now)).answer;
  },
};

/** What `limitAll` would say. */
export const checkAll = query(askAll);

/** The same, for mutations and actions. */
export const checkAllFresh = mutation(askAll);

const askValue = {
  get args() {
    return vGetValue().fields;
  },
  get returns() {
    return vValue();
  },
  handler: (ctx: QueryCtx, args: GetValue): Promise<Value> =>
    readValue(ctx, takingsOrRowsOf, args, Date.now()),
};

/** The balance of the whole limit, and what it takes to project it. */
export const getValue = query(askValue);

/** The same, for mutations and actions. */
export const getValueFresh = mutation(askValue);
