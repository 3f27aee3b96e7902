import type {
  CalendarWindowConfig,
  LimitConfig,
  RateLimitOverride,
} from "../../src/client/index.js";
import { OVERRIDE_FIELDS, wordsOf } from "../../src/client/options.js";
import { shardsOf } from "../../src/core/config.js";
import { DAY, HOUR, MINUTE, SECOND, WEEK } from "../../src/core/periods.js";

const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 2 });
const tokens = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat("en", {
  notation: "compact",
  maximumFractionDigits: 1,
});

/** `1,204`. */
export const formatCount = (value: number) => numbers.format(value);

/** `1,204`, `12.4K`. */
export const formatShortCount = (value: number) =>
  value < 10_000 ? numbers.format(value) : compact.format(value);

/** `5`, `4.2`, `−3`. Rounded down, so that it never promises a token that is not there. */
export function formatBalance(value: number): string {
  return tokens.format(Math.floor(value * 10 + 1e-5) / 10).replace("-", "−");
}

const UNITS = [
  { ms: WEEK, one: "week", short: "wk" },
  { ms: DAY, one: "day", short: "d" },
  { ms: HOUR, one: "hour", short: "h" },
  { ms: MINUTE, one: "minute", short: "min" },
  { ms: SECOND, one: "second", short: "s" },
];

/** `42 s`, `2 min 5 s`, `1 h 30 min`, `3 d`: the two largest units, rounded up. */
export function formatDuration(ms: number): string {
  if (ms < 10 * SECOND)
    return `${Math.max(0, Math.ceil(ms / 100) / 10).toFixed(1)} s`;
  const whole = Math.ceil(ms / SECOND) * SECOND;
  const units = UNITS.slice(1);
  const i = units.findIndex((unit) => whole >= unit.ms);
  const large = units[i]!;
  const small = units[i + 1];
  const rest = small && Math.floor((whole % large.ms) / small.ms);
  const first = `${Math.floor(whole / large.ms)} ${large.short}`;
  return small && rest ? `${first} ${rest} ${small.short}` : first;
}

/** `a minute`, `an hour`, `5 minutes`, `90 seconds`. */
export function formatPeriod(ms: number): string {
  const unit = UNITS.find((one) => ms % one.ms === 0);
  if (unit === undefined) return `${numbers.format(ms)} ms`;
  const many = ms / unit.ms;
  if (many !== 1) return `${numbers.format(many)} ${unit.one}s`;
  return `${unit.one === "hour" ? "an" : "a"} ${unit.one}`;
}

/** `10 a minute, at most 3 at once, for each key`: that there are keys, only if there must be. */
export function describeLimit(config: LimitConfig): string {
  const rule = describeRule(config);
  return config.requireKey === true ? `${rule}, for each key` : rule;
}

/** As `describeLimit`, for one key: `10 a minute, at most 3 at once`. */
export function describeRule(config: LimitConfig): string {
  if (config.kind !== "concurrency") return amounts(config);
  return `${formatCount(config.capacity)} running at once, ${leaseOf(config)}`;
}

/** A period that nobody lives to see the end of, as that of a trial. */
const FOR_EVER = 50 * 365 * DAY;

const leaseOf = ({ lease }: { lease: number }) =>
  `each for ${formatPeriod(lease)} unless renewed`;

function amounts(
  config: Exclude<LimitConfig, { kind: "concurrency" }>,
): string {
  const { rate, capacity = rate } = config;
  const each =
    typeof config.period === "string"
      ? `a${config.period === "year" ? " calendar" : ""} ${config.period}`
      : manyOf(config.period);
  const where =
    typeof config.period === "string"
      ? ` of ${config.timeZone ?? "UTC"}${windowStartOf(config)}`
      : config.start === "first use"
        ? " from the first use on"
        : "";
  const burst =
    capacity === rate
      ? ""
      : config.kind === "token bucket"
        ? `, at most ${formatCount(capacity)} at once`
        : `, saved up to ${formatCount(capacity)}`;
  if (typeof config.period === "number" && config.period >= FOR_EVER) {
    return `${formatCount(capacity)} once`;
  }
  const how = config.kind === "token bucket" ? "" : ", refilled all at once";
  return `${formatCount(rate)} ${each}${where}${how}${burst}`;
}

