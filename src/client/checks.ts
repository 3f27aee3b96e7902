import {
  checkWrittenConfig,
  formatValue,
  requireShortList,
} from "../core/checks.js";
import type { LimitConfig, RefillingConfig } from "../core/config.js";
import { likeliest, nearestFirst } from "../core/nearest.js";
import type { ConfigFunction } from "./types.js";
import { FIELDS, wordsOf } from "./options.js";

/*
 * Checks of what a limiter and its calls are given: limits and configs, the ctx, options and keys.
 */

/** How many names an error lists at most. */
const MAX_NAMES = 10;

/** The constructor's limits, if it was given any. */
export type NamedConfigs = Readonly<Record<string, LimitConfig>> | undefined;

/** @throws An `Error` that names the limit. */
export function fail(name: string, what: string): never {
  throw new Error(`Rate limit ${name}: ${what}`);
}

/**
 * Checks the constructor's limits.
 *
 * @param advice Whether to warn of a likely mistake.
 * @throws An `Error` if a config is bad.
 */
export function checkLimits(limits: NamedConfigs = {}, advice: boolean): void {
  for (const [name, config] of Object.entries(limits)) {
    checkWrittenConfig(name, config);
    if (advice) adviseOnPeriod(name, config);
  }
}

/**
 * Warns of a period that was probably meant in seconds. 100 ms is well below the periods that apps
 * use: `@convex-dev/resend` sends every 600 ms.
 */
function adviseOnPeriod(name: string, { period }: LimitConfig): void {
  if (typeof period !== "number" || period >= 100) return;
  console.warn(
    `Rate limit ${name}: its period is ${period} ms, less than 100. Periods are in ms, such as 60 * SECOND (advice: false in the limiter's options silences this).`,
  );
}

/**
 * The config of a limit: the one that the app gives for it, else the named limit's.
 *
 * @throws An `Error` if there is none, or if the given one is bad.
 */
export function configOf(
  limits: NamedConfigs,
  name: string,
  given?: LimitConfig,
): LimitConfig {
  if (given !== undefined) {
    checkWrittenConfig(name, given);
    return given;
  }
  if (limits !== undefined && Object.hasOwn(limits, name)) return limits[name]!;
  throw new Error(
    `Rate limit ${name} is not defined. ${knownLimits(limits, name)}Name it in the constructor, or give a config.`,
  );
}

/** A sentence for an error that lists the known limits, the most similar names first. */
function knownLimits(limits: NamedConfigs, name: string): string {
  const names = nearestFirst(String(name), Object.keys(limits ?? {}));
  if (names.length === 0) return "";
  const more = names.length - MAX_NAMES;
  const rest = more > 0 ? `, and ${more} more` : "";
  return `The limits are ${names.slice(0, MAX_NAMES).join(", ")}${rest}. `;
}

/** @throws An `Error` for a concurrency limit, whose tokens can only be held. */
export function requireRefilling<Config extends Pick<LimitConfig, "kind">>(
  name: string,
  config: Config,
): asserts config is Exclude<Config, { kind: "concurrency" }> {
  if (config.kind !== "concurrency") return;
  fail(
    name,
    'its kind is "concurrency", so its tokens are only held. Use hold or whileHolding.',
  );
}

/** Like `configOf`, but also throws for a concurrency limit. */
export function refillingConfigOf(
  limits: NamedConfigs,
  name: string,
  given?: LimitConfig,
): RefillingConfig {
  const config = configOf(limits, name, given);
  requireRefilling(name, config);
  return config;
}

/**
 * The key and the config of one call. Without a config, the named limit's applies.
 *
 * @param found What the app's key function returned. Null selects the shared balance.
 * @throws An `Error` if the key is undefined, which comes from a missing identity or a misspelt
 * field: such callers would silently share one limit. Also if a function returns no config, and the
 * limit is not named.
 */
export async function findTarget<
  Ctx,
  Config extends object,
  Args extends unknown[],
>(
  limits: NamedConfigs,
  name: string,
  found: string | null | undefined,
  config: Config | undefined | ConfigFunction<Ctx, string | null, Config, Args>,
  ctx: Ctx,
  ...args: Args
): Promise<{ key: string | undefined; config: Config | undefined }> {
  if (found === undefined) {
    fail(
      name,
      "the key function returned undefined. Return a key, or null for the shared balance.",
    );
  }
  const key = found ?? undefined;
  requireWholeText(`Rate limit ${name}: `, "key", key);
  if (typeof config !== "function") return { key, config };
  const own = await config(ctx, key, ...args);
  if (own === undefined && !Object.hasOwn(limits ?? {}, name)) {
    fail(
      name,
      "the config function returned undefined. Return a config, or name the limit in the constructor.",
    );
  }
  return { key, config: own };
}

