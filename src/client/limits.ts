import type { LimitConfig } from "../core/config.js";
import { nearestFirst } from "../core/nearest.js";
import { validateConfig } from "../core/validateConfig.js";

/** How many names an error lists. */
const MOST_NAMES = 10;

/** The limits of a limiter, if it names any. */
export type NamedConfigs = Readonly<Record<string, LimitConfig>> | undefined;

/**
 * The config of a limit: the one that a call brings, or that of its name.
 *
 * @throws An `Error` if there is none, or if the one that the call brings is bad.
 */
export function configOf(
  limits: NamedConfigs,
  name: string,
  inline: LimitConfig | undefined,
): LimitConfig {
  if (inline !== undefined) {
    validateConfig(name, inline);
    return inline;
  }
  if (limits !== undefined && Object.hasOwn(limits, name)) return limits[name]!;
  throw new Error(
    `Rate limit ${name} is not defined. ${knownLimits(limits, name)}Name it in the constructor, or give a config.`,
  );
}

/** The limits that there are, as an error lists them. */
function knownLimits(limits: NamedConfigs, name: string): string {
  const names = nearestFirst(String(name), Object.keys(limits ?? {}));
  if (names.length === 0) return "";
  const more = names.length - MOST_NAMES;
  const rest = more > 0 ? `, and ${more} more` : "";
  return `The limits are ${names.slice(0, MOST_NAMES).join(", ")}${rest}. `;
}

/** @throws An `Error` if the limit does not refill with time: its tokens are only held. */
export function requireRefilling<Config extends Pick<LimitConfig, "kind">>(
  name: string,
  config: Config,
): asserts config is Exclude<Config, { kind: "concurrency" }> {
  if (config.kind !== "concurrency") return;
  throw new Error(
    `Rate limit ${name}: its kind is "concurrency", so its tokens are only held. Use hold or whileHolding.`,
  );
}
