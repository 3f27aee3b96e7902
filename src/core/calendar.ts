import {
  firstBetween,
  type Refill,
  type Refilled,
  roundUp,
  type Since,
  sinceLastWrite,
} from "./bucket.js";
import type { Calendar } from "./config.js";
import { DAY, HOUR, PERIOD_MS } from "./periods.js";

/** A period of the calendar. */
export type CalendarPeriod = "day" | "week" | "month" | "year";

export const WEEKDAYS = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
] as const;

/** A day of the week. */
export type Weekday = (typeof WEEKDAYS)[number];

/** 1 January 1970 was a Thursday. */
const EPOCH_WEEKDAY = WEEKDAYS.indexOf("thursday");

/** No time zone is further from UTC than this, or changes twice within twice this time. */
const FARTHEST = 16 * HOUR;

/**
 * The range of times that calendars handle in every time zone. `FIRST_CALENDAR_MS` keeps clear of
 * years that need an era, which the runtime's dates lack. Any time after `LAST_CALENDAR_MS` counts
 * as never.
 */
export const [FIRST_CALENDAR_MS, LAST_CALENDAR_MS] = [
  Date.UTC(1000, 0),
  8.64e15 - 1000 * DAY,
];

/**
 * Calendar windows: tokens arrive all at once at the start of each day, week, month or year in a
 * time zone, at the first instant of its first local date. With `start`, a window starts at that
 * instant, and the others a whole number of local days, weeks, months or years before or after it,
 * at the same local time.
 *
 * @throws A `RangeError` if the runtime knows no such time zone.
 */
export function calendarRefill({
  period,
  timeZone = "UTC",
  weekStart = "monday",
  start,
}: Calendar): Refill {
  const id = [period, timeZone, weekStart, start].join();
  return cached(calendars, id, MAX_CALENDARS, () => {
    const offset = zoneOf(timeZone);
    // Without `start`, count from 1 January 1970, or from a `weekStart` near it.
    const first =
      period === "week" ? WEEKDAYS.indexOf(weekStart) - EPOCH_WEEKDAY : 0;
    const local =
      start === undefined ? first * DAY : start + offset(wholeSecond(start));
    const date = Math.floor(local / DAY);
    const unit = UNITS[period](date);
    const dropsSkippedDates = period === "day" || start !== undefined;
    const grid = gridOf(unit, local - date * DAY, offset, dropsSkippedDates);
    return gridRefill(grid, PERIOD_MS[period]);
  });
}

/** Windows of any length, numbered in order. */
type Grid = {
  /** The number of the window that a time is in. */
  indexOf: (time: number) => number;
  startOf: (index: number) => number;
};

/**
 * Tokens arrive all at once at the start of each window of a grid, which are about `period` ms
 * long. If the calendar has changed, so that `since` is not the start of a window, a window counts
 * only if it began later and is over.
 */
function gridRefill({ indexOf, startOf }: Grid, period: number): Refill {
  const startAt = (time: number) => startOf(indexOf(time));

  /** The first window that has not begun before a time. */
  const firstFrom = (time: number) =>
    indexOf(time) + (startAt(time) < time ? 1 : 0);

  /**
   * The end of the window that a row stores. If that window is much shorter than those here (a day
   * among months), it lasts until one of these begins.
   */
  const endOf = (since: number, nextAt: number): number =>
    nextAt - since < 0.75 * period ? startOf(firstFrom(nextAt)) : nextAt;

  const between = (
    { ts, nextAt }: Since,
    now: number,
    rate: number,
  ): Refilled => {
    if (nextAt !== undefined) {
      const end = endOf(ts, nextAt);
      if (now < end) return { tokens: 0, ts, nextAt: end };
      const later = between({ ts: end }, now, rate);
      return { ...later, tokens: rate + later.tokens };
    }
    const n = indexOf(now) - firstFrom(ts);
    return n > 0 ? { tokens: n * rate, ts: startAt(now) } : { tokens: 0, ts };
  };

  const when = (
    { ts, nextAt }: Since,
    tokens: number,
    rate: number,
  ): number => {
    if (nextAt !== undefined && tokens > 0) {
      return when({ ts: endOf(ts, nextAt) }, tokens - rate, rate);
    }
    const n = roundUp(tokens / rate);
    return n > 0 ? startOf(firstFrom(ts) + n) : ts;
  };

  return sinceLastWrite({ between, when, startAt, isCalendar: true });
}

