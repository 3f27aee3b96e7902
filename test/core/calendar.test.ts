import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { naiveStart, offsetAt } from "../support/naiveCalendar.js";
import {
  calendarRefill,
  FIRST_CALENDAR_MS,
  isZone,
  LAST_CALENDAR_MS,
  type CalendarPeriod,
  type Weekday,
} from "../../src/core/calendar.js";
import { runs } from "../support/seed.js";
import { table } from "../support/table.js";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

type CalendarWindows = Parameters<typeof calendarRefill>[0];

const at = (text: string) => Date.parse(text);

/** Expects the window that a time is in, and those after it, to start at these times. */
function expectStarts(from: string, starts: string, windows: object): void {
  const { startAt, when } = calendarRefill(windows as CalendarWindows);
  const ts = startAt(at(from));
  for (const [i, start] of starts.split(" ").entries()) {
    expect(new Date(when({ ts }, i, 1))).toEqual(new Date(start));
  }
}

test.each([
  ["0 tokens are there at once", 0, "01T00:00"],
  ["the tokens of one window come then", 5, "02T12:00"],
  ["one more token comes after a whole window", 6, "04T00:00"],
])("if a row stores nextAt, %s", (_claim, tokens, expected) => {
  const { when } = calendarRefill({ period: "day" });
  const nextAt = at("2026-01-02T12:00Z");
  const then = when({ ts: at("2026-01-01T00:00Z"), nextAt }, tokens, 5);
  expect(then).toBe(at(`2026-01-${expected}Z`));
});

describe("a window begins at the first instant of its local date:", () => {
  test.each(
    table(`
      months have 28 to 31 days, in UTC               | month | UTC               | 2026-01-31T12:00Z    | 2026-01-01T00:00Z 2026-02-01T00:00Z 2026-03-01T00:00Z 2026-04-01T00:00Z
      a month over a change of the clocks             | month | Europe/Berlin     | 2026-03-31T21:59:59Z | 2026-02-28T23:00Z 2026-03-31T22:00Z
      a day of 23 hours                               | day   | Europe/Berlin     | 2026-03-29T12:00Z    | 2026-03-28T23:00Z 2026-03-29T22:00Z
      a day without a midnight, which begins at 01:00 | day   | America/Sao_Paulo | 2018-11-03T12:00Z    | 2018-11-03T03:00Z 2018-11-04T03:00Z 2018-11-05T02:00Z
      a midnight that comes twice begins one day      | day   | America/Sao_Paulo | 2018-02-17T12:00Z    | 2018-02-17T02:00Z 2018-02-18T03:00Z
      clocks that go back from 01:00 to midnight      | day   | America/Havana    | 2025-11-01T12:00Z    | 2025-11-01T04:00Z 2025-11-02T04:00Z 2025-11-03T05:00Z
      a date that a zone skipped has no window        | day   | Pacific/Apia      | 2011-12-29T12:00Z    | 2011-12-29T10:00Z 2011-12-30T10:00Z 2011-12-31T10:00Z
      a date that comes twice is one window           | day   | Pacific/Kwajalein | 1969-09-28T20:00Z    | 1969-09-28T13:00Z 1969-09-29T13:00Z 1969-10-01T12:00Z 1969-10-02T12:00Z
      weeks begin on Monday by default                | week  | UTC               | 2026-01-04T23:59Z    | 2025-12-29T00:00Z 2026-01-05T00:00Z
    `),
  )("%s", (_, period, timeZone, from, starts) => {
    expectStarts(from, starts, { period, timeZone });
  });

  test("weeks begin on the day that weekStart says", () => {
    const windows = { period: "week", timeZone: "UTC", weekStart: "sunday" };
    const starts = "2026-01-04T00:00Z 2026-01-11T00:00Z";
    expectStarts("2026-01-04T23:59Z", starts, windows);
  });
});

