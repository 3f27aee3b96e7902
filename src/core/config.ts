import { ConvexError, v, type Infer } from "convex/values";

const common = {
  rate: v.number(),
  period: v.number(),
  capacity: v.optional(v.number()),
  maxReserved: v.optional(v.number()),
  shards: v.optional(v.number()),
  applyUpdates: v.optional(
    v.union(v.literal("transactionally"), v.literal("asynchronously")),
  ),
  overrides: v.optional(v.boolean()),
  enforce: v.optional(v.boolean()),
};

export const vTokenBucket = v.object({
  kind: v.literal("token bucket"),
  ...common,
  start: v.optional(v.null()),
});

export const vFixedWindow = v.object({
  kind: v.literal("fixed window"),
  ...common,
  start: v.optional(v.number()),
});

/** Either kind of {@link RateLimitConfig}, as it crosses into the component. */
export const vConfig = v.union(vTokenBucket, vFixedWindow);

type CommonConfig = {
  /** Tokens added per `period`. Finite, above 0; fractions are legal. */
  rate: number;
  /** The time in which `rate` tokens are added, in ms. Finite, above 0. */
  period: number;
  /**
   * The most tokens that accumulate, and so the largest burst. Finite, at least
   * 0; with 0 nothing is granted at once and everything must be reserved.
   * @default the `rate`
   */
  capacity?: number | undefined;
  /**
   * The deepest debt that `reserve` may leave, in tokens. Finite, at least 0;
   * 0 allows no reservation.
   * @default unlimited
   */
  maxReserved?: number | undefined;
  /**
   * Over how many rows the limit is spread, for write throughput. A whole
   * number from 1 to 1,024. No more rows are used than hold two tokens each.
   * @default 1
   */
  shards?: number | undefined;
  /**
   * Accepted for compatibility with `@convex-dev/rate-limiter`. Updates are
   * always transactional.
   * @default "transactionally"
   */
  applyUpdates?: "transactionally" | "asynchronously" | undefined;
  /**
   * Whether stored overrides are looked up for this limit, at the price of one
   * more indexed read per call.
   * @default false
   */
  overrides?: boolean | undefined;
  /**
   * `false` makes the limit a dry run: it consumes when it can, never denies,
   * and reports `wouldDeny: true` where it would have.
   * @default true
   */
  enforce?: boolean | undefined;
};

/** Tokens trickle in all the time, `rate` of them per `period`. */
export type TokenBucketConfig = CommonConfig & {
  kind: "token bucket";
  /** Of no meaning here. */
  start?: null | undefined;
};

/** `rate` tokens arrive at once at the start of each window of `period` ms. */
export type FixedWindowConfig = CommonConfig & {
  kind: "fixed window";
  /**
   * The time at which some window starts, in ms from the epoch: windows start
   * at every whole multiple of `period` before and after it. 0 is UTC midnight.
   * @default a phase derived from the limit's name and key
   */
  start?: number | undefined;
};

/** The rule of one limit. */
export type RateLimitConfig = TokenBucketConfig | FixedWindowConfig;

/** What one row of a limit is held to. */
export type Bucket = {
  kind: RateLimitConfig["kind"];
  /** Tokens per `period`. */
  rate: number;
  /** In ms. */
  period: number;
  /** The most tokens that accumulate. */
  capacity: number;
  /** The deepest debt; `Infinity` if unlimited. */
  maxReserved: number;
  /** When some window starts; of no meaning for a token bucket. */
  origin: number;
};

/** A config that has been checked, with its defaults filled in. */
export type Limit = {
  name: string;
  /** The limit as a whole. */
  whole: Bucket;
  /** The part of it that each row holds. */
  share: Bucket;
  /** How many rows it is spread over. */
  rows: number;
  overrides: boolean;
  enforce: boolean;
};

/** The most shards that a limit may ask for. */
export const MAX_SHARDS = 1024;

/**
 * A row that holds less than two tokens is empty after one grant, and the search
 * for a token elsewhere costs more than the split saves.
 */
const MIN_TOKENS_PER_ROW = 2;

/**
 * Checks a config and fills in its defaults. The one place where the numbers of
 * a config are checked.
 *
 * @param key Whose row it is: the phase of a fixed window without `start` is
 * derived from the name and the key.
 * @throws An `Error` that names the limit, the field and the value.
 */
