import {
  type Refill,
  type Bucket,
  FIRST_USE,
  fullAtOf,
  partOf,
  type State,
  continuousRefill,
  windowRefill,
} from "./bucket.js";
import { calendarRefill } from "./calendar.js";
import { parseCalendar } from "./checks.js";
import {
  type AnchoredCalendar,
  calendarOf,
  type RateLimitConfig,
  type StoredConfig,
  type StoredRefillingConfig,
  toRateLimitConfig,
} from "./config.js";
import { hashOf, isInShare } from "./limitKey.js";
import { toleranceOf } from "./tolerance.js";

/** What a projection needs to know about a limit: how its balance changes, and what it grants. */
export type ProjectableLimit = {
  /** The limit as a whole. */
  whole: Bucket;
  /** A deficit of up to this many tokens is a rounding error, and counts as none. */
  tolerance: number;
  /** Whether the limit denies; with `enforce` as a share, whether it denies this key. */
  enforce: boolean;
};

/** A config that has been checked, with its defaults filled in. */
export type Limit = ProjectableLimit & {
  name: string;
  kind: StoredConfig["kind"];
  /** In ms. For a calendar, the average length; for a concurrency limit, the lease. */
  period: number;
  /** The config without any override. */
  usual: StoredConfig;
  /** The deepest debt that a reservation may leave; `Infinity` if unlimited. */
  maxReserved: number;
  /** The deepest debt that a charge may leave; `Infinity` if unlimited. */
  maxDebt: number;
  /** For calendar windows. */
  calendar: AnchoredCalendar | undefined;
  /** Filled in by the first call of {@link ruleOf}. */
  rule: string | undefined;
  /**
   * The whole limit under each known override, and without any: `fullAt` is when it is full under
   * all of them. Empty if no override changes the config.
   */
  knownWholes: readonly Bucket[];
};

/**
 * Fills in the defaults of a config that has been checked, now or when it was stored.
 *
 * @param key Sets where the windows start if a fixed window has no `start` (by a hash of name and
 * key), and whether the limit is enforced if `enforce` is a share.
 * @param inForce The config with the override applied.
 */
export function toLimit(
  name: string,
  config: StoredConfig,
  key?: string,
  inForce: StoredConfig = config,
): Limit {
  const refilling = toRateLimitConfig(inForce);
  const { period, enforce } = refilling;
  const { maxReserved = Infinity, maxDebt = Infinity } = refilling;
  const refill = refillOf(name, key, inForce, period);
  return {
    name,
    kind: inForce.kind,
    period,
    usual: config,
    maxReserved,
    maxDebt,
    enforce:
      typeof enforce === "number"
        ? isInShare(name, key, enforce)
        : enforce !== false,
    calendar: calendarOf(inForce),
    rule: undefined,
    knownWholes: [],
    // Spread last: V8 is slow with objects that grow after a spread.
    ...toWhole(refilling, refill),
  };
}

/** How tokens arrive under a checked config. */
function refillOf(
  name: string,
  key: string | undefined,
  config: StoredConfig,
  period: number,
): Refill {
  if (config.kind !== "fixed window") return continuousRefill(period);
  const calendar = calendarOf(config);
  if (calendar === undefined) {
    // By default always the same for one key, but spread over the period from key to key.
    const spread = Math.floor((hashOf(name, key) / 2 ** 32) * period);
    return windowRefill(period, config.start ?? spread);
  }
  const refill = calendarRefill(parseCalendar(name, calendar));
  return config.isInline ? { ...refill, mayMove: true } : refill;
}

/** A limit as a whole, by a checked config, and the deficit that counts as zero. */
export function toWhole(
  config: Pick<RateLimitConfig, "kind" | "rate" | "period" | "capacity">,
  refill: Refill,
): Pick<ProjectableLimit, "whole" | "tolerance"> {
  const { rate, capacity = rate } = config;
  const whole = { rate, capacity, refill };
  return { whole, tolerance: toleranceOf(config) };
}

/** The part of a limit that one row holds, if `parts` such rows make up the whole. */
export function partOfLimit({ whole }: Limit, parts: number): Bucket {
  return parts === 1 ? whole : partOf(whole, parts);
}

/** When a row is full under every rule that is known: see `fullAt` of a row. */
export function fullAtByAllRules(
  limit: Limit,
  parts: number,
  state: State,
): number {
  return limit.knownWholes.reduce(
    (time, other) => Math.max(time, fullAtOf(partOf(other, parts), state)),
    fullAtOf(partOfLimit(limit, parts), state),
  );
}

/** A limit's rule, in the form that row 0 of a split limit stores. */
export function ruleOf(limit: Limit): string {
  if (limit.rule === undefined) {
    const { kind, period, whole, calendar } = limit;
    const rule: Rule = [kind, whole.rate, period, whole.capacity];
    if (calendar !== undefined) rule.push(calendar);
    else if (whole.refill.startsWithUse) rule.push(FIRST_USE);
    limit.rule = JSON.stringify(rule);
  }
  return limit.rule;
}

type Rule = [
  kind: StoredConfig["kind"],
  rate: number,
  period: number,
  capacity: number,
  windows?: AnchoredCalendar | typeof FIRST_USE,
];

/**
 * The config that a rule was made of, as far as the rule tells.
 *
 * @param ts The time of row 0. The windows of all rows lie on its grid.
 */
export function configByRule(rule: string, ts: number): StoredRefillingConfig {
  const [kind, rate, period, capacity, windows] = JSON.parse(rule) as Rule;
  const rest = { rate, period, capacity };
  if (kind !== "fixed window") return { kind: "token bucket", ...rest };
  if (typeof windows !== "object") {
    return { kind, ...rest, start: windows ?? ts };
  }
  const { start, ...calendar } = windows;
  return { kind, ...rest, calendar, start };
}

/** The whole tokens left: rounded down, never negative. */
export function remainingOf({ tolerance }: Limit, balance: number): number {
  return Math.max(0, Math.floor(balance + tolerance));
}

/**
 * The deficit that does not refuse a request for `count`: none if it takes so little that it would
 * be free.
 */
export function toleratedDeficit(
  { tolerance }: Pick<Limit, "tolerance">,
  count: number,
): number {
  return count <= 0 || count > tolerance ? tolerance : 0;
}

/** Snaps a balance to 0 if it is negative only by a rounding error. */
export function snapped(
  { tolerance }: Pick<Limit, "tolerance">,
  value: number,
): number {
  return value < 0 && value >= -tolerance ? 0 : value;
}

/**
 * The highest share of the capacity in `warnAt` that is used after a grant but was not before it;
 * undefined if there is none. `before` and `after` are the balances.
 */
export function shareReached(
  { whole: { capacity }, tolerance }: Limit,
  before: number,
  after: number,
  warnAt: number | readonly number[] = [],
): number | undefined {
  const isUsed = (share: number, balance: number) =>
    capacity - balance >= share * capacity - tolerance;
  return [warnAt]
    .flat()
    .filter((share) => isUsed(share, after) && !isUsed(share, before))
    .sort((a, b) => b - a)[0];
}
