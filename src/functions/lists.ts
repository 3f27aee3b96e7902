import { mutation, query } from "../component/_generated/server.js";
import { decideAll } from "../verbs/decideAll.js";
import {
  vAnswerToAll,
  vLimitAllArgs,
  type AnswerToAll,
} from "../verbs/signatures.js";
import { takeAll } from "../verbs/takeAll.js";

/* Requests to several limits at once. */

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

/** What `limitAll` would answer. */
export const checkAll = query({
  get args() {
    return vLimitAllArgs().fields;
  },
  get returns() {
    return vAnswerToAll();
  },
  handler: async (ctx, { limits, ...flags }): Promise<AnswerToAll> =>
    (await decideAll(ctx, limits, flags, Date.now())).answer,
});