describe("windows with a start keep its local time:", () => {
  test.each(
    table(`
      Monday at nine, over a change of the clocks                    | week  | America/New_York | 2026-03-02T14:00Z | 2026-03-02T14:00Z 2026-03-09T13:00Z 2026-03-16T13:00Z
      a start on the 31st is the last day of a shorter month         | month | UTC              | 2026-01-31T12:00Z | 2026-01-31T12:00Z 2026-02-28T12:00Z 2026-03-31T12:00Z 2026-04-30T12:00Z
      a start on 29 February comes back after four years             | year  | UTC              | 2024-02-29T12:00Z | 2024-02-29T12:00Z 2025-02-28T12:00Z 2026-02-28T12:00Z 2027-02-28T12:00Z 2028-02-29T12:00Z
      a time that the clocks skip becomes the first instant after it | day   | Europe/Berlin    | 2026-03-28T01:30Z | 2026-03-28T01:30Z 2026-03-29T01:00Z 2026-03-30T00:30Z
      a time that comes twice counts the first time                  | day   | Europe/Berlin    | 2026-10-24T00:30Z | 2026-10-24T00:30Z 2026-10-25T00:30Z 2026-10-26T01:30Z
      a start at the second of two equal times counts at the first   | day   | Europe/Berlin    | 2026-10-25T01:30Z | 2026-10-25T00:30Z 2026-10-26T01:30Z
      a date that the zone skipped has no daily window               | day   | Pacific/Apia     | 2011-12-28T19:00Z | 2011-12-28T19:00Z 2011-12-29T19:00Z 2011-12-30T19:00Z
      a date that the zone skipped has no weekly window              | week  | Pacific/Apia     | 2011-12-23T19:00Z | 2011-12-23T19:00Z 2012-01-05T19:00Z
      a date that the zone skipped has no monthly window             | month | Pacific/Apia     | 2011-11-30T19:00Z | 2011-11-30T19:00Z 2012-01-29T19:00Z
      a skipped date does not move windows of other dates            | month | Pacific/Apia     | 2011-12-05T19:00Z | 2011-12-05T19:00Z 2012-01-04T19:00Z
    `),
  )("%s", (_, period, timeZone, from, starts) => {
    expectStarts(from, starts, { period, timeZone, start: at(from) });
  });
});

/** When the clocks of a zone change next after a time, if they do within a year. */
function changeAfter(timeZone: string, from: number): number | undefined {
  const offset = (time: number) => offsetAt(timeZone, time);
  const ahead = offset(from);
  let [last, to] = [from, from];
  while (offset(to) === ahead) {
    if (to > from + 366 * DAY) return undefined;
    [last, to] = [to, to + 10 * DAY];
  }
  while (to - last > 1000) {
    const middle = last + Math.floor((to - last) / 2000) * 1000;
    if (offset(middle) === ahead) last = middle;
    else to = middle;
  }
  return to;
}

// `naiveStart` walks through the zone's offsets to find one window. It knows no numbers of windows,
// and nothing of what a row has stored.
test("in every zone, from 1900 to 2200, windows start where a naive search finds them", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...Intl.supportedValuesOf("timeZone")),
      fc.constantFrom<CalendarPeriod>("day", "week", "month", "year"),
      fc.constantFrom<Weekday | undefined>(undefined, "monday", "saturday"),
      fc.integer({ min: Date.UTC(1901, 0), max: Date.UTC(2190, 0) }),
      fc.constantFrom(MINUTE, HOUR, 30 * HOUR),
      fc.double({ min: -1, max: 1, noNaN: true }),
      fc.integer({ min: -3, max: 3 }),
      (timeZone, period, weekStart, some, distance, by, n) => {
        const from = Math.floor(some / 1000) * 1000;
        const change = changeAfter(timeZone, from) ?? from;
        // Another window is near the change.
        const near = new Date(change + Math.round(by * distance));
        if (period === "day") near.setUTCDate(near.getUTCDate() - n);
        if (period === "week") near.setUTCDate(near.getUTCDate() - 7 * n);
        if (period === "month") near.setUTCMonth(near.getUTCMonth() - n);
        if (period === "year") near.setUTCFullYear(near.getUTCFullYear() - n);
        const time = near.getTime();
        // Those that have a start begin on its day.
        const begins =
          weekStart === undefined ? { start: time } : { weekStart };
        const windows = { timeZone, period, ...begins };
        const naive = [-4, -3, -2, -1, 0, 1, 2, 3, 4]
          .map((i) => naiveStart(windows, time, i))
          .filter((time, i, all) => time !== undefined && time !== all[i - 1])
          .map((time) => time!);
        const first = { ts: naive[0]! };
        const { startAt, between, when } = calendarRefill(windows);
        expect(naive.map((_, i) => when(first, 2 * i - 0.5, 2))).toEqual(naive);
        for (const [i, time] of naive.entries()) {
          expect(startAt(time)).toBe(time);
          expect(startAt(time - 1)).toBeLessThan(time);
          expect(between(first, time, 2)).toEqual({ tokens: 2 * i, ts: time });
        }
      },
    ),
    runs(60),
  );
}, 60_000);

