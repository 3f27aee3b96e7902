import { MINUTE, RateLimiter, type RateLimitConfig } from "convex-rate-limiter";
import { expect, test } from "vitest";
import { components, startHost, useStillClock, type HostCtx } from "../host.js";

useStillClock();

const perMinute = (rate: number, shards = 1): RateLimitConfig => ({
  kind: "token bucket",
  rate,
  period: MINUTE,
  shards,
});

const limiter = new RateLimiter(components.rateLimiter, {
  ten: perMinute(10),
  twenty: perMinute(20),
  split: perMinute(40, 4),
});

test("the details of a denial count nothing as taken", async () => {
  const denied = await startHost().mutation(async (ctx) => {
    await limiter.limit(ctx, "twenty", { count: 12 });
    const list = [
      { name: "ten", count: 9 },
      { name: "twenty", count: 9 },
    ] as const;
    return limiter.limitAll(ctx, list, { details: true });
  });
  expect(denied).toEqual({
    ok: false,
    retryAfter: 3_000,
    blockedBy: { index: 1, name: "twenty" },
    limit: 20,
    remaining: 8,
    resetAfter: 36_000,
  });
});

test("reads and writes the rows that the single calls would, and no more", async () => {
  const cost = async (run: (ctx: HostCtx) => Promise<unknown>) => {
    const t = startHost();
    await t.mutation((ctx) => limiter.limit(ctx, "ten"));
    return t.mutation(async (ctx) => {
      await run(ctx);
      const metrics = await ctx.meta.getTransactionMetrics();
      return [
        metrics.databaseQueries.used,
        metrics.documentsRead.used,
        metrics.documentsWritten.used,
      ];
    });
  };
  const items = [
    { name: "ten" },
    { name: "twenty" },
    { name: "split" },
  ] as const;
  expect(await cost((ctx) => limiter.limitAll(ctx, items))).toEqual(
    await cost(async (ctx) => {
      for (const { name } of items) await limiter.limit(ctx, name);
    }),
  );
});