/** When calendar windows start, unless on their first day: `, from the 17th at 14:03 on`. */
function windowStartOf({
  period,
  timeZone = "UTC",
  weekStart,
  start,
}: CalendarWindowConfig): string {
  if (start === undefined) {
    return weekStart === undefined ? "" : `, from ${weekStart} on`;
  }
  // Browsers and servers need not know the same time zones.
  if (!isKnown(timeZone)) return ", from a time of its own on";
  const part = partsOf(start, timeZone);
  const clockTime =
    part.second === "00" ? part.time : `${part.time}:${part.second}`;
  const day = Number(part.day);
  const last = " or the last day";
  const isLeapDay = day === 29 && part.month === "February";
  const from = {
    day: "",
    week: `${part.weekday} at `,
    month: `the ${ordinal(day)}${day > 28 ? last : ""} at `,
    year: `${day} ${part.month}${isLeapDay ? last : ""} at `,
  }[period];
  return `, from ${from}${clockTime} on`;
}

/** A time in the words of a time zone's clocks and calendar. */
function partsOf(ms: number, timeZone: string) {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "long",
    day: "numeric",
    month: "long",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const of = (wanted: Intl.DateTimeFormatPartTypes) =>
    format.formatToParts(ms).find(({ type }) => type === wanted)!.value;
  return {
    weekday: of("weekday"),
    day: of("day"),
    month: of("month"),
    time: `${of("hour")}:${of("minute")}`,
    second: of("second"),
  };
}

function isKnown(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return true;
  } catch {
    return false;
  }
}

/** `1st`, `22nd`, `13th`. */
function ordinal(day: number): string {
  const isTeen = day > 10 && day < 20;
  const ending = isTeen ? undefined : ["th", "st", "nd", "rd"][day % 10];
  return `${day}${ending ?? "th"}`;
}

/** `a minute`, `every 5 minutes`. */
function manyOf(ms: number): string {
  const text = formatPeriod(ms);
  return /^an? /.test(text) ? text : `every ${text}`;
}

/** The kind of a limit, and how it differs from the simplest one. */
export function modesOf(config: LimitConfig): string[] {
  const { enforce = true } = config;
  const found: string[] = [config.kind];
  if (enforce === false) found.push("dry run: denies nothing");
  if (typeof enforce === "number") {
    found.push(`enforced for ${formatCount(enforce * 100)}% of the keys`);
  }
  if (config.kind !== "concurrency") {
    const shards = shardsOf(config) ?? 1;
    if (shards === "auto") found.push("auto shards");
    else if (shards > 1) found.push(`${formatCount(shards)} shards`);
  }
  if (config.maxDebt !== undefined) {
    found.push(`owes at most ${formatCount(config.maxDebt)}`);
  }
  if (config.requireKey === true) found.push("key required");
  if (config.warnAt !== undefined) {
    const shares = [config.warnAt]
      .flat()
      .map((share) => formatCount(share * 100));
    found.push(`warns at ${shares.join("%, ")}%`);
  }
  if (typeof config.stats === "number" && config.stats < 1) {
    found.push(`${formatCount(config.stats * 100)}% counted`);
  }
  return found;
}

/** An override without its times: `Banned`, `Unlimited`, `rate 100, capacity 20`. */
export function describeOverride({ override }: RateLimitOverride): string {
  if ("deny" in override) return "Banned";
  if ("unlimited" in override) return "Unlimited";
  const { config } = override;
  return wordsOf(OVERRIDE_FIELDS)
    .filter((field) => config[field] !== undefined)
    .map((field) => `${field} ${sayField(field, config[field]!)}`)
    .join(", ");
}

function sayField(field: string, value: number | boolean): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  return field === "period" ? formatPeriod(value) : formatCount(value);
}

const clock = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
});
const clockWithSeconds = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});
const day = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
});
const dayWithYear = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
});

/** `04:12:33`. */
export const formatTimeOfDay = (ms: number) => clockWithSeconds.format(ms);

/** `04:12` within half a day of `now`, else with the day, and with the year if it is another. */
export function formatTime(ms: number, now: number): string {
  if (Math.abs(ms - now) < 12 * HOUR) return clock.format(ms);
  const isThisYear = new Date(ms).getFullYear() === new Date(now).getFullYear();
  return `${(isThisYear ? day : dayWithYear).format(ms)}, ${clock.format(ms)}`;
}

export const formatHourAndMinute = (ms: number) => clock.format(ms);
export const formatDay = (ms: number) => day.format(ms);

/** ` from 04:10 until 05:10`. Leaves out a start that is past, and an end if there is none. */
export function describeTimes(
  { startsAt = -Infinity, expiresAt }: RateLimitOverride,
  now: number,
): string {
  const from = startsAt <= now ? "" : ` from ${formatTime(startsAt, now)}`;
  return expiresAt === undefined
    ? from
    : `${from} until ${formatTime(expiresAt, now)}`;
}
