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
} from "../../host.js";
import { draws } from "../../memoryLedger.js";
import type { Row } from "../../../src/core/rows.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter);

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

/** What is told of a limit with these rows stored. */
async function valueOf(
  config: RateLimitConfig,
  rows: Row[] = [],
  more: { sampleShards?: number; key?: string } = {},
) {
  const t = startHost();
  await inComponent(t, async ({ db }) => {
    for (const row of rows)
      await db.insert("rateLimits", { name: "api", ...row });
  });
  return t.query((ctx) => limiter.getValue(ctx, "api", { config, ...more }));
}

/** The same, under an override. */
async function overridden(
  config: RateLimitConfig,
  override: { deny: true } | { unlimited: true } | { config: { rate: number } },
  more: { startsAt?: number; expiresAt?: number } = {},
  asked: { sampleShards?: number; key?: string } = {},
) {
  const t = startHost();
  const set = { overrides: true as const, ...config };
  await inComponent(t, async ({ db }) => {
    await db.insert("rateLimits", { name: "api", ...row(0, 7) });
    await db.insert("overrides", { name: "api", override, ...more });
  });
  return t.query((ctx) =>
    limiter.getValue(ctx, "api", { config: set, ...asked }),
  );
}

describe("a limit that is not in use is full", () => {
  test.each([
    ["a bucket at the epoch", bucket, 0],
    ["a window on the hour at the epoch", window, 0],
    [
      "a window that starts 25 minutes past, at the first one after the epoch",
      { ...window, start: 25 * MINUTE },
      25 * MINUTE,
    ],
    [
      "a window that starts 25 minutes to, at the first one after the epoch",
      { ...window, start: -25 * MINUTE },
      35 * MINUTE,
    ],
    [
      "a window that starts later, at the first one after the epoch",
      { ...window, start: MIDNIGHT + 10 },
      10,
    ],
  ] as [string, RateLimitConfig, number][])(
    "%s",
    async (_claim, config, ts) => {
      expect(await valueOf(config)).toEqual({
        value: 60,
        ts,
        shard: 0,
        config: { ...config, capacity: 60, shards: 1 },
      });
    },
  );

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

  test("whatever the time, the answer is the same", async () => {
    const before = await valueOf(window);
    vi.setSystemTime(MIDNIGHT + 12_345_678);
    expect(await valueOf(window)).toEqual(before);
  });
});

test("of what runs at once, segments are told also when nothing runs", async () => {
  const config = { kind: "concurrency", capacity: 3, lease: MINUTE } as const;
  const told = await startHost().query((ctx) =>
    limiter.getValue(ctx, "api", { config }),
  );
  const bucket = { kind: "token bucket", rate: 0, period: MINUTE, capacity: 3 };
  expect(told).toMatchObject({
    value: 3,
    config,
    segments: [{ effect: "limited", config: bucket, shards: 1, rows: [] }],
  });
});

describe("a limit that is in use", () => {
  test("is told by its window, though another begins between the epoch and it", async () => {
    const century = 36_500 * DAY;
    const start = MIDNIGHT + DAY;
    const config = { ...window, period: century, start };
    const ts = start - century;
    expect(await valueOf(config, [row(0, 7, { ts })])).toMatchObject({
      value: 7,
      ts,
    });
  });

  test.each([
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
      "full again, is as one that is not",
      bucket,
      [row(0, 5, { fullAt: MIDNIGHT })],
      { value: 60, ts: 0, shard: 0 },
    ],
    [
      "tells the fullest of its rows",
      split,
      [row(0, 4), row(1, 9), row(2, 9), row(3, 1)],
      { value: 23, shard: 1 },
    ],
    [
      "tells its rows as of the newest",
      split,
      [row(0, 4), row(1, 9, { ts: MIDNIGHT - 4000 }), row(2, 9), row(3, 1)],
      { value: 24, ts: MIDNIGHT, shard: 1 },
    ],
  ] as [string, RateLimitConfig, Row[], object][])(
    "%s",
    async (_claim, config, rows, expected) => {
      expect(await valueOf(config, rows)).toMatchObject(expected);
    },
  );

  test.each([
    [
      "in one row that says it all",
      bucket,
      [row(0, 5, { fullAt: MIDNIGHT + 55_000 })],
      false,
    ],
    [
      "in one row that says it all but when it is full",
      bucket,
      [row(0, 5)],
      false,
    ],
    [
      "in one row that will be full at another time",
      bucket,
      [row(0, 5, { fullAt: MIDNIGHT + 1 })],
      true,
    ],
    [
      "in rows of another split",
      bucket,
      [row(0, 5, { of: 2, fullAt: MIDNIGHT + 55_000 })],
      true,
    ],
    [
      "in several rows",
      split,
      [row(0, 5, { of: 4, fullAt: MIDNIGHT + 20_000 })],
      true,
    ],
    [
      "in one row that was the only one",
      split,
      [row(0, 5, { fullAt: MIDNIGHT + 55_000 })],
      true,
    ],
    ["in no row", split, [], false],
  ] as [string, RateLimitConfig, Row[], boolean][])(
    "%s: its rows are told if they are needed",
    async (_claim, config, rows, isTold) => {
      const told = await valueOf(config, rows);
      if (!isTold) return expect(told).not.toHaveProperty("segments");
      const { value, ts, fullAt, of: shards = 1 } = rows[0]!;
      expect(told.segments).toHaveLength(1);
      expect(told.segments).toMatchObject([{ effect: "limited", shards }]);
      expect(told.segments![0]!.rows[0]).toMatchObject({ value, ts });
      const isOld = shards !== (config.shards ?? 1);
      const { rows: shown, fullFrom } = told.segments![0]!;
      expect(isOld ? fullFrom : shown[0]!.fullAt).toBe(fullAt);
    },
  );
});