export function parseLimit(
  name: string,
  config: RateLimitConfig,
  key?: string,
): Limit {
  const { rate, period, shards = 1, start } = config;
  const { capacity = rate, maxReserved = Infinity } = config;
  const kind: string = config.kind;
  if (kind !== "token bucket" && kind !== "fixed window") {
    reject(name, "kind", '"token bucket" or "fixed window"', kind);
  }
  requireField(name, { rate }, "a finite number above 0", above0);
  requireField(name, { period }, "a finite number above 0", above0);
  requireField(name, { capacity }, "a finite number of at least 0", atLeast0);
  if (config.maxReserved !== undefined) {
    requireField(
      name,
      { maxReserved },
      "a finite number of at least 0",
      atLeast0,
    );
  }
  requireField(
    name,
    { shards },
    `a whole number from 1 to ${MAX_SHARDS}`,
    (n) => Number.isInteger(n) && n >= 1 && n <= MAX_SHARDS,
  );
  if (start !== undefined && start !== null) {
    requireField(name, { start }, "a finite number", Number.isFinite);
  }
  const rows = rowsInUse(shards, capacity);
  const whole: Bucket = {
    kind: config.kind,
    rate,
    period,
    capacity,
    maxReserved,
    origin: start ?? phase(name, key, period),
  };
  return {
    name,
    whole,
    share: {
      ...whole,
      rate: rate / rows,
      capacity: capacity / rows,
      maxReserved: maxReserved / rows,
    },
    rows,
    overrides: config.overrides === true,
    enforce: config.enforce !== false,
  };
}

/** How many tokens a request wants, and whether it may take them in advance. */
export type Request = { count: number; reserve: boolean };

/**
 * Checks what a caller asks of a limit and fills in the defaults (one token,
 * not reserved).
 *
 * @throws An `Error` that names the limit, the field and the value, if `count`
 * is not a finite number of at least 0.
 */
export function parseRequest(
  name: string,
  { count = 1, reserve = false }: { count?: number; reserve?: boolean },
): Request {
  requireField(name, { count }, "a finite number of at least 0", atLeast0);
  return { count, reserve };
}

/**
 * Checks the count of a `credit` or a `charge`, which must move something.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function parseAmount(name: string, count = 1): number {
  requireField(name, { count }, "a finite number above 0", above0);
  return count;
}

/**
 * Checks how many rows a caller wants sampled; more than the limit has means all.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function parseSampleShards(limit: Limit, sampleShards?: number): number {
  if (sampleShards === undefined) return limit.rows;
  requireField(
    limit.name,
    { sampleShards },
    "a whole number of at least 1",
    (n) => Number.isInteger(n) && n >= 1,
  );
  return Math.min(sampleShards, limit.rows);
}

/** The `data` of the error that tells that a request was denied. */
export type RateLimitError = {
  kind: "RateLimited";
  /** The limit that denied. */
  name: string;
  /** In how many ms the same request could be granted. */
  retryAfter: number;
  /** The key that was denied, if the limit has one. */
  key?: string;
};

/** The `data` of the error that tells that a request can never be granted. */
export type ExceedsCapacityError = {
  kind: "ExceedsCapacity";
  /** The limit. */
  name: string;
  /** The tokens that were asked for. */
  count: number;
  /** The most that could ever be granted. */
  max: number;
};

export function rateLimitedError(
  name: string,
  key: string | undefined,
  retryAfter: number,
): ConvexError<RateLimitError> {
  return new ConvexError(
    key === undefined
      ? { kind: "RateLimited", name, retryAfter }
      : { kind: "RateLimited", name, retryAfter, key },
  );
}

export function exceedsCapacityError(
  name: string,
  count: number,
  max: number,
): ConvexError<ExceedsCapacityError> {
  const error = new ConvexError<ExceedsCapacityError>({
    kind: "ExceedsCapacity",
    name,
    count,
    max,
  });
  error.message = `Rate limit ${name} count ${count} exceeds ${max}.`;
  return error;
}

function rowsInUse(shards: number, capacity: number): number {
  // With nothing to hold, rows only spread the debts of reservations.
  if (capacity === 0) return shards;
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

const above0 = (n: number) => Number.isFinite(n) && n > 0;
const atLeast0 = (n: number) => Number.isFinite(n) && n >= 0;

function requireField(
  name: string,
  field: Record<string, number>,
  wanted: string,
  holds: (value: number) => boolean,
): void {
  for (const [label, value] of Object.entries(field)) {
    if (typeof value !== "number" || !holds(value)) {
      reject(name, label, wanted, value);
    }
  }
}

function reject(
  name: string,
  field: string,
  wanted: string,
  value: unknown,
): never {
  throw new Error(
    `Rate limit ${name}: ${field} must be ${wanted}, but is ${String(value)}.`,
  );
}

export type ConfigValue = Infer<typeof vConfig>;
