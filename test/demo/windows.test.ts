import { describe, expect, test } from "vitest";
import {
  nextChange,
  windowAt,
  windowsWithin,
} from "../../demo/page/exports/windows.js";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const time = (utc: string) => new Date(utc).getTime();

describe("the window that holds a time", () => {
  test.each([
    ["day", "America/New_York", "2027-03-14T12:00Z", 23 * HOUR],
    ["day", "Europe/Berlin", "2026-10-25T12:00Z", 25 * HOUR],
    ["week", "Asia/Tokyo", "2026-10-25T12:00Z", 7 * DAY],
    ["month", "Europe/Berlin", "2026-10-25T12:00Z", 31 * DAY + HOUR],
    ["month", "Asia/Tokyo", "2027-02-10T12:00Z", 28 * DAY],
    ["year", "America/New_York", "2028-02-10T12:00Z", 366 * DAY],
  ] as const)("a %s in %s at %s", (period, timeZone, utc, length) => {
    const { from, to } = windowAt({ period, timeZone }, time(utc));
    expect(to - from).toBe(length);
    expect(from).toBeLessThanOrEqual(time(utc));
    expect(to).toBeGreaterThan(time(utc));
  });

  test("begins at midnight in its zone, and goes on to the next", () => {
    const berlin = { period: "month", timeZone: "Europe/Berlin" } as const;
    const october = time("2026-09-30T22:00Z");
    const november = time("2026-10-31T23:00Z");
    expect(windowAt(berlin, november - 1)).toEqual({
      from: october,
      to: november,
    });
    expect(windowAt(berlin, november).from).toBe(november);
  });
});

test("the windows of a stretch of time follow each other, and cover it", () => {
  const calendar = { period: "week", weekStart: "sunday" } as const;
  const within = {
    from: time("2026-11-14T12:00Z"),
    to: time("2026-11-23T00:00Z"),
  };
  const windows = windowsWithin(calendar, within);
  expect(windows.map(({ from }) => from)).toEqual([
    time("2026-11-08T00:00Z"),
    time("2026-11-15T00:00Z"),
    time("2026-11-22T00:00Z"),
  ]);
  expect(windows.slice(1).map(({ from }) => from)).toEqual(
    windows.slice(0, -1).map(({ to }) => to),
  );
});

test.each([
  ["America/New_York", "2027-03-14T05:00Z", 23 * HOUR],
  ["Europe/Berlin", "2027-03-27T23:00Z", 23 * HOUR],
])("the clocks of %s change next on the day from %s", (zone, from, length) => {
  const day = nextChange(zone, time("2026-11-21T12:00Z"));
  expect(day).toEqual({ from: time(from), to: time(from) + length });
});

test("the clocks of Tokyo do not change", () => {
  expect(nextChange("Asia/Tokyo", time("2026-11-21T12:00Z"))).toBeUndefined();
});
