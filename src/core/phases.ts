import { overlay, type StoredConfig } from "./config.js";
import { toLimit, type Limit } from "./limit.js";
import type { Override, TimedOverride } from "./validators.js";

/** The overrides of a key, and those of its limit, which apply to all keys. */
export type Overrides = { ofKey: TimedOverride[]; ofLimit: TimedOverride[] };

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
 * The phases of a limit key from `now` on. The one place where overrides become phases. An override
 * of the key wins over one of the limit; a ban of `penalize` wins over any other of the key; among
 * the rest, the one that began last and has not ended wins.
 */
export function phasesOf(
  name: string,
  key: string | undefined,
  config: StoredConfig,
  overrides: Overrides | undefined,
  now: number,
): Phases {
  if (overrides !== undefined) {
    return phasesUnder(overrides, name, key, config, now);
  }
  const limit = toLimit(name, config, key);
  return [{ effect: "limited", limit, config, until: Infinity }];
}

function phasesUnder(
  overrides: Overrides,
  name: string,
  key: string | undefined,
  config: StoredConfig,
  now: number,
): Phases {
  const changes = [...overrides.ofKey, ...overrides.ofLimit]
    .flatMap(({ startsAt = now, expiresAt = now }) => [startsAt, expiresAt])
    .filter((time) => time > now);
  const times = [...new Set(changes)].sort((a, b) => a - b);
  const phaseAt = (from: number, until: number = Infinity): Phase => {
    const layers = allLayersAt(overrides, from);
    const override = layers.at(-1);
    const effect = effectOf(override);
    // A ban denies, whatever the config below it enforces.
    const always = effect === "banned" && { enforce: true };
    const changed = layers.findLast((one) => "config" in one);
    const inForce = overlay(config, { ...changed?.config, ...always });
    const limit = toLimit(name, config, key, inForce);
    return { effect, limit, config: inForce, override, until };
  };
  const phases: Phases = [
    phaseAt(now, times[0]),
    ...times.map((from, i) => phaseAt(from, times[i + 1])),
  ];
  const isChanged = [...overrides.ofKey, ...overrides.ofLimit].some(
    ({ override }) => "config" in override,
  );
  if (isChanged) {
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

/**
 * All overrides that apply to a key at a time, the winner last: the limit's, then the key's own.
 */
function allLayersAt({ ofKey, ofLimit }: Overrides, time: number): Override[] {
  return [...layersAt(ofLimit, time), ...layersAt(ofKey, time)].map(
    ({ override }) => override,
  );
}

/**
 * The overrides of a key, or of a limit, that have begun and not ended, as layers in the order in
 * which they began: a later one wins, and a ban of `penalize` wins over all. At most two temporary
 * overrides lie above a permanent one: when a third begins, the oldest of them is gone for good.
 */
function layersAt<Stored extends TimedOverride>(
  stored: readonly Stored[],
  time: number,
): Stored[] {
  let layers: Stored[] = [];
  for (const one of inOrder(stored)) {
    if (isPenalty(one) || !hasBegun(one, time)) continue;
    layers = layers.filter((below) => !hasEnded(below, overrideBeganAt(one)));
    const lasting = layers.findLastIndex(isPermanent);
    if (!isPermanent(one) && layers.length > lasting + 2) {
      layers.splice(lasting + 1, 1);
    }
    layers.push(one);
  }
  const bans = stored.filter((one) => isPenalty(one) && hasBegun(one, time));
  return [...layers, ...bans].filter((one) => !hasEnded(one, time));
}

/**
 * Overrides that have not ended but never apply again, since a third temporary one replaced them.
 */
export function replacedOverrides<Stored extends TimedOverride>(
  stored: readonly Stored[],
  time: number,
): Stored[] {
  const layers = layersAt(stored, time);
  return stored.filter(
    (one) =>
      hasBegun(one, time) && !hasEnded(one, time) && !layers.includes(one),
  );
}

/**
 * The overrides to keep of those stored for a key, or for a limit. At most five: a permanent one,
 * two temporary ones, one that is still to begin, and one ban of `penalize`, until it is forgotten.
 */
export function overridesToKeep<Stored extends TimedOverride>(
  stored: readonly Stored[],
  now: number,
): Stored[] {
  const others = stored.filter((one) => !isPenalty(one));
  const bans = stored.filter(
    (one) => isPenalty(one) && now < (one.forgetAt ?? now),
  );
  const coming = others.filter((one) => !hasBegun(one, now));
  const layers = layersAt(others, now);
  const lasting = Math.max(0, layers.findLastIndex(isPermanent));
  return [
    ...inOrder(bans).slice(-1),
    ...inOrder(coming).slice(-1),
    ...layers.slice(lasting),
  ];
}

/**
 * The `setAt` of a new override: later than the start of every override that has begun, even if the
 * clock stands still or steps back.
 */
export function nextSetAt(
  stored: readonly TimedOverride[],
  now: number,
): number {
  const begun = stored.filter((one) => hasBegun(one, now));
  return Math.max(now, ...begun.map((one) => overrideBeganAt(one) + MOMENT_MS));
}

/** A fraction of a ms, large enough to change a float as large as a time. */
const MOMENT_MS = 2 ** -10;

/**
 * Whether an override has ended. An ended ban stays stored for a while, so that the next one is
 * longer.
 */
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

function isPenalty({ bans }: TimedOverride): boolean {
  return bans !== undefined;
}

function isPermanent({ expiresAt }: TimedOverride): boolean {
  return expiresAt === undefined;
}

function inOrder<Stored extends TimedOverride>(
  stored: readonly Stored[],
): Stored[] {
  return stored.toSorted((a, b) => overrideBeganAt(a) - overrideBeganAt(b));
}

/**
 * When an override began: at `startsAt` or `setAt`, whichever is later. Layers are in this order.
 */
function overrideBeganAt({
  startsAt = -Infinity,
  setAt = -Infinity,
}: TimedOverride): number {
  return Math.max(startsAt, setAt);
}
