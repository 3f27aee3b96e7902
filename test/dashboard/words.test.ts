import { type CalendarPeriod, HOUR } from "convex-rate-limiter";
import { expect, test } from "vitest";
import { amountTicks, timeStep } from "../../dashboard/page/ticks.js";
import {
  formatBalance,
  formatDuration,
  describeLimit,
} from "../../dashboard/page/words.js";

test.each([
  [0, "0.0 s"],
  [0.5, "0.1 s"],
  [150, "0.2 s"],
  [1901, "2.0 s"],
  [2000, "2.0 s"],
  [4201, "4.3 s"],
  [20_000, "20 s"],
  [42_001, "43 s"],
  [59_999, "1 min"],
  [125_000, "2 min 5 s"],
  [600_000, "10 min"],
  [5_400_000, "1 h 30 min"],
  [86_400_000, "1 d"],
  [90_000_000, "1 d 1 h"],
])("%d ms are %j, never less", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each<
  [start: string, period: CalendarPeriod, timeZone: string, from: string]
>([
  ["2026-03-17T18:03", "month", "America/New_York", "the 17th at 14:03"],
  [
    "2026-01-31T00:00:30",
    "month",
    "UTC",
    "the 31st or the last day at 00:00:30",
  ],
  ["2026-03-02T08:00", "week", "Europe/Berlin", "Monday at 09:00"],
  ["2026-03-22T20:00", "day", "Asia/Kolkata", "01:30"],
  ["2024-02-29T12:00", "year", "UTC", "29 February or the last day at 12:00"],
  ["2024-03-29T12:00", "year", "UTC", "29 March at 12:00"],
  ["2026-03-13T12:00", "month", "Nowhere/Known", "a time of its own"],
])("windows that start at %s: a %s of %s, from %s", (...row) => {
  const [begins, period, timeZone, from] = row;
  const start = Date.parse(`${begins}Z`);
  const kind = "fixed window";
  const words = describeLimit({ kind, rate: 100, period, timeZone, start });
  const name = period === "year" ? "calendar year" : period;
  expect(words).toBe(
    `100 a ${name} of ${timeZone}, from ${from} on, refilled all at once`,
  );
});

test("windows that begin with the first use say so", () => {
  const config = {
    kind: "fixed window",
    rate: 20,
    period: 5 * HOUR,
    start: "first use",
  } as const;
  expect(describeLimit(config)).toBe(
    "20 every 5 hours from the first use on, refilled all at once",
  );
});

test("a limit is of each key if its config requires one", () => {
  const config = { kind: "token bucket", rate: 3, period: 60_000 } as const;
  expect(describeLimit(config)).toBe("3 a minute");
  expect(describeLimit({ ...config, requireKey: true })).toBe(
    "3 a minute, for each key",
  );
});

test("a limit that never refills grants its tokens once", () => {
  const period = 36_500 * 86_400_000;
  const kind = "fixed window";
  expect(describeLimit({ kind, rate: 10, period, start: 0 })).toBe("10 once");
});

test("a balance is rounded down", () => {
  expect([4.29, 3, -0.01, 2.999_999_9].map(formatBalance)).toEqual([
    "4.2",
    "3",
    "−0.1",
    "3",
  ]);
});

test.each([
  [10, [0, 2, 4, 6, 8, 10]],
  [1, [0, 0.2, 0.4, 0.6, 0.8, 1]],
  [100 / 7, [0, 5, 10, 15]],
  [216, [0, 50, 100, 150, 200, 250]],
  [0, [0, 1]],
])("the axis of amounts up to %d has ticks at %j", (most, ticks) => {
  const rounded = amountTicks(most).map((tick) => Math.round(tick * 10) / 10);
  expect(rounded).toEqual(ticks);
});

test.each<[span: number, ticks: number, step: number]>([
  [45_000, 6, 10_000],
  [90_000, 6, 15_000],
  [2_160_000, 6, 600_000],
  [194_400_000, 6, 43_200_000],
  [6_048_000_000, 6, 1_728_000_000],
  [225, 6, 50],
])("%d ms with about %d ticks have one every %d ms", (span, ticks, step) => {
  expect(timeStep(span, ticks)).toBe(step);
});