test.each([
  ["year", "Europe/Berlin"],
  ["day", "Pacific/Apia"],
] as const)(
  "a %s after the last date in %s never begins",
  (period, timeZone) => {
    const { when, between, startAt } = calendarRefill({ period, timeZone });
    const start = { ts: startAt(0) };
    expect(when(start, 1e9, 1)).toBe(Number.MAX_SAFE_INTEGER);
    expect(between(start, Number.MAX_SAFE_INTEGER, 1).tokens).toBeGreaterThan(
      270_000,
    );
  },
);

test.each([
  "UTC",
  "Europe/Berlin",
  "America/Argentina/Buenos_Aires",
  "Etc/GMT+5",
])("%s is a zone", (name) => expect(isZone(name)).toBe(true));

test.each(["Europe/Nowhere", "+01:00", "-05:00", "", undefined, 1, null])(
  "%j is no zone",
  (name) => expect(isZone(name)).toBe(false),
);

test("windows are right after 3,000 others were computed", () => {
  const { startAt, when } = calendarRefill({
    period: "day",
    timeZone: "Asia/Tokyo",
  });
  const first = at("2026-01-01T15:00Z");
  for (let day = 0; day < 3000; day++) {
    expect(when({ ts: first }, day, 1)).toBe(first + day * DAY);
  }
  expect(startAt(first)).toBe(first);
  expect(startAt(first - 1)).toBe(first - DAY);
});

test("each of 300 starts has windows of its own", () => {
  const noon = at("2026-01-31T12:00Z");
  for (let ms = 0; ms < 300; ms++) {
    const { startAt } = calendarRefill({ period: "month", start: noon + ms });
    expect(startAt(at("2026-03-01T00:00Z"))).toBe(at("2026-02-28T12:00Z") + ms);
  }
});

test.each([FIRST_CALENDAR_MS, -1.5, 0, LAST_CALENDAR_MS])(
  "a start may be %d",
  (start) => {
    const { startAt, when } = calendarRefill({ period: "month", start });
    const now = at("2026-03-01T00:00Z");
    expect(startAt(now)).toBeLessThanOrEqual(now);
    expect(when({ ts: startAt(now) }, 1, 1)).toBeGreaterThan(now);
  },
);

test("a time zone is queried once for each window", () => {
  const queried = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts");
  const { startAt } = calendarRefill({
    period: "month",
    timeZone: "Asia/Dhaka",
  });
  const now = at("2026-05-05T00:00Z");
  startAt(startAt(now));
  const calls = queried.mock.calls.length;
  expect(calls).toBeLessThan(10);
  for (let i = 0; i < 100; i++) {
    const again = calendarRefill({ period: "month", timeZone: "Asia/Dhaka" });
    again.between({ ts: startAt(now) }, now + i, 1);
  }
  expect(queried.mock.calls.length).toBe(calls);
  queried.mockRestore();
});

test("a calendar made under fake timers works at the epoch", () => {
  vi.useFakeTimers({ now: at("2026-05-05T00:00Z") });
  // No other test has made one of this zone.
  const { startAt, when } = calendarRefill({
    period: "day",
    timeZone: "Etc/Zulu",
  });
  expect([startAt(5), when({ ts: 0 }, 1, 1)]).toEqual([0, DAY]);
  vi.useRealTimers();
});
