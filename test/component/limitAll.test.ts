import {
  MINUTE,
  RateLimiter,
  type LimitAllItem,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
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

test("a denial takes nothing from those that would have granted", async () => {
  const { t, limitAll, take } = start();
  await take("ten", 10);
  const before = await storedRows(t);
  expect(
    await limitAll([{ name: "split", count: 40 }, { name: "ten" }]),
  ).toEqual({
    ok: false,
    retryAfter: 6_000,
    blockedBy: { index: 1, name: "ten" },
  });
  expect(await storedRows(t)).toEqual(before);
});

describe("the same limit and key twice", () => {
  test("must fit twice", async () => {
    const { limitAll, balance } = start();
    const twice = (count: number): Items => [
      { name: "ten", count },
      { name: "ten", count },
    ];
    expect(await limitAll(twice(6))).toMatchObject({
      ok: false,
      blockedBy: { index: 1 },
    });
    expect(await limitAll(twice(5))).toEqual({ ok: true });
    expect(await balance("ten")).toBe(0);
  });

  test.each([
    ["the second is refused", 5, 4, 4, 1, 18_000],
    ["the first is refused already", 3, 4, 4, 0, 30_000],
    ["counts differ", 1, 2, 7, 0, 48_000],
  ])(
    "retryAfter is when all of it is there: %s",
    async (_case, left, first, second, index, retryAfter) => {
      const { limitAll, take } = start();
      const both: Items = [
        { name: "ten", count: first },
        { name: "twenty" },
        { name: "ten", count: second },
      ];
      await take("ten", 10 - left);
      expect(await limitAll(both)).toMatchObject({
        ok: false,
        retryAfter,
        blockedBy: { index: index === 0 ? 0 : 2 },
      });
      vi.setSystemTime(MIDNIGHT + retryAfter - 1);
      expect(await limitAll(both)).toMatchObject({ ok: false });
      vi.setSystemTime(MIDNIGHT + retryAfter);
      expect(await limitAll(both)).toEqual({ ok: true });
    },
  );

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

test("a reservation in the list says when all of them may run", async () => {
  const { limitAll } = start();
  expect(
    await limitAll([
      { name: "ten", count: 12, reserve: true },
      { name: "twenty", count: 30, reserve: true },
      { name: "split" },
    ]),
  ).toEqual({ ok: true, retryAfter: 30_000 });
});

test("one that can never be granted throws, and nothing is taken", async () => {
  const { t, limitAll } = start();
  await expect(
    limitAll([{ name: "twenty" }, { name: "ten", count: 11 }]),
  ).rejects.toThrow("Rate limit ten count 11 exceeds 10");
  expect(await storedRows(t)).toEqual([]);
});

test("a dry run in the list does not block it, and shows", async () => {
  const { limitAll, take } = start();
  await take("dry", 10);
  expect(await limitAll([{ name: "dry" }, { name: "ten" }])).toEqual({
    ok: true,
    wouldDeny: true,
  });
});

describe("details", () => {
  test("are those of the limit that has the least left", async () => {
    const { limitAllWithDetails } = start();
    expect(
      await limitAllWithDetails([
        { name: "ten", count: 4 },
        { name: "twenty", count: 15 },
        { name: "split", count: 1 },
      ]),
    ).toEqual({ ok: true, limit: 20, remaining: 5, resetAfter: 45_000 });
  });

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
