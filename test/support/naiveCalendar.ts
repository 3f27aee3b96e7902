import type { CalendarPeriod, Weekday } from "convex-rate-limiter";

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;

export const weekdays: Weekday[] = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
];

/** The first date of the period that is `after` periods after the one with `date`. Dates are days since 1970. */
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

const formats = new Map<string, Intl.DateTimeFormat>();

/** What the clocks of a zone show at a whole second, read as a time in UTC. */
function shownAt(timeZone: string, time: number): number {
  let format = formats.get(timeZone);
  if (format === undefined) {
    // As in "2026-03-29 01:30:00".
    format = new Intl.DateTimeFormat("sv-SE", {
      timeZone,
      dateStyle: "short",
      timeStyle: "medium",
    });
    formats.set(timeZone, format);
  }
  return Date.parse(`${format.format(time).replace(" ", "T")}Z`);
}

const offsets = new Map<string, number>();

/** How far the clocks of a zone are ahead of UTC at a whole second. */
export function offsetAt(timeZone: string, time: number): number {
  // Searches ask for these offsets again and again.
  const id = time % (6 * HOUR) === 0 ? `${timeZone} ${time}` : undefined;
  const known = id !== undefined ? offsets.get(id) : undefined;
  const offset = known ?? shownAt(timeZone, time) - time;
  if (id !== undefined) offsets.set(id, offset);
  return offset;
}

/** The first instant at which the clocks of a zone show this local time or a later one. */
function firstInstant(timeZone: string, local: number): number {
  const offset = (time: number) => offsetAt(timeZone, time);
  const end = local + 2 * DAY;
  let from = Math.floor((local - 2 * DAY) / (6 * HOUR)) * 6 * HOUR;
  // Goes from one change of the clocks to the next.
  while (from < end) {
    const ahead = offset(from);
    let to = from;
    while (to < end && offset(to) === ahead) to += 6 * HOUR;
    let last = to - 6 * HOUR;
    while (to - last > 1000) {
      const middle = last + Math.floor((to - last) / 2000) * 1000;
      if (offset(middle) === ahead) last = middle;
      else to = middle;
    }
    const time = Math.max(from, local - ahead);
    if (time < to) return time;
    from = to;
  }
  throw new Error(`${timeZone} never shows ${new Date(local).toISOString()}.`);
}

/** The date `n` days, weeks, months or years later: on the same day of the month, or on its last. */
function dateAfter(period: CalendarPeriod, date: number, n: number): number {
  if (period === "day") return date + n;
  if (period === "week") return date + 7 * n;
  const months = period === "month" ? n : 12 * n;
  const from = new Date(date * DAY);
  const [year, month] = [from.getUTCFullYear(), from.getUTCMonth() + months];
  const day = from.getUTCDate();
  const to = new Date(Date.UTC(year, month, day));
  if (to.getUTCDate() === day) return to.getTime() / DAY;
  return Date.UTC(year, month + 1, 0) / DAY;
}

/** When the `n`th window after the one at `start` starts; undefined if the zone skipped its date. */
function naiveStartAfter(
  start: number,
  n: number,
  period: CalendarPeriod,
  timeZone: string,
): number | undefined {
  const second = Math.floor(start / 1000) * 1000;
  const local = shownAt(timeZone, second) + (start - second);
  const date = Math.floor(local / DAY);
  const target = dateAfter(period, date, n);
  const [first, next] = [target, target + 1].map((day) =>
    firstInstant(timeZone, day * DAY),
  );
  if (first === next) return undefined;
  return firstInstant(timeZone, local + (target - date) * DAY);
}

/** The fields that decide when windows start. */
export type Windows = {
  timeZone: string;
  period: CalendarPeriod;
  weekStart?: Weekday;
  start?: number | undefined;
};

/** When the `n`th window starts, counted from the window at `start` or, without `start`, from the one at `near`. */
export function naiveStart(
  { timeZone, period, weekStart = "monday", start }: Windows,
  near: number,
  n: number,
): number | undefined {
  if (start !== undefined) return naiveStartAfter(start, n, period, timeZone);
  const date = firstDate(period, weekStart, Math.floor(near / DAY), n);
  return firstInstant(timeZone, date * DAY);
}

/** The average length of each period, in ms. */
export const LENGTH = {
  day: DAY,
  week: 7 * DAY,
  month: 30.436875 * DAY,
  year: 365.2425 * DAY,
};

const known = new Map<string, number[]>();

/**
 * When the windows of a config start, including some windows before a date. They start as `start` says, or else at the
 * first instant at which the clocks of the zone show the window's first date or a later one.
 */
export function naiveStarts(
  [timeZone, near]: readonly [timeZone: string, near: string],
  period: CalendarPeriod,
  weekStart: Weekday,
  start?: number,
): number[] {
  const id = [timeZone, near, period, weekStart, start].join();
  let starts = known.get(id);
  if (starts !== undefined) return starts;
  const from = Date.parse(near);
  const first =
    start === undefined ? 0 : Math.floor((from - start) / LENGTH[period]);
  const windows = { timeZone, period, weekStart, start };
  const all = Array.from({ length: 800 }, (_, i) =>
    naiveStart(windows, from, first + i - 60),
  );
  // A date that the zone skipped has no window.
  starts = [...new Set(all.filter((time) => time !== undefined))];
  known.set(id, starts);
  return starts;
}
