import { roundUp, type Arrivals, type Arrived } from "./arrivals.js";
import { DAY, HOUR } from "./periods.js";

/** A period of the calendar. */
export type CalendarPeriod = "day" | "week" | "month" | "year";

/** A day of the week. */
export type Weekday =
  | "monday"
  | "tuesday"
  | "wednesday"
  | "thursday"
  | "friday"
  | "saturday"
  | "sunday";

export const WEEKDAYS: readonly Weekday[] = [
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
  "sunday",
];

/** The first of January 1970 was a Thursday. */
const EPOCH_WEEKDAY = WEEKDAYS.indexOf("thursday");

/** No time zone is further from UTC than this, nor does one change twice within two of it. */
const FARTHEST = 16 * HOUR;

/** About the last time that a `Date` can be. What is later is never. */
const LAST = 8.64e15 - 1000 * DAY;

/**
 * At once at the start of each day, week, month or year of a time zone: at the first
 * instant of its first local date.
 *
 * @throws A `RangeError` if the runtime knows no such time zone.
 */
export function calendar({
  period,
  timeZone = "UTC",
  weekStart = "monday",
}: {
  period: CalendarPeriod;
  timeZone?: string | undefined;
  weekStart?: Weekday | undefined;
}): Arrivals {
  const id = [period, timeZone, weekStart].join();
  let arrivals = calendars.get(id);
  if (arrivals === undefined) {
    const unit = UNITS[period](weekStart);
    arrivals = onGrid(gridOf(unit, zoneOf(timeZone), period === "day"));
    calendars.set(id, arrivals);
  }
  return arrivals;
}

/** Windows of any length, numbered in their order. */
type Grid = {
  /** Which one a time is in. */
  indexOf: (time: number) => number;
  startOf: (index: number) => number;
};

/**
 * At once at the start of each window of a grid. Behind a time that is no start, as after
 * another calendar, each window counts that lies wholly behind it.
 */
function onGrid({ indexOf, startOf }: Grid): Arrivals {
  const startAt = (time: number) => startOf(indexOf(time));

  /** The first window that has not begun before a time. */
  const firstFrom = (time: number) =>
    indexOf(time) + (startAt(time) < time ? 1 : 0);

  const between = (since: number, now: number, rate: number): Arrived => {
    const n = indexOf(now) - firstFrom(since);
    return n > 0
      ? { tokens: n * rate, ts: startAt(now) }
      : { tokens: 0, ts: since };
  };

  const when = (since: number, tokens: number, rate: number): number => {
    const n = roundUp(tokens / rate);
    return n > 0 ? startOf(firstFrom(since) + n) : since;
  };

  return {
    between: (since, now, rate, nextAt) => {
      if (nextAt === undefined) return between(since, now, rate);
      if (now < nextAt) return { tokens: 0, ts: since, nextAt };
      const { tokens, ts } = between(nextAt, now, rate);
      return { tokens: rate + tokens, ts };
    },
    when: (since, tokens, rate, nextAt) =>
      nextAt === undefined || tokens <= 0
        ? when(since, tokens, rate)
        : when(nextAt, tokens - rate, rate),
    startAt,
    isCalendar: true,
  };
}

/** Whether the runtime knows a time zone by this name. */
export function isZone(timeZone: unknown): boolean {
  // Some runtimes also take an offset, which is no name.
  if (typeof timeZone !== "string" || /^[+-]/.test(timeZone)) return false;
  try {
    zoneOf(timeZone);
    return true;
  } catch {
    return false;
  }
}

/** The few that an app has: to make one costs more than to use it. */
const calendars = new Map<string, Arrivals>();
const zones = new Map<string, Zone>();

/**
 * Local dates, as days since the first of January 1970, in units of a period: the number of
 * the unit that holds a date, and the first date of a unit.
 */
type Unit = { of: (date: number) => number; first: (unit: number) => number };

const UNITS: Record<CalendarPeriod, (weekStart: Weekday) => Unit> = {
  day: () => ({ of: (date) => date, first: (day) => day }),
  week: (weekStart) => {
    const first = WEEKDAYS.indexOf(weekStart) - EPOCH_WEEKDAY;
    return {
      of: (date) => Math.floor((date - first) / 7),
      first: (week) => week * 7 + first,
    };
  },
  month: () => ({
    of: (date) => {
      const day = new Date(date * DAY);
      return (day.getUTCFullYear() - 1970) * 12 + day.getUTCMonth();
    },
    first: (month) => Date.UTC(1970, month) / DAY,
  }),
  year: () => ({
    of: (date) => new Date(date * DAY).getUTCFullYear(),
    first: (year) => Date.UTC(year, 0) / DAY,
  }),
};

/** Local time minus UTC, in ms. */
type Zone = (utc: number) => number;

function zoneOf(timeZone: string): Zone {
  let zone = zones.get(timeZone);
  if (zone === undefined) {
    zone = makeZone(timeZone);
    zones.set(timeZone, zone);
  }
  return zone;
}

/** By the time zones that the runtime knows. */
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
    for (const { type, value } of format.formatToParts(utc)) {
      part[type] = Number(value);
    }
    const { year, month, day, hour, minute, second } = part;
    return Date.UTC(year!, month! - 1, day, hour, minute, second) - utc;
  };
}

/** The windows of a unit in a zone, numbered. */
function gridOf(unit: Unit, offset: Zone, isDay: boolean): Grid {
  const starts = new Map<number, number>();
  const offsetBefore = offset(0);

  /**
   * How many dates a zone has left out since 1970 that moved over the date line, as Samoa
   * left out the 30th of December 2011. They are no windows.
   */
  const leftOut = (utc: number) =>
    Math.round((offset(utc) - offsetBefore) / DAY);

  /** The first instant at which the clocks show a date or a later one. */
  const startOfDate = (date: number): number => {
    const midnight = date * DAY;
    if (!(midnight < LAST)) return Number.MAX_SAFE_INTEGER;
    let before = midnight - FARTHEST;
    let after = midnight + FARTHEST;
    const usual = midnight - offset(before);
    const changed = midnight - offset(after);
    if (usual === changed) return usual;
    // The clocks change in between: to the second, when?
    while (after - before > 1000) {
      const middle = before + Math.floor((after - before) / 2000) * 1000;
      if (midnight - offset(middle) === usual) before = middle;
      else after = middle;
    }
    if (usual < after) return usual;
    // Where midnight is left out the date begins with the change.
    return Math.max(changed, after);
  };

  const startOf = (index: number): number => {
    let start = starts.get(index);
    if (start === undefined) {
      start = startOfDate(unit.first(index));
      // The dates that are left out before it may move it over another one.
      for (let moved = 0; isDay && start < LAST && leftOut(start) > moved;) {
        moved = leftOut(start);
        start = startOfDate(index + moved);
      }
      if (starts.size >= MOST_KEPT) starts.clear();
      starts.set(index, start);
    }
    return start;
  };

  const indexOf = (utc: number): number => {
    const time = Math.min(utc, LAST);
    // By the date of UTC, which is at most some days from the local one.
    let index = unit.of(Math.floor(time / DAY));
    while (startOf(index) > time) index -= 1;
    while (startOf(index + 1) <= time) index += 1;
    return index;
  };

  return { indexOf, startOf };
}

/** So many starts are kept of each calendar: to look one up costs microseconds. */
const MOST_KEPT = 5000;
