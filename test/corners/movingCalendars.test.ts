import {
  calculateRateLimit,
  DAY,
  HOUR,
  type CalendarPeriod,
  type CalendarWindowConfig,
  type RefillingConfig,
  type Weekday,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import type { State } from "../../src/core/bucket.js";
import { optional } from "../arbitraries.js";
import { useStillClock } from "../host.js";
import {
  agreedBalance,
  balanceOf,
  deployed,
  expectExactWait,
  runVacuum,
  startApp,
  type App,
} from "./app.js";
import { naiveStarts, weekdays } from "./naiveCalendar.js";
import { runs } from "../seed.js";

useStillClock();

const at = (text: string) => Date.parse(text);

const ten = { kind: "fixed window", rate: 10 } as const;

/** From the one in which a date begins first to the one in which it begins last. */
const zonesGoingWest = Array.from({ length: 27 }, (_, i) => {
  const east = 14 - i;
  if (east === 0) return "Etc/GMT";
  return `Etc/GMT${east > 0 ? "-" : "+"}${Math.abs(east)}`;
});

const modes: [string, Partial<CalendarWindowConfig>][] = [
  ["in a row", {}],
  ["in two rows", { shards: 2 }],
  ["asynchronously", { applyUpdates: "asynchronously" }],
];

/** Takes all that there is, and says how much that was. */
async function takeAll(app: App): Promise<number> {
  const balance = Math.floor(await balanceOf(app, "api"));
  if (balance > 0) {
    expect(await app.limit("api", { count: balance })).toEqual({ ok: true });
  }
  expect(await app.check("api")).toMatchObject({ ok: false });
  return balance;
}

describe.each(modes)("%s", (_, mode) => {
  test("27 zones on their way west grant no more than one", async () => {
    vi.setSystemTime(at("2026-03-15T12:00Z"));
    let app = startApp({});
    let granted = 0;
    for (const timeZone of zonesGoingWest) {
      const api = { ...ten, period: "month", timeZone, ...mode } as const;
      app = deployed(app.t, { api });
      granted += await takeAll(app);
    }
    expect(granted).toBe(10);
  });

  test("where the month begins in one zone after the other, it begins once", async () => {
    const april = at("2026-03-31T10:00Z");
    vi.setSystemTime(april - DAY);
    let app = startApp({});
    let granted = 0;
    for (const [i, timeZone] of ["UTC", ...zonesGoingWest].entries()) {
      if (i > 0) vi.setSystemTime(april + (i - 1) * HOUR + 1);
      const api = { ...ten, period: "month", timeZone, ...mode } as const;
      app = deployed(app.t, { api });
      granted += await takeAll(app);
    }
    // One month of a zone has wholly passed.
    expect(granted).toBe(20);
  });

  test("a zone further west each day grants no more than one a day", async () => {
    const now = at("2026-03-15T10:00Z") + 1;
    vi.setSystemTime(now);
    let app = startApp({});
    const week = zonesGoingWest.slice(0, 8);
    let granted = 0;
    for (const [day, timeZone] of week.entries()) {
      // Its day begins in an hour: what is full now is used, and is there again?
      for (const time of [now + day * DAY, now + day * DAY + 2 * HOUR]) {
        vi.setSystemTime(time);
        const zone = zonesGoingWest[week.indexOf(timeZone) + 1]!;
        const api = {
          ...ten,
          period: "day",
          timeZone: zone,
          ...mode,
        } as const;
        app = deployed(app.t, { api });
        await runVacuum(app);
        granted += await takeAll(app);
      }
    }
    expect(granted).toBeLessThanOrEqual(10 * (1 + 8));
  });

  test("seven first days of the week grant no more than one", async () => {
    vi.setSystemTime(at("2026-03-14T12:00Z"));
    let app = startApp({});
    let granted = 0;
    for (const weekStart of weekdays) {
      const api = { ...ten, period: "week", weekStart, ...mode } as const;
      app = deployed(app.t, { api });
      granted += await takeAll(app);
    }
    expect(granted).toBe(10);
  });

  test("a key that plain windows have filled starts in the running one of a calendar, and gains no more", async () => {
    const noon = at("2026-03-15T12:00Z");
    const plain = { ...ten, period: DAY, start: noon, ...mode } as const;
    const ofUTC = { ...ten, period: "day", ...mode } as const;
    vi.setSystemTime(noon - 1);
    let app = startApp({ api: plain as never });
    let granted = await takeAll(app);
    vi.setSystemTime(noon);
    app = deployed(app.t, { api: ofUTC });
    granted += await takeAll(app);
    // The plain window that was to come ends 12 hours later than the one that counts.
    expect(await expectExactWait(() => app.check("api"))).toBe(12 * HOUR);
    granted += await takeAll(app);
    for (const api of [plain, ofUTC]) {
      app = deployed(app.t, { api: api as never });
      expect(await takeAll(app)).toBe(0);
    }
    expect(granted).toBe(10 + 10 + 10);
    expect(await expectExactWait(() => app.check("api"))).toBe(DAY);
  });

  test("what plain windows write forgets when a calendar's next tokens were to come", async () => {
    const noon = at("2026-03-15T12:00Z");
    const plain = { ...ten, period: DAY, start: 0, ...mode };
    const ofUTC = { ...ten, period: "day", ...mode };
    vi.setSystemTime(noon);
    let app = startApp({ api: ofUTC as never });
    expect(await takeAll(app)).toBe(10);
    vi.setSystemTime(noon + DAY);
    app = deployed(app.t, { api: plain as never });
    expect(await takeAll(app)).toBe(10);
    app = deployed(app.t, { api: ofUTC as never });
    expect(await takeAll(app)).toBe(0);
    expect(await expectExactWait(() => app.check("api"))).toBe(12 * HOUR);
  });

  const berlin = { ...ten, period: "day", timeZone: "Europe/Berlin" } as const;
  test.each([
    ["Berlin to UTC", berlin, { ...ten, period: "day" }],
    ["UTC to Berlin", { ...ten, period: "day" }, berlin],
    ["a plain day to one of Berlin", { ...ten, period: DAY, start: 0 }, berlin],
    [
      "a plain day of its own phase to one of UTC",
      { ...ten, period: DAY },
      { ...ten, period: "day" },
    ],
    ["a day of Berlin to a plain one", berlin, { ...ten, period: DAY }],
    [
      "a day to one from nine",
      berlin,
      { ...berlin, start: at("2026-01-01T08:00Z") },
    ],
    [
      "a day from nine to one",
      { ...berlin, start: at("2026-01-01T08:00Z") },
      berlin,
    ],
    [
      "a plain week to one from Sunday",
      { ...ten, period: 7 * DAY, start: 0 },
      { ...ten, period: "week", weekStart: "sunday" },
    ],
  ] as [string, RefillingConfig, RefillingConfig][])(
    "a deploy from %s refills no key that is in use, whichever day begins next",
    async (_, before, after) => {
      // A day begins in Berlin at 22:00.
      for (const hour of [0, 1, 21, 22, 23]) {
        const now = at("2026-05-12T00:00Z") + hour * HOUR;
        vi.setSystemTime(now);
        const old = startApp({ api: { ...before, ...mode } as never });
        await old.limit("api", { count: 8 });
        const wait = (await old.check("api", { count: 3 })).retryAfter!;
        const app = deployed(old.t, { api: { ...after, ...mode } as never });
        expect(await agreedBalance(app, "api")).toBe(2);
        const later = await expectExactWait(() =>
          app.check("api", { count: 3 }),
        );
        const window = typeof after.period === "number" ? after.period : DAY;
        const longest = after.period === "week" ? 7 * DAY : window;
        expect(later).toBeLessThanOrEqual(wait + longest);
        expect(await takeAll(app)).toBe(10);
      }
    },
  );
});

/** Times that are told by a calendar, and when its windows start. */
type Place = { config: CalendarWindowConfig; starts: readonly number[] };

/** The most windows that lie beside each other, of whichever places, between two times. */
function mostWindows(places: readonly Place[], from: number, to: number) {
  let n = 0;
  let time = from;
  for (;;) {
    const ends = places.map(({ starts }) => {
      const first = starts.findIndex((start) => start >= time);
      return starts[first + 1]!;
    });
    time = Math.min(...ends);
    if (time > to) return n;
    n += 1;
  }
}

const near = [
  ["2026-03-25", ["Europe/Berlin", "UTC", "America/Havana", "Asia/Kolkata"]],
  ["2026-10-22", ["Europe/Berlin", "Africa/Cairo", "Asia/Kathmandu", "UTC"]],
  [
    "2011-12-26",
    ["Pacific/Apia", "Pacific/Auckland", "Pacific/Honolulu", "UTC"],
  ],
  [
    "2026-04-01",
    ["Australia/Lord_Howe", "Australia/Darwin", "Pacific/Kiritimati"],
  ],
] as const;

const aJourney = fc.record({
  near: fc.constantFrom(...near),
  period: fc.constantFrom<CalendarPeriod>("day", "day", "week", "month"),
  capacity: fc.constantFrom(4, 4, 12),
  steps: fc.array(
    fc.record({
      place: fc.nat(3),
      weekStart: fc.constantFrom<Weekday>("monday", "sunday", "thursday"),
      startDay: optional(fc.integer({ min: -40, max: 40 })),
      windows: fc.constantFrom(0, 0.05, 0.2, 0.5, 0.9, 1, 1.1, 2, 3.3),
      verb: fc.constantFrom("all", "all", "some", "look", "charge", "back"),
      isSwept: fc.boolean(),
    }),
    { minLength: 4, maxLength: 10 },
  ),
});

const LENGTH = { day: DAY, week: 7 * DAY, month: 30 * DAY, year: 365 * DAY };

describe.each(modes)("%s", (_, mode) => {
  test("whoever moves between calendars gets no more than windows have passed, and waits one longer", async () => {
    await fc.assert(
      fc.asyncProperty(aJourney, async ({ near, period, capacity, steps }) => {
        const [date, zones] = near;
        const rate = 4;
        const placeOf = (step: (typeof steps)[number]): Place => {
          const timeZone = zones[step.place % zones.length]!;
          const weekStart = period === "week" ? step.weekStart : "monday";
          const { startDay } = step;
          const start =
            startDay === undefined
              ? undefined
              : at(date) + startDay * DAY + (startDay % 24) * HOUR;
          const place = [timeZone, date] as const;
          const starts = naiveStarts(place, period, weekStart, start);
          const windows = { rate, capacity, period, timeZone, start };
          const isWeek = period === "week" &&
            start === undefined && { weekStart };
          const kind = "fixed window";
          return { config: { kind, ...windows, ...isWeek, ...mode }, starts };
        };
        const places = steps.map(placeOf);
        let now = at(date) + 10 * HOUR;
        vi.setSystemTime(now);
        const { t } = startApp({});
        const [{ starts }] = places as [Place];
        const from = starts[starts.findLastIndex((start) => start <= now)]!;
        let granted = 0;
        let left: State = { value: capacity, ts: now };
        for (const [i, { windows, verb, isSwept }] of steps.entries()) {
          now += Math.round(windows * LENGTH[period]);
          const isBack = verb === "back" && now - left.ts > 3 * HOUR;
          vi.setSystemTime(isBack ? now - 3 * HOUR : now);
          const place = places[i]!;
          const app = deployed(t, { api: place.config });
          if (isSwept) await runVacuum(app);
          const balance = await balanceOf(app, "api");
          const passed = mostWindows([place], left.ts, Date.now());
          // The other of two rows may have been written in a calendar before.
          const fewest = mode.shards === undefined ? 0 : -1;
          const least = left.value + rate * Math.max(fewest, passed - 1);
          expect(balance).toBeGreaterThanOrEqual(Math.min(capacity, least));
          if (verb === "charge") await app.charge("api", { count: 3 });
          else if (verb !== "look") {
            const most = Math.max(0, Math.floor(balance));
            const count = verb === "some" ? Math.min(1, most) : most;
            if (count > 0) await app.limit("api", { count });
            granted += count;
          }
          const value = await agreedBalance(app, "api");
          const isWritten = verb === "charge" || value < balance;
          if (isWritten) left = { value, ts: Date.now() };
          const most = capacity + rate * mostWindows(places, from, now);
          expect(granted).toBeLessThanOrEqual(most);
          await expectToldRight(app, value);
        }
      }),
      runs(4),
    );
  }, 60_000);
});

/** What is told of the next token is what happens, for calls and for pages. */
async function expectToldRight(app: App, value: number): Promise<void> {
  const now = Date.now();
  const count = Math.max(0, Math.floor(value) + 1);
  const told = await app.getValue("api");
  if (count > told.config.capacity!) return;
  const asked = await app.check("api", { count });
  if (asked.ok) return;
  const shown = calculateRateLimit(told, told.config, now, count);
  expect(shown.retryAfter).toBe(asked.retryAfter);
  await expectExactWait(() => app.check("api", { count }));
  vi.setSystemTime(now);
}
