import { overlay, type StoredConfig } from "./config.js";
import { parseLimit, type Limit } from "./limit.js";
import type { ConfigOverride, Override, TimedOverride } from "./vOverride.js";

/** The overrides of a key, and those of its limit, which hold for all keys. */
export type Overrides = { ofKey: TimedOverride[]; ofLimit: TimedOverride[] };

/** What holds for a limit and key until a time: the limit, a ban, or nothing. */
export type Rule = {
  effect: "limited" | "banned" | "unlimited";
  /** Under a ban or `unlimited` the one below: what is given back, or charged, goes there. */
  limit: Limit;
  /** The config with what an override changes. */
  config: StoredConfig;
  /** `Infinity` for the last one. */
  until: number;
};

/** The rule that holds now, and those that are known to follow, in their order. */
export type Rules = readonly [Rule, ...Rule[]];

/**
 * The rules of a limit and key from `now` on. The one place where overrides become
 * rules: that of the key before that of the limit, a ban of `penalize` before whatever else
 * the key has, and of the others the one that began last.
 */
export function rulesOf(
  name: string,
  key: string | undefined,
  config: StoredConfig,
  overrides: Overrides | undefined,
  now: number,
): Rules {
  if (overrides === undefined) {
    const limit = parseLimit(name, config, key);
    return [{ effect: "limited", limit, config, until: Infinity }];
  }
  const { ofKey, ofLimit } = overrides;
  const changes = [...ofKey, ...ofLimit]
    .flatMap(({ startsAt = now, expiresAt = now }) => [startsAt, expiresAt])
    .filter((time) => time > now);
  const times = [...new Set(changes)].sort((a, b) => a - b);
  const ruleAt = (from: number, until: number = Infinity): Rule => {
    const effect = effectOf(overrideAt(overrides, from));
    // A dry run below it does not undo a ban.
    const asUsual = effect === "banned" && { enforce: config.enforce };
    const change = { ...changeAt(overrides, from), ...asUsual };
    const laid = overlay(config, change);
    const limit = parseLimit(name, config, key, laid);
    return { effect, limit, config: laid, until };
  };
  return [
    ruleAt(now, times[0]),
    ...times.map((from, i) => ruleAt(from, times[i + 1])),
  ];
}

/** The override that holds at a time: the key's own, else the limit's. */
export function overrideAt(
  { ofKey, ofLimit }: Overrides,
  at: number,
): Override | undefined {
  return (inForce(ofKey, at) ?? inForce(ofLimit, at))?.override;
}

function effectOf(override: Override | undefined): Rule["effect"] {
  if (override === undefined || "config" in override) return "limited";
  return "deny" in override ? "banned" : "unlimited";
}

/** What changes the config at a time, also below a ban or a lift. */
function changeAt(
  { ofKey, ofLimit }: Overrides,
  at: number,
): ConfigOverride | undefined {
  const changes = (overrides: readonly TimedOverride[]) =>
    overrides.filter(({ override }) => "config" in override);
  const below = { ofKey: changes(ofKey), ofLimit: changes(ofLimit) };
  const override = overrideAt(below, at);
  return override && "config" in override ? override.config : undefined;
}

/** A ban of `penalize` holds until it ends. Of the others, the one that began last. */
function inForce(
  overrides: readonly TimedOverride[],
  at: number,
): TimedOverride | undefined {
  const begun = overrides.filter(
    (one) => beginOf(one) <= at && !hasEnded(one, at),
  );
  return begun.find(({ bans }) => bans !== undefined) ?? lastOf(begun);
}

/**
 * Of the overrides that are stored for a key, or for a limit, those that can still apply: at
 * most four, however many are stored. One that lasts, one that ends, one that is still to
 * begin, and one ban of `penalize`, until it is forgotten. Of several of a sort the one that
 * begins last stays.
 */
export function standing<Stored extends TimedOverride>(
  stored: readonly Stored[],
  now: number,
): Stored[] {
  const isBan = ({ bans }: Stored) => bans !== undefined;
  const ban = lastOf(
    stored.filter((one) => isBan(one) && now < (one.forgetAt ?? now)),
  );
  const valid = stored.filter((one) => !isBan(one) && !hasEnded(one, now));
  const coming = lastOf(valid.filter((one) => beginOf(one) > now));
  const begun = valid.filter((one) => beginOf(one) <= now);
  const lasting = lastOf(begun.filter((one) => one.expiresAt === undefined));
  const ending = lastOf(begun.filter((one) => one.expiresAt !== undefined));
  const isOverruled = lasting && ending && beginOf(lasting) > beginOf(ending);
  return [ban, coming, lasting, isOverruled ? undefined : ending].filter(
    (one) => one !== undefined,
  );
}

/** Whether an override has ended. A ban stays for a while, to tell how long the next one is. */
export function hasEnded(
  { expiresAt = Infinity }: TimedOverride,
  now: number,
): boolean {
  return expiresAt <= now;
}

function lastOf<Stored extends TimedOverride>(
  stored: readonly Stored[],
): Stored | undefined {
  return stored.toSorted((a, b) => beginOf(b) - beginOf(a))[0];
}

function beginOf({ startsAt = -Infinity }: TimedOverride): number {
  return startsAt;
}
