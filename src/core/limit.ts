import { never, trickle, windows, type Arrivals } from "./arrivals.js";
import type { Bucket } from "./bucket.js";
import type { LimitConfig } from "./config.js";

/** A config that has been checked, with its defaults filled in. */
export type Limit = {
  name: string;
  kind: LimitConfig["kind"];
  /** In ms; of a limit on what runs at once, the lease. */
  period: number;
  /** The limit as a whole. */
  whole: Bucket;
  /** The part of it that each row holds. */
  share: Bucket;
  /** How many rows it is split over. */
  shards: number;
  /** The deepest debt of the whole limit; `Infinity` if unlimited. */
  maxReserved: number;
  /** A deficit of so few tokens is a rounding error, and counts as none. */
  tolerance: number;
  /** The capacity without any override. */
  usualCapacity: number;
  /** The tokens kept back from requests. */
  headroom: number;
  enforce: boolean;
};

/**
 * A row that holds less than two tokens is empty after one grant, and the search
 * for a token elsewhere costs more than the split saves.
 */
const MIN_TOKENS_PER_ROW = 2;

/** A limit by a config that has been checked. */
export function toLimit(
  name: string,
  config: LimitConfig,
  {
    key,
    shards,
    usualCapacity,
  }: { key?: string | undefined; shards: number; usualCapacity: number },
): Limit {
  const { kind, enforce = true, headroom = 0 } = config;
  const { rate, period, capacity, maxReserved, arrivals } = figures(
    name,
    config,
    key,
  );
  const whole = { rate, capacity, arrivals };
  return {
    name,
    kind,
    period,
    whole,
    share:
      shards === 1
        ? whole
        : { rate: rate / shards, capacity: capacity / shards, arrivals },
    shards,
    maxReserved,
    tolerance: toleranceOf({ kind, rate, period }, capacity),
    usualCapacity,
    headroom,
    enforce,
  };
}

/** The most tokens that accumulate, or that are held at once. */
export function capacityOf(config: LimitConfig): number {
  if (config.kind === "concurrency") return config.capacity;
  return config.capacity ?? config.rate;
}

/** What the kinds have in common, with the defaults filled in. */
function figures(
  name: string,
  config: LimitConfig,
  key: string | undefined,
): Omit<Bucket, "arrivals"> & {
  period: number;
  maxReserved: number;
  arrivals: Arrivals;
} {
  if (config.kind === "concurrency") {
    const { capacity, lease } = config;
    const arrivals = never(lease);
    return { rate: 0, period: lease, capacity, maxReserved: 0, arrivals };
  }
  const { rate, period, capacity = rate, maxReserved = Infinity } = config;
  const arrivals =
    config.kind === "token bucket"
      ? trickle(period)
      : windows(period, config.start ?? phase(name, key, period));
  return { rate, period, capacity, maxReserved, arrivals };
}

/** Fewer tokens than this are a rounding error. */
export const TOLERANCE = 1e-6;

/**
 * The deficit that counts as zero. It is {@link TOLERANCE}, but no more than a
 * bucket refills in a hundredth of a ms, for with a period of days a millionth of a
 * token is seconds, and retryAfter is right to the ms. And it is never less than
 * what floats as large as the capacity may be off by.
 */
export function toleranceOf(
  { kind, rate, period }: Pick<Limit, "kind" | "period"> & { rate: number },
  capacity: number,
): number {
  const refill = Math.max((0.01 * rate) / period, 1e-12 * capacity);
  const settled =
    kind === "token bucket" ? Math.min(TOLERANCE, refill) : TOLERANCE;
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

/** The same for every call of one key, and spread over the period between keys. */
function phase(name: string, key: string | undefined, period: number): number {
  const text = JSON.stringify([name, key ?? null]);
  let hash = 0x811c9dc5; // FNV-1a, 32 bits
  for (let i = 0; i < text.length; i++) {
    hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  }
  return Math.floor(((hash >>> 0) / 2 ** 32) * period);
}

/** A deficit that is a rounding error is none. */
export function settled({ tolerance }: Limit, value: number): number {
  return value < 0 && value >= -tolerance ? 0 : value;
}
