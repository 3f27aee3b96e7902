import type { Arrivals } from "./arrivals.js";
import type { Bucket } from "./bucket.js";
import type { StoredConfig, RateLimitConfig, ShownConfig } from "./config.js";

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
  /** In ms; of the calendar on average; of a limit on what runs at once, the lease. */
  period: number;
  /** How many rows it is split over. */
  shards: number;
  /** The deepest debt of the whole limit; `Infinity` if unlimited. */
  maxReserved: number;
  /** The capacity without any override. */
  usualCapacity: number;
};

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
  return {
    whole: { rate, capacity, arrivals },
    share: { rate: rate / shards, capacity: capacity / shards, arrivals },
    tolerance: toleranceOf(config),
    headroom,
    enforce: enforce !== false,
  };
}

/** The most tokens that accumulate, or that are held at once. */
export function capacityOf(config: StoredConfig): number {
  if (config.kind === "concurrency") return config.capacity;
  return config.capacity ?? config.rate;
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

/** A deficit that is a rounding error is none. */
export function settled(
  { tolerance }: Pick<Limit, "tolerance">,
  value: number,
): number {
  return value < 0 && value >= -tolerance ? 0 : value;
}
