import { overlay, type StoredConfig } from "./config.js";
import { parseLimit, type Limit } from "./limit.js";
import type { Override, TimedOverride } from "./vOverride.js";

/** The overrides of a key, and those of its limit, which hold for all keys. */
export type Overrides = { ofKey: TimedOverride[]; ofLimit: TimedOverride[] };

/** What holds for a limit and key until a time: the limit, a ban, or nothing. */
export type Rule = {
  effect: "limited" | "banned" | "unlimited";
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
 *
 * @throws An `Error` that names the limit, the field and the value of a bad config.
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
  const ruleAt = (from: number, until: number = Infinity) => {
    const override = overrideAt(overrides, from);
    return toRule(name, key, config, override, until);
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

/** A ban of `penalize` holds until it ends. Of the others, the one that began last. */
function inForce(
  overrides: readonly TimedOverride[],
  at: number,
): TimedOverride | undefined {
  const begun = overrides
    .filter(
      ({ startsAt = -Infinity, expiresAt = Infinity }) =>
        startsAt <= at && at < expiresAt,
    )
    .sort((a, b) => (b.startsAt ?? -Infinity) - (a.startsAt ?? -Infinity));
  return begun.find(({ bans }) => bans !== undefined) ?? begun[0];
}

function toRule(
  name: string,
  key: string | undefined,
  config: StoredConfig,
  override: Override | undefined,
  until: number,
): Rule {
  if (override !== undefined && "config" in override) {
    const limit = parseLimit(name, config, key, override.config);
    const changed = overlay(config, override.config);
    return { effect: "limited", limit, config: changed, until };
  }
  const limit = parseLimit(name, config, key);
  const effect =
    override === undefined
      ? "limited"
      : "deny" in override
        ? "banned"
        : "unlimited";
  return { effect, limit, config, until };
}
