import { mutation, query } from "../component/_generated/server.js";
import { decideAll } from "./decideAll.js";
import { vAllChecked, vAnswerToAll, vLimitAllArgs } from "./signatures.js";
import { takeAll } from "./takeAll.js";
import { lazily } from "./lazily.js";

/* Requests to several limits at once. */

/** Takes from all of the limits, or from none. */
export const limitAll = mutation({
  args: lazily(vLimitAllArgs),
  returns: lazily(vAnswerToAll),
  handler: async (ctx, { limits, ...flags }) =>
    (await takeAll(ctx, limits, flags, Date.now())).answer,
});

/** What `limitAll` would answer. */
export const checkAll = query({
  args: lazily(vLimitAllArgs),
  returns: lazily(vAllChecked),
  handler: async (ctx, { limits, ...flags }) =>
    (await decideAll(ctx, limits, flags, Date.now())).answer,
});
