import type { CalendarPeriod, Weekday } from "convex-rate-limiter";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

export const weekdays: Weekday[] = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
];

/** The first date of the unit that is so many after that of a date; dates are days since 1970. */
function firstDate(
  period: CalendarPeriod,
  weekStart: Weekday,
  date: number,
  after: number,
): number {
  if (period === "day") return date + after;
  if (period === "week") {
    // The first of January 1970 was a Thursday.
    const since = (date + 4 - weekdays.indexOf(weekStart)) % 7;
    return date - since + 7 * after;
  }
  const day = new Date(date * DAY);
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()];
  const first =
    period === "month"
      ? Date.UTC(year, month + after)
      : Date.UTC(year + after, 0);
  return first / DAY;
}

const known = new Map<string, number[]>();

/**
 * When the windows of a config start, from some before a date on: each at the first half hour at which the clocks
 * of its zone show its first date, or a later one.
 */
export function naiveStarts(
  [timeZone, near]: readonly [timeZone: string, near: string],
  period: CalendarPeriod,
  weekStart: Weekday,
): number[] {
  const id = [timeZone, near, period, weekStart].join();
  let starts = known.get(id);
  if (starts !== undefined) return starts;
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    dateStyle: "short",
  });
  const startOf = (date: number): number => {
    const shown = new Date(date * DAY).toISOString().slice(0, 10);
    let [early, late] = [-32, 32];
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      const isReached =
        format.format(date * DAY + middle * 30 * MINUTE) >= shown;
      if (isReached) late = middle;
      else early = middle;
    }
    return date * DAY + late * 30 * MINUTE;
  };
  const units = Array.from({ length: 800 }, (_, i) => i - 60);
  const dates = units.map((after) =>
    firstDate(period, weekStart, Math.floor(Date.parse(near) / DAY), after),
  );
  // A date that a zone leaves out has no window.
  starts = [...new Set(dates.map(startOf))];
  known.set(id, starts);
  return starts;
}
