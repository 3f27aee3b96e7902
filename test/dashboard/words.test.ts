import type { CalendarPeriod } from "convex-rate-limiter";
import { expect, test } from "vitest";
import { amountTicks, timeStep } from "../../dashboard/page/ticks.js";
import { balance, duration, meaning } from "../../dashboard/page/words.js";

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
  expect(duration(ms)).toBe(text);
});

test.each<
  [start: Date, period: CalendarPeriod, timeZone: string, text: string]
>([
  [
    new Date("2026-03-17T18:03:00Z"),
    "month",
    "America/New_York",
    "a month of America/New_York, from the 17th at 14:03 on",
  ],
  [
    new Date("2026-01-31T00:00:30Z"),
    "month",
    "UTC",
    "a month of UTC, from the 31st or the last day at 00:00:30 on",
  ],
  [
    new Date("2026-03-02T08:00:00Z"),
    "week",
    "Europe/Berlin",
    "a week of Europe/Berlin, from Monday at 09:00 on",
  ],
  [
    new Date("2026-03-22T20:00:00Z"),
    "day",
    "Asia/Kolkata",
    "a day of Asia/Kolkata, from 01:30 on",
  ],
  [
    new Date("2024-02-29T12:00:00Z"),
    "year",
    "UTC",
    "a calendar year of UTC, from 29 February or the last day at 12:00 on",
  ],
  [
    new Date("2024-03-29T12:00:00Z"),
    "year",
    "UTC",
    "a calendar year of UTC, from 29 March at 12:00 on",
  ],
  [
    new Date("2026-03-13T12:00:00Z"),
    "month",
    "Nowhere/Known",
    "a month of Nowhere/Known, from a time of its own on",
  ],
])(
  "windows that start at %j are told: a %s of %s",
  (start, period, timeZone, text) => {
    const words = meaning({
      kind: "fixed window",
      rate: 100,
      period,
      timeZone,
      start: start.getTime(),
    });
    expect(words).toBe(`100 ${text}, all at the start, for each key`);
  },
);

test("a balance is rounded down", () => {
  expect([4.29, 3, -0.01, 2.999_999_9].map(balance)).toEqual([
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

test.each([
  [45_000, 6, 10_000],
  [90_000, 6, 15_000],
  [2_160_000, 6, 600_000],
  [194_400_000, 6, 43_200_000],
  [6_048_000_000, 6, 1_728_000_000],
  [225, 6, 50],
])("%d ms with about %d ticks have one every %d ms", (span, ticks, step) => {
  expect(timeStep(span, ticks)).toBe(step);
});
