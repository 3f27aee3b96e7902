import { HOUR, MINUTE, type LimitConfig } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import { bucket, startApp } from "../support/startApp.js";
import { MIDNIGHT, stored, useStillClock, fold } from "../support/host.js";

useStillClock();

const hourly = { ...bucket(100), period: HOUR };
const unsaid = { kind: "fixed window", rate: 100, period: HOUR } as const;
const window = { ...unsaid, shards: 1 } as const;
const stats = true;
const limits: Record<string, LimitConfig> = {
  window: { ...window, stats },
  day: { ...window, period: "day", stats },
  bucket: { ...hourly, stats },
  split: { ...window, rate: 4, shards: 2, stats },
  dry: { ...window, rate: 1, enforce: false, stats },
  auto: { ...hourly, shards: "auto", stats },
  unsaid: { ...unsaid, stats },
  rendering: { kind: "concurrency", capacity: 100, lease: MINUTE, stats },
  half: { ...window, stats: 0.5 },
  uncounted: window,
};

function start() {
  const app = startApp(limits);
  const { t, limiter, limit, mutate } = app;
  return {
    ...app,
    take: (name: string, count?: number) => limit(name, { count }),
    hold: (name: string) => mutate((ctx) => limiter.hold(ctx, name)),
    /** How many calls were close in each of two minutes, as `stats` says. */
    closeCalls: async (name: string) => {
      const range = { from: MIDNIGHT, to: MIDNIGHT + 2 * MINUTE };
      const shown = await t.query((ctx) =>
        limiter.stats(ctx, name, { ...range, by: "minute" }),
      );
      return shown.map((one) => one.closeCalls);
    },
  };
}

const passMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

test.each(["window", "day", "bucket", "dry"] as const)(
  "calls within 50 ms are counted as close, before and after a fold: %s",
  async (name) => {
    const { t, take, closeCalls } = start();
    await take(name);
    for (const ms of [50, 51, 1, 40]) {
      passMs(ms);
      await take(name);
    }
    // A dry run that takes nothing writes nothing, and conflicts with nobody.
    const expected = [name === "dry" ? undefined : 3, undefined];
    expect(await closeCalls(name)).toEqual(expected);
    await fold(t);
    expect(await stored(t, "events")).toEqual([]);
    expect(await closeCalls(name)).toEqual(expected);
  },
);

type App = ReturnType<typeof start>;

/** Uses a limit in some way. */
type Use = (app: App, name: string) => Promise<unknown>;

const thrice =
  (call: "take" | "hold"): Use =>
  async (app, name) => {
    for (let i = 0; i < 3; i++) {
      await app[call](name);
      passMs(10);
    }
  };

/** Takes some tokens, and does more 10 ms later. */
const takeThen =
  (count: number, then: Use): Use =>
  async (app, name) => {
    await app.take(name, count);
    passMs(10);
    await then(app, name);
  };

const deny: Use = async ({ take }, name) =>
  expect((await take(name)).ok).toBe(false);
const hold: Use = (app, name) => app.hold(name);
const two: Use = ({ limitAll }, name) => limitAll([{ name }, { name }]);

test.each<[string, name: string, Use, counted?: number]>([
  ["calls on one row are close", "window", thrice("take"), 2],
  ["calls on rows that split themselves are not", "auto", thrice("take")],
  ["calls on a limit without shards are not", "unsaid", thrice("take")],
  ["holds of a concurrency limit are not", "rendering", thrice("hold")],
  ["a denial, which writes no row, is not", "window", takeThen(100, deny)],
  ["a list is one, as one transaction", "window", takeThen(1, two), 1],
  ["a hold is, like any call", "window", takeThen(1, hold), 1],
])("in 20 ms, %s", async (_claim, name, use, counted) => {
  const app = start();
  await use(app, name);
  expect(await app.closeCalls(name)).toEqual([counted, undefined]);
});

test("the close calls of a sample are an estimate for all calls", async () => {
  const { take, closeCalls } = start();
  const draw = vi.spyOn(Math, "random").mockReturnValue(0.1);
  await take("half");
  passMs(20);
  await take("half");
  expect(await closeCalls("half")).toEqual([2, undefined]);
  draw.mockRestore();
});
