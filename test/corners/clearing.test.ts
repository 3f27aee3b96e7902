import { HOUR, MINUTE } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import {
  components,
  freezeClock,
  MIDNIGHT,
  stored,
  storedRows,
  useStillClock,
} from "../host.js";
import { bucket, startApp, type App } from "./app.js";

useStillClock();

const hourly = { period: HOUR, overrides: true };

const start = () =>
  startApp({
    api: { ...bucket(10), ...hourly },
    split: { ...bucket(40, 4), ...hourly },
  });

const { clearAll } = components.rateLimiter.lib;

/** `clearAll`, and what it schedules. */
async function clear({ t, mutate }: App, before?: number): Promise<void> {
  const now = Date.now();
  vi.useFakeTimers({ now });
  await mutate((ctx) => ctx.runMutation(clearAll, { before }));
  await t.finishAllScheduledFunctions(vi.runOnlyPendingTimers);
  freezeClock(now);
}

async function take({ limit }: App, keys: number): Promise<void> {
  for (let i = 0; i < keys; i++) await limit("api", { key: `key ${i}` });
}

const keysLeft = async ({ t }: App) =>
  (await storedRows(t)).map(({ key }) => key).sort();

test.each([1, 100, 101])(
  "%i keys taken in this very ms are all cleared",
  async (keys) => {
    const app = start();
    await take(app, keys);
    await clear(app);
    expect(await keysLeft(app)).toEqual([]);
  },
);

test("each row of a split limit, and of several limits, is cleared", async () => {
  const app = start();
  await app.limit("split", { count: 40 });
  await app.limit("api");
  await app.charge("split", { key: "k", count: 100 });
  await clear(app);
  expect(await keysLeft(app)).toEqual([]);
});

test("a row of long ago that was written again in this ms is cleared", async () => {
  const app = start();
  await take(app, 3);
  vi.setSystemTime(MIDNIGHT + MINUTE);
  await take(app, 3);
  await clear(app);
  expect(await keysLeft(app)).toEqual([]);
});

test("up to a time: rows that were created later stay", async () => {
  const app = start();
  await take(app, 3);
  vi.setSystemTime(MIDNIGHT + MINUTE);
  await app.limit("api", { key: "later" });
  await clear(app, MIDNIGHT + 1);
  expect(await keysLeft(app)).toEqual(["later"]);
});

test("limits are full again, and overrides stay", async () => {
  const app = start();
  const whole = { key: "k", count: 10 };
  await app.limit("api", whole);
  await app.setOverride("api", { key: "bad", deny: true });
  await clear(app);
  expect(await app.limit("api", whole)).toEqual({ ok: true });
  expect(await stored(app.t, "overrides")).toHaveLength(1);
});

test("in the same mutation as what took, it clears that too", async () => {
  const app = start();
  await app.mutate(async (ctx) => {
    await app.limiter.limit(ctx, "api", { key: "a" });
    await app.limiter.limit(ctx, "api", { key: "b" });
    await ctx.runMutation(clearAll, {});
  });
  expect(await keysLeft(app)).toEqual([]);
});
