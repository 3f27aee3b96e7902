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

/** The first half hour of each local date, found by going through those of each six hours in which one begins. */
function naiveDates(timeZone: string, from: number, days: number) {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    dateStyle: "short",
  });
  const dates: { date: string; start: number }[] = [];
  let last = format.format(from);
  for (let time = from; time < from + days * DAY; time += 360 * MINUTE) {
    if (format.format(time + 360 * MINUTE) <= last) continue;
    let start = time;
    while (format.format(start) <= last) start += 30 * MINUTE;
    last = format.format(start);
    dates.push({ date: last, start });
  }
  return dates;
}

const datesOf = new Map<string, ReturnType<typeof naiveDates>>();

/** When the windows of a config start in the years about a date. */
export function naiveStarts(
  [timeZone, near]: readonly [timeZone: string, near: string],
  period: CalendarPeriod,
  weekStart: Weekday,
): number[] {
  const id = `${timeZone} ${near}`;
  let dates = datesOf.get(id);
  if (dates === undefined) {
    dates = naiveDates(timeZone, Date.parse(near) - 500 * DAY, 1600);
    datesOf.set(id, dates);
  }
  const unit = (date: string) => {
    const days = Date.parse(date) / DAY;
    // The fourth of January 1970 was a Sunday.
    const week = Math.floor((days - 3 - weekdays.indexOf(weekStart)) / 7);
    const ids = {
      day: days,
      week,
      month: date.slice(0, 7),
      year: date.slice(0, 4),
    };
    return ids[period];
  };
  return dates
    .filter(({ date }, i) => i > 0 && unit(date) !== unit(dates[i - 1]!.date))
    .map(({ start }) => start);
}
