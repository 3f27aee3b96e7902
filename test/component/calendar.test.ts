import {
  calculateRateLimit,
  isExceedsCapacityError,
  type CalendarPeriod,
  type CalendarWindowConfig,
} from "convex-rate-limiter";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { optional, quarters, step } from "../support/arbitraries.js";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";
import { useStillClock, runVacuum } from "../support/host.js";
import { Model } from "../support/model.js";
import { deployed, startApp, type App } from "../support/startApp.js";
import { LENGTH, naiveStarts, weekdays } from "../support/naiveCalendar.js";
import { runs } from "../support/seed.js";

useStillClock();

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const key = "u";

/** Dates near which clocks skip a date or change in unusual ways, and zones that differ around that date. */
const near = [
  ["2026-03-06", ["America/Havana", "UTC", "Asia/Kathmandu"]],
  ["2026-03-27", ["Europe/Berlin", "Asia/Beirut", "UTC"]],
  ["2026-10-26", ["Africa/Cairo", "America/Havana", "Europe/Berlin"]],
  ["2011-12-28", ["Pacific/Apia", "Pacific/Auckland", "Pacific/Honolulu"]],
  ["2026-04-03", ["Australia/Lord_Howe", "Asia/Kolkata", "UTC"]],
] as const;

/** Where windows start. With `hours`, they start that many hours after the date. */
const aPlace = fc.record({
  nth: fc.nat({ max: 2 }),
  weekStart: fc.constantFrom(...weekdays),
  hours: optional(fc.integer({ min: -9000, max: 9000 })),
});

const anOverride = optional(
  fc.record({
    change: fc.constantFrom(
      { deny: true } as const,
      { unlimited: true } as const,
      { config: { enforce: false } },
      { config: { rate: 8 } },
      { config: { capacity: 3 } },
      { config: { rate: 1, capacity: 20 } },
    ),
    /** Counted in windows from the first. */
    from: optional(fc.integer({ min: 1, max: 4 })),
    to: optional(fc.integer({ min: 5, max: 8 })),
  }),
);

const aCount = quarters(0.25, 6);

const aLife = fc.record({
  near: fc.constantFrom(...near),
  period: fc.constantFrom<CalendarPeriod>("day", "day", "week", "month"),
  rate: fc.constantFrom(1, 2, 4),
  capacity: fc.constantFrom(6, 8, 10),
  maxReserved: fc.constantFrom(0, 5, 20),
  place: aPlace,
  ofKey: anOverride,
  ofLimit: anOverride,
  steps: fc.array(
    fc.oneof(
      step(["limit", "limit", "check"], 3, {
        count: aCount,
        reserve: fc.boolean(),
      }),
      step(["charge", "credit"], 2, { count: aCount }),
      step("move", 4, {
        windows: fc.constantFrom(0, 0, 1, 1, 2, 3, 12),
        by: fc.constantFrom(-1, 0, 1, HOUR, -HOUR, 7 * HOUR),
      }),
      step("deploy", 1, { place: aPlace }),
      step("vacuum", 1),
    ),
    { minLength: 4, maxLength: 14 },
  ),
});

/** Expects what is returned now to agree with the model, which knows each start of a window. */
async function expectAgreement(app: App, model: Model, count: number) {
  const now = Date.now();
  const told = await app.getValue("api", { key });
  const check = createCheck(told, 0, () => now);
  const next = model.config.starts!.filter((start) => start > now);
  for (const time of [now, next[0]! - 1, next[0]!, next[2]!, next[6]! + 5]) {
    const { remaining } = model.details(time);
    const shown = rateLimitAt(check, count, time).value;
    expect(shown.remaining).toBe(remaining);
    const plan = model.plan([{ count, reserve: false }], time);
    const isGranted = plan !== "exceeds" && plan.ok;
    expect(shown.status?.ok).toBe(isGranted);
    if (isGranted || plan === "exceeds" || model.isBannedForGood(time)) {
      continue;
    }
    expect(shown.status?.retryAt).toBe(time + plan.retryAfter!);
    if (model.mode(time) !== "limited") continue;
    const { value } = calculateRateLimit(told, told.config, time, count);
    expect(value).toBeCloseTo(model.balance(time) - count, 9);
  }
  expect(await app.details("api", { key })).toMatchObject(model.details(now));
}

