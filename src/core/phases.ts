import { overlay, type StoredConfig } from "./config.js";
import { toLimit, type Limit } from "./limit.js";
import type { Override, TimedOverride } from "./validators.js";

/** What applies to a limit key until its overrides next change: the limit, a ban, or no limit. */
export type Phase = {
  effect: "limited" | "banned" | "unlimited";
  /**
   * While banned: the limit that credits and charges use. While unlimited: the limit that credits
   * use.
   */
  limit: Limit;
  /** The config with the override applied. */
  config: StoredConfig;
  /** The override that applies, if any. */
  override?: Override | undefined;
  /** When the phase ends, in ms since the epoch; `Infinity` for the last one. */
  until: number;
};

/** The phase that applies now, and those known to follow, in order. */
export type Phases = readonly [Phase, ...Phase[]];

/**
 * The phases of a limit key from `now` on. The one place where overrides become phases.
 *
 * @param overrides The first that is in force applies. Those of the key come before its limit's.
 */
export function phasesOf(
  name: string,
  key: string | undefined,
  config: StoredConfig,
  overrides: readonly TimedOverride[],
  now: number,
): Phases {
  // Most limits have none.
  if (overrides.length === 0) {
    const limit = toLimit(name, config, key);
    const effect = "limited";
    return [{ effect, limit, config, override: undefined, until: Infinity }];
  }
  const changes = overrides
    .flatMap(({ startsAt = now, expiresAt = now }) => [startsAt, expiresAt])
    .filter((time) => time > now);
  const times = [...new Set(changes)].sort((a, b) => a - b);
  const phaseAt = (from: number, until: number = Infinity): Phase => {
    const layers = overrides
      .filter((one) => hasBegun(one, from) && !hasEnded(one, from))
      .map(({ override }) => override);
    const [override] = layers;
    const effect = effectOf(override);
    // A ban denies, whatever the config below it enforces.
    const always = effect === "banned" && { enforce: true };
    const changed = layers.find((one) => "config" in one);
    const inForce = overlay(config, { ...changed?.config, ...always });
    const limit = toLimit(name, config, key, inForce);
    return { effect, limit, config: inForce, override, until };
  };
  const phases: Phases = [
    phaseAt(now, times[0]),
    ...times.map((from, i) => phaseAt(from, times[i + 1])),
  ];
  if (overrides.some(({ override }) => "config" in override)) {
    const usual = toLimit(name, config, key);
    const others = [usual, ...phases.map(({ limit }) => limit)].map(
      ({ whole }) => whole,
    );
    for (const { limit } of phases) limit.knownWholes = others;
  }
  return phases;
}

function effectOf(override: Override | undefined): Phase["effect"] {
  if (override === undefined || "config" in override) return "limited";
  return "deny" in override ? "banned" : "unlimited";
}

/** Whether an override has ended. */
export function hasEnded(
  { expiresAt = Infinity }: TimedOverride,
  now: number,
): boolean {
  return expiresAt <= now;
}

/** Whether an override has begun, even if it has ended since. */
export function hasBegun(
  { startsAt = -Infinity }: TimedOverride,
  now: number,
): boolean {
  return startsAt <= now;
}