describe("a sample", () => {
  const rows = [row(0, 1), row(1, 2), row(2, 3), row(3, 6)].map((row) => ({
    ...row,
    of: 4,
  }));

  test.each([
    ["of one row, the first", 1, [0], { value: 4, shard: 0 }],
    ["of one row, the last", 1, [0.99], { value: 24, shard: 3 }],
    ["of two rows", 2, [0.5, 0.5], { value: 8, shard: 2 }],
    ["of two rows, never one twice", 2, [0.99, 0.99], { value: 14, shard: 3 }],
    ["of all rows is no sample", 4, [0.99], { value: 12, shard: 3 }],
    ["of more rows is no sample", 9, [0.99], { value: 12, shard: 3 }],
  ])("%s", async (_claim, sampleShards, numbers, expected) => {
    Math.random = draws(...numbers);
    const told = await valueOf(split, rows, { sampleShards });
    expect(told).toMatchObject(expected);
    expect("segments" in told).toBe(sampleShards >= 4);
  });

  test("counts an absent row as full", async () => {
    Math.random = draws(0.99);
    expect(
      await valueOf(split, rows.slice(0, 2), { sampleShards: 1 }),
    ).toMatchObject({ value: 40, shard: 3 });
  });

  test("is full as long as no row is stored, whatever the capacity will be", async () => {
    const { segments } = await overridden(
      split,
      { config: { rate: 90 } },
      { startsAt: MIDNIGHT + 5 },
      { sampleShards: 1, key: "k" },
    );
    expect(segments).toMatchObject([
      { shards: 1, rows: [] },
      { shards: 1, rows: [] },
    ]);
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
  test("a ban shows nothing, and no capacity", async () => {
    const told = await overridden(bucket, { deny: true });
    expect(told).toMatchObject({
      value: 0,
      ts: MIDNIGHT,
      config: { capacity: 0, rate: 60 },
    });
    expect(told.segments).toEqual([
      {
        effect: "banned",
        config: { ...bucket, overrides: true, capacity: 60 },
        shards: 1,
        rows: [{ value: 7, ts: MIDNIGHT }],
      },
    ]);
  });

  test("a lifted limit shows its capacity", async () => {
    expect(await overridden(bucket, { unlimited: true })).toMatchObject({
      value: 60,
      config: { capacity: 60 },
      segments: [{ effect: "unlimited" }],
    });
  });

  test("a changed limit shows the change, and no more", async () => {
    const told = await overridden(bucket, { config: { rate: 90 } });
    expect(told).toMatchObject({
      value: 7,
      config: { rate: 90, capacity: 90 },
    });
    expect(told).not.toHaveProperty("segments");
  });

  test("what follows is told with its time, and with where windows start", async () => {
    const later = { startsAt: MIDNIGHT + 5, expiresAt: MIDNIGHT + 9 };
    const { segments } = await overridden(
      { ...window, start: undefined },
      { deny: true },
      later,
    );
    const start = segments![0]!.config.start!;
    expect(Math.abs(start)).toBeLessThan(HOUR);
    expect(segments).toMatchObject([
      { effect: "limited", until: MIDNIGHT + 5, config: { start } },
      { effect: "banned", until: MIDNIGHT + 9, config: { start } },
      { effect: "limited", config: { start } },
    ]);
    expect(segments![2]).not.toHaveProperty("until");
    expect(
      (await overridden(window, { deny: true }, later)).segments![0]!.config
        .start,
    ).toBe(0);
    expect(
      (await overridden(bucket, { deny: true }, later)).segments![0]!.config,
    ).not.toHaveProperty("start");
  });
});
