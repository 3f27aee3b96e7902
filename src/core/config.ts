import { v, type Infer } from "convex/values";
import { trickle, windows, type Arrivals } from "./arrivals.js";
import {
  calendar,
  isZone,
  WEEKDAYS,
  type CalendarPeriod,
  type Weekday,
} from "./calendar.js";
import { hashOf, isInShare } from "./hash.js";
import { capacityOf, rowsInUse, toProjectable, type Limit } from "./limit.js";
import { PERIOD_MS } from "./periods.js";

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
  enforce: v.optional(v.union(v.boolean(), v.number())),
  stats: v.optional(v.union(v.boolean(), v.number())),
  headroom: v.optional(v.number()),
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

export const vConcurrency = v.object({
  kind: v.literal("concurrency"),
  capacity: v.number(),
  lease: v.number(),
  overrides: common.overrides,
  enforce: common.enforce,
  stats: common.stats,
});

/** Either kind of {@link RateLimitConfig}, as it crosses into the component. */
export const vConfig = v.union(vTokenBucket, vFixedWindow);

/** Any {@link StoredRateLimit}. */
export const vStoredRateLimit = v.union(
  vTokenBucket,
  v.object({
    ...vFixedWindow.fields,
    calendar: v.optional(
      v.object({
        period: v.union(
          v.literal("day"),
          v.literal("week"),
          v.literal("month"),
          v.literal("year"),
        ),
        timeZone: v.optional(v.string()),
        weekStart: v.optional(
          v.union(
            v.literal("monday"),
            v.literal("tuesday"),
            v.literal("wednesday"),
            v.literal("thursday"),
            v.literal("friday"),
            v.literal("saturday"),
            v.literal("sunday"),
          ),
        ),
      }),
    ),
  }),
);

/** Any {@link StoredConfig}. */
export const vStoredConfig = v.union(...vStoredRateLimit.members, vConcurrency);

/** The limits that an app names, as they are now. */
export const vNamedLimits = v.array(
  v.object({ name: v.string(), config: vStoredConfig }),
);
export type NamedLimits = Infer<typeof vNamedLimits>;

/** What any limit may ask for. */
type SwitchesConfig = {
  /**
   * Whether stored overrides are looked up for this limit, at the price of one
   * more indexed read per call.
   * @default false
   */
  overrides?: boolean | undefined;
  /**
   * `false` makes the limit a dry run: it consumes when it can, never denies,
   * and reports `wouldDeny: true` where it would have. A number from 0 to 1 enforces it for
   * that share of the keys, always the same ones, and is a dry run for the others. A larger
   * share takes keys in and leaves none out. What all share counts as one key.
   * @default true
   */
  enforce?: boolean | number | undefined;
  /**
   * Whether its calls are counted, for `stats` and `topDenied`, or what share of them, from 0
   * to 1. Each call that is counted looks once more at what it reads, and appends one row, a
   * denial too; no call conflicts for it. What a share counts stands for all calls: the
   * figures are estimates then.
   * @default false
   */
  stats?: boolean | number | undefined;
};

type CommonConfig = SwitchesConfig & {
  /** Tokens added per `period`. Finite, above 0; fractions are legal. */
  rate: number;
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
   * Over how many rows the limit is split, for write throughput. A whole
   * number from 1 to 1,024. No more rows are used than hold two tokens each.
   * @default 1
   */
  shards?: number | undefined;
  /**
   * `"asynchronously"`: calls never conflict with each other, and a burst can be
   * granted more than there is, by at most what is granted in transactions that run
   * at the same time. It is a debt that later calls wait for. `shards` has no effect then.
   * @default "transactionally"
   */
  applyUpdates?: "transactionally" | "asynchronously" | undefined;
  /**
   * With `applyUpdates: "asynchronously"`: tokens that `limit` and `check` leave alone, so
   * that what runs at the same time finds them. Finite, at least 0, below the capacity.
   * @default 0
   */
  headroom?: number | undefined;
  /** Of no meaning here. */
  lease?: undefined;
};

type PlainConfig = CommonConfig & {
  /** The time in which `rate` tokens are added, in ms. Finite, above 0. */
  period: number;
  /** Of no meaning here. */
  timeZone?: undefined;
  /** Of no meaning here. */
  weekStart?: undefined;
};

/** Tokens trickle in all the time, `rate` of them per `period`. */
export type TokenBucketConfig = PlainConfig & {
  kind: "token bucket";
  /** Of no meaning here. */
  start?: null | undefined;
};

/** `rate` tokens arrive at once at the start of each window of `period` ms. */
export type FixedWindowConfig = PlainConfig & {
  kind: "fixed window";
  /**
   * The time at which some window starts, in ms from the epoch: windows start
   * at every whole multiple of `period` before and after it. 0 is UTC midnight.
   * @default a phase derived from the limit's name and key
   */
  start?: number | undefined;
};

