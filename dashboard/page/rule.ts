import type { LimitConfig, RateLimitOverride } from "../../src/client/index.js";
import type { Answer } from "../../src/dashboard/answer.js";
import type { LimitValue } from "../../src/dashboard/reads.js";
import { balanceAt } from "./balance.js";

/** The rule that applies to a key: that of the code, with the override in force. */
export type Rule = {
  effect: "limited" | "banned" | "unlimited";
  /** While the key is banned or unlimited: the rule that would apply otherwise. */
  config: LimitConfig;
  /** When the next rule begins, in ms from the epoch; undefined if none is planned. */
  until: number | undefined;
  /** Whose override is in force; undefined for none. */
  by: "key" | "limit" | undefined;
};

/** What the server tells of a key, or of a whole limit, that decides which rule applies. */
export type RuleSource = Pick<
  Answer<"key">,
  "config" | "value" | "overrides" | "ofLimit"
>;

/** The rule that applies at a time. */
export function ruleAt(
  { config, value, overrides, ofLimit }: RuleSource,
  now: number,
): Rule {
  const { phases = [] } = value;
  const phase =
    phases.find(({ until = Infinity }) => now < until) ?? phases.at(-1);
  const { rate, period, capacity, enforce } = phase?.config ?? value.config;
  const isInForce = ({ startsAt = now, expiresAt = Infinity }: Times) =>
    startsAt <= now && now < expiresAt;
  const rule = {
    effect: phase?.effect ?? "limited",
    until: phase?.until,
    by: overrides.some(isInForce)
      ? "key"
      : ofLimit.some(isInForce)
        ? "limit"
        : undefined,
  } as const;
  if (config.kind === "concurrency") {
    return { ...rule, config: { ...config, capacity: capacity!, enforce } };
  }
  const inForce = { rate: rate!, capacity, enforce };
  // Calendar windows come with `starts`. An override of the period replaces them.
  if (phase?.starts !== undefined) {
    return { ...rule, config: { ...config, ...inForce } };
  }
  return {
    ...rule,
    config:
      config.start === "first use"
        ? { ...config, period: period!, ...inForce }
        : { kind: config.kind, period: period!, ...inForce },
  };
}

type Times = Pick<RateLimitOverride, "startsAt" | "expiresAt">;

/** The fields that an operator changes, for a key or for a whole limit. */
export type Change = {
  rate?: number | undefined;
  capacity?: number | undefined;
};

/** The config of the code with a change. It ignores the changes of other overrides. */
export function withChange(config: LimitConfig, change: Change): LimitConfig {
  const { capacity = config.capacity } = change;
  if (config.kind === "concurrency") {
    return { ...config, capacity: capacity ?? config.capacity };
  }
  return { ...config, rate: change.rate ?? config.rate, capacity };
}

/** The most tokens that accumulate, or that can be held at once. */
export function capacityOf(config: LimitConfig): number {
  if (config.kind === "concurrency") return config.capacity;
  return config.capacity ?? config.rate;
}

/** How many rows a limit is split over now. */
export const rowsOf = ({ phases = [] }: LimitValue): number =>
  phases[0]?.shards ?? 1;

/**
 * The balance and capacity of a key now, and right after a change. If the limit is split, the key
 * may then hold more than this says, once the next call has merged its rows.
 */
export function balancesAround(
  config: LimitConfig,
  value: LimitValue,
  change: Change,
  now: number,
): { before: number; after: number; capacityBefore: number; capacity: number } {
  const next = withChange(config, change);
  const capacity = capacityOf(next);
  const held = balanceAt(withRule(value, now, {}), now);
  const { value: before, capacity: capacityBefore } = held;
  const known = { before, capacityBefore, capacity };
  if (next.kind === "concurrency") {
    return { ...known, after: before + capacity - capacityBefore };
  }
  const fields = { rate: next.rate, capacity };
  const after = balanceAt(withRule(value, now, fields), now).value;
  return { ...known, after };
}

/**
 * The value of a key as if its current rule had these fields and it was neither banned nor
 * unlimited.
 */
function withRule(
  { config, ...value }: LimitValue,
  now: number,
  fields: { rate?: number; capacity?: number },
): LimitValue {
  const { phases = [] } = value;
  const inForce =
    phases.find(({ until = Infinity }) => now < until) ?? phases.at(-1);
  if (inForce === undefined) {
    const isPlace = config.kind === "concurrency";
    return { ...value, config: isPlace ? config : { ...config, ...fields } };
  }
  const phase = {
    ...inForce,
    until: undefined,
    config: { ...inForce.config, ...fields },
  };
  return { ...value, config, phases: [{ ...phase, effect: "limited" }] };
}
