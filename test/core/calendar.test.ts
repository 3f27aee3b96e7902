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

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const at = (text: string) => Date.parse(text);

/** When windows start: that of a time, and the ones after it. */
function startsFrom(
  from: string,
  n: number,
  period: CalendarPeriod,
  timeZone: string,
  more: { weekStart?: Weekday; start?: number } = {},
): string[] {
  const { startAt, when } = calendarRefill({ period, timeZone, ...more });
  const start = startAt(at(from));
  return Array.from({ length: n }, (_, i) =>
    new Date(when(start, i, 1)).toISOString().replace(":00.000Z", "Z"),
  );
}

test.each([
  ["none are there at once", 0, "01T00:00"],
  ["the next then", 5, "02T12:00"],
  ["one more when a whole window is behind", 6, "04T00:00"],
])("where the next arrival is settled, %s", (_claim, tokens, expected) => {
  const { when } = calendarRefill({ period: "day" });
  const nextAt = at("2026-01-02T12:00Z");
  const then = when(at("2026-01-01T00:00Z"), tokens, 5, nextAt);
  expect(then).toBe(at(`2026-01-${expected}Z`));
});

describe("a window begins at the first instant of its local date:", () => {
  test.each([
    [
      "months have 28 to 31 days, in UTC",
      ["2026-01-31T12:00Z", 4, "month", "UTC"],
      [
        "2026-01-01T00:00Z",
        "2026-02-01T00:00Z",
        "2026-03-01T00:00Z",
        "2026-04-01T00:00Z",
      ],
    ],
    [
      "a month is of its zone, over a change of the clocks",
      ["2026-03-31T21:59:59Z", 2, "month", "Europe/Berlin"],
      ["2026-02-28T23:00Z", "2026-03-31T22:00Z"],
    ],
    [
      "a day of 23 hours",
      ["2026-03-29T12:00Z", 2, "day", "Europe/Berlin"],
      ["2026-03-28T23:00Z", "2026-03-29T22:00Z"],
    ],
    [
      "a midnight that does not exist, after which the day begins at 01:00",
      ["2018-11-03T12:00Z", 3, "day", "America/Sao_Paulo"],
      ["2018-11-03T03:00Z", "2018-11-04T03:00Z", "2018-11-05T02:00Z"],
    ],
    [
      "a midnight that is there twice begins the day once",
      ["2018-02-17T12:00Z", 2, "day", "America/Sao_Paulo"],
      ["2018-02-17T02:00Z", "2018-02-18T03:00Z"],
    ],
    [
      "clocks that go back from 01:00 to midnight",
      ["2025-11-01T12:00Z", 3, "day", "America/Havana"],
      ["2025-11-01T04:00Z", "2025-11-02T04:00Z", "2025-11-03T05:00Z"],
    ],
    [
      "a date that a zone left out is no window",
      ["2011-12-29T12:00Z", 3, "day", "Pacific/Apia"],
      ["2011-12-29T10:00Z", "2011-12-30T10:00Z", "2011-12-31T10:00Z"],
    ],
    [
      "weeks begin on Monday",
      ["2026-01-04T23:59Z", 2, "week", "UTC"],
      ["2025-12-29T00:00Z", "2026-01-05T00:00Z"],
    ],
    [
      "or on the day that is said",
      ["2026-01-04T23:59Z", 2, "week", "UTC", { weekStart: "sunday" }],
      ["2026-01-04T00:00Z", "2026-01-11T00:00Z"],
    ],
  ] as [string, Parameters<typeof startsFrom>, string[]][])(
    "%s",
    (_, asked, starts) => {
      expect(startsFrom(...asked)).toEqual(starts);
    },
  );
});

describe("windows from a start keep its local time:", () => {
  test.each([
    [
      "Monday at nine, over a change of the clocks",
      ["2026-03-02T14:00Z", 3, "week", "America/New_York"],
      ["2026-03-02T14:00Z", "2026-03-09T13:00Z", "2026-03-16T13:00Z"],
    ],
    [
      "a month without the day ends with its last, and the next has it again",
      ["2026-01-31T12:00Z", 4, "month", "UTC"],
      [
        "2026-01-31T12:00Z",
        "2026-02-28T12:00Z",
        "2026-03-31T12:00Z",
        "2026-04-30T12:00Z",
      ],
    ],
    [
      "29 February comes back after four years",
      ["2024-02-29T12:00Z", 5, "year", "UTC"],
      [
        "2024-02-29T12:00Z",
        "2025-02-28T12:00Z",
        "2026-02-28T12:00Z",
        "2027-02-28T12:00Z",
        "2028-02-29T12:00Z",
      ],
    ],
    [
      "one that is left out is the first instant after it",
      ["2026-03-28T01:30Z", 3, "day", "Europe/Berlin"],
      ["2026-03-28T01:30Z", "2026-03-29T01:00Z", "2026-03-30T00:30Z"],
    ],
    [
      "of one that comes twice the first counts",
      ["2026-10-24T00:30Z", 3, "day", "Europe/Berlin"],
      ["2026-10-24T00:30Z", "2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "also if the start is the second",
      ["2026-10-25T01:30Z", 2, "day", "Europe/Berlin"],
      ["2026-10-25T00:30Z", "2026-10-26T01:30Z"],
    ],
    [
      "a date that the zone left out has no window: a day,",
      ["2011-12-28T19:00Z", 3, "day", "Pacific/Apia"],
      ["2011-12-28T19:00Z", "2011-12-29T19:00Z", "2011-12-30T19:00Z"],
    ],
    [
      "a week,",
      ["2011-12-23T19:00Z", 2, "week", "Pacific/Apia"],
      ["2011-12-23T19:00Z", "2012-01-05T19:00Z"],
    ],
    [
      "a month,",
      ["2011-11-30T19:00Z", 2, "month", "Pacific/Apia"],
      ["2011-11-30T19:00Z", "2012-01-29T19:00Z"],
    ],
    [
      "a window of another date is not moved by it",
      ["2011-12-05T19:00Z", 2, "month", "Pacific/Apia"],
      ["2011-12-05T19:00Z", "2012-01-04T19:00Z"],
    ],
  ] as [string, [string, number, CalendarPeriod, string], string[]][])(
    "%s",
    (_, asked, starts) => {
      expect(startsFrom(...asked, { start: at(asked[0]) })).toEqual(starts);
    },
  );
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

test("in every zone, from 1900 to 2200, windows are those of going through the changes of the clocks", () => {
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
        const first = naive[0]!;
        const { startAt, between, when } = calendarRefill(windows);
        expect(naive.map((_, i) => when(first, 2 * i - 0.5, 2))).toEqual(naive);
        for (const [i, time] of naive.entries()) {
          expect(startAt(time)).toBe(time);
          expect(startAt(time - 1)).toBeLessThan(time);
          expect(between(first, time, 2)).toEqual({ tokens: 2 * i, ts: time });
        }
      },
    ),
    runs(200),
  );
}, 60_000);

