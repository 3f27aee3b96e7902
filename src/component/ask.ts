import { v, type ObjectType } from "convex/values";
import { vValue } from "../core/vValue.js";
import type { QueryCtx } from "./_generated/server.js";
import {
  answerAll,
  answerOne,
  answerOptions,
  vAnswer,
  vAnswerToAll,
  vRequest,
  vSingleRequest,
} from "./calls/request.js";
import { readValue, vGetValue } from "./calls/value.js";

/*
 * What is asked and takes nothing: `lib` registers each as a query, and `fresh` as a
 * mutation that writes nothing.
 */

/** How one limit is asked. */
export const oneArgs = { ...vSingleRequest.fields, ...answerOptions };

/** How several are asked at once. */
export const allArgs = { limits: v.array(vRequest), ...answerOptions };

/** What `rateLimit` would say. */
export const askOne = {
  args: oneArgs,
  returns: vAnswer,
  handler: async (ctx: QueryCtx, args: ObjectType<typeof oneArgs>) =>
    (await answerOne(ctx, args, Date.now())).answer,
};

/** What `limitAll` would say. */
export const askAll = {
  args: allArgs,
  returns: vAnswerToAll,
  handler: async (
    ctx: QueryCtx,
    { limits, ...options }: ObjectType<typeof allArgs>,
  ) => (await answerAll(ctx, limits, options, Date.now(), Math.random)).answer,
};

/** The balance of the whole limit and when it was right. */
export const askValue = {
  args: vGetValue.fields,
  returns: vValue,
  handler: (ctx: QueryCtx, args: ObjectType<typeof vGetValue.fields>) =>
    readValue(ctx, args, Date.now(), Math.random),
};
