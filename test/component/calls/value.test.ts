import {
  calculateRateLimit,
  DAY,
  HOUR,
  MINUTE,
  type LimitConfig,
  type RateLimitConfig,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { startApp } from "../../support/startApp.js";
import { inComponent, MIDNIGHT, useStillClock } from "../../support/host.js";
import { draws } from "../../support/memoryLedger.js";
import { toLimit, ruleOf } from "../../../src/core/limit.js";
import type { Row } from "../../../src/core/rows.js";

useStillClock();

const bucket: RateLimitConfig = {
  kind: "token bucket",
  rate: 60,
  period: MINUTE,
};
const window: RateLimitConfig = {
  kind: "fixed window",
  rate: 60,
  period: HOUR,
  start: 0,
};
const split: RateLimitConfig = { ...bucket, capacity: 40, shards: 4 };

const row = (shard: number, value: number, more: Partial<Row> = {}): Row => ({
  shard,
  value,
  ts: MIDNIGHT,
  ...more,
});

const fullAt = MIDNIGHT + 55_000;

/** The rows of `split`: row 0, and those below it with so many tokens. */
const fourOf = (...values: number[]): Row[] => {
  const rule = ruleOf(toLimit("api", split));
  const below = values.map((value, nth) => row(1 + nth, value, { fullAt }));
  return [row(0, 40, { into: 4, rule, usedAt: 0, fullAt }), ...below];
};

type Asked = { sampleShards?: number; override?: SetOverrideOptions };

/** What is told of a limit with these rows stored, and an override. */
async function valueOf(
  config: RateLimitConfig,
  rows: Row[] = [],
  { override, ...asked }: Asked = {},
) {
  const overrides = override && ({ overrides: true } as const);
  const app = startApp({ api: { ...overrides, ...config } });
  await inComponent(app.t, async ({ db }) => {
    for (const row of rows)
      await db.insert("rateLimits", { name: "api", ...row });
  });
  if (override !== undefined) {
    await app.mutate((ctx) => app.limiter.setOverride(ctx, "api", override));
  }
  return app.t.query((ctx) => app.limiter.getValue(ctx, "api", asked));
}

describe("a limit that is not in use is full", () => {
  const at = (start: number) => ({ ...window, start });

  test.each<[string, RateLimitConfig, ts: number]>([
    ["a bucket at the epoch", bucket, 0],
    ["a window on the hour at the epoch", window, 0],
    ["a window at the first after the epoch", at(25 * MINUTE), 25 * MINUTE],
    ["so one that starts before it", at(-25 * MINUTE), 35 * MINUTE],
    ["so one that starts later", at(MIDNIGHT + 10), 10],
  ])("%s, whatever the time", async (_claim, config, ts) => {
    for (const now of [MIDNIGHT, MIDNIGHT + 12_345_678]) {
      vi.setSystemTime(now);
      expect(await valueOf(config)).toEqual({
        value: 60,
        ts,
        shard: 0,
        config: { ...config, capacity: 60 },
      });
    }
  });

  test("a window without a start: at the first one after the epoch, which is shown as its start", async () => {
    const { value, ts, config } = await valueOf({
      ...window,
      start: undefined,
    });
    expect(value).toBe(60);
    expect(ts).toBeGreaterThan(0);
    expect(ts).toBeLessThan(HOUR);
    expect(config.start).toBe(ts);
  });

  test("a split one also when a raise begins, as a page, a denial and the next call say", async () => {
    const override = { config: { capacity: 80 }, startsAt: MIDNIGHT + 5 };
    const told = await valueOf(split, [], { override });
    const { config } = told;
    const page = calculateRateLimit(told, config, MIDNIGHT + 5);
    expect(page.value).toBe(80);
    const app = startApp({ api: { ...split, overrides: true } });
    await app.setOverride("api", override);
    const denied = { ok: false, retryAfter: 5 };
    expect(await app.limit("api", { count: 80 })).toEqual(denied);
    vi.setSystemTime(MIDNIGHT + 5);
    expect(await app.limit("api", { count: 80 })).toEqual({ ok: true });
  });

  test("of concurrency, with phases", async () => {
    const job = { kind: "concurrency", capacity: 3, lease: MINUTE } as const;
    const config = { ...bucket, rate: 0, capacity: 3 };
    expect(await startApp({ job }).getValue("job")).toMatchObject({
      value: 3,
      shard: 0,
      config: job,
      phases: [{ effect: "limited", config, shards: 1, rows: [] }],
    });
  });
});

describe("a limit that is in use", () => {
  test("of calendar windows that pay a debt of ten years, those of five are listed", async () => {
    const day = { kind: "fixed window", rate: 1, period: "day" } as const;
    const app = startApp({ api: day });
    await app.charge("api", { count: 3650 });
    const { phases } = await app.getValue("api");
    expect(phases?.[0]?.starts).toHaveLength(5 * 366);
  });

  test("is told by its window, though another begins between the epoch and it", async () => {
    const century = 36_500 * DAY;
    const start = MIDNIGHT + DAY;
    const config = { ...window, period: century, start };
    const ts = start - century;
    const told = await valueOf(config, [row(0, 7, { ts })]);
    expect(told).toMatchObject({ value: 7, ts });
  });

  const older = { ts: MIDNIGHT - 4000 };
  test.each<[string, RateLimitConfig, Row[], object]>([
    [
      "tells what is stored, and when it was",
      bucket,
      [row(0, 5)],
      { value: 5, ts: MIDNIGHT, shard: 0 },
    ],
    [
      "tells a window by its beginning",
      window,
      [row(0, 5)],
      { value: 5, ts: MIDNIGHT, shard: 0 },
    ],
    [
      "is idle an hour after it is full, and then as one that is not in use",
      bucket,
      [row(0, 5, { fullAt: MIDNIGHT - HOUR })],
      { value: 60, ts: 0, shard: 0 },
    ],
    [
      "tells the fullest of its rows",
      split,
      fourOf(4, 9, 9, 1),
      { value: 23, shard: 2 },
    ],
    [
      "tells its rows as of the newest",
      split,
      fourOf(4, 9, 9, 1).with(2, row(2, 9, older)),
      { value: 24, ts: MIDNIGHT, shard: 2 },
    ],
  ])("%s", async (_claim, config, rows, expected) => {
    expect(await valueOf(config, rows)).toMatchObject(expected);
  });

  test.each<[string, RateLimitConfig, Row[], object | undefined]>([
    [
      "not one row that says it all",
      bucket,
      [row(0, 5, { fullAt })],
      undefined,
    ],
    [
      "not one that does not say when it is full",
      bucket,
      [row(0, 5)],
      undefined,
    ],
    [
      "not one that is full in the very ms in which it becomes idle",
      bucket,
      [row(0, 5, { fullAt: fullAt - HOUR })],
      undefined,
    ],
    [
      "one that is idle before it is full",
      bucket,
      [row(0, 5, { fullAt: fullAt - HOUR - 1 })],
      { shards: 1, fullFrom: fullAt - 1, rows: [{ value: 5, ts: MIDNIGHT }] },
    ],
    [
      "not a window on the grid of the config",
      window,
      [row(0, 5, { fullAt: MIDNIGHT + HOUR })],
      undefined,
    ],
    [
      "one that will begin on another",
      { ...window, start: 25 * MINUTE },
      [row(0, 5, { fullAt: MIDNIGHT + HOUR })],
      { shards: 1, fullFrom: MIDNIGHT + 2 * HOUR },
    ],
    [
      "the rows of a split limit",
      split,
      fourOf(5, 6),
      {
        shards: 4,
        fullFrom: fullAt + HOUR,
        rows: [5, 6, 10, 10].map((value) => ({ value, ts: MIDNIGHT })),
      },
    ],
  ])(
    "tells the rows where the sum is not enough: %s",
    async (_claim, config, rows, expected) => {
      const { phases } = await valueOf(config, rows);
      if (expected === undefined) return expect(phases).toBeUndefined();
      expect(phases).toMatchObject([{ effect: "limited", ...expected }]);
    },
  );
});

describe("the windows of the calendar that are told", () => {
  /** In Berlin, a day before the clocks are put forward. */
  const now = Date.parse("2026-03-28T12:00:00Z");
  const today = Date.parse("2026-03-27T23:00:00Z");
  const tomorrow = Date.parse("2026-03-28T23:00:00Z");
  const dayAfter = Date.parse("2026-03-29T22:00:00Z");
  const daily = {
    kind: "fixed window",
    rate: 4,
    period: "day",
    timeZone: "Europe/Berlin",
  } as const;

  beforeEach(() => void vi.setSystemTime(now));

  /** Of a limit of which so much is taken now, so much later. */
  const startsOf = async (
    config: LimitConfig,
    count: number,
    { later = 0, ...sample }: { later?: number; sampleShards?: number } = {},
  ) => {
    const { limit, limiter, t } = startApp({ api: config });
    if (count > 0) await limit("api", { count });
    vi.setSystemTime(now + later);
    const told = await t.query((ctx) => limiter.getValue(ctx, "api", sample));
    return { told, starts: told.phases![0]!.starts! };
  };

  test("of an unused limit begin with the one of now", async () => {
    const { told, starts } = await startsOf(daily, 0);
    expect(told).toMatchObject({ value: 4, config: { period: DAY } });
    const { windowStart } = calculateRateLimit(told, told.config, now);
    expect(windowStart).toBe(today);
    expect(starts.slice(0, 3)).toEqual([today, tomorrow, dayAfter]);
    expect(starts).toHaveLength(15);
  });

  test("of a sample of the rows are those of the whole", async () => {
    const config = { ...daily, shards: 2 };
    const { told, starts } = await startsOf(config, 4, { sampleShards: 1 });
    const rows = [{ value: 0, ts: today }];
    const phases = [{ effect: "limited", shards: 1, rows }];
    expect(told).toMatchObject({ value: 0, phases });
    expect(starts.slice(0, 2)).toEqual([today, tomorrow]);
    // Two weeks of them behind the one in which it is full again.
    expect(starts).toHaveLength(2 + 14);
  });

  test("go from the oldest row to two weeks after the limit is full", async () => {
    const config = { ...daily, capacity: 12 };
    const { starts } = await startsOf(config, 12, { later: 2 * DAY });
    expect(starts[0]).toBe(today);
    expect(starts.at(-1)).toBe(Date.parse("2026-04-13T22:00:00Z"));
  });
});

describe("a sample", () => {
  const rows = fourOf(1, 2, 3, 6);

  test.each([
    ["of one row, the first", 1, [0], { value: 4, shard: 1 }],
    ["of one row, the last", 1, [0.99], { value: 24, shard: 4 }],
    ["of two rows", 2, [0.5, 0.5], { value: 8, shard: 3 }],
    ["of two rows, never one twice", 2, [0.99, 0.99], { value: 14, shard: 4 }],
    ["of all rows is no sample", 4, [0.99], { value: 12, shard: 4 }],
    ["of more rows is no sample", 9, [0.99], { value: 12, shard: 4 }],
  ])("%s", async (_claim, sampleShards, numbers, expected) => {
    Math.random = draws(...numbers);
    const told = await valueOf(split, rows, { sampleShards });
    expect(told).toMatchObject(expected);
    const [phase] = told.phases ?? [];
    expect(phase?.rows ?? []).toHaveLength(sampleShards >= 4 ? 4 : 0);
  });

  test("counts a row that is not stored as its part of row 0", async () => {
    Math.random = draws(0.99);
    const told = await valueOf(split, fourOf(1, 2), { sampleShards: 1 });
    expect(told).toMatchObject({ value: 40, shard: 4 });
  });

  test("reads no more rows than asked, and row 0", async () => {
    const { t, limiter, limit } = startApp({ api: split });
    await limit("api", { count: 40 });
    const read = await t.query(async (ctx) => {
      await limiter.getValue(ctx, "api", { sampleShards: 3 });
      return (await ctx.meta.getTransactionMetrics()).documentsRead.used;
    });
    expect(read).toBe(4);
  });

  test("is full as long as no row is stored, whatever the capacity will be", async () => {
    const override = { config: { rate: 90 }, startsAt: MIDNIGHT + 5 };
    const asked = { sampleShards: 1, override };
    const { phases } = await valueOf(split, [], asked);
    const full = { shards: 1, rows: [] };
    expect(phases).toMatchObject([full, full]);
  });

  test.each([0, -1, 1.5, NaN, Infinity])(
    "of %d rows is refused",
    async (sampleShards) => {
      await expect(valueOf(split, [], { sampleShards })).rejects.toThrow(
        `Rate limit api: sampleShards must be a whole number of at least 1, but is ${sampleShards}.`,
      );
    },
  );
});

describe("under an override", () => {
  const seven = [row(0, 7)];

  test("a ban shows nothing, and no capacity", async () => {
    const told = await valueOf(bucket, seven, { override: { deny: true } });
    expect(told).toMatchObject({
      value: 0,
      ts: MIDNIGHT,
      config: { capacity: 0, rate: 60 },
    });
    expect(told.phases).toEqual([
      {
        effect: "banned",
        config: { ...bucket, overrides: true, capacity: 60 },
        shards: 1,
        rows: [{ value: 7, ts: MIDNIGHT }],
      },
    ]);
  });

  test("a lifted limit shows its capacity", async () => {
    const override = { unlimited: true } as const;
    expect(await valueOf(bucket, seven, { override })).toMatchObject({
      value: 60,
      config: { capacity: 60 },
      phases: [{ effect: "unlimited" }],
    });
  });

  test("a changed limit shows the change, and no more", async () => {
    const override = { config: { rate: 90 } };
    const told = await valueOf(bucket, seven, { override });
    expect(told).toMatchObject({ value: 7, config: { rate: 90 } });
    expect(told.config.capacity).toBe(90);
    expect(told).not.toHaveProperty("phases");
  });

  test("what follows is told with its time, and with where windows start", async () => {
    const times = { startsAt: MIDNIGHT + 5, expiresAt: MIDNIGHT + 9 };
    const override = { deny: true, ...times } as const;
    const phasesOf = async (config: RateLimitConfig) =>
      (await valueOf(config, seven, { override })).phases!;
    const phases = await phasesOf({ ...window, start: undefined });
    const start = phases[0]!.config.start!;
    expect(Math.abs(start)).toBeLessThan(HOUR);
    expect(phases).toMatchObject([
      { effect: "limited", until: MIDNIGHT + 5, config: { start } },
      { effect: "banned", until: MIDNIGHT + 9, config: { start } },
      { effect: "limited", config: { start } },
    ]);
    expect(phases[2]).not.toHaveProperty("until");
    expect((await phasesOf(window))[0]!.config.start).toBe(0);
    expect((await phasesOf(bucket))[0]!.config).not.toHaveProperty("start");
  });
});