test("a date that is there twice is one window", () => {
  // Kwajalein went through most of 30 September 1969 again.
  const { startAt, when } = calendarRefill({
    period: "day",
    timeZone: "Pacific/Kwajalein",
  });
  const first = startAt(at("1969-09-28T20:00Z"));
  const starts = [0, 1, 2, 3].map((n) => new Date(when(first, n, 1)));
  expect(starts.map((time) => time.toISOString().slice(0, 13))).toEqual([
    "1969-09-28T13",
    "1969-09-29T13",
    "1969-10-01T12",
    "1969-10-02T12",
  ]);
});

test.each([
  ["year", "Europe/Berlin"],
  ["day", "Pacific/Apia"],
] as const)(
  "a %s far beyond all calendars is never, and not an error",
  (period, timeZone) => {
    const { when, between, startAt } = calendarRefill({ period, timeZone });
    const start = startAt(0);
    expect(when(start, 1e9, 1)).toBe(Number.MAX_SAFE_INTEGER);
    expect(between(start, Number.MAX_SAFE_INTEGER, 1).tokens).toBeGreaterThan(
      270_000,
    );
  },
);

test.each([
  ["UTC", true],
  ["Europe/Berlin", true],
  ["America/Argentina/Buenos_Aires", true],
  ["Etc/GMT+5", true],
  ["Europe/Nowhere", false],
  ["+01:00", false],
  ["-05:00", false],
  ["", false],
  [undefined, false],
  [1, false],
  [null, false],
])("whether %s is a zone: %s", (name, expected) => {
  expect(isZone(name)).toBe(expected);
});

test("however many windows were looked at, each is still right", () => {
  const { startAt, when } = calendarRefill({
    period: "day",
    timeZone: "Asia/Tokyo",
  });
  const first = at("2026-01-01T15:00Z");
  for (let day = 0; day < 3000; day++) {
    expect(when(first, day, 1)).toBe(first + day * DAY);
  }
  expect(startAt(first)).toBe(first);
  expect(startAt(first - 1)).toBe(first - DAY);
});

test("however many starts there are, each has its own windows", () => {
  const noon = at("2026-01-31T12:00Z");
  for (let ms = 0; ms < 300; ms++) {
    const { startAt } = calendarRefill({ period: "month", start: noon + ms });
    expect(startAt(at("2026-03-01T00:00Z"))).toBe(at("2026-02-28T12:00Z") + ms);
  }
});

test.each([FIRST_CALENDAR_MS, -1.5, 0, LAST_CALENDAR_MS])(
  "a start may be at %d",
  (start) => {
    const { startAt, when } = calendarRefill({ period: "month", start });
    const now = at("2026-03-01T00:00Z");
    expect(startAt(now)).toBeLessThanOrEqual(now);
    expect(when(startAt(now), 1, 1)).toBeGreaterThan(now);
  },
);

test("a window is looked up once", () => {
  const asked = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts");
  const { startAt } = calendarRefill({
    period: "month",
    timeZone: "Asia/Dhaka",
  });
  const now = at("2026-05-05T00:00Z");
  startAt(startAt(now));
  const calls = asked.mock.calls.length;
  expect(calls).toBeLessThan(10);
  for (let i = 0; i < 100; i++) {
    const again = calendarRefill({ period: "month", timeZone: "Asia/Dhaka" });
    again.between(startAt(now), now + i, 1);
  }
  expect(asked.mock.calls.length).toBe(calls);
  asked.mockRestore();
});

test("a calendar that was made while timers are faked begins at the epoch, too", () => {
  vi.useFakeTimers({ now: at("2026-05-05T00:00Z") });
  // No other test has made one of this zone.
  const { startAt, when } = calendarRefill({
    period: "day",
    timeZone: "Etc/Zulu",
  });
  expect([startAt(5), when(0, 1, 1)]).toEqual([0, DAY]);
  vi.useRealTimers();
});

test("nothing arrives by a clock that went back", () => {
  const { between, when } = calendarRefill({ period: "day" });
  const start = at("2026-05-05T00:00Z");
  expect(between(start, start - 3 * DAY, 2)).toEqual({ tokens: 0, ts: start });
  expect(when(start, 0, 2)).toBe(start);
});
