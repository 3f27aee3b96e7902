import { likeliest, nearestFirst } from "../core/nearest.js";

/*
 * The fields that the options of each call may have, the most usual one first. A type test
 * compares them with the types of the options. `name` stands beside the name that the call gets
 * anyway, so that an object of type `RateLimitArgs` can be passed on; it has no effect.
 *
 * Arrays, because each function that imports the limiter evaluates them: to make as many objects
 * takes V8 thirty times as long.
 */

export const ITEM = [
  "key",
  "count",
  "reserve",
  "leave",
  "config",
  "name",
] as const;
export const REQUEST = [...ITEM, "upTo", "throws", "details"] as const;
export const LIST = ["throws", "details"] as const;
export const RESET = ["key", "config", "name"] as const;
export const GET_VALUE = ["key", "sampleShards", "config", "name"] as const;
export const AMOUNT = ["key", "count", "config", "name"] as const;
export const CREDIT = ["key", "count", "from", "config", "name"] as const;
export const HELD_ITEM = [
  "key",
  "count",
  "leave",
  "expiresAfter",
  "once",
  "config",
  "name",
] as const;
export const HOLD = [...HELD_ITEM, "throws"] as const;
export const HELD_LIST = ["throws", "expiresAfter"] as const;
export const SETTLE = ["count"] as const;
export const SETTLED_ITEM = ["id", "count"] as const;
export const SCHEDULE = [
  "fn",
  "args",
  "key",
  "count",
  "throws",
  "jitter",
  "config",
  "name",
] as const;
export const SET_OVERRIDE = [
  "key",
  "config",
  "deny",
  "unlimited",
  "startsAt",
  "expiresAt",
  "note",
  "credit",
  "name",
] as const;
export const OVERRIDDEN = [
  "rate",
  "period",
  "capacity",
  "maxReserved",
  "enforce",
] as const;
export const PENALIZE = ["key", "bans", "forgetAfter", "note", "name"] as const;
export const FORGET = ["bans"] as const;
export const CLEAR_OVERRIDE = ["key", "name"] as const;
export const LIST_OVERRIDES = ["paginationOpts", "name", "key"] as const;
export const LIST_KEYS = ["paginationOpts", "name", "order", "prefix"] as const;
export const STATS = ["from", "to", "by", "name"] as const;
export const TOP_DENIED = ["from", "to", "limit", "wouldDeny", "name"] as const;
export const LIMIT_HTTP = [
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
export const RATE_LIMITED = [
  "key",
  "count",
  "args",
  "after",
  "config",
  "name",
] as const;
export const DASHBOARD = ["secret", "authorize", "path", "label"] as const;
export const STORAGE = ["name", "onConflict"] as const;
export const LIMITER = [
  "advice",
  "onDenied",
  "onWouldDeny",
  "onWarning",
] as const;

export type Options = Readonly<Partial<Record<string, unknown>>>;

/**
 * Checks the options of a call, or an item of its list.
 *
 * @param fields The fields that they may have.
 * @param name The limit, unless the options name it.
 * @throws An `Error` that names the limit, if they are not an object (most often the key was
 * passed instead), or have another field. One that is undefined is absent.
 */
export function checkOptions(
  verb: string,
  options: Options,
  fields: readonly string[],
  name?: string,
): void {
  if (typeof options !== "object" || options === null) {
    throw new Error(
      `${name === undefined ? verb : `Rate limit ${name}`}: the options must be an object, such as { ${fields[0]} }, but are of type ${options === null ? "null" : typeof options}.`,
    );
  }
  for (const field in options) {
    if (options[field] === undefined || fields.includes(field)) continue;
    const of = name ?? options.name;
    const meant = likeliest(field, fields);
    throw new Error(
      `${typeof of === "string" ? `Rate limit ${of}: ` : ""}${verb} does not take ${field}. ${
        meant === undefined
          ? `It takes ${nearestFirst(field, fields).join(", ")}.`
          : `Did you mean ${meant}?`
      }`,
    );
  }
}
