/*
 * The fields that each call's options may have, separated by spaces, the most common first. A type
 * test compares them with the types of the options. `name` has no effect: it is allowed so that
 * callers can pass on an object of type `RateLimitArgs`.
 *
 * These are strings because every function that imports the limiter evaluates them: V8 would make
 * a list anew in each call.
 */

export const LIMIT_ALL_ITEM_FIELDS = "key count reserve leave config name";
const REQUEST_FIELDS = `${LIMIT_ALL_ITEM_FIELDS} upTo throws details` as const;
const VALUE_FIELDS = "key sampleShards config name";
export const HOLD_ALL_ITEM_FIELDS =
  "key count leave expiresAfter once config name";
const HOLD_FIELDS = `${HOLD_ALL_ITEM_FIELDS} throws` as const;
const LIMIT_ALL_FIELDS = "throws details";
const HOLD_ALL_FIELDS = "throws expiresAfter";

/** By the name of the call. */
export const FIELDS = {
  limit: REQUEST_FIELDS,
  check: REQUEST_FIELDS,
  limitAll: LIMIT_ALL_FIELDS,
  checkAll: LIMIT_ALL_FIELDS,
  reset: "key config name",
  resetAll: "config name",
  getValue: VALUE_FIELDS,
  hookAPI: VALUE_FIELDS,
  credit: "key count from config name",
  charge: "key count config name",
  hold: HOLD_FIELDS,
  holdAll: HOLD_ALL_FIELDS,
  settle: "count",
  schedule: "fn args key count throws jitter config name",
  setOverride:
    "key config deny unlimited startsAt expiresAt note once credit name",
  penalize: "key bans forgetAfter note once name",
  clearOverride: "key name",
  listOverrides: "paginationOpts name key",
  forget: "bans",
  list: "paginationOpts name order prefix",
  stats: "from to by name",
  topDenied: "from to numKeys wouldDeny name",
  "new RateLimiter": "advice onDenied onWouldDeny onWarning",
} as const;

export const SETTLE_ALL_ITEM_FIELDS = "id count";
export const OVERRIDE_FIELDS =
  "rate period capacity maxReserved maxDebt enforce";
export const LIMIT_HTTP_FIELDS =
  "key count unit partitionKey legacy expose denialHeaders config name";
export const RATE_LIMITED_FIELDS = "key count args after config name";
export const DASHBOARD_FIELDS = "secret authorize path label keyName";
export const STORAGE_FIELDS = "name onConflict customRules";

/** The words of a text. */
export type Word<Text extends string> =
  Text extends `${infer First} ${infer Rest}` ? First | Word<Rest> : Text;

export function wordsOf<Text extends string>(text: Text): Word<Text>[] {
  return text.split(" ") as Word<Text>[];
}
