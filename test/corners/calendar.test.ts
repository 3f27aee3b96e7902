import {
  calculateRateLimit,
  type CalendarPeriod,
  type CalendarWindowConfig,
  type Weekday,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";
import { startApp, useStillClock, type App } from "./app.js";

useStillClock();

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const weekdays: Weekday[] = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
];

/** A zone, and a time about which its clocks change in an unusual way. */
const places = [
  ["UTC", "2026-02-27"],
  ["Europe/Berlin", "2026-03-27"],
  ["Europe/Berlin", "2026-10-23"],
  // Midnight is left out.
  ["America/Havana", "2026-03-06"],
  ["Asia/Beirut", "2026-03-27"],
  ["Africa/Cairo", "2026-04-22"],
  // Midnight is there twice.
  ["America/Havana", "2026-10-30"],
  ["Africa/Cairo", "2026-10-28"],
  // A date is left out.
  ["Pacific/Apia", "2011-12-28"],
  // Half hours, and a change by half an hour.
  ["Asia/Kolkata", "2026-12-30"],
  ["Australia/Lord_Howe", "2026-04-03"],
] as const;

type Place = (typeof places)[number];

/** The first half hour of each local date, found by going through all of them. */
function naiveDates(timeZone: string, from: number, days: number) {
  const format = new Intl.DateTimeFormat("en-CA", {
    timeZone,
    dateStyle: "short",
  });
  const dates: { date: string; start: number }[] = [];
  let last = "";
  for (let time = from; time < from + days * DAY; time += 30 * MINUTE) {
    const date = format.format(time);
    if (date > last) dates.push({ date, start: time });
    if (date > last) last = date;
  }
  return dates.slice(1);
}

const datesOf = new Map<string, ReturnType<typeof naiveDates>>();

/** When the windows of a config start in the years about a place's time. */
function naiveStarts(
  [timeZone, near]: Place,
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

/** A limit that goes through all starts of windows. */
class Naive {
  private value: number;
  private time = -Infinity;

  constructor(
    private readonly starts: number[],
    private readonly rate: number,
    private readonly capacity: number,
    private readonly maxReserved: number,
  ) {
    this.value = capacity;
  }

  balance(now: number): number {
    const passed = this.starts.filter(
      (start) => start > this.time && start <= now,
    ).length;
    return Math.min(this.value + passed * this.rate, this.capacity);
  }

  /** ms until there are so many tokens. */
  wait(count: number, now: number): number | undefined {
    if (this.balance(now) >= count) return undefined;
    const start = this.starts.find(
      (time) => time > now && this.balance(time) >= count,
    );
    return start! - now;
  }

  put(value: number, now: number): void {
    this.value = Math.min(value, this.capacity);
    this.time = Math.max(this.time, now);
  }

  ask(count: number, reserve: boolean, now: number) {
    const left = this.balance(now) - count;
    if (left < 0 && !(reserve && -left <= this.maxReserved)) {
      return { ok: false, retryAfter: this.wait(count, now)! };
    }
    const retryAfter = this.wait(count, now);
    this.put(left, now);
    return { ok: true, ...(retryAfter !== undefined && { retryAfter }) };
  }
}

type Step = {
  verb: "limit" | "check" | "reserve" | "charge" | "credit" | "move";
  count: number;
  move: { windows: number; by: number };
};

const aStep: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom(
    "limit",
    "limit",
    "reserve",
    "check",
    "charge",
    "credit",
    "move",
    "move",
  ),
  count: fc.integer({ min: 1, max: 24 }).map((n) => n / 4),
  move: fc.record({
    windows: fc.constantFrom(-1, 0, 1, 1, 2, 3),
    by: fc.constantFrom(-1, 0, 1, 60 * MINUTE, -60 * MINUTE, 7 * 60 * MINUTE),
  }),
});

