import { v } from "convex/values";
import { mutation, query } from "../component/_generated/server.js";
import { decideAll, toChecked } from "./decideAll.js";
import { lazily } from "./lazily.js";
import {
  eachField,
  seedField,
  vAllDenied,
  vAnswerToAll,
  vRequestItem,
  vWouldGrant,
} from "./signatures.js";
import { takeAll } from "./takeAll.js";

/** The arguments of `limitAll` and `checkAll`. */
const vLimitAllArgs = () =>
  v.object({
    limits: v.array(vRequestItem()),
    details: v.optional(v.boolean()),
    ...seedField(),
  });

/** Takes from all of the limits, or from none. */
export const limitAll = mutation({
  args: lazily(vLimitAllArgs),
  returns: lazily(vAnswerToAll),
  handler: async (ctx, { limits, ...flags }) =>
    (await takeAll(ctx, limits, flags, Date.now())).answer,
});

/** The answer to several requests that are only checked. */
const vAllChecked = () =>
  v.union(vWouldGrant().extend(eachField()), vAllDenied());

/** What `limitAll` would answer. */
export const checkAll = query({
  args: lazily(vLimitAllArgs),
  returns: lazily(vAllChecked),
  handler: async (ctx, { limits, ...flags }) =>
    toChecked((await decideAll(ctx, limits, flags, Date.now())).answer),
});
