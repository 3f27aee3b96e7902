import { v, type Infer } from "convex/values";
import { vGivenRefillingConfig, vLimitKey } from "../core/validators.js";

/* What the arguments and results of several verbs share. */

/** A limit key, with the limit's config. */
export const vTarget = () =>
  vLimitKey().extend({ config: vGivenRefillingConfig() });

/** One request of a list. */
export const vRequestItem = () =>
  vTarget().extend({
    count: v.optional(v.number()),
    reserve: v.optional(v.boolean()),
    /** Whether it is denied if `reserve` would leave a debt. The client sends it with `throws`. */
    denyDebt: v.optional(v.boolean()),
    leave: v.optional(v.number()),
  });

/** A request on its own. Only these accept `upTo`, which may take fewer tokens than asked. */
export const vRequest = () =>
  vRequestItem().extend({ upTo: v.optional(v.boolean()) });

/**
 * What the random numbers by which a call chooses rows follow from. The client sends the same seed
 * with a check and with the calls that follow it in the same mutation.
 */
export const seedField = () => ({ seed: v.optional(v.number()) });

/**
 * `details`: whether the answer has details. `throws`: whether a denial throws; only apps that call
 * `lib` directly send it, since the client throws by itself.
 */
export const answerFlags = () => ({
  details: v.optional(v.boolean()),
  throws: v.optional(v.boolean()),
  ...seedField(),
});

/** Reports a grant that was the first to use this share of the capacity. */
const vWarning = () =>
  vLimitKey().extend({
    share: v.number(),
    limit: v.number(),
    remaining: v.number(),
  });
export type Warning = Infer<ReturnType<typeof vWarning>>;

/** The warnings of limits with `warnAt`, for the app's callback. */
export const warningsField = () => ({
  warnings: v.optional(v.array(vWarning())),
});

export const vDetails = () =>
  v.object({
    limit: v.number(),
    remaining: v.number(),
    resetAfter: v.number(),
  });

export const vGranted = () =>
  v.object({
    ok: v.literal(true),
    retryAfter: v.optional(v.number()),
    wouldDeny: v.optional(v.literal(true)),
    taken: v.optional(v.number()),
    ...warningsField(),
    /** The indexes of the requests that only a dry run let through, for the app's callback. */
    letThrough: v.optional(v.array(v.number())),
    ...vDetails().partial().fields,
  });

/** The answer to a denied request. */
export const vDenied = () =>
  v.object({
    ok: v.literal(false),
    retryAfter: v.number(),
    ...vDetails().partial().fields,
  });

/** A grant that is only checked: it warns of nothing. */
export const vWouldGrant = () => vGranted().omit("warnings", "letThrough");

/** With `details`, those of each request, in the order of the list. */
export const eachField = () => ({ each: v.optional(v.array(vDetails())) });

/** The answer to several requests that are denied. */
export const vAllDenied = () =>
  vDenied().extend({
    blockedBy: v.object({ index: v.number(), name: v.string() }),
    ...eachField(),
  });

/** The answer to several requests. */
export const vAnswerToAll = () =>
  v.union(vGranted().extend(eachField()), vAllDenied());
export type AnswerToAll = Infer<ReturnType<typeof vAnswerToAll>>;