/**
 * @throws An `Error` if the ctx lacks this method. Usually the caller forgot the ctx and passed the
 * next argument in its place.
 */
export function requireCtx(
  ctx: unknown,
  method: "runQuery" | "runMutation",
): void {
  const isObject = typeof ctx === "object" && ctx !== null;
  if (isObject && method in ctx) return;
  const query = method === "runQuery" ? "a query, " : "";
  throw new Error(
    `RateLimiter: the first argument must be the ctx that Convex gives to ${query}a mutation or an action, but it ${isObject ? `has no ${method}` : `is ${formatValue(ctx)}`}.`,
  );
}

const callCheck =
  (method: "runQuery" | "runMutation") =>
  (
    ctx: unknown,
    verb: keyof typeof FIELDS,
    options: object,
    name?: string,
  ): void => {
    requireCtx(ctx, method);
    checkOptions(verb, FIELDS[verb], options, name);
  };

/** Checks the ctx and the options of a call that only reads. */
export const checkQueryCall = callCheck("runQuery");

/** Checks the ctx and the options of a call that writes. */
export const checkMutationCall = callCheck("runMutation");

/**
 * Checks the options of a call, or an item of its list. A field that is undefined counts as absent.
 *
 * @param fields The fields that they may have.
 * @param name The limit, unless the options name it.
 * @throws An `Error` that names the limit, if the options are not an object (usually the caller
 * passed the key itself), have a field that the call does not take, or a broken text.
 */
export function checkOptions(
  verb: string,
  fields: string,
  options: object,
  name?: string,
): void {
  const words = wordsOf(fields);
  if (typeof options !== "object" || options === null) {
    throw new Error(
      `${name === undefined ? verb : `Rate limit ${name}`}: the options must be an object, such as { ${words[0]} }, but are of type ${typeName(options)}.`,
    );
  }
  for (const [field, value] of Object.entries(options)) {
    if (value === undefined) continue;
    const of = name ?? ("name" in options ? options.name : undefined);
    const ofLimit = typeof of === "string" ? `Rate limit ${of}: ` : "";
    if (words.includes(field)) {
      requireWholeText(ofLimit, field, value);
      continue;
    }
    const meant = likeliest(field, words);
    throw new Error(
      `${ofLimit}${verb} does not take ${field}. ${
        meant === undefined
          ? `It takes ${nearestFirst(field, words).join(", ")}.`
          : `Did you mean ${meant}?`
      }`,
    );
  }
}

/**
 * @throws An `Error` if what should be a list is none (usually the caller passed a single item), or
 * is too long.
 */
export function requireList(verb: string, list: unknown, item: string): void {
  if (Array.isArray(list)) return requireShortList(list, verb);
  throw new Error(
    `${verb} takes a list, such as [${item}], but was given a value of type ${typeName(list)}.`,
  );
}

/** @throws An `Error` if the limit requires a key and there is none. */
export function requireKeyIfSet(
  name: string,
  { requireKey = false }: LimitConfig,
  key: string | null | undefined,
): void {
  if (!requireKey || (typeof key === "string" && key !== "")) return;
  fail(
    name,
    `it has requireKey, and the key is ${key === "" ? "empty" : String(key)}. The key must be a non-empty string: pass { key: userId }, for example.`,
  );
}

/** @throws An `Error` if the key of `forget` or `isForgetting` is no string, or a broken one. */
export function requireKeyString(verb: string, key: string): string {
  if (typeof key === "string") {
    requireWholeText(`${verb}: `, "the key", key);
    return key;
  }
  throw new Error(
    `${verb}: the key must be a string, but is of type ${typeName(key)}.`,
  );
}

/**
 * Convex refuses half of a surrogate pair as invalid JSON.
 *
 * @throws An `Error` if a text contains one. It does not contain the text, which may be a secret.
 */
function requireWholeText(of: string, field: string, value: unknown): void {
  if (typeof value !== "string" || !/\p{Surrogate}/u.test(value)) return;
  throw new Error(
    `${of}${field} contains half of a character, as text does that is cut within an emoji. Cut it by characters: [...text].slice(0, n).join("").`,
  );
}

function typeName(value: unknown): string {
  return value === null ? "null" : typeof value;
}
