import { onGrid, type Arrivals, type Grid } from "./arrivals.js";
import type { CalendarPeriod, Weekday } from "./config.js";

const DAY = 86_400_000;

/** No time zone is further from UTC than this, nor has it two changes within twice of it. */
const FARTHEST = 16 * 3_600_000;

/** The times that a `Date` can be, but for a margin. */
const LAST = 8.64e15 - 1000 * DAY;

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
const EPOCH_WEEKDAY = 3;

/**
 * At once at the start of each day, week, month or year of a time zone: at the first
 * instant of its first local date.
 */
export function calendar(
  period: CalendarPeriod,
  timeZone: string,
  weekStart: Weekday,
): Arrivals {
  const id = [period, timeZone, weekStart].join();
  let known = calendars.get(id);
  if (known === undefined) {
    const unit = UNITS[period](weekStart);
    known = onGrid(gridOf(unit, zone(timeZone), period === "day"));
    calendars.set(id, known);
  }
  return known;
}

/** The few that an app has. To make one costs more than to use it. */
const calendars = new Map<string, Arrivals>();

/** Whether the runtime knows a time zone of this name. */
export function isZone(timeZone: string): boolean {
  // Some runtimes take offsets, too, which are no names.
  if (typeof timeZone !== "string" || /^[+-]/.test(timeZone)) return false;
  try {
    zone(timeZone);
    return true;
  } catch {
    return false;
  }
}

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
      return day.getUTCFullYear() * 12 + day.getUTCMonth();
    },
    first: (month) => Date.UTC(Math.floor(month / 12), mod(month, 12)) / DAY,
  }),
  year: () => ({
    of: (date) => new Date(date * DAY).getUTCFullYear(),
    first: (year) => Date.UTC(year, 0) / DAY,
  }),
};

function mod(n: number, by: number): number {
  return n - Math.floor(n / by) * by;
}

/** Local time minus UTC, in ms. */
type Zone = (utc: number) => number;

/** By the time zones that the runtime knows. */
function zone(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat("en-US", {
    timeZone,
    calendar: "gregory",
    numberingSystem: "latn",
    hourCycle: "h23",
    era: "short",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
    second: "numeric",
  });
  return (utc) => {
    const part: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
    for (const { type, value } of format.formatToParts(utc)) part[type] = value;
    const { year, month, day, hour, minute, second } = part;
    const y = part.era?.startsWith("B") ? 1 - Number(year) : Number(year);
    const local = new Date(0);
    local.setUTCFullYear(y, Number(month) - 1, Number(day));
    local.setUTCHours(Number(hour), Number(minute), Number(second));
    return local.getTime() - Math.floor(utc / 1000) * 1000;
  };
}

/** The windows of a unit in a zone, numbered. */
function gridOf(unit: Unit, offset: Zone, isDay: boolean): Grid {
  const starts = new Map<number, number>();
  const atFirst = offset(0);

  /**
   * How many days a zone has left out that moved over the date line, as Samoa did with the
   * 30th of December 2011. They are no windows.
   */
  const leftOut = (utc: number) =>
    Math.max(0, Math.round((offset(utc) - atFirst) / DAY));

  const dateAt = (utc: number) => Math.floor((utc + offset(utc)) / DAY);

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
      // Twice, since the days that are left out before it may move it over another.
      for (let i = 0; isDay && i < 2 && start < LAST; i++) {
        start = startOfDate(index + leftOut(start));
      }
      if (starts.size >= MOST_KEPT) starts.clear();
      starts.set(index, start);
    }
    return start;
  };

  const indexOf = (utc: number): number => {
    const at = Math.min(utc, LAST);
    const index = unit.of(dateAt(at)) - (isDay ? leftOut(at) : 0);
    // After clocks that went back over midnight the date of before begins no new window.
    return startOf(index + 1) <= at ? index + 1 : index;
  };

  return { indexOf, startOf };
}

/** So many starts are kept of each calendar: to look one up costs microseconds. */
const MOST_KEPT = 1000;
