import { trickle, windows, type Arrivals } from "./arrivals.js";
import { partOf, type Bucket } from "./bucket.js";
import { calendar } from "./calendar.js";
import { parseCalendar } from "./checkConfig.js";
import {
  isAsynchronous,
  calendarOf,
  capacityOf,
  toBucket,
  type RateLimitConfig,
  type ShownConfig,
  type StoredConfig,
} from "./config.js";
import { hashOf, isInShare } from "./hash.js";

/** What of a limit tells how its balance changes, and what it grants. */
export type ProjectableLimit = {
  /** The limit as a whole. */
  whole: Bucket;
  /** The part of it that each row holds. */
  share: Bucket;
  /** A deficit of so few tokens is a rounding error, and counts as none. */
  tolerance: number;
  /** The tokens kept back from requests. */
  headroom: number;
  /** Whether it denies: for this key, if it is enforced for a share of them. */
  enforce: boolean;
};

/** A config that has been checked, with its defaults filled in. */
export type Limit = ProjectableLimit & {
  name: string;
  kind: StoredConfig["kind"];
  /** In ms; of the calendar on average; of a concurrency limit, the lease. */
  period: number;
  /** How many rows it is split over. */
  shards: number;
  /** The deepest debt of the whole limit; `Infinity` if unlimited. */
  maxReserved: number;
  /** The capacity without any override. */
  usualCapacity: number;
};

/**
 * Fills in the defaults of a config that was checked, now or when it was stored.
 *
 * @param key Whose row it is: the phase of a fixed window without `start` is
 * derived from the name and the key.
 * @param inForce The config with what an override changes. It does not change over how many
 * rows the limit is split.
 */
export function parseLimit(
  name: string,
  config: StoredConfig,
  key?: string,
  inForce: StoredConfig = config,
): Limit {
  const usualCapacity = capacityOf(config);
  const shards = isAsynchronous(config)
    ? 1
    : rowsInUse(config.shards ?? 1, usualCapacity);
  const { enforce } = inForce;
  const bucket = toBucket(
    typeof enforce === "number"
      ? { ...inForce, enforce: isInShare(name, key, enforce) }
      : inForce,
  );
  const { period, maxReserved = Infinity } = bucket;
  const arrivals = arrivalsOf(name, key, inForce, period);
  return {
    name,
    kind: inForce.kind,
    period,
    shards,
    maxReserved,
    usualCapacity,
    // Last: V8 is slow with what grows after it was spread.
    ...toProjectable(bucket, arrivals, shards),
  };
}

/** How tokens arrive, by a config that has been checked. */
function arrivalsOf(
  name: string,
  key: string | undefined,
  config: StoredConfig,
  period: number,
): Arrivals {
  if (config.kind !== "fixed window") return trickle(period);
  const ofCalendar = calendarOf(config);
  return ofCalendar === undefined
    ? windows(period, config.start ?? phase(name, key, period))
    : calendar(parseCalendar(name, ofCalendar));
}

/** The same for every call of one key, and spread over the period between keys. */
function phase(name: string, key: string | undefined, period: number): number {
  return Math.floor((hashOf(name, key) / 2 ** 32) * period);
}

/**
 * A row that holds less than two tokens is empty after one grant, and the search
 * for a token elsewhere costs more than the split saves.
 */
const MIN_TOKENS_PER_ROW = 2;

/**
 * A limit by a config that has been checked, and that says of `enforce` not what share of the
 * keys it is for, but whether it is for this one.
 */
export function toProjectable(
  config: RateLimitConfig,
  arrivals: Arrivals,
  shards: number,
): ProjectableLimit {
  const { rate, capacity = rate, headroom = 0, enforce } = config;
  const whole = { rate, capacity, arrivals };
  return {
    whole,
    share: partOf(whole, shards),
    tolerance: toleranceOf(config),
    headroom,
    enforce: enforce !== false,
  };
}

/** Fewer tokens than this are a rounding error. */
export const TOLERANCE = 1e-6;

/**
 * The deficit that counts as zero. It is {@link TOLERANCE}, but no more than a
 * bucket refills in a hundredth of a ms, for with a period of days a millionth of a
 * token is seconds, and retryAfter is right to the ms. And it is never less than
 * what floats as large as the capacity may be off by.
 */
export function toleranceOf({
  kind,
  rate = 0,
  period = 1,
  capacity = rate,
}: Pick<ShownConfig, "kind" | "rate" | "period" | "capacity">): number {
  const refill = Math.max((0.01 * rate) / period, 1e-12 * capacity);
  const settled =
    kind === "fixed window" ? TOLERANCE : Math.min(TOLERANCE, refill);
  return Math.max(settled, resolutionOf(capacity));
}

/** The smallest difference that floats as large as the capacity can tell. */
export function resolutionOf(capacity: number): number {
  return capacity * Number.EPSILON;
}

/** Over how many rows a limit is split. */
export function rowsInUse(shards: number, capacity: number): number {
  const worthwhile = Math.floor(capacity / MIN_TOKENS_PER_ROW);
  return Math.max(1, Math.min(shards, worthwhile));
}

/** Whole tokens that requests find: rounded down, never negative. */
export function remaining(
  { headroom, tolerance }: Limit,
  balance: number,
): number {
  return Math.max(0, Math.floor(balance - headroom + tolerance));
}

/** The deficit that a count is forgiven: none, if that alone would grant it. */
export function forgiven(
  { tolerance }: Pick<Limit, "tolerance">,
  count: number,
): number {
  return count === 0 || count > tolerance ? tolerance : 0;
}

/** A balance snapped to 0, if it is a deficit that is a rounding error. */
export function snapped(
  { tolerance }: Pick<Limit, "tolerance">,
  value: number,
): number {
  return value < 0 && value >= -tolerance ? 0 : value;
}
