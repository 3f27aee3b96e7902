import type { CalendarPeriod, Weekday } from "./calendar.js";
import { PERIOD_MS } from "./periods.js";
import type { ConfigOverride } from "./vOverride.js";

/** What any limit may ask for. */
type SwitchesConfig = {
  /**
   * Whether a call without a key, or with an empty one, is an error: for a limit that is
   * meant for each user, so that a key that happens to be undefined does not make all users
   * share it. For every request, `reset`, `getValue` and the hook; an override or figures
   * without a key are of the whole limit.
   * @default false
   */
  requireKey?: boolean | undefined;
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
   * denial too; counting never causes a conflict. What a share counts stands for all calls: the
   * figures are estimates then.
   * @default false
   */
  stats?: boolean | number | undefined;
  /**
   * The share of the capacity at which the limiter's `onWarning` is called: after the grant by
   * which so much is first used. One share or a list of them, each above 0 and at most 1. A
   * token bucket refills meanwhile, so that whole counts seldom use all of it: name less than
   * 1 there. Not together with `shards` above 1, where no call knows the whole balance.
   * @default none
   */
  warnAt?: number | number[] | undefined;
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
 * at the first instant of its first local date, or as `start` says.
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
   * The day on which a week begins. Only with `period: "week"`, and not together with
   * `start`, which says it, too.
   * @default "monday"
   */
  weekStart?: Weekday | undefined;
  /**
   * The time at which some window starts, in ms from the epoch, such as that of a
   * subscription. The others start a whole number of local days, weeks, months or years
   * before and after it, at the same local time of `timeZone`.
   *
   * In a month that lacks the day, a window starts on the last one: after 31 January come 28
   * February and 31 March. A local time that the clocks skip is the first instant after it; of
   * one that comes twice the first counts, also if `start` is the second. On a date that the
   * zone left out no window starts.
   * @default the first instant of the day, week, month or year
   */
  start?: number | undefined;
};

/** The rule of one limit that refills with time: of any kind but `"concurrency"`. */
export type RefillingConfig = RateLimitConfig | CalendarWindowConfig;

/**
 * A concurrency limit. Its tokens are never used up, only held: by `hold` or
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
  [Field in Exclude<FieldOfRefilling, FieldOfConcurrency>]?: undefined;
};

export type FieldOfConcurrency =
  keyof SwitchesConfig | "kind" | "capacity" | "lease";

export type FieldOfRefilling = Exclude<keyof CalendarWindowConfig, "lease">;

/** The rule of one limit, of any kind. */
export type LimitConfig = RefillingConfig | ConcurrencyConfig;

/** A config as answers show it. Windows of the calendar are as long as on average. */
export type ShownConfig = RateLimitConfig | ConcurrencyConfig;

export type Calendar = Pick<
  CalendarWindowConfig,
  "period" | "timeZone" | "weekStart" | "start"
>;

/** The same as it is stored, with names that are still to be checked. */
export type StoredCalendar = {
  period: string;
  timeZone?: string | undefined;
  weekStart?: string | undefined;
};

/**
 * The rule of one limit that refills with time, as it crosses into the component and is
 * stored: windows of the calendar are as long as on average, but for their `calendar`. So
 * whoever knows no calendars finds the fields that it knows.
 */
export type StoredRateLimit = (
  | TokenBucketConfig
  | (FixedWindowConfig & { calendar?: StoredCalendar | undefined })
) & {
  /** Whether it may say in the log that its rows are too few: see the limiter's `advice`. */
  advice?: boolean | undefined;
};

/** The rule of one limit, of any kind, as it crosses into the component and is stored. */
export type StoredConfig = StoredRateLimit | ConcurrencyConfig;

/** One of a limit whose takings are appended. */
export type AsynchronousConfig = StoredRateLimit & {
  applyUpdates: "asynchronously";
};

/** A config as it crosses into the component and is stored. */
export function toStored(config: RefillingConfig): StoredRateLimit;
export function toStored(config: LimitConfig): StoredConfig;
export function toStored(config: LimitConfig): StoredConfig {
  // Clients alone look at `requireKey`.
  const { requireKey: _, ...stored } = isCalendar(config)
    ? averaged(config)
    : config;
  return stored;
}

function averaged({
  period,
  timeZone,
  weekStart,
  ...rest
}: CalendarWindowConfig): StoredRateLimit {
  const calendar = { period, timeZone, weekStart };
  return { ...rest, period: PERIOD_MS[period], calendar };
}

function isCalendar(config: LimitConfig): config is CalendarWindowConfig {
  return typeof config.period === "string";
}

/** Which windows of the calendar a limit has, if any. */
export function calendarOf(
  config: StoredConfig,
): (StoredCalendar & Pick<FixedWindowConfig, "start">) | undefined {
  if (config.kind !== "fixed window" || config.calendar === undefined) {
    return undefined;
  }
  return { ...config.calendar, start: config.start };
}

/**
 * A config as pages project it, who need know nothing of leases and time zones.
 *
 * Of a concurrency limit, a bucket into which nothing trickles: what is held comes
 * back as a whole, when it is released or its lease ends. Of windows of the calendar, windows
 * as long as those are on average: the server says besides when they start.
 */
export function toBucket(config: StoredConfig): RateLimitConfig {
  if (config.kind === "token bucket") return config;
  if (config.kind === "fixed window") {
    if (config.calendar === undefined) return config;
    const { calendar: _, start: __, ...window } = config;
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

/** Whether what the limit grants is appended, record by record, and not kept in rows. */
export function isAsynchronous(
  config: StoredConfig,
): config is AsynchronousConfig {
  return config.applyUpdates === "asynchronously";
}

/** What share of its calls a limit counts. */
export function countedShare({ stats = false }: StoredConfig): number {
  return Number(stats);
}

/** The most tokens that accumulate, or that are held at once. */
export function capacityOf(config: StoredConfig): number {
  if (config.kind === "concurrency") return config.capacity;
  return config.capacity ?? config.rate;
}
