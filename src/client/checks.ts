import {
  isAsynchronous,
  type LimitConfig,
  type StoredConfig,
} from "../core/config.js";
import { likeliest, nearestFirst } from "../core/nearest.js";
import { shown } from "../core/reject.js";
import type { AnyOptions } from "./options.js";
import type { MutationCtx, QueryCtx } from "./types.js";

/* What a call is given besides its config: the ctx, the options and the key. */

/**
 * @throws An `Error` if the ctx lacks this method. Usually the caller forgot the ctx and passed
 * the next argument in its place.
 */
export function requireCtx(
  ctx: unknown,
  method: "runQuery" | "runMutation",
): void {
  const isObject = typeof ctx === "object" && ctx !== null;
  if (isObject && method in ctx) return;
  const query = method === "runQuery" ? "a query, " : "";
  throw new Error(
    `RateLimiter: the first argument must be the ctx that Convex gives to ${query}a mutation or an action, but it ${isObject ? `has no ${method}` : `is ${shown(ctx)}`}.`,
  );
}

/** Checks the ctx and the options of a call that only reads. */
export function checkQueryCall(
  ctx: unknown,
  ...options: Parameters<typeof checkOptions>
): void {
  requireCtx(ctx, "runQuery");
  checkOptions(...options);
}

/** Checks the ctx and the options of a call that writes. */
export function checkMutationCall(
  ctx: unknown,
  ...options: Parameters<typeof checkOptions>
): void {
  requireCtx(ctx, "runMutation");
  checkOptions(...options);
}

/**
 * Checks the options of a call, or an item of its list. A field that is undefined counts as absent.
 *
 * @param fields The fields that they may have.
 * @param name The limit, unless the options name it.
 * @throws An `Error` that names the limit, if the options are not an object (usually the caller
 * passed the key itself) or have a field that the call does not take.
 */
export function checkOptions(
  verb: string,
  options: AnyOptions,
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

/**
 * Turns what the app's key function returned into a key. Null selects the limit that all share.
 *
 * @throws An `Error` for undefined, which comes from a missing identity or a misspelt field: such
 * callers would silently share one limit.
 */
export function requireFoundKey(
  name: string,
  key: string | null | undefined,
): string | undefined {
  if (key === undefined) {
    throw new Error(
      `Rate limit ${name}: the key function returned undefined. Return a key, or null for one limit that all share.`,
    );
  }
  return key ?? undefined;
}

/** @throws An `Error` if the limit requires a key and there is none. */
export function checkKey(
  name: string,
  { requireKey = false }: LimitConfig,
  key: string | null | undefined,
): void {
  if (!requireKey || (typeof key === "string" && key !== "")) return;
  throw new Error(
    `Rate limit ${name}: it has requireKey, and the key is ${key === "" ? "empty" : String(key)}. The key must be a string that is not empty: pass { key: userId }, for example.`,
  );
}

/** @throws An `Error` if the key to forget is not a string. */
export function requireKeyString(key: string): string {
  if (typeof key === "string") return key;
  throw new Error(
    `forget: the key must be a string, but is of type ${key === null ? "null" : typeof key}.`,
  );
}

/**
 * Whether to read through a mutation that writes nothing. For an asynchronous limit that keeps
 * the read out of the caller's read set, which a query cannot do.
 */
export function needsFreshRead(
  ctx: QueryCtx,
  requests: readonly { config: StoredConfig }[],
): ctx is MutationCtx {
  return (
    "runMutation" in ctx &&
    requests.some(({ config }) => isAsynchronous(config))
  );
}
