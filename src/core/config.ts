import type { Infer } from "convex/values";
import type { CalendarPeriod, Weekday } from "./calendar.js";
import { PERIOD_MS } from "./periods.js";
import type {
  ConfigOverride,
  GivenConfig,
  vCalendar,
  vStoredRefillingConfig,
} from "./validators.js";

/** The fields that any kind of limit may have. */
type SharedFields = {
  /**
   * Makes a call without a key, or with an empty one, an error. Set it on a per-user limit: then a
   * key that happens to be undefined cannot make all users share one balance. Applies to every
   * request, `reset`, `getValue` and the hook. Overrides and stats without a key still mean the
   * whole limit.
   * @default false
   */
  requireKey?: boolean | undefined;
  /**
   * Looks up stored overrides for this limit, which costs one more indexed read per call.
   * @default false
   */
  overrides?: boolean | undefined;
  /**
   * `false` makes the limit a dry run: it takes tokens while it can, never denies, and reports
   * `wouldDeny: true` where it would have denied. A number from 0 to 1 enforces the limit for that
   * share of the keys, and is a dry run for the others. The keys are always the same ones: a larger
   * share only adds keys. Calls without a key count as one key. A ban denies in any case.
   * @default true
   */
  enforce?: boolean | number | undefined;
  /**
   * Counts calls for `stats` and `topDenied`: all of them, or a share of them, from 0 to 1. A
   * counted call, denied or not, first reads its data without a read dependency, and appends one
   * row. Counting never causes a write conflict. With a share, stats are estimates for all calls.
   * @default false
   */
  stats?: boolean | number | undefined;
  /**
   * Calls the limiter's `onWarning` after a grant that raises usage to this share of the capacity.
   * One share or a list of them, each above 0 and at most 1. For a token bucket use less than 1: it
   * keeps refilling, so whole counts rarely use all of it. Keeps the limit in one row, which alone
   * knows the whole balance: it cannot be combined with `shards` above 1 or `"auto"`.
   * @default none
   */
  warnAt?: number | number[] | undefined;
};

type RefillFields = SharedFields & {
  /** Tokens added per `period`. Finite, above 0; fractions are legal. */
  rate: number;
  /**
   * The most tokens that accumulate, and so the largest burst. Finite, at least 0. With 0, nothing
   * is granted at once: every token has to be reserved.
   * @default the `rate`
   */
  capacity?: number | undefined;
  /**
   * The deepest debt that `reserve` may leave, in tokens. Finite, at least 0; 0 allows no
   * reservation.
   * @default unlimited
   */
  maxReserved?: number | undefined;
  /**
   * The deepest debt that `charge` and `settle` may leave, in tokens. What would make it deeper is
   * not taken, and the answer tells how much that was in `forgiven`. Finite, at least 0. With 0
   * nobody is ever in debt for what was used, and a window begins full. A debt that is deeper
   * already, as by reservations, stays and grows no more.
   * @default unlimited
   */
  maxDebt?: number | undefined;
  /**
   * How many rows the limit is split over, for write throughput. Rarely needed: by default a key is
   * one row until calls conflict, and then splits itself, into up to 1,024 rows. With a capacity of
   * at most 20, or with `warnAt`, it stays in one row. While calls overlap on a split limit that is
   * nearly empty, one may be denied although another row has a token.
   *
   * - `1`: always one row, so that whoever comes first can get every token.
   * - `"auto"`: splits itself whatever its capacity.
   * - A whole number up to 1,024: the same, but a key begins with that many rows, or, if these would
   *   hold less than twice what its first call takes, with rows that hold just that. For a burst
   *   that comes without warning.
   * @default the limit splits itself while it is hot
   */
  shards?: number | "auto" | undefined;
  /**
   * For configs written for `@convex-dev/rate-limiter`: without `shards`, `"asynchronously"` means
   * `shards: "auto"`. Either way calls count at once, and exactly.
   * @default "transactionally"
   */
  applyUpdates?: "transactionally" | "asynchronously" | undefined;
  /** Only for `kind: "concurrency"`. */
  lease?: undefined;
};

