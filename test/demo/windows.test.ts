import { describe, expect, test } from "vitest";
import { windowAt, windowsWithin } from "../../demo/page/quotas/windows.js";

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
  const plan = { period: "week", timeZone: "Asia/Tokyo" } as const;
  const within = {
    from: time("2026-11-14T12:00Z"),
    to: time("2026-11-23T00:00Z"),
  };
  const windows = windowsWithin(plan, within);
  expect(windows.map(({ from }) => from)).toEqual([
    time("2026-11-08T15:00Z"),
    time("2026-11-15T15:00Z"),
    time("2026-11-22T15:00Z"),
  ]);
  expect(windows.slice(1).map(({ from }) => from)).toEqual(
    windows.slice(0, -1).map(({ to }) => to),
  );
});
