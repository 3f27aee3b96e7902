import {
  calculateRateLimit,
  isExceedsCapacityError,
  RateLimiter,
  type CalendarPeriod,
  type CalendarWindowConfig,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { optional } from "../arbitraries.js";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";
import { components, useStillClock } from "../host.js";
import { startApp, type App } from "./app.js";
import { naiveStarts, weekdays } from "./naiveCalendar.js";
import { runs } from "../seed.js";

useStillClock();

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

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

  /** What is full has no room: nothing is stored, not even a time. */
  credit(count: number, now: number): void {
    const value = this.balance(now);
    if (value < this.capacity) this.put(value + count, now);
  }

  ask(count: number, reserve: boolean, now: number) {
    const left = this.balance(now) - count;
    const most = reserve ? this.maxReserved : 0;
    if (left < -most) {
      return { ok: false, retryAfter: this.wait(count - most, now)! };
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

/** Where windows start that have a start: so many hours from the place's time. */
const aStart = optional(fc.integer({ min: -9000, max: 9000 }));

const aLimit = fc.record({
  place: fc.constantFrom(...places),
  period: fc.constantFrom<CalendarPeriod>("day", "day", "week", "month"),
  weekStart: fc.constantFrom(...weekdays),
  hours: aStart,
  given: fc.constantFrom(1, 2, 4),
  capacity: fc.constantFrom(6, 8, 10),
  maxReserved: fc.constantFrom(0, 5, 20),
});

function startOf(
  [, near]: (typeof places)[number],
  hours: number | undefined,
): number | undefined {
  return hours === undefined
    ? undefined
    : Date.parse(near) + hours * 60 * MINUTE;
}

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
          { place, period, weekStart, hours, given, capacity, maxReserved },
          steps,
        ) => {
          const start = startOf(place, hours);
          const starts = naiveStarts(place, period, weekStart, start);
          // What rows hold above their part of the capacity is lost, so that a limit that is
          // split may refill more slowly, unless a window fills it.
          const isSplit = more.shards !== undefined;
          const rate = isSplit ? capacity : given;
          const config: CalendarWindowConfig = {
            kind: "fixed window",
            rate,
            period,
            timeZone: place[0],
            ...(start !== undefined
              ? { start }
              : period === "week" && { weekStart }),
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
              naive.credit(count, now);
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
      runs(5),
    );
  }, 60_000);
});

const aTime = fc.record({
  windows: fc.integer({ min: 0, max: 5 }),
  by: fc.constantFrom(-1, 0, 1, 60 * MINUTE),
});

const anOverride = fc.record({
  ofKey: fc.boolean(),
  override: fc.constantFrom(
    { deny: true } as const,
    { unlimited: true } as const,
    { config: { enforce: false } },
    { config: { rate: 8 } },
    { config: { capacity: 3 } },
    { config: { rate: 1, capacity: 20 } },
    { config: { period: DAY + 7 } },
  ),
  begin: optional(aTime),
  end: optional(aTime),
});

const aScenario = fc.record({
  place: fc.constantFrom(...places),
  period: fc.constantFrom<CalendarPeriod>("day", "week", "month"),
  hours: aStart,
  more: fc.constantFrom<Partial<CalendarWindowConfig>>(
    {},
    { applyUpdates: "asynchronously", headroom: 1 },
  ),
  overrides: fc.array(anOverride, { maxLength: 3 }),
  steps: fc.array(
    fc.record({
      verb: fc.constantFrom("charge", "credit", "limit"),
      count: fc.integer({ min: 1, max: 40 }).map((n) => n / 4),
      at: aTime,
    }),
    { maxLength: 4 },
  ),
  looks: fc.array(
    fc.record({
      windows: fc.integer({ min: 0, max: 30 }),
      by: fc.constantFrom(-1, 0, 1),
      count: fc.integer({ min: 0, max: 24 }).map((n) => n / 4),
    }),
    { minLength: 2, maxLength: 4 },
  ),
});