/** Whether the runtime knows a time zone by this name. */
export function isZone(timeZone: unknown): boolean {
  // Some runtimes also accept an offset, which is not a name.
  if (typeof timeZone !== "string" || /^[+-]/.test(timeZone)) return false;
  try {
    zoneOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/**
 * Caches: making a calendar or zone costs more than using it. Convex may keep them from call to call,
 * so what they hold depends on nothing but its key.
 */
const calendars = new Map<string, Refill>();
const zones = new Map<string, Zone>();

/**
 * The most to cache of each. Bounded, since each customer may have a billing month of their own. A
 * zone takes 50 kB, a calendar's 500 starts 20.
 */
const [MAX_CALENDARS, MAX_ZONES, MAX_STARTS] = [100, 100, 500];

/** What a cache holds for a key, made if it is not there. */
function cached<Key, Value extends object | number>(
  cache: Map<Key, Value>,
  key: Key,
  most: number,
  make: () => Value,
): Value {
  let value = cache.get(key);
  if (value === undefined) {
    value = make();
    if (cache.size >= most) cache.clear();
    cache.set(key, value);
  }
  return value;
}

/**
 * Groups local dates (days since 1 January 1970) into numbered units of a period. `of`: the number
 * of the unit that a date is in, or of the next one if that begins soon. `first`: the date on which
 * a unit begins.
 */
type Unit = { of: (date: number) => number; first: (unit: number) => number };

const DAYS: Unit = { of: (date) => date, first: (day) => day };

const MONTHS: Unit = {
  of: (date) => {
    const day = new Date(date * DAY);
    return (day.getUTCFullYear() - 1970) * 12 + day.getUTCMonth();
  },
  first: (month) => Date.UTC(1970, month) / DAY,
};

/** Months that begin on a date's day of the month, or on their last day if they lack it. */
function monthsFrom(date: number): Unit {
  const { of, first } = MONTHS;
  const day = date - first(of(date));
  return {
    of,
    first: (month) => Math.min(first(month) + day, first(month + 1) - 1),
  };
}

/** Units of `n` smaller units each; one of them begins with `from`. */
function every(n: number, { of, first }: Unit, from: number): Unit {
  return {
    of: (date) => Math.floor((of(date) - from) / n),
    first: (unit) => first(from + unit * n),
  };
}

/** The units of each period; one of them begins on the given date. */
const UNITS: Record<CalendarPeriod, (date: number) => Unit> = {
  day: () => DAYS,
  week: (date) => every(7, DAYS, date),
  month: monthsFrom,
  year: (date) => every(12, monthsFrom(date), MONTHS.of(date)),
};

/** Local time minus UTC, in ms, at a whole second. */
type Zone = (utc: number) => number;

function wholeSecond(time: number): number {
  return Math.floor(time / 1000) * 1000;
}

/** @throws A `RangeError` if the runtime knows no such time zone. */
function zoneOf(timeZone: string): Zone {
  return cached(zones, timeZone, MAX_ZONES, () => makeZone(timeZone));
}

function makeZone(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (utc) => {
    const part: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
    // A `Date`, since the fake timers of tests treat the number 0 as no time at all.
    for (const { type, value } of format.formatToParts(new Date(utc))) {
      part[type] = Number(value);
    }
    const { year, month, day, hour, minute, second } = part;
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - utc;
  };
}

/**
 * The windows of a unit in a zone, numbered.
 *
 * @param time The local time at which they start, in ms after midnight.
 * @param dropsSkippedDates What to do if the zone skipped the first date of a window: true drops
 * the window, false starts it on the next date.
 */
function gridOf(
  unit: Unit,
  time: number,
  offset: Zone,
  dropsSkippedDates: boolean,
): Grid {
  const starts = new Map<number, number>();
  const offsetBefore = offset(0);

  /**
   * How many dates the zone has skipped since 1970 by moving across the date line, as Samoa skipped
   * 30 December 2011. No zone has skipped two, or one from 1900 to 1970.
   */
  const skippedDates = (utc: number) =>
    utc < 0 ? 0 : Math.round((offset(utc) - offsetBefore) / DAY);

  let skippedDate: number | undefined;

  /** Whether a window was dropped before a time. */
  const hasDropped = (utc: number): boolean => {
    if (!dropsSkippedDates || skippedDates(utc) === 0) return false;
    const isAfter = (date: number) => skippedDates(firstAt(date * DAY)) !== 0;
    skippedDate ??= firstBetween(isAfter, 0, Math.floor(utc / DAY) + 1);
    return unit.first(unit.of(skippedDate)) === skippedDate;
  };

  /** The first instant at which the clocks show a local time or a later one. */
  const firstAt = (local: number): number => {
    if (!(local < LAST_CALENDAR_MS)) return Number.MAX_SAFE_INTEGER;
    const before = wholeSecond(local) - FARTHEST;
    const by = (seconds: number) => local - offset(before + seconds * 1000);
    const last = (2 * FARTHEST) / 1000;
    const usual = by(0);
    const changed = by(last);
    if (usual === changed) return usual;
    // The clocks change in between: find the second at which they do.
    const isChanged = (seconds: number) => by(seconds) !== usual;
    const changeAt = before + firstBetween(isChanged, 0, last) * 1000;
    if (usual < changeAt) return usual;
    // If the clocks skip the local time, take the instant of the change.
    return Math.max(changed, changeAt);
  };

  const startOf = (index: number): number =>
    cached(starts, index, MAX_STARTS, () => {
      const start = firstAt(unit.first(index) * DAY + time);
      // A dropped window has no number: from there on, each index means the next unit.
      return start < LAST_CALENDAR_MS && hasDropped(start)
        ? firstAt(unit.first(index + 1) * DAY + time)
        : start;
    });

  const indexOf = (utc: number): number => {
    const time = Math.min(utc, LAST_CALENDAR_MS);
    // Start from the UTC date, which is close to the local one.
    let index = unit.of(Math.floor(time / DAY));
    while (startOf(index) > time) index -= 1;
    while (startOf(index + 1) <= time) index += 1;
    return index;
  };

  return { indexOf, startOf };
}
