import {
  MINUTE,
  RateLimiter,
  type LimitAllItem,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import {
  components,
  startHost,
  storedRows,
  useStillClock,
  type HostCtx,
} from "../host.js";

useStillClock();

const perMinute = (rate: number, more: Partial<RateLimitConfig> = {}) =>
  ({ kind: "token bucket", rate, period: MINUTE, ...more }) as RateLimitConfig;

const limits = {
  ten: perMinute(10),
  twenty: perMinute(20),
  split: perMinute(40, { shards: 4 }),
  dry: perMinute(10, { enforce: false }),
};

const limiter = new RateLimiter(components.rateLimiter, limits);

type Items = readonly LimitAllItem<typeof limits>[];

function start() {
  const t = startHost();
  return {
    t,
    limitAll: (items: Items) =>
      t.mutation((ctx) => limiter.limitAll(ctx, items)),
    limitAllWithDetails: (items: Items) =>
      t.mutation((ctx) => limiter.limitAll(ctx, items, { details: true })),
    checkAll: (items: Items) => t.query((ctx) => limiter.checkAll(ctx, items)),
    take: (name: keyof typeof limits, count: number) =>
      t.mutation((ctx) => limiter.limit(ctx, name, { count })),
    balance: (name: keyof typeof limits) =>
      t.query(async (ctx) => (await limiter.getValue(ctx, name)).value),
  };
}

test("takes from all, keys and counts of their own", async () => {
  const { t, limitAll } = start();
  expect(
    await limitAll([
      { name: "ten", key: "a", count: 3 },
      { name: "ten", key: "b", count: 4 },
      { name: "split", count: 40 },
    ]),
  ).toEqual({ ok: true });
  const rows = await storedRows(t);
  const values = rows.map(({ name, key, value }) => [name, key, value]);
  expect(values).toEqual([
    ["ten", "a", 7],
    ["ten", "b", 6],
    ...Array.from({ length: 4 }, () => ["split", undefined, 0]),
  ]);
});

describe("the same limit and key twice", () => {
  test("over shards too", async () => {
    const { limitAll, balance } = start();
    const twice: Items = [
      { name: "split", count: 25 },
      { name: "split", count: 15 },
    ];
    expect(await limitAll(twice)).toEqual({ ok: true });
    expect(await balance("split")).toBe(0);
  });
});

describe("details", () => {
  test("of a denial count nothing as taken", async () => {
    const { take, limitAllWithDetails } = start();
    await take("twenty", 12);
    expect(
      await limitAllWithDetails([
        { name: "ten", count: 9 },
        { name: "twenty", count: 9 },
      ]),
    ).toEqual({
      ok: false,
      retryAfter: 3_000,
      blockedBy: { index: 1, name: "twenty" },
      limit: 20,
      remaining: 8,
      resetAfter: 36_000,
    });
  });
});

test("checkAll says what limitAll would, and takes nothing", async () => {
  const { t, limitAll, checkAll, take } = start();
  await take("ten", 8);
  const before = await storedRows(t);
  const lists: Items[] = [
    [{ name: "ten", count: 2 }, { name: "split" }],
    [{ name: "twenty" }, { name: "ten", count: 3 }],
    [{ name: "ten" }, { name: "ten" }, { name: "ten" }],
  ];
  for (const list of lists) {
    const foreseen = await checkAll(list);
    expect(await storedRows(t)).toEqual(before);
    expect(
      await t
        .mutation(async (ctx) => {
          throw Object.assign(new Error(), {
            data: await limiter.limitAll(ctx, list),
          });
        })
        .catch((error: { data: unknown }) => error.data),
    ).toEqual(foreseen);
  }
  expect(await limitAll(lists[0]!)).toEqual({ ok: true });
});

test("reads and writes the rows that the single calls would, and no more", async () => {
  const cost = async (run: (ctx: HostCtx) => Promise<unknown>) => {
    const { t, take } = start();
    await take("ten", 1);
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