const aLimit = fc.record({
  place: fc.constantFrom(...places),
  period: fc.constantFrom<CalendarPeriod>("day", "day", "week", "month"),
  weekStart: fc.constantFrom(...weekdays),
  given: fc.constantFrom(1, 2, 4),
  capacity: fc.constantFrom(6, 8, 10),
  maxReserved: fc.constantFrom(0, 5, 20),
});

/** Each way to ask says the same as the model, of now and of later. */
async function expectAgreement(
  app: App,
  naive: Naive,
  {
    config,
    starts,
    count,
  }: { config: CalendarWindowConfig; starts: number[]; count: number },
) {
  const now = Date.now();
  const told = await app.getValue("api");
  const hook = createCheck(told, 0, () => now);
  const next = starts.filter((start) => start > now);
  for (const time of [now, next[0]! - 1, next[0]!, next[2]!, next[6]! + 5]) {
    const value = naive.balance(time) - count;
    const retryAfter = naive.wait(count, time);
    for (const shown of [told.config, config]) {
      expect(calculateRateLimit(told, shown, time, count)).toMatchObject({
        value,
        retryAfter,
      });
    }
    expect(hook(time, count)).toMatchObject({ value, ok: value >= 0 });
    expect(rateLimitAt(hook, count, time).value.status?.retryAt).toBe(
      retryAfter && time + retryAfter,
    );
  }
  const full = naive.wait(config.capacity!, now);
  expect(await app.details("api")).toMatchObject({
    remaining: Math.max(0, Math.floor(naive.balance(now))),
    resetAfter: full ?? 0,
  });
}

describe.each([
  ["on one row", {}],
  ["on two rows", { shards: 2 }],
  ["asynchronously", { applyUpdates: "asynchronously" }],
] as [string, Partial<CalendarWindowConfig>][])("%s", (_, more) => {
  test("whatever is done and however the clock goes, each answer is that of going through the windows", async () => {
    await fc.assert(
      fc.asyncProperty(
        aLimit,
        fc.array(aStep, { minLength: 4, maxLength: 12 }),
        async (
          { place, period, weekStart, given, capacity, maxReserved },
          steps,
        ) => {
          const starts = naiveStarts(place, period, weekStart);
          // What rows hold above their part of the capacity is lost, so that a limit that is
          // split may refill more slowly, unless a window fills it.
          const isSplit = more.shards !== undefined;
          const rate = isSplit ? capacity : given;
          const config: CalendarWindowConfig = {
            kind: "fixed window",
            rate,
            period,
            timeZone: place[0],
            ...(period === "week" && { weekStart }),
            capacity,
            maxReserved,
            ...more,
          };
          vi.setSystemTime(Date.parse(place[1]) + 12 * 60 * MINUTE);
          const app = startApp({ api: config });
          const naive = new Naive(starts, rate, capacity, maxReserved);
          for (const { verb, count, move } of steps) {
            const now = Date.now();
            if (verb === "move") {
              const i = starts.findLastIndex((start) => start <= now);
              const to = starts[i + move.windows]! + move.by;
              // One row of two does not know at what time the other was written.
              vi.setSystemTime(isSplit ? Math.max(now, to) : to);
            } else if (verb === "charge") {
              await app.charge("api", { count });
              naive.put(naive.balance(now) - count, now);
            } else if (verb === "credit") {
              await app.credit("api", { count });
              naive.put(naive.balance(now) + count, now);
            } else if (verb === "check") {
              const wait = naive.wait(count, now);
              const answer = await app.check("api", { count });
              expect(answer.retryAfter).toBe(wait);
            } else {
              const reserve = verb === "reserve";
              const answer = await app.limit("api", { count, reserve });
              expect(answer).toEqual(naive.ask(count, reserve, now));
            }
            await expectAgreement(app, naive, { config, starts, count });
          }
        },
      ),
      { numRuns: 12 * Number(process.env.FC_TIMES ?? 1) },
    );
  }, 60_000);
});