/** The rule of one limit to which tokens come every so many ms. */
export type RateLimitConfig = TokenBucketConfig | FixedWindowConfig;

/**
 * `rate` tokens arrive at once at the start of each day, week, month or year of a time zone:
 * at the first instant of its first local date.
 */
export type CalendarWindowConfig = CommonConfig & {
  kind: "fixed window";
  /** The time in which `rate` tokens are added. */
  period: CalendarPeriod;
  /**
   * Whose calendar it is: the IANA name of a time zone, such as `"Europe/Berlin"`.
   * @default "UTC"
   */
  timeZone?: string | undefined;
  /**
   * The day on which a week begins. Only with `period: "week"`.
   * @default "monday"
   */
  weekStart?: Weekday | undefined;
  /** Of no meaning here: the calendar says when windows start. */
  start?: undefined;
};

/** The rule of one limit that refills with time: of any kind but `"concurrency"`. */
export type RefillingConfig = RateLimitConfig | CalendarWindowConfig;

/**
 * A limit on what runs at once. Its tokens are never used up, only held: by `hold` or
 * `whileHolding`, until they are released or their lease ends.
 */
export type ConcurrencyConfig = SwitchesConfig & {
  kind: "concurrency";
  /** The most tokens that are held at any moment. Finite, at least 0. */
  capacity: number;
  /**
   * How long tokens are held that nobody releases or renews, in ms. Finite, at least 1.
   * After a crash their place stays taken for so long.
   */
  lease: number;
} & {
  [Field in Exclude<keyof CalendarWindowConfig, OfConcurrency>]?: undefined;
};

type OfConcurrency = keyof SwitchesConfig | "kind" | "capacity" | "lease";

/** The rule of one limit, of any kind. */
export type LimitConfig = RefillingConfig | ConcurrencyConfig;

/** A config as answers show it. Windows of the calendar are as long as on average. */
export type ShownConfig = RateLimitConfig | ConcurrencyConfig;

type Calendar = Pick<CalendarWindowConfig, "period" | "timeZone" | "weekStart">;

/**
 * The rule of one limit that refills with time, as it crosses into the component and is
 * stored: windows of the calendar are as long as on average, but for their `calendar`. So
 * whoever knows no calendars finds the fields that it knows.
 */
export type StoredRateLimit =
  TokenBucketConfig | (FixedWindowConfig & { calendar?: Calendar | undefined });

/** The rule of one limit, of any kind, as it crosses into the component and is stored. */
export type StoredConfig = StoredRateLimit | ConcurrencyConfig;

/** A config as it crosses into the component and is stored. */
export function toStored(config: RefillingConfig): StoredRateLimit;
export function toStored(config: LimitConfig): StoredConfig;
export function toStored(config: LimitConfig): StoredConfig {
  if (!isCalendar(config)) return config;
  const { period, timeZone, weekStart, ...rest } = config;
  const calendar = { period, timeZone, weekStart };
  return { ...rest, period: PERIOD_MS[period], calendar };
}

function isCalendar(config: LimitConfig): config is CalendarWindowConfig {
  return typeof config.period === "string";
}

/** Which windows of the calendar a limit has, if any. */
export function calendarOf(config: StoredConfig): Calendar | undefined {
  return config.kind === "fixed window" ? config.calendar : undefined;
}

/** What a stored override may lay over a config. */
export type ConfigOverride = {
  rate?: number | undefined;
  period?: number | undefined;
  capacity?: number | undefined;
  maxReserved?: number | undefined;
  enforce?: boolean | number | undefined;
};

/** The most shards that a limit may ask for. */
export const MAX_SHARDS = 1024;

/**
 * Checks a config and fills in its defaults.
 *
 * @param key Whose row it is: the phase of a fixed window without `start` is
 * derived from the name and the key.
 * @param override What a stored override lays over the config. It does not change over
 * how many rows the limit is split.
 * @throws An `Error` that names the limit, the field and the value.
 */
