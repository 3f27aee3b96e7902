import {
  HOUR,
  MINUTE,
  type SetOverrideOptions,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import {
  agreedBalance,
  balanceOf,
  bucket,
  drain,
  startApp,
  window,
  type App,
} from "../support/startApp.js";

useStillClock();

/** For whom an override is, and when it begins and ends. */
type When = Pick<SetOverrideOptions, "key" | "startsAt" | "expiresAt">;

const name = "api";
const key = "k";

const ten = { ...bucket(10), overrides: true };
const tenInWindows = { ...window(10), overrides: true };

describe.each<[string, RateLimitConfig]>([
  ["in a bucket", ten],
  ["in a bucket over 5 rows", { ...ten, shards: 5 }],
  ["in a window over 10 rows", { ...tenInWindows, shards: 10 }],
])("10 a minute %s", (_, config) => {
  const start = () => startApp({ [name]: config });

  test.each<[string, When]>([
    ["for the key", { key }],
    ["for all", {}],
    ["for a ms", { expiresAt: MIDNIGHT + 1 }],
    ["from the next ms on", { startsAt: MIDNIGHT + 1 }],
  ])("raised %s adds no token to a key in use", async (_, when) => {
    for (const taken of [3, 10]) {
      vi.setSystemTime(MIDNIGHT);
      const app = start();
      await app.limit(name, { key, count: taken });
      await app.setOverride(name, { config: { capacity: 40 }, ...when });
      const balance = await agreedBalance(app, name, { key });
      expect(balance).toBeCloseTo(10 - taken, 9);
      expect(await drain(app, name, { key })).toBe(10 - taken);
      vi.setSystemTime(MIDNIGHT + 1);
      expect(await drain(app, name, { key })).toBe(0);
    }
  });

  test.each([1, 8])("lowered to %i keeps a debt of 100", async (capacity) => {
    const app = start();
    await app.charge(name, { key, count: 110 });
    const before = await app.check(name, { key, count: 1 });
    await app.setOverride(name, { key, config: { capacity } });
    expect(await agreedBalance(app, name, { key })).toBeCloseTo(-100, 6);
    expect(await app.check(name, { key, count: 1 })).toEqual(before);
    await app.clearOverride(name, { key });
    expect(await agreedBalance(app, name, { key })).toBeCloseTo(-100, 6);
    expect(await app.check(name, { key, count: 1 })).toEqual(before);
  });

  test.each([
    [3, 2],
    [8, 0],
  ])(
    "lowered to 5 after %i and then the difference were taken leaves %i, and no debt",
    async (taken, left) => {
      const app = start();
      await app.limit(name, { key, count: taken });
      const lower = async () => {
        await app.mutate(async (ctx) => {
          const difference = { key, count: 5, upTo: true };
          await app.limiter.limit(ctx, name, difference);
          await app.limiter.setOverride(ctx, name, {
            key,
            config: { capacity: 5 },
          });
        });
        return balanceOf(app, name, { key });
      };
      expect(await lower()).toBeCloseTo(left, 9);
      await app.clearOverride(name, { key });
      expect(await balanceOf(app, name, { key })).toBeCloseTo(left, 9);
    },
  );

  test("lowered for a time caps rows that were full before", async () => {
    const app = start();
    for (let i = 0; i < 10; i++) await app.limit(name, { key });
    const full = MIDNIGHT + 2 * MINUTE;
    vi.setSystemTime(full);
    const expiresAt = full + 2;
    await app.setOverride(name, { config: { capacity: 5 }, expiresAt });
    await app.limit(name, { key });
    vi.setSystemTime(expiresAt);
    expect(await drain(app, name, { key })).toBe(4);
  });
});

describe.each([1, 5])("the rate of 10 tokens over %i rows", (shards) => {
  const config: RateLimitConfig = { ...ten, capacity: 10, shards };

  async function emptied(rate: number): Promise<App> {
    const app = startApp({ [name]: config });
    await app.limit(name, { key, count: 10 });
    vi.setSystemTime(MIDNIGHT + 30_000);
    await app.setOverride(name, { key, config: { rate } });
    return app;
  }

  test("raised counts from a key's last write", async () => {
    const app = await emptied(12);
    expect(await agreedBalance(app, name, { key })).toBeCloseTo(6, 9);
    expect(await drain(app, name, { key })).toBe(6);
  });

  test("lowered leaves a key idle an hour after the old rate would have filled it", async () => {
    const app = await emptied(0.1);
    expect(await agreedBalance(app, name, { key })).toBeCloseTo(0.05, 9);
    vi.setSystemTime(MIDNIGHT + 60_000);
    expect(await agreedBalance(app, name, { key })).toBeCloseTo(0.1, 9);
    vi.setSystemTime(MIDNIGHT + 60_000 + HOUR - 1);
    expect(await agreedBalance(app, name, { key })).toBeCloseTo(6.1, 3);
    vi.setSystemTime(MIDNIGHT + 60_000 + HOUR);
    expect(await agreedBalance(app, name, { key })).toBe(10);
  });
});

test("what a mutation takes after a reset counts under a lowered capacity", async () => {
  const config = { ...ten, rate: 1, period: 4000 };
  const app = startApp({ [name]: config });
  const { limiter } = app;
  await app.mutate(async (ctx) => {
    await limiter.reset(ctx, name, { key });
    await limiter.limit(ctx, name, { key });
    await limiter.setOverride(ctx, name, {
      key,
      config: { capacity: 0 },
      expiresAt: MIDNIGHT + 1000,
    });
  });
  expect(await app.limit(name, { key })).toEqual({
    ok: false,
    retryAfter: 4000,
  });
  expect(await balanceOf(app, name, { key })).toBe(0);
});
