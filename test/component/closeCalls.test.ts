import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  MIDNIGHT,
  runInternal,
  startHost,
  stored,
  storedRows,
  useStillClock,
  type Host,
} from "../host.js";

useStillClock();

const window = { kind: "fixed window", rate: 100, period: HOUR } as const;
const bucket = { ...window, kind: "token bucket" } as const;
const stats = true;
const limits = {
  window: { ...window, stats },
  day: { kind: "fixed window", rate: 100, period: "day", stats },
  bucket: { ...bucket, stats },
  split: { ...window, rate: 4, shards: 2, stats },
  dry: { ...window, rate: 1, enforce: false, stats },
  asynchronous: { ...bucket, applyUpdates: "asynchronously", stats },
  auto: { ...bucket, shards: "auto", stats },
  rendering: { kind: "concurrency", capacity: 100, lease: MINUTE, stats },
  half: { ...window, stats: 0.5 },
  uncounted: window,
} as const;
const limiter = new RateLimiter(components.rateLimiter, limits, {
  advice: false,
});
type Counted = Exclude<keyof typeof limits, "uncounted">;
type Refilling = Exclude<keyof typeof limits, "rendering">;

const take = (t: Host, name: Refilling, count = 1) =>
  t.mutation((ctx) => limiter.limit(ctx, name, { count }));

/** How many calls were close, as `stats` says. */
async function closeCalls(t: Host, name: Counted) {
  const range = { from: MIDNIGHT, to: MIDNIGHT + 2 * MINUTE };
  const shown = await t.query((ctx) =>
    limiter.stats(ctx, name, { ...range, by: "minute" }),
  );
  return shown.map((one) => one.closeCalls);
}

const passMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

test.each(["window", "day", "bucket", "dry"] as const)(
  "calls that come within 50 ms are counted, before and after a fold: %s",
  async (name) => {
    const t = startHost();
    await take(t, name);
    for (const ms of [50, 51, 1, 40]) {
      passMs(ms);
      await take(t, name);
    }
    // A dry run that takes nothing writes nothing, and conflicts with nobody.
    const expected = [name === "dry" ? undefined : 3, undefined];
    expect(await closeCalls(t, name)).toEqual(expected);
    await runInternal(t, "stats:fold", {});
    expect(await stored(t, "events")).toEqual([]);
    expect(await closeCalls(t, name)).toEqual(expected);
  },
);

test("several calls of one mutation are not close to each other", async () => {
  const t = startHost();
  await t.mutation(async (ctx) => {
    for (let i = 0; i < 3; i++) await limiter.limit(ctx, "window");
  });
  expect(await closeCalls(t, "window")).toEqual([undefined, undefined]);
  passMs(20);
  await t.mutation((ctx) =>
    limiter.limitAll(ctx, [{ name: "window" }, { name: "window" }]),
  );
  // One transaction, so it could have conflicted once.
  expect(await closeCalls(t, "window")).toEqual([1, undefined]);
});

test("a denial is not close: it writes nothing that others read", async () => {
  const t = startHost();
  await take(t, "window", 100);
  passMs(10);
  expect((await take(t, "window")).ok).toBe(false);
  expect(await closeCalls(t, "window")).toEqual([undefined, undefined]);
});

test("a hold is a call like another", async () => {
  const t = startHost();
  await take(t, "window");
  passMs(10);
  await t.mutation((ctx) => limiter.hold(ctx, "window"));
  expect(await closeCalls(t, "window")).toEqual([1, undefined]);
});

test("on a split limit, only calls that meet on a row are close", async () => {
  const t = startHost();
  const draw = vi.spyOn(Math, "random");
  for (const random of [0, 0.9, 0]) {
    draw.mockReturnValue(random);
    await take(t, "split");
    passMs(20);
  }
  expect(await closeCalls(t, "split")).toEqual([1, undefined]);
  draw.mockRestore();
});

test("of a share of the calls, the number is an estimate for all", async () => {
  const t = startHost();
  const draw = vi.spyOn(Math, "random").mockReturnValue(0.1);
  await take(t, "half");
  passMs(20);
  await take(t, "half");
  expect(await closeCalls(t, "half")).toEqual([2, undefined]);
  draw.mockRestore();
});

test("asynchronous calls are never close, and where rows split themselves, or calls hold, none is watched", async () => {
  const t = startHost();
  for (let i = 0; i < 3; i++) {
    await take(t, "asynchronous");
    await take(t, "auto");
    await t.mutation((ctx) => limiter.hold(ctx, "rendering"));
    passMs(10);
  }
  expect(await closeCalls(t, "asynchronous")).toEqual([undefined, undefined]);
  expect(await closeCalls(t, "auto")).toEqual([undefined, undefined]);
  expect(await closeCalls(t, "rendering")).toEqual([undefined, undefined]);
});

test("a clock that steps back makes no call close", async () => {
  const t = startHost();
  passMs(MINUTE);
  await take(t, "window");
  passMs(-20);
  await take(t, "window");
  expect(await closeCalls(t, "window")).toEqual([undefined, undefined]);
});

test("without stats nothing is counted, and the row says when it was written", async () => {
  const t = startHost();
  await take(t, "uncounted");
  passMs(20);
  await take(t, "uncounted");
  expect(await stored(t, "events")).toEqual([]);
  expect(await storedRows(t)).toMatchObject([{ usedAt: MIDNIGHT + 20 }]);
});

test("a row that becomes a bucket's says no longer when it was written", async () => {
  const t = startHost();
  const asBucket = new RateLimiter(components.rateLimiter, {
    uncounted: bucket,
  });
  await take(t, "uncounted");
  passMs(MINUTE);
  await t.mutation((ctx) => asBucket.limit(ctx, "uncounted"));
  const [row] = await storedRows(t);
  expect(row).not.toHaveProperty("usedAt");
  expect(row).toMatchObject({ ts: MIDNIGHT + MINUTE });
});

test("a window of @convex-dev/rate-limiter does not say, until it is next written", async () => {
  const t = startHost();
  const row = { name: "window", shard: 0, value: 9, ts: MIDNIGHT };
  await inComponent(t, (ctx) => ctx.db.insert("rateLimits", row));
  const usedAts = async () => (await storedRows(t)).map((row) => row.usedAt);
  passMs(20);
  await take(t, "window");
  expect(await usedAts()).toEqual([MIDNIGHT + 20]);
  expect(await closeCalls(t, "window")).toEqual([undefined, undefined]);
  passMs(20);
  await take(t, "window");
  expect(await closeCalls(t, "window")).toEqual([1, undefined]);
});
