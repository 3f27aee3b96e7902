import type { LimitConfig, RefillingConfig } from "../core/config.js";
import { nearestFirst } from "../core/nearest.js";
import { checkWrittenConfig } from "../core/checkWrittenConfig.js";
import type { MaybePromise } from "./types.js";

/** How many names an error lists at most. */
const MAX_NAMES = 10;

/** The constructor's limits, if it was given any. */
export type NamedConfigs = Readonly<Record<string, LimitConfig>> | undefined;

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
 * Warns of a period that was probably meant in seconds. 100 ms is well below periods that are in
 * use: `@convex-dev/resend` sends once in 600 ms.
 */
function adviseOnPeriod(name: string, { period }: LimitConfig): void {
  if (typeof period !== "number" || period >= 100) return;
  console.warn(
    `Rate limit ${name}: its period is ${period} ms, less than 100. Periods are in ms, such as 60 * SECOND (advice: false in the limiter's options silences this).`,
  );
}

/**
 * The config of a limit: the one that the call passes, else the named limit's.
 *
 * @throws An `Error` if there is none, or if the call passes a bad one.
 */
export function configOf(
  limits: NamedConfigs,
  name: string,
  inline?: LimitConfig,
): LimitConfig {
  if (inline !== undefined) {
    checkWrittenConfig(name, inline);
    return inline;
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
  throw new Error(
    `Rate limit ${name}: its kind is "concurrency", so its tokens are only held. Use hold or whileHolding.`,
  );
}

/** As `configOf`, but also throws for a concurrency limit, whose tokens can only be held. */
export function refillingConfigOf(
  limits: NamedConfigs,
  name: string,
  inline?: LimitConfig,
): RefillingConfig {
  const config = configOf(limits, name, inline);
  requireRefilling(name, config);
  return config;
}

/** A config as an app gives it: a value, or a function that finds it on the server. */
export type GivenConfig<Args extends unknown[], Config> =
  Config | undefined | ((...args: Args) => MaybePromise<Config | undefined>);

/**
 * Finds the config for one call. Undefined means that the named limit's config applies.
 *
 * @throws An `Error` if a function returns undefined and the limit is not named.
 */
export async function resolveConfig<
  Args extends unknown[],
  Config extends object,
>(
  limits: NamedConfigs,
  name: string,
  config: GivenConfig<Args, Config>,
  ...args: Args
): Promise<Config | undefined> {
  if (typeof config !== "function") return config;
  const found = await config(...args);
  if (found !== undefined || Object.hasOwn(limits ?? {}, name)) return found;
  throw new Error(
    `Rate limit ${name}: the config function returned undefined. Return a config, or name the limit in the constructor.`,
  );
}