test("what is told, with overrides that begin and end at any window, is what each call says later", async () => {
  const key = "k";
  await fc.assert(
    fc.asyncProperty(aScenario, async (scenario) => {
      const { place, period, hours, more, overrides, steps, looks } = scenario;
      const start = startOf(place, hours);
      const starts = naiveStarts(place, period, "monday", start);
      const now = Date.parse(place[1]) + 12 * 60 * MINUTE;
      const present = starts.findLastIndex((start) => start <= now);
      const timeOf = ({ windows, by }: { windows: number; by: number }) =>
        starts[present + windows]! + by;
      const goTo = (time: number) =>
        vi.setSystemTime(Math.max(Date.now(), time));
      vi.setSystemTime(now);
      const app = startApp({
        api: {
          kind: "fixed window",
          rate: 4,
          period,
          timeZone: place[0],
          start,
          capacity: 6,
          overrides: true,
          ...more,
        },
      });
      for (const { ofKey, override, begin, end } of overrides) {
        const startsAt = begin && timeOf(begin);
        const expiresAt = end && timeOf(end);
        const from = Math.max(now, startsAt ?? now);
        if (expiresAt !== undefined && expiresAt <= from) continue;
        const times = { startsAt, expiresAt };
        const whose = ofKey ? { key } : {};
        await app.mutate((ctx) =>
          app.limiter.setOverride(ctx, "api", {
            ...override,
            ...times,
            ...whose,
          }),
        );
      }
      for (const { verb, count, at } of steps) {
        goTo(timeOf(at));
        await app[verb]("api", { key, count: Math.min(2, count) });
        if (verb === "charge") await app.charge("api", { key, count });
      }
      const told = await app.getValue("api", { key });
      const hook = createCheck(told, 0, Date.now);
      for (const { count, ...look } of looks) {
        goTo(timeOf(look));
        const time = Date.now();
        const answer = await app
          .check("api", { key, count })
          .catch((error: unknown) => {
            if (!isExceedsCapacityError(error)) throw error;
            return { ok: false, retryAfter: Infinity };
          });
        const { status, remaining } = rateLimitAt(hook, count, time).value;
        const shown = calculateRateLimit(told, told.config, time, count);
        expect(status?.ok).toBe(answer.ok);
        // A ban without end says to come back in a period.
        if (status?.retryAt !== Infinity) {
          const wait = status?.retryAt && status.retryAt - time;
          expect(wait).toBe(answer.retryAfter);
          if (hook(time)?.config.enforce !== false) {
            expect(shown.retryAfter).toBe(answer.retryAfter);
          }
        }
        const details = await app.details("api", { key });
        expect(details).toMatchObject({ remaining });
        if (!answer.ok && status?.retryAt !== Infinity) {
          for (const [ms, ok] of [
            [answer.retryAfter - 1, false],
            [answer.retryAfter, true],
          ] as const) {
            vi.setSystemTime(time + ms);
            const later = await app.check("api", { key, count });
            expect(later.ok).toBe(ok);
          }
        }
      }
    }),
    runs(15),
  );
}, 60_000);

const at = (text: string) => Date.parse(text);