type PlainConfig = RefillFields & {
  /** The time in which `rate` tokens are added, in ms. Finite, above 0. */
  period: number;
  /** Only for a calendar window, whose `period` is a name such as `"day"`. */
  timeZone?: undefined;
  /** Only for `period: "week"`. */
  weekStart?: undefined;
};

/** Refills continuously, with `rate` tokens per `period`. */
export type TokenBucketConfig = PlainConfig & {
  kind: "token bucket";
  /** Only for `kind: "fixed window"`. */
  start?: null | undefined;
};

/** Adds `rate` tokens all at once at the start of each window of `period` ms. */
export type FixedWindowConfig = PlainConfig & {
  kind: "fixed window";
  /**
   * When some window starts, in ms since the epoch. The others start a whole multiple of `period`
   * before or after it. 0 is UTC midnight.
   *
   * With `"first use"`, a key has no window until a call takes tokens from it. That begins one,
   * which ends a `period` later. Then the key is full, and the next call that takes tokens begins
   * another. If the key is not full by then, because it owes or its `capacity` is above the `rate`,
   * the next window follows at once.
   * @default a time derived from the limit's name and key
   */
  start?: number | "first use" | undefined;
};

/** The config of a limit that refills over a period in ms. */
export type RateLimitConfig = TokenBucketConfig | FixedWindowConfig;

/**
 * Adds `rate` tokens all at once at the start of each day, week, month or year in a time zone: at
 * the first instant of its first local date, unless `start` sets another time.
 */
export type CalendarWindowConfig = RefillFields & {
  kind: "fixed window";
  /** The time in which `rate` tokens are added. */
  period: CalendarPeriod;
  /**
   * The time zone of the calendar, by its IANA name, such as `"Europe/Berlin"`.
   * @default "UTC"
   */
  timeZone?: string | undefined;
  /**
   * The day on which a week begins. Only with `period: "week"`, and not together with `start`,
   * which already sets it.
   * @default "monday"
   */
  weekStart?: Weekday | undefined;
  /**
   * When some window starts, in ms since the epoch: for instance, when a subscription began. The
   * others start a whole number of local days, weeks, months or years before or after it, at the
   * same local time of `timeZone`.
   *
   * In a month that lacks the day, the window starts on the month's last day: after 31 January come
   * 28 February and 31 March. If the clocks skip the local time, the window starts at the first
   * instant after it. If the local time comes twice, the first one counts, even if `start` is the
   * second. No window starts on a date that the zone skipped.
   * @default the first instant of the day, week, month or year
   */
  start?: number | undefined;
};

/** The config of a limit that refills with time: of any kind but `"concurrency"`. */
export type RefillingConfig = RateLimitConfig | CalendarWindowConfig;

/**
 * A concurrency limit. `hold` and `whileHolding` take its tokens; they come back when they are
 * released or their lease ends. It does not refill with time.
 */
export type ConcurrencyConfig = SharedFields & {
  kind: "concurrency";
  /** The most tokens that can be held at any moment. Finite, at least 0. */
  capacity: number;
  /**
   * How long tokens stay held if nobody releases or renews them, in ms. Finite, at least 1. After a
   * crash, they come back only when this time is over.
   */
  lease: number;
} & {
  [Field in Exclude<FieldOfRefilling, FieldOfConcurrency>]?: undefined;
};

export type FieldOfConcurrency =
  keyof SharedFields | "kind" | "capacity" | "lease";

export type FieldOfRefilling = Exclude<keyof CalendarWindowConfig, "lease">;

/** The config of a limit, of any kind. */
export type LimitConfig = RefillingConfig | ConcurrencyConfig;

/**
 * A config without fields that belong to other kinds. There they are `undefined`, for code that
 * reads configs of any kind; an editor would offer them.
 */
type Written<Config, Others> = {
  [Field in keyof Config as Exclude<Field, Others>]: Config[Field];
};

/** The config of a limit that refills with time, as an app writes it. */
export type WrittenRefilling =
  | Written<TokenBucketConfig, "lease" | "timeZone" | "weekStart">
  | Written<FixedWindowConfig, "lease">
  | Written<CalendarWindowConfig, "lease">;

/** The config of a limit of any kind, as an app writes it. */
export type WrittenConfig =
  | WrittenRefilling
  | Written<ConcurrencyConfig, Exclude<FieldOfRefilling, FieldOfConcurrency>>;