export function parseLimit(
  name: string,
  config: StoredConfig,
  key?: string,
  override?: ConfigOverride,
): Limit {
  checkConfig(name, config);
  const usualCapacity = capacityOf(config);
  const inForce = override === undefined ? config : overlay(config, override);
  if (override !== undefined) checkInForce(name, inForce);
  const shards = appends(config)
    ? 1
    : rowsInUse(config.shards ?? 1, usualCapacity);
  const resolved =
    typeof inForce.enforce === "number"
      ? { ...inForce, enforce: isInShare(name, key, inForce.enforce) }
      : inForce;
  const bucket = toBucket(resolved);
  const { period, maxReserved = Infinity } = bucket;
  const arrivals = arrivalsOf(name, key, inForce, period);
  const { whole, share, tolerance, headroom, enforce } = toProjectable(
    bucket,
    arrivals,
    shards,
  );
  return {
    name,
    kind: inForce.kind,
    period,
    whole,
    share,
    shards,
    maxReserved,
    tolerance,
    usualCapacity,
    headroom,
    enforce,
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
  const { calendar: ofCalendar, start = phase(name, key, period) } = config;
  return ofCalendar === undefined
    ? windows(period, start)
    : calendar(ofCalendar);
}

/**
 * A config as pages project it, who need know nothing of leases and time zones.
 *
 * Of a limit on what runs at once, a bucket into which nothing trickles: what is held comes
 * back as a whole, when it is released or its lease ends. Of windows of the calendar, windows
 * as long as those are on average: the server says besides when they start.
 */
export function toBucket(config: StoredConfig): RateLimitConfig {
  if (config.kind === "token bucket") return config;
  if (config.kind === "fixed window") {
    const { calendar: _, ...window } = config;
    return window;
  }
  const { capacity, lease, enforce } = config;
  return {
    kind: "token bucket",
    rate: 0,
    period: lease,
    capacity,
    maxReserved: 0,
    enforce,
  };
}

/**
 * The config with what an override changes. Its period takes the place of the calendar. What
 * the kind does not have, an override that is older than the kind changes to no effect.
 */
export function overlay(
  config: StoredConfig,
  override: ConfigOverride,
): StoredConfig {
  if (config.kind !== "concurrency") {
    const isRefit = override.period !== undefined;
    return { ...(isRefit ? toBucket(config) : config), ...override };
  }
  const { capacity = config.capacity, enforce = config.enforce } = override;
  return { ...config, capacity, enforce };
}

/** @throws An `Error` if an override changes what the kind of a limit does not have. */
export function requireOverridable(
  name: string,
  { kind }: StoredConfig,
  { capacity: _, enforce: __, ...others }: ConfigOverride,
): void {
  if (kind !== "concurrency") return;
  for (const [field, value] of Object.entries(others)) {
    if (value !== undefined) rejectField(name, field, kind);
  }
}

/** Whether what the limit grants is appended, record by record, and not kept in rows. */
export function appends({ applyUpdates }: StoredConfig): boolean {
  return applyUpdates === "asynchronously";
}

/** What share of its calls a limit counts. */
export function countedShare({ stats = false }: StoredConfig): number {
  return Number(stats);
}

/**
 * Checks a config as an app writes it, with fields that do not exist, too.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function validateConfig(name: string, config: LimitConfig): void {
  if (typeof config !== "object" || config === null) {
    throw new Error(
      `Rate limit ${name}: its config must be an object, but is ${String(config)}.`,
    );
  }
  const { kind } = config;
  const fields =
    kind === "concurrency"
      ? vConcurrency.fields
      : { ...vFixedWindow.fields, timeZone: true, weekStart: true };
  for (const field of Object.keys(config)) {
    if (Object.hasOwn(fields, field)) continue;
    if (kind === "concurrency" || field === "lease") {
      rejectField(name, field, kind);
    }
    throw new Error(
      `Rate limit ${name}: there is no field ${field} in a config.`,
    );
  }
  if (config.kind !== "concurrency") checkPeriod(name, config);
  parseLimit(name, toStored(config));
}

/**
 * Checks a config with what an override has laid over it, which may lower the capacity below
 * the headroom: then everything is denied.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function checkInForce(name: string, config: StoredConfig): void {
  if (config.kind === "concurrency") return checkConfig(name, config);
  requireAtLeast0(name, "headroom", config.headroom ?? 0);
  checkConfig(name, { ...config, headroom: 0 });
}

/** The one place where the numbers of a config are checked. */
function checkConfig(name: string, config: StoredConfig): void {
  requireShare(name, "enforce", "keys", config.enforce);
  requireShare(name, "stats", "calls", config.stats);
  if (config.kind === "concurrency") {
    requireAtLeast0(name, "capacity", config.capacity);
    if (!isFiniteNumber(config.lease) || config.lease < 1) {
      reject(name, "lease", "a finite number of at least 1", config.lease);
    }
    return;
  }
  const { rate, period, capacity, maxReserved, shards, start } = config;
  const kind: string = config.kind;
  if (kind !== "token bucket" && kind !== "fixed window") {
    const kinds = '"token bucket", "fixed window" or "concurrency"';
    reject(name, "kind", kinds, kind);
  }
  requireAbove0(name, "rate", rate);
  requireAbove0(name, "period", period);
  if (capacity !== undefined) requireAtLeast0(name, "capacity", capacity);
  if (maxReserved !== undefined) {
    requireAtLeast0(name, "maxReserved", maxReserved);
  }
  if (shards !== undefined) {
    const isLegal =
      Number.isInteger(shards) && shards >= 1 && shards <= MAX_SHARDS;
    if (!isLegal) {
      reject(name, "shards", `a whole number from 1 to ${MAX_SHARDS}`, shards);
    }
  }
  if (start !== undefined && start !== null && !Number.isFinite(start)) {
    reject(name, "start", "a finite number", start);
  }
  checkCalendar(name, config);
  checkHeadroom(name, config);
}

/** Checks of a config as an app writes it what says when windows start. */
function checkPeriod(name: string, config: RefillingConfig): void {
  const { kind, period, timeZone, weekStart } = config;
  const periods = Object.keys(PERIOD_MS);
  if (typeof period === "string") {
    if (kind !== "fixed window" || !periods.includes(period)) {
      const wanted = `a finite number above 0, or of a fixed window ${oneOf(periods)}`;
      reject(name, "period", wanted, period);
    }
  } else if (timeZone !== undefined) {
    rejectWithout(name, "timeZone", timeZone, periods);
  }
  if (period !== "week" && weekStart !== undefined) {
    rejectWithout(name, "weekStart", weekStart, ["week"]);
  }
}

function checkCalendar(name: string, config: StoredRateLimit): void {
  const known = calendarOf(config);
  if (known === undefined) return;
  const { period, timeZone, weekStart } = known;
  const { start } = config;
  if (start !== undefined) {
    throw new Error(
      `Rate limit ${name}: start ${String(start)} does not go with the period "${period}", whose windows start as the calendar says.`,
    );
  }
  if (timeZone !== undefined && !isZone(timeZone)) {
    const wanted = "the IANA name of a time zone that the runtime knows";
    reject(name, "timeZone", wanted, timeZone);
  }
  if (weekStart !== undefined && !WEEKDAYS.includes(weekStart)) {
    reject(name, "weekStart", oneOf(WEEKDAYS), weekStart);
  }
}

/** @throws An `Error`: the field needs one of these periods. */
function rejectWithout(
  name: string,
  field: string,
  value: unknown,
  periods: readonly string[],
): never {
  throw new Error(
    `Rate limit ${name}: ${field} ${shown(value)} needs a fixed window with the period ${oneOf(periods)}.`,
  );
}

function oneOf(words: readonly string[]): string {
  const [last, ...others] = words.map((word) => `"${word}"`).reverse();
  return others.length === 0
    ? last!
    : `${others.reverse().join(", ")} or ${last!}`;
}

function requireShare(
  name: string,
  field: string,
  of: string,
  share: unknown,
): void {
  if (share === undefined || typeof share === "boolean") return;
  if (isFiniteNumber(share) && share >= 0 && share <= 1) return;
  reject(
    name,
    field,
    `true, false, or a share of the ${of} from 0 to 1`,
    share,
  );
}

function checkHeadroom(name: string, config: StoredRateLimit): void {
  const { headroom = 0, rate, capacity = rate } = config;
  requireAtLeast0(name, "headroom", headroom);
  if (headroom === 0) return;
  if (headroom >= capacity) {
    reject(name, "headroom", `below the capacity of ${capacity}`, headroom);
  }
  if (!appends(config)) {
    throw new Error(
      `Rate limit ${name}: headroom needs applyUpdates: "asynchronously".`,
    );
  }
}

/** The same for every call of one key, and spread over the period between keys. */
function phase(name: string, key: string | undefined, period: number): number {
  return Math.floor((hashOf(name, key) / 2 ** 32) * period);
}

/** @throws An `Error` that names the limit, the field and the value. */
export function requireAbove0(
  name: string,
  field: string,
  value: unknown,
): void {
  if (isFiniteNumber(value) && value > 0) return;
  reject(name, field, "a finite number above 0", value);
}

/** @throws An `Error` that names the limit, the field and the value. */
export function requireAtLeast0(
  name: string,
  field: string,
  value: unknown,
): void {
  if (isFiniteNumber(value) && value >= 0) return;
  reject(name, field, "a finite number of at least 0", value);
}

function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function rejectField(name: string, field: string, kind: string): never {
  throw new Error(
    `Rate limit ${name}: there is no ${field} in a limit of kind "${kind}".`,
  );
}

/** @throws An `Error` that names the limit, the field and the value. */
export function reject(
  name: string,
  field: string,
  wanted: string,
  value: unknown,
): never {
  throw new Error(
    `Rate limit ${name}: ${field} must be ${wanted}, but is ${shown(value)}.`,
  );
}

function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : String(value);
}