describe("100 a month in Berlin", () => {
  const monthly = {
    kind: "fixed window",
    rate: 100,
    period: "month",
    timeZone: "Europe/Berlin",
  } as const;
  const now = at("2026-01-31T12:00:00Z");
  const february = at("2026-01-31T23:00:00Z");
  const march = at("2026-02-28T23:00:00Z");
  const april = at("2026-03-31T22:00:00Z");
  const july = at("2026-06-30T22:00:00Z");

  const start = (more: Partial<CalendarWindowConfig> = {}) => {
    vi.setSystemTime(now);
    return startApp({ api: { ...monthly, ...more }, other: monthly });
  };

  test("a charge into a debt of months is paid month by month", async () => {
    const app = start();
    await app.charge("api", { count: 600 });
    expect(await app.limit("api")).toEqual({
      ok: false,
      retryAfter: july - now,
    });
    expect(await app.details("api")).toMatchObject({ remaining: 0 });
    const told = await app.getValue("api");
    const hook = createCheck(told, 0, () => now);
    expect(hook(now, 1)?.retryAt).toBe(july);
    vi.setSystemTime(july - 1);
    expect(await app.check("api")).toEqual({ ok: false, retryAfter: 1 });
    vi.setSystemTime(july);
    expect(await app.limit("api", { count: 100 })).toEqual({ ok: true });
  });

  test("a list waits for the latest of its windows", async () => {
    const { limit, mutate, limiter } = start();
    await limit("api", { count: 100 });
    await mutate((ctx) => limiter.charge(ctx, "other", { count: 250 }));
    const list = () =>
      mutate((ctx) =>
        limiter.limitAll(ctx, [
          { name: "api", count: 2 },
          { name: "other" },
          { name: "api", config: monthly },
        ]),
      );
    expect(await list()).toMatchObject({ ok: false, retryAfter: march - now });
    vi.setSystemTime(march);
    expect(await list()).toEqual({ ok: true });
  });

  test("an override of the capacity or rate keeps to the calendar, from when it begins", async () => {
    const { limit, check, getValue, mutate, limiter } = start({
      overrides: true,
    });
    await limit("api", { count: 100 });
    const half = at("2026-02-15T12:00:00Z");
    await mutate((ctx) =>
      limiter.setOverride(ctx, "api", {
        config: { rate: 10, capacity: 10 },
        startsAt: half,
        expiresAt: april + 1000,
      }),
    );
    expect(await check("api", { count: 11 })).toEqual({
      ok: false,
      retryAfter: february - now,
    });
    const told = await getValue("api");
    vi.setSystemTime(half);
    expect(await limit("api", { count: 10 })).toEqual({ ok: true });
    const later = await getValue("api");
    for (const [state, time, value] of [
      [told, february - 1, 0],
      [told, february, 100],
      [told, half, 10],
      [later, march - 1, 0],
      [later, march, 10],
      [later, april + 1000, 100],
    ] as const) {
      const shown = calculateRateLimit(state, monthly, time);
      expect(shown.value, new Date(time).toISOString()).toBe(value);
    }
    expect(await check("api", { count: 10 })).toEqual({
      ok: false,
      retryAfter: march - half,
    });
    // More than the override allows: once it has ended.
    expect(await check("api", { count: 30 })).toMatchObject({
      ok: false,
      retryAfter: april + 1000 - half,
    });
  });

  test("a period of an override takes the calendar's place while it holds", async () => {
    const { limit, check, getValue, mutate, limiter } = start({
      overrides: true,
    });
    const until = now + 10 * DAY;
    await mutate((ctx) =>
      limiter.setOverride(ctx, "api", {
        config: { period: DAY },
        expiresAt: until,
      }),
    );
    await limit("api", { count: 100 });
    const { retryAfter } = await limit("api");
    expect(retryAfter).toBeLessThanOrEqual(DAY);
    const told = await getValue("api");
    const hook = createCheck(told, 0, () => now);
    expect(hook(now, 1)?.retryAt).toBe(now + retryAfter!);
    vi.setSystemTime(now + retryAfter!);
    expect(await limit("api", { count: 100 })).toEqual({ ok: true });
    vi.setSystemTime(until - 1);
    expect(await limit("api", { count: 100 })).toEqual({ ok: true });
    vi.setSystemTime(until);
    // What was taken under the override is there again when it said.
    expect(await check("api")).toEqual({ ok: false, retryAfter });
    vi.setSystemTime(march);
    expect(await check("api", { count: 100 })).toEqual({ ok: true });
  });

  test("some rows tell as much as they do of other limits, and when windows start", async () => {
    const { limit, mutate, limiter } = start({ shards: 10 });
    await limit("api", { count: 100 });
    const told = await mutate((ctx) =>
      limiter.getValue(ctx, "api", { sampleShards: 3 }),
    );
    const hook = createCheck(told, 0, () => now);
    expect(hook(now, 1)).toMatchObject({ value: -1, retryAt: february });
    expect(hook(february, 100)).toMatchObject({ value: 0, ts: february });
    expect(hook(march + 5)).toMatchObject({ value: 100, ts: march });
  });

  test("five years of reservations stand in line, and few time zones are asked", async () => {
    const { limit, check, getValue } = start();
    const asked = vi.spyOn(Intl.DateTimeFormat.prototype, "formatToParts");
    for (let month = 0; month <= 60; month++) {
      const { retryAfter = 0 } = await limit("api", {
        count: 100,
        reserve: true,
      });
      const midnight = Date.UTC(2026, month);
      // Berlin is one hour before UTC, or two.
      const runs = [midnight - 60 * MINUTE, midnight - 120 * MINUTE];
      expect(month === 0 ? [0] : runs.map((time) => time - now)).toContain(
        retryAfter,
      );
    }
    const { retryAfter } = await check("api");
    expect(new Date(now + retryAfter!).toISOString()).toBe(
      "2031-01-31T23:00:00.000Z",
    );
    const told = await getValue("api");
    const hook = createCheck(told, 0, () => now);
    expect(hook(now, 100)?.retryAt).toBe(now + retryAfter!);
    // Twice for each month that was looked at, however often.
    expect(asked.mock.calls.length).toBeLessThan(200);
    asked.mockRestore();
  });
});