test("windows answer as the model does, wherever they start and whatever overrides come", async () => {
  await fc.assert(
    fc.asyncProperty(aLife, async (life) => {
      const { near, period, place, steps, ofKey, ofLimit, ...tokens } = life;
      const [date, zones] = near;
      const windowsOf = ({ nth, weekStart, hours }: typeof place) => {
        const timeZone = zones[nth]!;
        const start = hours && Date.parse(date) + hours * HOUR;
        const starts = naiveStarts(
          [timeZone, date],
          period,
          period === "week" ? weekStart : "monday",
          start,
        );
        const isWeek = period === "week" && start === undefined;
        const config: CalendarWindowConfig = {
          kind: "fixed window",
          period,
          timeZone,
          start,
          ...(isWeek && { weekStart }),
          overrides: true,
          ...tokens,
        };
        return { config, starts };
      };
      const { config, starts } = windowsOf(place);
      const begin = Date.parse(date) + 12 * HOUR;
      vi.setSystemTime(begin);
      let app = startApp({ api: config });
      const rule = { period: LENGTH[period], ...tokens };
      const model = new Model({ kind: "fixed window", ...rule, starts });
      const first = starts.findLastIndex((start) => start <= begin);
      const set = async (of: typeof ofKey, whose: { key?: string }) => {
        if (of === undefined) return [];
        const startsAt = of.from && starts[first + of.from]!;
        const expiresAt = of.to && starts[first + of.to]!;
        const times = { startsAt, expiresAt };
        await app.setOverride("api", { ...of.change, ...times, ...whose });
        const to = expiresAt ?? Infinity;
        return [{ change: of.change, from: startsAt ?? begin, to }];
      };
      model.keyOverrides = await set(ofKey, { key });
      model.limitOverrides = await set(ofLimit, {});
      let count = 1;
      for (const step of steps) {
        const now = Date.now();
        if ("count" in step) count = step.count;
        if (step.verb === "move") {
          const { starts = [] } = model.config;
          const i = starts.findLastIndex((start) => start <= now);
          vi.setSystemTime(
            Math.max(begin, starts[i + step.windows]! + step.by),
          );
        } else if (step.verb === "deploy") {
          const { config, starts } = windowsOf(step.place);
          app = deployed(app.t, { api: config });
          model.config = { ...model.config, starts };
        } else if (step.verb === "vacuum") await runVacuum(app.t);
        else if ("reserve" in step) {
          const { verb, reserve } = step;
          const asked = verb === "limit" ? model : model.copy();
          const request = { key, count, reserve };
          const answer = await app[verb]("api", request).catch(
            (error: unknown) => {
              if (!isExceedsCapacityError(error)) throw error;
              return "exceeds";
            },
          );
          expect(answer).toEqual(asked.ask({ count, reserve }, now));
        } else if (step.verb === "charge") {
          const charged = await app.charge("api", { key, count });
          expect(charged).toEqual(model.charge(count, now));
        } else {
          const { credited } = await app.credit("api", { key, count });
          expect(credited).toBeCloseTo(model.credit(count, now), 9);
        }
        await expectAgreement(app, model, count);
      }
    }),
    runs(8),
  );
}, 60_000);

const at = (text: string) => Date.parse(text);

test("an override's period replaces the calendar while it is in force", async () => {
  const now = at("2026-01-31T12:00:00Z");
  const april = at("2026-03-31T22:00:00Z");
  vi.setSystemTime(now);
  const { limit, check, getValue, setOverride } = startApp({
    api: {
      kind: "fixed window",
      rate: 100,
      period: "month",
      timeZone: "Europe/Berlin",
      overrides: true,
    },
  });
  const until = now + 10 * DAY;
  await setOverride("api", { config: { period: DAY }, expiresAt: until });
  await limit("api", { count: 100 });
  const { retryAfter } = await limit("api");
  expect(retryAfter).toBeLessThanOrEqual(DAY);
  const hook = createCheck(await getValue("api"), 0, () => now);
  expect(hook(now, 1)?.retryAt).toBe(now + retryAfter!);
  vi.setSystemTime(now + retryAfter!);
  expect(await limit("api", { count: 100 })).toEqual({ ok: true });
  vi.setSystemTime(until - 1);
  expect(await limit("api", { count: 100 })).toEqual({ ok: true });
  vi.setSystemTime(until);
  // What was taken under the override is refilled only by the next month.
  const inApril = { ok: false, retryAfter: april - until };
  expect(await check("api")).toEqual(inApril);
  vi.setSystemTime(april);
  expect(await check("api", { count: 100 })).toEqual({ ok: true });
});