/** A config as answers show it. Calendar windows have their average length as `period`. */
export type ShownConfig = RateLimitConfig | ConcurrencyConfig;

export type Calendar = Pick<
  CalendarWindowConfig,
  "period" | "timeZone" | "weekStart" | "start"
>;

/**
 * The config of a limit that refills with time, as it crosses into the component and is stored.
 * Calendar windows have their average length as `period`, and their real one in `calendar`. Readers
 * that ignore `calendar` see a plain window.
 */
export type StoredRefillingConfig = Infer<
  ReturnType<typeof vStoredRefillingConfig>
>;

/** The config of a limit, of any kind, as it crosses into the component and is stored. */
export type StoredConfig = StoredRefillingConfig | ConcurrencyConfig;

/** Converts a config to the form that crosses into the component and is stored. */
export function toStored(config: RefillingConfig): StoredRefillingConfig;
export function toStored(config: LimitConfig): StoredConfig;
export function toStored(config: LimitConfig): StoredConfig {
  // Only clients check `requireKey`.
  const { requireKey: _, ...stored } = config;
  if (!isCalendar(stored)) return stored;
  const { period, timeZone, weekStart, ...rest } = stored;
  const calendar = { period, timeZone, weekStart };
  return { ...rest, period: PERIOD_MS[period], calendar };
}

function isCalendar<Config extends Pick<LimitConfig, "period">>(
  config: Config,
): config is Extract<Config, { period: CalendarPeriod }> {
  return typeof config.period === "string";
}

/** A stored calendar with the `start` of its limit. */
export type AnchoredCalendar = Infer<ReturnType<typeof vCalendar>> &
  Pick<FixedWindowConfig, "start">;

/** The calendar of a limit; undefined if it has none. */
export function calendarOf(
  config: GivenConfig | StoredConfig,
): AnchoredCalendar | undefined {
  if (config.kind !== "fixed window" || config.calendar === undefined) {
    return undefined;
  }
  // In this order in rules.
  const { period, timeZone, weekStart } = config.calendar;
  return { period, timeZone, weekStart, start: config.start ?? undefined };
}

/**
 * Reduces a config to what a page needs to project it, without leases and time zones.
 *
 * A concurrency limit becomes a bucket without refill: held tokens come back all at once, on
 * release or when their lease ends. Calendar windows become plain ones of average length: the
 * server sends their real starts separately.
 */
export function toRateLimitConfig(config: StoredConfig): RateLimitConfig {
  if (config.kind === "concurrency") {
    const { capacity, lease, enforce } = config;
    const rest = { period: lease, capacity, maxReserved: 0, enforce };
    return { kind: "token bucket", rate: 0, ...rest };
  }
  if (config.kind === "token bucket" || config.calendar === undefined) {
    return config;
  }
  const { calendar: _, start: __, ...window } = config;
  return window;
}

/**
 * Applies an override to a config. A new period replaces the calendar. Fields that the kind does
 * not have are ignored: the override may have been set when the limit was of another kind.
 */
export function overlay(
  config: StoredConfig,
  override: ConfigOverride,
): StoredConfig {
  if (config.kind !== "concurrency") {
    const isRefit = override.period !== undefined;
    return { ...(isRefit ? toRateLimitConfig(config) : config), ...override };
  }
  const { capacity = config.capacity, enforce = config.enforce } = override;
  return { ...config, capacity, enforce };
}

/** The shards that a config asks for: what `applyUpdates` asks for counts only without `shards`. */
export function shardsOf({
  shards,
  applyUpdates,
}: Pick<LimitConfig, "shards" | "applyUpdates">): number | "auto" | undefined {
  return shards ?? (applyUpdates === "asynchronously" ? "auto" : undefined);
}

/** The share of its calls that a limit counts, from 0 to 1. */
export function countedShare({
  stats = false,
}: Pick<StoredConfig, "stats">): number {
  return Number(stats);
}

/** The most tokens that accumulate, or that can be held at once. */
export function capacityOf(config: StoredConfig): number {
  if (config.kind === "concurrency") return config.capacity;
  return config.capacity ?? config.rate;
}
