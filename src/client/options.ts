/*
 * The fields that each call's options may have, the most common first. A type test compares them
 * with the types of the options. `name` has no effect: it is allowed so that callers can pass on an
 * object of type `RateLimitArgs`.
 *
 * These are arrays because every function that imports the limiter evaluates them, and V8 takes
 * thirty times as long to make as many objects.
 */

export const LIMIT_ALL_ITEM_FIELDS = [
  "key",
  "count",
  "reserve",
  "leave",
  "config",
  "name",
] as const;
export const REQUEST_FIELDS = [
  ...LIMIT_ALL_ITEM_FIELDS,
  "upTo",
  "throws",
  "details",
] as const;
export const LIMIT_ALL_FIELDS = ["throws", "details"] as const;
export const RESET_FIELDS = ["key", "config", "name"] as const;
export const GET_VALUE_FIELDS = [
  "key",
  "sampleShards",
  "config",
  "name",
] as const;
export const AMOUNT_FIELDS = ["key", "count", "config", "name"] as const;
export const CREDIT_FIELDS = [
  "key",
  "count",
  "from",
  "config",
  "name",
] as const;
export const HOLD_ALL_ITEM_FIELDS = [
  "key",
  "count",
  "leave",
  "expiresAfter",
  "once",
  "config",
  "name",
] as const;
export const HOLD_FIELDS = [...HOLD_ALL_ITEM_FIELDS, "throws"] as const;
export const HOLD_ALL_FIELDS = ["throws", "expiresAfter"] as const;
export const SETTLE_FIELDS = ["count"] as const;
export const SETTLE_ALL_ITEM_FIELDS = ["id", "count"] as const;
export const SCHEDULE_FIELDS = [
  "fn",
  "args",
  "key",
  "count",
  "throws",
  "jitter",
  "config",
  "name",
] as const;
export const SET_OVERRIDE_FIELDS = [
  "key",
  "config",
  "deny",
  "unlimited",
  "startsAt",
  "expiresAt",
  "note",
  "once",
  "credit",
  "name",
] as const;
export const OVERRIDE_FIELDS = [
  "rate",
  "period",
  "capacity",
  "maxReserved",
  "enforce",
] as const;
export const PENALIZE_FIELDS = [
  "key",
  "bans",
  "forgetAfter",
  "note",
  "once",
  "name",
] as const;
export const FORGET_FIELDS = ["bans"] as const;
export const CLEAR_OVERRIDE_FIELDS = ["key", "name"] as const;
export const LIST_OVERRIDES_FIELDS = ["paginationOpts", "name", "key"] as const;
export const LIST_FIELDS = [
  "paginationOpts",
  "name",
  "order",
  "prefix",
] as const;
export const STATS_FIELDS = ["from", "to", "by", "name"] as const;
export const TOP_DENIED_FIELDS = [
  "from",
  "to",
  "limit",
  "wouldDeny",
  "name",
] as const;
export const LIMIT_HTTP_FIELDS = [
  "key",
  "count",
  "unit",
  "partitionKey",
  "legacy",
  "expose",
  "denialHeaders",
  "config",
  "name",
] as const;
export const RATE_LIMITED_FIELDS = [
  "key",
  "count",
  "args",
  "after",
  "config",
  "name",
] as const;
export const DASHBOARD_FIELDS = [
  "secret",
  "authorize",
  "path",
  "label",
] as const;
export const STORAGE_FIELDS = ["name", "onConflict", "customRules"] as const;
export const LIMITER_FIELDS = [
  "advice",
  "onDenied",
  "onWouldDeny",
  "onWarning",
] as const;

export type AnyOptions = Readonly<Partial<Record<string, unknown>>>;
