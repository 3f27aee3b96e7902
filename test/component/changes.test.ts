import {
  calculateRateLimit,
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  type LimitConfig,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { describe, expect, test, vi } from "vitest";
import {
  MIDNIGHT,
  storedRows,
  useStillTimers,
  runVacuum,
} from "../support/host.js";

import {
  agreedBalance,
  balanceOf,
  bucket,
  deployed,
  startApp,
  type App,
} from "../support/startApp.js";

useStillTimers();

const name = "api";
const key = "k";
const fn = makeFunctionReference<"mutation">("app:run");

const bucketOf = (rate: number, period: number) =>
  ({ kind: "token bucket", rate, period }) as const;

/** Each way to keep a limit. */
const modes = [
  ["in one row", { shards: 1 }],
  ["over 4 rows", { shards: 4 }],
  ["that splits itself", { shards: "auto" }],
] as const;

type Mode = (typeof modes)[number][1];

const start = (config: LimitConfig, mode: Mode) =>
  startApp({ [name]: { ...config, ...mode, overrides: true } as LimitConfig });

/** Takes single tokens, from random rows. */
async function takeSingly(app: App, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await app.limit(name, { key });
}

describe.each(modes)("a limit %s", (_, mode) => {
  test.each(["without", "with"])(
    "whose capacity was lowered for a while holds what arrived since its last call, %s the vacuum",
    async (vacuum) => {
      const app = start(bucketOf(1000, DAY), mode);
      await app.limit(name, { key, count: 1000 });
      const expiresAt = MIDNIGHT + HOUR;
      await app.setOverride(name, { config: { capacity: 10 }, expiresAt });
      vi.setSystemTime(MIDNIGHT + 90 * SECOND);
      expect(await app.limit(name, { key })).toMatchObject({ ok: true });
      vi.setSystemTime(expiresAt);
      if (vacuum === "with") await runVacuum(app.t);
      expect(await agreedBalance(app, name, { key })).toBeCloseTo(40.667, 3);
    },
  );

  test("whose capacity was lowered for seconds does not get back what that cut off", async () => {
    const app = start(bucketOf(9000, DAY), mode);
    await app.limit(name, { key, count: 8642 });
    const config = { rate: 300, period: MINUTE };
    await app.setOverride(name, { config, expiresAt: MIDNIGHT + 4 * SECOND });
    vi.setSystemTime(MIDNIGHT + SECOND);
    expect(await app.limit(name, { key })).toMatchObject({ ok: true });
    vi.setSystemTime(MIDNIGHT + 20 * SECOND);
    const balance = await agreedBalance(app, name, { key });
    expect(balance).toBeLessThan(310);
    expect(balance).toBeGreaterThan(298);
  });

  describe("whose window is used up a minute before it ends", () => {
    const hourly = { kind: "fixed window", rate: 60, period: HOUR, start: 0 };
    const minutely = { ...hourly, period: MINUTE } as RateLimitConfig;
    const usedUp = async () => {
      const app = start(hourly as RateLimitConfig, mode);
      vi.setSystemTime(MIDNIGHT + 59 * MINUTE);
      await app.limit(name, { key, count: 60 });
      return app;
    };

    test.each<[string, LimitConfig, atHalf: number, atEnd: number]>([
      ["a token bucket", bucketOf(60, HOUR), 0.5, 1],
      ["shorter windows", minutely, 0, 60],
    ])(
      "gets nothing for the time before its last call when a deploy makes it %s",
      async (_, config, atHalf, atEnd) => {
        const { t } = await usedUp();
        const after = deployed(t, {
          [name]: { ...config, ...mode } as LimitConfig,
        });
        const balance = () => agreedBalance(after, name, { key });
        vi.setSystemTime(MIDNIGHT + 59.5 * MINUTE);
        expect(await balance()).toBeCloseTo(atHalf, 6);
        await after.charge(name, { key, count: 1 });
        vi.setSystemTime(MIDNIGHT + 60 * MINUTE);
        expect(await balance()).toBeCloseTo(atEnd - 1, 6);
      },
    );

    test("gets nothing for the time before its last call from an override, as a page knows", async () => {
      const app = await usedUp();
      const startsAt = MIDNIGHT + 59.25 * MINUTE;
      const config = { period: MINUTE };
      await app.setOverride(name, { config, startsAt });
      const page = await app.getValue(name, { key });
      const shownAt = (time: number) =>
        calculateRateLimit(page, page.config, time).value;
      for (const [minutes, value] of [
        [59.5, 0],
        [60, 60],
      ] as const) {
        const time = MIDNIGHT + minutes * MINUTE;
        expect(shownAt(time)).toBe(value);
        vi.setSystemTime(time);
        expect(await agreedBalance(app, name, { key })).toBe(value);
      }
    });
  });

  describe("with a free plan of 100 a day and a paid plan of 1,000", () => {
    const free = { ...bucketOf(100, DAY), ...mode } as RateLimitConfig;
    const pro = { ...bucketOf(1000, DAY), ...mode } as RateLimitConfig;
    const inTwoDays = () => vi.setSystemTime(MIDNIGHT + 2 * DAY);

    test.each<[string, (app: App) => unknown]>([
      ["idle", inTwoDays],
      [
        "idle and vacuumed",
        (app) => {
          inTwoDays();
          return runVacuum(app.t);
        },
      ],
    ])(
      "charges by the key's plan what was used beyond a hold from before the key was %s, and gives nothing back",
      async (_, end) => {
        const app = startApp({});
        const held = { key, count: 50, config: free, expiresAfter: 5 * DAY };
        const first = await app.held(name, held);
        const second = await app.held(name, held);
        await end(app);
        await app.charge(name, { key, count: 100, config: pro });
        await app.settle(first, 0);
        const balance = () => balanceOf(app, name, { key, config: pro });
        expect(await balance()).toBeCloseTo(900, 6);
        await app.settle(second, 70);
        expect(await balance()).toBeCloseTo(880, 6);
      },
    );

    test("gets back what a cancelled job took on the previous plan", async () => {
      const app = startApp({});
      const { limiter, mutate } = app;
      const { scheduledId } = await mutate((ctx) =>
        limiter.schedule(ctx, name, { key, config: free, fn, args: {} }),
      );
      const upgrade = { key, config: pro, from: free };
      await mutate((ctx) => limiter.credit(ctx, name, upgrade));
      await app.charge(name, { key, count: 100, config: pro });
      await mutate((ctx) => limiter.cancelScheduled(ctx, scheduledId!));
      const balance = await balanceOf(app, name, { key, config: pro });
      // The credit has filled three of four rows.
      const isSplit = (mode as { shards?: unknown }).shards === 4;
      expect(balance).toBeCloseTo(isSplit ? 899.25 : 900, 6);
    });
  });
});

describe("after a deploy to longer windows", () => {
  const half = {
    kind: "fixed window",
    rate: 100,
    period: 12 * HOUR,
    start: 0,
    shards: 2,
  } as const;

  test.each([
    ["windows of 12 hours to days", half, "day"],
    ["windows of 12 hours to months", half, "month"],
    ["a token bucket to months", { ...bucket(100), shards: 2 }, "month"],
  ] as const)(
    "from %s, an untouched row fills no sooner than another",
    async (_, before, period) => {
      const app = startApp({ [name]: before });
      vi.setSystemTime(MIDNIGHT + MINUTE);
      await app.limit(name, { key, count: 100 });
      const { start: _start, ...rest } = half;
      const now = deployed(app.t, { [name]: { ...rest, period } });
      await now.credit(name, { key, count: 1 });
      vi.setSystemTime(MIDNIGHT + 14 * HOUR);
      expect(await agreedBalance(now, name, { key })).toBe(1);
    },
  );
});

describe("a page knows when the server will grant", () => {
  const monthly = {
    kind: "fixed window",
    rate: 10,
    capacity: 30,
    period: "month",
    shards: 2,
    overrides: true,
  } as const;

  /** An app with a key that was emptied in its first month. */
  async function emptied(): Promise<App> {
    const app = startApp({ [name]: monthly });
    vi.setSystemTime(MIDNIGHT + MINUTE);
    await app.limit(name, { key, count: 20 });
    await takeSingly(app, 10);
    return app;
  }

  /** Expects a page that reads the balance now to deny for as long as the server does. */
  async function expectSame(app: App): Promise<void> {
    const from = Date.now();
    const told = await app.getValue(name, { key });
    const denied = await app.check(name, { key });
    expect(denied).toMatchObject({ ok: false });
    const until = from + denied.retryAfter!;
    const shown = (time: number) =>
      calculateRateLimit(told, told.config, time).value;
    expect(shown(until - 1)).toBeLessThan(1);
    expect(shown(until)).toBeGreaterThanOrEqual(1);
    vi.setSystemTime(until - 1);
    expect(await app.check(name, { key })).toMatchObject({ ok: false });
    vi.setSystemTime(until);
    expect(await app.check(name, { key })).toMatchObject({ ok: true });
  }

  test("after a deploy from a token bucket to months that one row has seen", async () => {
    const app = startApp({ [name]: { ...bucketOf(30, DAY), shards: 2 } });
    vi.setSystemTime(MIDNIGHT + MINUTE);
    await app.limit(name, { key, count: 30 });
    const now = deployed(app.t, { [name]: monthly });
    await now.credit(name, { key, count: 0.25 });
    await expectSame(now);
  });

  test.each<[string, LimitConfig]>([
    ["days", { ...monthly, period: "day" }],
    ["a token bucket", { ...bucketOf(10, DAY), capacity: 30, shards: 2 }],
    ["windows of an hour", { ...monthly, period: HOUR, start: 0 }],
  ])("after a deploy from months to %s", async (_, after) => {
    const app = await emptied();
    await expectSame(deployed(app.t, { [name]: after }));
  });
});

test.each([
  [1, 4],
  [1, "auto"],
  ["auto", 4],
] as const)(
  "a deploy from shards %s to %s under a raised capacity keeps the balance",
  async (before, shards) => {
    const config = { ...bucketOf(100, DAY), overrides: true };
    const app = startApp({ [name]: { ...config, shards: before } });
    await app.setOverride(name, { config: { capacity: 200 } });
    await app.limit(name, { key, count: 10 });
    const now = deployed(app.t, { [name]: { ...config, shards } });
    expect(await agreedBalance(now, name, { key })).toBe(190);
    await now.limit(name, { key });
    expect(await agreedBalance(now, name, { key })).toBe(189);
  },
);

test("a hold of a limit that is no longer named is settled by its own config, which caps what it gives back", async () => {
  const { t, held } = startApp({ [name]: { ...bucketOf(10, DAY), shards: 2 } });
  const id = await held(name, { key, count: 4 });
  const now = deployed(t, { [name]: { ...bucketOf(100, DAY), shards: 4 } });
  await now.credit(name, { key, count: 54 });
  await deployed(t, {}).settle(id, 0);
  expect(await balanceOf(now, name, { key })).toBe(60);
});

test("a hold is settled while any row of its key is in use, even if row 0 is long full", async () => {
  const config = { ...bucketOf(100, DAY), shards: 2 };
  const app = startApp({});
  await app.limit(name, { key, count: 1, config });
  vi.setSystemTime(MIDNIGHT + 40 * MINUTE);
  const id = await app.held(name, { key, count: 30, config });
  vi.setSystemTime(MIDNIGHT + 100 * MINUTE);
  const before = await balanceOf(app, name, { key, config });
  await app.settle(id, 50);
  const after = await balanceOf(app, name, { key, config });
  expect(after).toBeCloseTo(before - 20, 6);
});

describe("regressions that random runs found", () => {
  test("a hold from before its key was idle gives back nothing that another plan took since", async () => {
    const before = { ...bucketOf(0.25, 4000), capacity: 8, shards: 2 };
    const config = {
      kind: "fixed window",
      rate: 0.25,
      period: "day",
      capacity: 8,
      shards: "auto",
    } as const;
    const app = startApp({});
    const id = await app.held(name, { key, count: 0.25, config: before });
    vi.setSystemTime(MIDNIGHT + 84 * MINUTE);
    await runVacuum(app.t);
    await app.limit(name, { key, count: 1, config });
    await app.settle(id, 0.5);
    const balance = await balanceOf(app, name, { key, config });
    expect(balance).toBeLessThanOrEqual(7);
  });
});

test("a hold of 0 tokens does not count as a write by its plan", async () => {
  const app = startApp({});
  const [free, pro] = [bucketOf(100, DAY), bucketOf(1000, DAY)];
  await app.limit(name, { key, count: 50, config: pro });
  const id = await app.held(name, { key, count: 0, config: free });
  await app.settle(id, 10);
  expect(await balanceOf(app, name, { key, config: pro })).toBeCloseTo(940, 6);
});

test("two plans that take turns on a key of many rows write at most three rows a call", async () => {
  const app = startApp({});
  const plan = (rate: number) => ({ ...bucketOf(rate, DAY), shards: 200 });
  const plans = [plan(1000), plan(2000)];
  const written: number[] = [];
  for (let i = 0; i < 60; i++) {
    vi.setSystemTime(MIDNIGHT + i * SECOND);
    // At first, one plan alone spreads over its rows.
    const config = plans[i < 20 ? 0 : i % 2]!;
    await app.mutate(async (ctx) => {
      await app.limiter.limit(ctx, name, { key, config });
      const { documentsWritten } = await ctx.meta.getTransactionMetrics();
      written.push(documentsWritten.used);
    });
  }
  // The first turn replaces all rows; each later one writes row 0 and one row below it.
  expect(Math.max(...written.slice(22))).toBeLessThanOrEqual(3);
  expect((await storedRows(app.t)).length).toBe(2);
});
