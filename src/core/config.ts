import { v } from "convex/values";
import { isInShare } from "./hash.js";
import { plainArrivals, rowsInUse, toLimit, type Limit } from "./limit.js";
import type { Arrivals } from "./arrivals.js";
import { calendar, isZone, WEEKDAYS } from "./calendar.js";
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

/** {@link ShownConfig} */
export const vShownConfig = v.union(
  vTokenBucket,
  v.object({
    ...vFixedWindow.fields,
    windows: v.optional(v.array(v.number())),
  }),
);

/**
 * Any kind of {@link RateLimitConfig}, as it crosses into the component: see
 * {@link toStored}.
 */
export const vConfig = v.union(
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

type CommonConfig = {
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
};

/** Tokens trickle in all the time, `rate` of them per `period`. */
export type TokenBucketConfig = CommonConfig & {
  kind: "token bucket";
  /** The time in which `rate` tokens are added, in ms. Finite, above 0. */
  period: number;
  /** Of no meaning here. */
  start?: null | undefined;
};

/** `rate` tokens arrive at once at the start of each window of `period` ms. */
export type FixedWindowConfig = CommonConfig & {
  kind: "fixed window";
  /** The time in which `rate` tokens are added, in ms. Finite, above 0. */
  period: number;
  /**
   * The time at which some window starts, in ms from the epoch: windows start
   * at every whole multiple of `period` before and after it. 0 is UTC midnight.
   * @default a phase derived from the limit's name and key
   */
  start?: number | undefined;
};

/** A period of the calendar, of a time zone. */
export type CalendarPeriod = "day" | "week" | "month" | "year";

/** The day with which a week begins. */
export type Weekday =
  | "monday"
  | "tuesday"
  | "wednesday"
  | "thursday"
  | "friday"
  | "saturday"
  | "sunday";

/**
 * `rate` tokens arrive at once at the start of each day, week, month or year: at the first
 * instant of the local date.
 */
export type CalendarWindowConfig = CommonConfig & {
  kind: "fixed window";
  /** The time in which `rate` tokens are added. */
  period: CalendarPeriod;
  /**
   * Where it is midnight: an IANA time zone, as `"Europe/Berlin"`.
   * @default "UTC"
   */
  timeZone?: string | undefined;
  /**
   * Only with `period: "week"`: the day with which it begins.
   * @default "monday"
   */
  weekStart?: Weekday | undefined;
  /** Of no meaning here: the calendar says when windows start. */
  start?: null | undefined;
};

/** The rule of one limit. */
export type RateLimitConfig =
  TokenBucketConfig | FixedWindowConfig | CalendarWindowConfig;

/**
 * The rule of one limit as clients are shown it. Of a period of the calendar, which they
 * cannot know, `period` is its length on average, and `windows` says when windows start.
 */
export type ShownConfig =
  TokenBucketConfig | (FixedWindowConfig & { windows?: number[] | undefined });

/** Which windows of the calendar a limit has. */
export type Calendar = Pick<
  CalendarWindowConfig,
  "period" | "timeZone" | "weekStart"
>;

/** A config as it crosses into the component: its `period` is in ms, of a calendar on average. */
export type StoredConfig =
  TokenBucketConfig | (FixedWindowConfig & { calendar?: Calendar | undefined });

/** A config as it crosses into the component. */
export function toStored(config: RateLimitConfig): StoredConfig {
  if (!isCalendar(config)) return config;
  const { timeZone, weekStart, start: _, ...rest } = config;
  const { period } = config;
  const calendar = { period, timeZone, weekStart };
  return { ...rest, period: PERIOD_MS[period], calendar };
}

function isCalendar(config: RateLimitConfig): config is CalendarWindowConfig {
  return typeof config.period === "string";
}

/** Which windows of the calendar a limit has, if any. */
export function calendarOf(config: StoredConfig): Calendar | undefined {
  return config.kind === "fixed window" ? config.calendar : undefined;
}

/** A config without its calendar. */
export function withoutCalendar(
  config: StoredConfig,
): TokenBucketConfig | FixedWindowConfig {
  if (config.kind === "token bucket") return config;
  const { calendar: _, ...rest } = config;
  return rest;
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
  const usualCapacity = config.capacity ?? config.rate;
  const inForce = override === undefined ? config : overlay(config, override);
  // An override may lower the capacity below the headroom: then everything is denied.
  if (override !== undefined) checkConfig(name, { ...inForce, headroom: 0 });
  const shards = appends(config)
    ? 1
    : rowsInUse(config.shards ?? 1, usualCapacity);
  const { enforce } = inForce;
  const resolved =
    typeof enforce === "number"
      ? { ...inForce, enforce: isInShare(name, key, enforce) }
      : inForce;
  const arrivals = arrivalsOf(name, resolved, key);
  return toLimit(name, resolved, { arrivals, shards, usualCapacity });
}

/** How tokens arrive by a config that has been checked. */
function arrivalsOf(
  name: string,
  config: StoredConfig,
  key: string | undefined,
): Arrivals {
  const spec = calendarOf(config);
  return spec === undefined
    ? plainArrivals(name, config, key)
    : calendar(spec.period, spec.timeZone ?? "UTC", spec.weekStart ?? "monday");
}

/** The config with what an override changes. A period takes the place of a calendar. */
export function overlay(
  config: StoredConfig,
  { period, ...changes }: ConfigOverride,
): StoredConfig {
  if (period === undefined) return { ...config, ...changes };
  return { ...withoutCalendar(config), ...changes, period };
}

/** Whether what the limit grants is appended, record by record, and not kept in rows. */
export function appends({ applyUpdates }: StoredConfig): boolean {
  return applyUpdates === "asynchronously";
}

/**
 * Checks a config as an app writes it, with fields that do not exist, too.
 *
 * @throws An `Error` that names the limit, the field and the value.
 */
export function validateConfig(name: string, config: RateLimitConfig): void {
  if (typeof config !== "object" || config === null) {
    throw new Error(
      `Rate limit ${name}: its config must be an object, but is ${String(config)}.`,
    );
  }
  for (const field of Object.keys(config)) {
    const isField =
      Object.hasOwn(vFixedWindow.fields, field) ||
      field === "timeZone" ||
      field === "weekStart";
    if (!isField) {
      throw new Error(
        `Rate limit ${name}: there is no field ${field} in a config.`,
      );
    }
  }
  if (isCalendar(config)) {
    const { kind, period, start } = config;
    if (kind !== "fixed window" || !Object.hasOwn(PERIOD_MS, period)) {
      const wanted = 'a finite number above 0, or of a fixed window "day"';
      reject(name, "period", `${wanted}, "week", "month" or "year"`, period);
    }
    if (start !== undefined && start !== null) refuseStart(name, period);
  } else {
    for (const field of ["timeZone", "weekStart"]) {
      if (Reflect.get(config, field) === undefined) continue;
      throw new Error(
        `Rate limit ${name}: ${field} needs a period of the calendar: "day", "week", "month" or "year".`,
      );
    }
  }
  parseLimit(name, toStored(config));
}

/** The one place where the numbers of a config are checked. */
function checkConfig(name: string, config: StoredConfig): void {
  const { rate, period, capacity, maxReserved, shards, start } = config;
  const kind: string = config.kind;
  if (kind !== "token bucket" && kind !== "fixed window") {
    reject(name, "kind", '"token bucket" or "fixed window"', kind);
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
  const spec = calendarOf(config);
  if (spec !== undefined) {
    checkCalendar(name, spec);
    if (start !== undefined) refuseStart(name, spec.period);
  }
  requireShare(name, config.enforce);
  if (config.headroom) checkHeadroom(name, config);
}

function checkCalendar(
  name: string,
  { period, timeZone, weekStart }: Calendar,
): void {
  if (weekStart !== undefined && period !== "week") {
    throw new Error(`Rate limit ${name}: weekStart needs period: "week".`);
  }
  if (weekStart !== undefined && !WEEKDAYS.includes(weekStart)) {
    reject(name, "weekStart", '"monday" or another day', weekStart);
  }
  if (timeZone !== undefined && !isZone(timeZone)) {
    reject(name, "timeZone", "an IANA time zone", timeZone);
  }
}

function refuseStart(name: string, period: CalendarPeriod): never {
  throw new Error(
    `Rate limit ${name}: start does not go with period: "${period}".`,
  );
}

function requireShare(name: string, enforce: unknown): void {
  if (enforce === undefined || typeof enforce === "boolean") return;
  if (isFiniteNumber(enforce) && enforce >= 0 && enforce <= 1) return;
  const wanted = "true, false, or a share of the keys from 0 to 1";
  reject(name, "enforce", wanted, enforce);
}

function checkHeadroom(
  name: string,
  { headroom, rate, capacity = rate, ...config }: StoredConfig,
): void {
  requireAtLeast0(name, "headroom", headroom);
  if (headroom !== undefined && headroom > 0 && headroom >= capacity) {
    reject(name, "headroom", `below the capacity of ${capacity}`, headroom);
  }
  if (!appends({ rate, ...config })) {
    throw new Error(
      `Rate limit ${name}: headroom needs applyUpdates: "asynchronously".`,
    );
  }
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

/** @throws An `Error` that names the limit, the field and the value. */
export function reject(
  name: string,
  field: string,
  wanted: string,
  value: unknown,
): never {
  const shown = typeof value === "string" ? `"${value}"` : String(value);
  throw new Error(
    `Rate limit ${name}: ${field} must be ${wanted}, but is ${shown}.`,
  );
}