describe.each([
  ["in a row", { warnAt: 0.5 }],
  ["in rows", { shards: 2 }],
  ["asynchronously", { applyUpdates: "asynchronously", warnAt: 0.5 }],
] as [string, Partial<CalendarWindowConfig>][])(
  "10 a month from the 31st at 13:03 in Berlin, %s,",
  (_, mode) => {
    const monthly = {
      kind: "fixed window",
      rate: 10,
      period: "month",
      timeZone: "Europe/Berlin",
      start: at("2025-10-31T12:03:00Z"),
    } as const;
    const key = "u";
    const now = at("2026-02-10T12:00:00Z");
    const january = at("2026-01-31T12:03:00Z");
    const february = at("2026-02-28T12:03:00Z");
    const march = at("2026-03-31T11:03:00Z");

    const start = (more: Partial<CalendarWindowConfig> = {}) => {
      vi.setSystemTime(now);
      const app = startApp({});
      const onWarning = vi.fn();
      const limiter = new RateLimiter(
        components.rateLimiter,
        { api: { ...monthly, ...mode, ...more } },
        { onWarning },
      );
      return { ...app, limiter, onWarning };
    };

    test("go with requireKey, warnings and counts", async () => {
      const { mutate, limiter, onWarning } = start({
        requireKey: true,
        stats: true,
      });
      const take = (key?: string) =>
        mutate((ctx) => limiter.limit(ctx, "api", { key, count: 6 }));
      await expect(take()).rejects.toThrow("key");
      expect(await take(key)).toEqual({ ok: true });
      expect(await take(key)).toEqual({
        ok: false,
        retryAfter: february - now,
      });
      expect(onWarning).toHaveBeenCalledTimes(
        mode.warnAt === undefined ? 0 : 1,
      );
      const { segments, config } = await mutate((ctx) =>
        limiter.getValue(ctx, "api", { key }),
      );
      expect(config.start).toBe(january);
      expect(segments?.[0]?.starts?.slice(0, 3)).toEqual([
        january,
        february,
        march,
      ]);
      const range = { from: now, to: now + 60 * MINUTE };
      const counted = await mutate((ctx) =>
        limiter.stats(ctx, "api", { ...range, by: "minute" }),
      );
      expect(counted[0]).toMatchObject({ granted: 1, denied: 1 });
    });

    test("pay a debt month by month, under overrides and as a dry run, too", async () => {
      const { mutate, limiter } = start({ overrides: true });
      const ask = (count: number) =>
        mutate((ctx) => limiter.limit(ctx, "api", { key, count }));
      const set = (config: {
        enforce?: boolean;
        rate?: number;
        period?: number;
      }) => mutate((ctx) => limiter.setOverride(ctx, "api", { key, config }));
      await mutate((ctx) => limiter.charge(ctx, "api", { key, count: 20 }));
      expect(await ask(10)).toEqual({ ok: false, retryAfter: march - now });
      await set({ rate: 20 });
      expect(await ask(10)).toEqual({ ok: false, retryAfter: february - now });
      await set({ enforce: false });
      expect(await ask(10)).toMatchObject({ ok: true, wouldDeny: true });
      await set({ period: 60 * MINUTE });
      // Many hours have gone by since the month began.
      expect(await ask(10)).toEqual({ ok: true });
    });

    test("hold an estimate, whose difference is there at once", async () => {
      const { mutate, limiter } = start();
      const held = await mutate((ctx) =>
        limiter.hold(ctx, "api", { key, count: 8, throws: true }),
      );
      await mutate((ctx) => limiter.settle(ctx, held.id, { count: 3 }));
      const ask = (count: number) =>
        mutate((ctx) => limiter.limit(ctx, "api", { key, count }));
      expect(await ask(7)).toEqual({ ok: true });
      expect(await ask(1)).toEqual({ ok: false, retryAfter: february - now });
    });
  },
);
