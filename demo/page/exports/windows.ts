import {
  calculateRateLimit,
  DAY,
  type CalendarWindowConfig,
} from "convex-rate-limiter";
import type { Plan } from "../../convex/exports.js";

/** The time from one start to the next. */
export type Window = { from: number; to: number };

type Calendar = Pick<CalendarWindowConfig, "period" | "timeZone" | "weekStart">;

/** Only a week has a first day. */
export function calendarOf({ period, timeZone, weekStart }: Plan): Calendar {
  return { period, timeZone, ...(period === "week" && { weekStart }) };
}

/** The window of a calendar that holds a time. */
export function windowAt(calendar: Calendar, time: number): Window {
  const config = { kind: "fixed window" as const, rate: 1, ...calendar };
  // What is one too many is paid when the next window begins.
  const { windowStart = time, retryAfter = 0 } = calculateRateLimit(
    null,
    config,
    time,
    2,
  );
  return { from: windowStart, to: time + retryAfter };
}

/** The windows of a calendar that are within a stretch of time, those at its ends included. */
export function windowsWithin(
  calendar: Calendar,
  { from, to }: Window,
): Window[] {
  const windows = [windowAt(calendar, from)];
  for (;;) {
    const last = windows.at(-1)!;
    if (last.to >= to) return windows;
    windows.push(windowAt(calendar, last.to));
  }
}

/** The next day on which the clocks of a zone change; undefined if there is none within a year. */
export function nextChange(timeZone: string, time: number): Window | undefined {
  const calendar = { period: "day" as const, timeZone };
  let day = windowAt(calendar, time);
  for (let i = 0; i < 366; i++) {
    day = windowAt(calendar, day.to);
    if (day.to - day.from !== DAY) return day;
  }
  return undefined;
}
