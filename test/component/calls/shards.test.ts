import {
  DAY,
  HOUR,
  MINUTE,
  RateLimiter,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  MIDNIGHT,
  startHost,
  useStillClock,
  type Host,
  type HostCtx,
} from "../../host.js";

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

/** What a function reads and writes, by Convex's own count. */
async function metered(t: Host, run: (ctx: HostCtx) => Promise<unknown>) {
  return t.mutation(async (ctx) => {
    await run(ctx);
    const { databaseQueries, documentsRead, documentsWritten } =
      await ctx.meta.getTransactionMetrics();
    return {
      databaseQueries: databaseQueries.used,
      documentsRead: documentsRead.used,
      documentsWritten: documentsWritten.used,
    };
  });
}

describe.each([1, 3, 50])("over %i shards", (shards) => {
  test("one caller takes 100 single tokens at once, and not the 101st", async () => {
    const { take } = start(hundred(shards));
    for (let i = 0; i < 100; i++) expect(await take()).toEqual({ ok: true });
    expect(await take()).toMatchObject({ ok: false });
  });

  test("one caller takes 100 single tokens a second apart, and not the 101st", async () => {
    const { take } = start(hundred(shards));
    for (let i = 0; i < 100; i++) {
      vi.setSystemTime(MIDNIGHT + i * 1000);
      expect(await take()).toEqual({ ok: true });
    }
    expect(await take()).toMatchObject({ ok: false });
  });

  test("the whole capacity is one count, once", async () => {
    const { take, balance } = start(hundred(shards));
    expect(await take(100)).toEqual({ ok: true });
    expect(await balance()).toBeCloseTo(0, 9);
    expect(await take()).toMatchObject({ ok: false });
  });

  test("a reservation goes as deep as maxReserved, and no deeper", async () => {
    const { take, balance } = start({ ...hundred(shards), maxReserved: 20 });
    expect(await take(120, { reserve: true })).toMatchObject({ ok: true });
    expect(await balance()).toBeCloseTo(-20, 9);
    expect(await take(0.5, { reserve: true })).toMatchObject({ ok: false });
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

describe("rows read and written", () => {
  const wide = { ...hundred(10, HOUR), rate: 1000 };

  test("a fresh limit: one row read, a look at the others, one row written", async () => {
    const { t, limiter } = start(wide);
    expect(await metered(t, (ctx) => limiter.limit(ctx, "split"))).toEqual({
      databaseQueries: 2,
      documentsRead: 0,
      documentsWritten: 1,
    });
  });

  test("a well-filled limit: one row read, and written", async () => {
    const { t, limiter, take } = start(wide);
    await take(1000);
    vi.setSystemTime(MIDNIGHT + HOUR / 2);
    for (let i = 0; i < 10; i++) {
      expect(await metered(t, (ctx) => limiter.limit(ctx, "split"))).toEqual({
        databaseQueries: 1,
        // The query's, and the patch's own of the same row.
        documentsRead: 2,
        documentsWritten: 1,
      });
    }
  });

  test("an unsplit limit: one row read, and written", async () => {
    const { t, limiter, take } = start(hundred(1));
    await take();
    expect(await metered(t, (ctx) => limiter.limit(ctx, "split"))).toEqual({
      databaseQueries: 1,
      documentsRead: 2,
      documentsWritten: 1,
    });
  });

  test.each([1, 10])(
    "a denial over %i shards writes nothing",
    async (shards) => {
      const { t, limiter, take } = start(hundred(shards));
      await take(100);
      const { documentsWritten } = await metered(t, (ctx) =>
        limiter.limit(ctx, "split"),
      );
      expect(documentsWritten).toBe(0);
    },
  );

  test("a credit that fits one row: one row read, and written", async () => {
    const { t, limiter, take } = start(wide);
    await take(1000);
    const run = (ctx: HostCtx) => limiter.credit(ctx, "split", { count: 50 });
    expect(await metered(t, run)).toEqual({
      databaseQueries: 1,
      documentsRead: 2,
      documentsWritten: 1,
    });
  });
});

describe("getValue", () => {
  test("sums the rows, each projected to the newest of their times", async () => {
    const { t, limiter } = start({ ...hundred(4, 100_000), rate: 40 });
    const config = { kind: "token bucket", rate: 40, period: 100_000 } as const;
    await inComponent(t, async ({ db }) => {
      const row = { name: "split", shard: 0, value: 1, ts: MIDNIGHT };
      await db.insert("rateLimits", row);
      await db.insert("rateLimits", {
        ...row,
        shard: 1,
        value: -2,
        ts: MIDNIGHT + 10_000,
      });
    });
    // Row 0 has refilled by 1 since; rows 2 and 3 have never been used.
    const value = await t.query((ctx) => limiter.getValue(ctx, "split"));
    expect(value).toMatchObject({
      value: 2 - 2 + 10 + 10,
      ts: MIDNIGHT + 10_000,
      shard: 2,
      config: { ...config, capacity: 40, shards: 4 },
    });
  });

  test("a sample reads no more rows than asked", async () => {
    const { t, limiter, take } = start(hundred(10));
    await take(100);
    const { documentsRead } = await metered(t, (ctx) =>
      limiter.getValue(ctx, "split", { sampleShards: 3 }),
    );
    expect(documentsRead).toBe(3);
  });
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
