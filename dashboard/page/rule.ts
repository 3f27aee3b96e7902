import type { LimitConfig, RateLimitOverride } from "../../src/client/index.js";
import type { Answer } from "../../src/dashboard/answer.js";
import type { Value } from "../../src/dashboard/reads.js";
import { balanceAt } from "./balance.js";

/** The rule that holds for a key: that of the code, with the override in force. */
export type Rule = {
  effect: "limited" | "banned" | "unlimited";
  /** Under a ban or without a limit, what would hold otherwise. */
  config: LimitConfig;
  /** When another rule holds, in ms; undefined for as long as nobody changes it. */
  until: number | undefined;
  /** Whose override is in force; undefined for none. */
  by: "key" | "limit" | undefined;
};

/** What the server has told of a key, or of a limit as a whole, that decides which rule holds. */
export type Ruled = Pick<
  Answer<"key">,
  "config" | "value" | "overrides" | "ofLimit"
>;

/** The rule that holds at a time. */
export function ruleAt(
  { config, value, overrides, ofLimit }: Ruled,
  now: number,
): Rule {
  const { segments = [] } = value;
  const segment =
    segments.find(({ until = Infinity }) => now < until) ?? segments.at(-1);
  const { rate, period, capacity, enforce } = segment?.config ?? value.config;
  const isInForce = ({ startsAt = now, expiresAt = Infinity }: Times) =>
    startsAt <= now && now < expiresAt;
  const rule = {
    effect: segment?.effect ?? "limited",
    until: segment?.until,
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
  // Calendar windows are told by their starts. An override of the period replaces them.
  return segment?.starts !== undefined
    ? { ...rule, config: { ...config, ...inForce } }
    : { ...rule, config: { kind: config.kind, period: period!, ...inForce } };
}

type Times = Pick<RateLimitOverride, "startsAt" | "expiresAt">;

/** What an operator gives a key, or a whole limit, instead of what the code says. */
export type Change = {
  rate?: number | undefined;
  capacity?: number | undefined;
};

/** The config of the code with a change. Fields that another override changes are as in the code. */
export function changed(config: LimitConfig, change: Change): LimitConfig {
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

/** Over how many rows a limit is split now. */
export const rowsOf = ({ segments = [] }: Value): number =>
  segments[0]?.shards ?? 1;

/**
 * What a key holds now, and what it is going to hold right after a change, of which capacity. Of a
 * limit that is split it can be more than what is shown: the next call brings its rows together.
 */
export function effectOf(
  config: LimitConfig,
  value: Value,
  change: Change,
  now: number,
): { before: number; after: number; capacityBefore: number; capacity: number } {
  const next = changed(config, change);
  const capacity = capacityOf(next);
  const held = balanceAt(unhindered(value, now, {}), now);
  const { value: before, capacity: capacityBefore } = held;
  const told = { before, capacityBefore, capacity };
  if (next.kind === "concurrency") {
    return { ...told, after: before + capacity - capacityBefore };
  }
  const fields = { rate: next.rate, capacity };
  const after = balanceAt(unhindered(value, now, fields), now).value;
  return { ...told, after };
}

/** What is told of a key, as if its present rule had these fields, and no ban or lift lay over it. */
function unhindered(
  { config, ...value }: Value,
  now: number,
  fields: { rate?: number; capacity?: number },
): Value {
  const { segments = [] } = value;
  const inForce =
    segments.find(({ until = Infinity }) => now < until) ?? segments.at(-1);
  if (inForce === undefined) {
    const isPlace = config.kind === "concurrency";
    return { ...value, config: isPlace ? config : { ...config, ...fields } };
  }
  const changed = { ...inForce.config, ...fields };
  const segment = { ...inForce, until: undefined, config: changed };
  return { ...value, config, segments: [{ ...segment, effect: "limited" }] };
}
