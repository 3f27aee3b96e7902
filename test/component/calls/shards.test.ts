import {
  DAY,
  MINUTE,
  RateLimiter,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { components, MIDNIGHT, startHost, useStillClock } from "../../host.js";

useStillClock();

const hundred = (shards: number, period = DAY) =>
  ({ kind: "token bucket", rate: 100, period, shards }) as const;

function start(config: RateLimitConfig) {
  const t = startHost();
  const limiter = new RateLimiter(components.rateLimiter, { split: config });
  const take = (count = 1, more: { reserve?: boolean } = {}) =>
    t.mutation((ctx) => limiter.limit(ctx, "split", { count, ...more }));
  const balance = () =>
    t.query(async (ctx) => (await limiter.getValue(ctx, "split")).value);
  return { t, limiter, take, balance };
}

describe.each([1, 3, 50])("over %i shards", (shards) => {
  test("one caller takes 100 single tokens at once, and not the 101st", async () => {
    const { take } = start(hundred(shards));
    for (let i = 0; i < 100; i++) expect(await take()).toEqual({ ok: true });
    expect(await take()).toMatchObject({ ok: false });
  });

  test("the whole capacity is one count, once", async () => {
    const { take, balance } = start(hundred(shards));
    expect(await take(100)).toEqual({ ok: true });
    expect(await balance()).toBeCloseTo(0, 9);
    expect(await take()).toMatchObject({ ok: false });
  });

  test("a fixed window grants the capacity in each window", async () => {
    const { take } = start({
      kind: "fixed window",
      rate: 20,
      period: MINUTE,
      start: 0,
      shards,
    });
    for (const minute of [0, 1, 2]) {
      vi.setSystemTime(MIDNIGHT + minute * MINUTE);
      for (let i = 0; i < 20; i++) expect(await take()).toEqual({ ok: true });
      expect(await take()).toEqual({ ok: false, retryAfter: MINUTE });
    }
  });
});

test("a sample reads no more rows than asked", async () => {
  const { t, limiter, take } = start(hundred(10));
  await take(100);
  const read = await t.query(async (ctx) => {
    await limiter.getValue(ctx, "split", { sampleShards: 3 });
    return (await ctx.meta.getTransactionMetrics()).documentsRead.used;
  });
  expect(read).toBe(3);
});

describe("several calls on a split limit in one mutation see each other", () => {
  const ten = hundred(10);

  test("two limits take no more than there is", async () => {
    const { t, limiter, balance } = start(ten);
    const answers = await t.mutation(async (ctx) => [
      await limiter.limit(ctx, "split", { count: 60 }),
      await limiter.limit(ctx, "split", { count: 60 }),
      await limiter.limit(ctx, "split", { count: 40 }),
      await limiter.limit(ctx, "split", { count: 1 }),
    ]);
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, true, false]);
    expect(await balance()).toBe(0);
  });

  test.each([1, 10, 95])(
    "reset, then limit for %i on an exhausted limit: granted",
    async (count) => {
      const { t, limiter, take } = start(ten);
      await take(100);
      const answer = await t.mutation(async (ctx) => {
        await limiter.reset(ctx, "split");
        return limiter.limit(ctx, "split", { count });
      });
      expect(answer).toEqual({ ok: true });
    },
  );

  test.each([1, 5, 30])(
    "credit, then limit for %i on an exhausted limit: granted, and then no more",
    async (count) => {
      const { t, limiter, take } = start(ten);
      await take(100);
      const answers = await t.mutation(async (ctx) => {
        await limiter.credit(ctx, "split", { count });
        return [
          await limiter.limit(ctx, "split", { count }),
          await limiter.limit(ctx, "split", { count }),
        ];
      });
      expect(answers).toMatchObject([{ ok: true }, { ok: false }]);
    },
  );

  test("credit, then reserve on an exhausted limit: no debt", async () => {
    const { t, limiter, take } = start(ten);
    await take(100);
    const answer = await t.mutation(async (ctx) => {
      await limiter.credit(ctx, "split", { count: 5 });
      return limiter.limit(ctx, "split", { count: 5, reserve: true });
    });
    expect(answer).toEqual({ ok: true });
  });
});

test("a split limit that is slow waits to the ms, too", async () => {
  const { take } = start({
    kind: "token bucket",
    rate: 8,
    period: 100 * DAY,
    shards: 4,
  });
  expect(await take(8)).toEqual({ ok: true });
  const retryAfter = 12.5 * DAY;
  expect(await take()).toEqual({ ok: false, retryAfter });
  vi.setSystemTime(MIDNIGHT + retryAfter - 1);
  expect(await take()).toEqual({ ok: false, retryAfter: 1 });
  vi.setSystemTime(MIDNIGHT + retryAfter);
  expect(await take()).toEqual({ ok: true });
});

test("nothing reserved from a split limit in debt waits for the debt", async () => {
  const { take } = start(hundred(5, MINUTE));
  await take(100);
  for (let i = 0; i < 10; i++) await take(10, { reserve: true });
  const reserved = { ok: true, retryAfter: MINUTE };
  expect(await take(0, { reserve: true })).toEqual(reserved);
});
