import { HOUR, MINUTE, type LimitConfig } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import { bucket as tokens, deployed, startApp } from "../corners/app.js";
import {
  inComponent,
  MIDNIGHT,
  runInternal,
  stored,
  storedRows,
  useStillClock,
} from "../host.js";

useStillClock();

const bucket = { ...tokens(100), period: HOUR };
const unsaid = { kind: "fixed window", rate: 100, period: HOUR } as const;
const window = { ...unsaid, shards: 1 } as const;
const stats = true;
const limits: Record<string, LimitConfig> = {
  window: { ...window, stats },
  day: { ...window, period: "day", stats },
  bucket: { ...bucket, stats },
  split: { ...window, rate: 4, shards: 2, stats },
  dry: { ...window, rate: 1, enforce: false, stats },
  asynchronous: { ...bucket, applyUpdates: "asynchronously", stats },
  auto: { ...bucket, shards: "auto", stats },
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

const NONE = [undefined, undefined];

const passMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

test.each(["window", "day", "bucket", "dry"] as const)(
  "calls that come within 50 ms are counted, before and after a fold: %s",
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
    await runInternal(t, "stats:fold", {});
    expect(await stored(t, "events")).toEqual([]);
    expect(await closeCalls(name)).toEqual(expected);
  },
);

test("several calls of one mutation are not close to each other", async () => {
  const { limiter, limitAll, mutate, closeCalls } = start();
  await mutate(async (ctx) => {
    for (let i = 0; i < 3; i++) await limiter.limit(ctx, "window");
  });
  expect(await closeCalls("window")).toEqual(NONE);
  passMs(20);
  await limitAll([{ name: "window" }, { name: "window" }]);
  // One transaction, so it could have conflicted once.
  expect(await closeCalls("window")).toEqual([1, undefined]);
});

test("a denial is not close: it writes nothing that others read", async () => {
  const { take, closeCalls } = start();
  await take("window", 100);
  passMs(10);
  expect((await take("window")).ok).toBe(false);
  expect(await closeCalls("window")).toEqual(NONE);
});

test("a hold is a call like another", async () => {
  const { take, hold, closeCalls } = start();
  await take("window");
  passMs(10);
  await hold("window");
  expect(await closeCalls("window")).toEqual([1, undefined]);
});

test("on a split limit, only calls that meet on a row are close", async () => {
  const { take, closeCalls } = start();
  const draw = vi.spyOn(Math, "random");
  for (const random of [0, 0.9, 0]) {
    draw.mockReturnValue(random);
    await take("split");
    passMs(20);
  }
  expect(await closeCalls("split")).toEqual([1, undefined]);
  draw.mockRestore();
});

test("of a share of the calls, the number is an estimate for all", async () => {
  const { take, closeCalls } = start();
  const draw = vi.spyOn(Math, "random").mockReturnValue(0.1);
  await take("half");
  passMs(20);
  await take("half");
  expect(await closeCalls("half")).toEqual([2, undefined]);
  draw.mockRestore();
});

test("asynchronous calls are never close, and where rows split themselves, or calls hold, none is watched", async () => {
  const { take, hold, closeCalls } = start();
  for (let i = 0; i < 3; i++) {
    await take("asynchronous");
    await take("auto");
    await take("unsaid");
    await hold("rendering");
    passMs(10);
  }
  expect(await closeCalls("asynchronous")).toEqual(NONE);
  expect(await closeCalls("auto")).toEqual(NONE);
  expect(await closeCalls("unsaid")).toEqual(NONE);
  expect(await closeCalls("rendering")).toEqual(NONE);
});

test("a clock that steps back makes no call close", async () => {
  const { take, closeCalls } = start();
  passMs(MINUTE);
  await take("window");
  passMs(-20);
  await take("window");
  expect(await closeCalls("window")).toEqual(NONE);
});

test("without stats nothing is counted, and the row says when it was written", async () => {
  const { t, take } = start();
  await take("uncounted");
  passMs(20);
  await take("uncounted");
  expect(await stored(t, "events")).toEqual([]);
  expect(await storedRows(t)).toMatchObject([{ usedAt: MIDNIGHT + 20 }]);
});

test("a row that becomes a bucket's says no longer when it was written", async () => {
  const { t, take } = start();
  await take("uncounted");
  passMs(MINUTE);
  await deployed(t, { uncounted: bucket }).limit("uncounted");
  const [row] = await storedRows(t);
  expect(row).not.toHaveProperty("usedAt");
  expect(row).toMatchObject({ ts: MIDNIGHT + MINUTE });
});

test("a window of @convex-dev/rate-limiter does not say, until it is next written", async () => {
  const { t, take, closeCalls } = start();
  const row = { name: "window", shard: 0, value: 9, ts: MIDNIGHT };
  await inComponent(t, (ctx) => ctx.db.insert("rateLimits", row));
  const usedAts = async () => (await storedRows(t)).map((row) => row.usedAt);
  passMs(20);
  await take("window");
  expect(await usedAts()).toEqual([MIDNIGHT + 20]);
  expect(await closeCalls("window")).toEqual(NONE);
  passMs(20);
  await take("window");
  expect(await closeCalls("window")).toEqual([1, undefined]);
});
