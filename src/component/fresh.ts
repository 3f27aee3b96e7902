import { v } from "convex/values";
import { vValue } from "../core/validators.js";
import { mutation } from "./_generated/server.js";
import {
  answerAll,
  answerOne,
  answerOptions,
  vAnswer,
  vAnswerToAll,
  vRequest,
  vSingleRequest,
} from "./request.js";
import { readValue, vGetValue } from "./value.js";

/**
 * The queries of `lib` once more, as mutations that write nothing: for limits whose takings
 * are appended, when a mutation or an action asks. Only what runs as a mutation can see what
 * others wrote without a read dependency, and no answer of a mutation is a cached one.
 */

/** What `rateLimit` would say. */
export const checkRateLimit = mutation({
  args: { ...vSingleRequest.fields, ...answerOptions },
  returns: vAnswer,
  handler: async (ctx, args) => (await answerOne(ctx, args, Date.now())).answer,
});

/** What `limitAll` would say. */
export const checkAll = mutation({
  args: { limits: v.array(vRequest), ...answerOptions },
  returns: vAnswerToAll,
  handler: async (ctx, { limits, ...options }) =>
    (await answerAll(ctx, limits, options, Date.now(), Math.random)).answer,
});

/** The balance of the whole limit and when it was right. */
export const getValue = mutation({
  args: vGetValue.fields,
  returns: vValue,
  handler: (ctx, args) => readValue(ctx, args, Date.now(), Math.random),
});
