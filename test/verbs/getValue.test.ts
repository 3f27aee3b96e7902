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
import { startApp } from "../support/startApp.js";
import { inComponent, MIDNIGHT, useStillClock } from "../support/host.js";
import { draws } from "../support/draws.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import type { Row } from "../../src/core/view.js";

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

/** The rows of `split`: row 0, and those below it with these values. */
const fourOf = (...values: number[]): Row[] => {
  const rule = ruleOf(toLimit("api", split));
  const below = values.map((value, nth) => row(1 + nth, value, { fullAt }));
  return [row(0, 40, { into: 4, rule, usedAt: 0, fullAt }), ...below];
};

type Asked = { sampleShards?: number; override?: SetOverrideOptions };

/** What getValue returns for a limit with these rows stored, and an override. */
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

describe("an unused limit", () => {
  const at = (start: number) => ({ ...window, start });

  test.each<[string, RateLimitConfig, ts: number]>([
    ["a bucket", bucket, 0],
    ["a window on the hour", window, 0],
    ["a window with a start after it", at(25 * MINUTE), 25 * MINUTE],
    ["a window with a start before it", at(-25 * MINUTE), 35 * MINUTE],
    ["a window with a start long after it", at(MIDNIGHT + 10), 10],
  ])(
    "is full as of the epoch or the first window after it: %s",
    async (_claim, config, ts) => {
      for (const now of [MIDNIGHT, MIDNIGHT + 12_345_678]) {
        vi.setSystemTime(now);
        expect(await valueOf(config)).toEqual({
          value: 60,
          ts,
          shard: 0,
          config: { ...config, capacity: 60 },
        });
      }
    },
  );

  test("shows the first window after the epoch as its start if it has none", async () => {
    const { value, ts, config } = await valueOf({
      ...window,
      start: undefined,
    });
    expect(value).toBe(60);
    expect(ts).toBeGreaterThan(0);
    expect(ts).toBeLessThan(HOUR);
    expect(config.start).toBe(ts);
  });

  test("that is split is full when a raised capacity begins", async () => {
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

  test("of concurrency shows its phases", async () => {
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
  test("lists the calendar windows of five years if its debt lasts ten", async () => {
    const day = { kind: "fixed window", rate: 1, period: "day" } as const;
    const app = startApp({ api: day });
    await app.charge("api", { count: 3650 });
    const { phases } = await app.getValue("api");
    expect(phases?.[0]?.starts).toHaveLength(5 * 366);
  });

  test("shows its current window, even one that began before the epoch", async () => {
    const century = 36_500 * DAY;
    const start = MIDNIGHT + DAY;
    const config = { ...window, period: century, start };
    const ts = start - century;
    const told = await valueOf(config, [row(0, 7, { ts })]);
    expect(told).toMatchObject({ value: 7, ts });
  });
});

describe("the calendar windows that getValue lists", () => {
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

  /** What getValue returns a while after a count was taken. */
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

  test("begin with the current one if the limit is unused", async () => {
    const { told, starts } = await startsOf(daily, 0);
    expect(told).toMatchObject({ value: 4, config: { period: DAY } });
    const { windowStart } = calculateRateLimit(told, told.config, now);
    expect(windowStart).toBe(today);
    expect(starts.slice(0, 3)).toEqual([today, tomorrow, dayAfter]);
    expect(starts).toHaveLength(15);
  });

  test("are those of all rows, also for a sample", async () => {
    const config = { ...daily, shards: 2 };
    const { told, starts } = await startsOf(config, 4, { sampleShards: 1 });
    const rows = [{ value: 0, ts: today }];
    const phases = [{ effect: "limited", shards: 1, rows }];
    expect(told).toMatchObject({ value: 0, phases });
    expect(starts.slice(0, 2)).toEqual([today, tomorrow]);
    // Two weeks of them after the one in which it is full again.
    expect(starts).toHaveLength(2 + 14);
  });

  test("last from the oldest row to two weeks after the limit is full", async () => {
    const config = { ...daily, capacity: 12 };
    const { starts } = await startsOf(config, 12, { later: 2 * DAY });
    expect(starts[0]).toBe(today);
    expect(starts.at(-1)).toBe(Date.parse("2026-04-13T22:00:00Z"));
  });
});

describe("a sample", () => {
  test("reads row 0 and as many rows as requested", async () => {
    const { t, limiter, limit } = startApp({ api: split });
    await limit("api");
    await limit("api", { count: 39 });
    const read = await t.query(async (ctx) => {
      await limiter.getValue(ctx, "api", { sampleShards: 3 });
      return (await ctx.meta.getTransactionMetrics()).documentsRead.used;
    });
    expect(read).toBe(4);
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

const seven = [row(0, 7)];
const older = row(2, 9, { ts: MIDNIGHT - 4000 });
const idleIn = (ms: number) => [row(0, 5, { fullAt: fullAt - HOUR + ms })];
const minute = [row(0, 5, { fullAt: MIDNIGHT + HOUR })];
const elsewhere = { ...window, start: 25 * MINUTE };
const sampled = fourOf(1, 2, 3, 6);
const heldBy = (...values: number[]) =>
  values.map((value) => ({ value, ts: MIDNIGHT }));
const grown = { config: { rate: 90 }, startsAt: MIDNIGHT + 5 };
const [deny, lift] = [{ deny: true }, { unlimited: true }];
const none = undefined;

type Shown = {
  config: RateLimitConfig;
  rows: Row[];
  asked?: Asked;
  random?: number[];
  expected: object;
};

test.each`
  claim                                                                | config       | rows                                        | asked                                     | random    | expected
  ${"the stored value and its time"}                                   | ${bucket}    | ${[row(0, 5)]}                              | ${{}}                                     | ${[]}     | ${{ value: 5, ts: MIDNIGHT, shard: 0 }}
  ${"the start of its window"}                                         | ${window}    | ${[row(0, 5)]}                              | ${{}}                                     | ${[]}     | ${{ value: 5, ts: MIDNIGHT, shard: 0 }}
  ${"what an unused limit does, an hour after it is full"}             | ${bucket}    | ${[row(0, 5, { fullAt: MIDNIGHT - HOUR })]} | ${{}}                                     | ${[]}     | ${{ value: 60, ts: 0, shard: 0 }}
  ${"which of its rows is the fullest"}                                | ${split}     | ${fourOf(4, 9, 9, 1)}                       | ${{}}                                     | ${[]}     | ${{ value: 23, shard: 2 }}
  ${"the sum of its rows as of the newest one"}                        | ${split}     | ${fourOf(4, 9, 9, 1).with(2, older)}        | ${{}}                                     | ${[]}     | ${{ value: 24, ts: MIDNIGHT, shard: 2 }}
  ${"a page no rows if the sum says it all"}                           | ${bucket}    | ${[row(0, 5, { fullAt })]}                  | ${{}}                                     | ${[]}     | ${{ phases: none }}
  ${"a page no rows for one without fullAt"}                           | ${bucket}    | ${[row(0, 5)]}                              | ${{}}                                     | ${[]}     | ${{ phases: none }}
  ${"a page no rows for one full in the ms in which it becomes idle"}  | ${bucket}    | ${idleIn(0)}                                | ${{}}                                     | ${[]}     | ${{ phases: none }}
  ${"a page a row that is idle before it is full"}                     | ${bucket}    | ${idleIn(-1)}                               | ${{}}                                     | ${[]}     | ${{ phases: [{ effect: "limited", shards: 1, fullFrom: fullAt - 1, rows: heldBy(5) }] }}
  ${"a page no rows for a window on the grid of the config"}           | ${window}    | ${minute}                                   | ${{}}                                     | ${[]}     | ${{ phases: none }}
  ${"a page a row whose window is on another grid"}                    | ${elsewhere} | ${minute}                                   | ${{}}                                     | ${[]}     | ${{ phases: [{ effect: "limited", shards: 1, fullFrom: MIDNIGHT + 2 * HOUR }] }}
  ${"a page the rows of a split limit"}                                | ${split}     | ${fourOf(5, 6)}                             | ${{}}                                     | ${[]}     | ${{ phases: [{ effect: "limited", shards: 4, fullFrom: fullAt + HOUR, rows: heldBy(5, 6, 10, 10) }] }}
  ${"a sample of one row: the first"}                                  | ${split}     | ${sampled}                                  | ${{ sampleShards: 1 }}                    | ${[0]}    | ${{ value: 4, shard: 1, phases: none }}
  ${"a sample of one row: the last"}                                   | ${split}     | ${sampled}                                  | ${{ sampleShards: 1 }}                    | ${[0.99]} | ${{ value: 24, shard: 4, phases: none }}
  ${"a sample of two rows"}                                            | ${split}     | ${sampled}                                  | ${{ sampleShards: 2 }}                    | ${[0.5]}  | ${{ value: 18, shard: 4, phases: none }}
  ${"a sample of the last and the first row"}                          | ${split}     | ${sampled}                                  | ${{ sampleShards: 2 }}                    | ${[0.99]} | ${{ value: 14, shard: 4, phases: none }}
  ${"a sample of all rows exactly"}                                    | ${split}     | ${sampled}                                  | ${{ sampleShards: 4 }}                    | ${[0.99]} | ${{ value: 12, shard: 4, phases: [{ rows: heldBy(1, 2, 3, 6) }] }}
  ${"a sample of more rows than exist exactly"}                        | ${split}     | ${sampled}                                  | ${{ sampleShards: 9 }}                    | ${[0.99]} | ${{ value: 12, shard: 4, phases: [{ rows: heldBy(1, 2, 3, 6) }] }}
  ${"in a sample a row that is not stored as its part of row 0"}       | ${split}     | ${fourOf(1, 2)}                             | ${{ sampleShards: 1 }}                    | ${[0.99]} | ${{ value: 40, shard: 4 }}
  ${"a sample as full if no row is stored, whatever the rate will be"} | ${split}     | ${[]}                                       | ${{ sampleShards: 1, override: grown }}   | ${[]}     | ${{ phases: [{ shards: 4, rows: [] }, { shards: 4, rows: [] }] }}
  ${"a value and a capacity of 0 for a banned key"}                    | ${bucket}    | ${seven}                                    | ${{ override: deny }}                     | ${[]}     | ${{ value: 0, ts: MIDNIGHT, config: { capacity: 0, rate: 60 }, phases: [{ effect: "banned", config: { ...bucket, capacity: 60 }, shards: 1, rows: heldBy(7) }] }}
  ${"its capacity for an unlimited key"}                               | ${bucket}    | ${seven}                                    | ${{ override: lift }}                     | ${[]}     | ${{ value: 60, config: { capacity: 60 }, phases: [{ effect: "unlimited" }] }}
  ${"no phases for a changed config"}                                  | ${bucket}    | ${seven}                                    | ${{ override: { config: { rate: 90 } } }} | ${[]}     | ${{ value: 7, config: { rate: 90, capacity: 90 }, phases: none }}
`(
  "getValue shows $claim",
  async ({ config, rows, asked, random, expected }: Shown) => {
    Math.random = draws(...(random ?? []));
    const told = await valueOf(config, rows, asked);
    expect({ phases: undefined, ...told }).toMatchObject(expected);
  },
);

describe("under an override", () => {
  test("the phases that follow show their times and where windows start", async () => {
    const times = { startsAt: MIDNIGHT + 5, expiresAt: MIDNIGHT + 9 };
    const override = { deny: true, ...times } as const;
    const phasesOf = async (config: RateLimitConfig) =>
      (await valueOf(config, seven, { override })).phases!;
    const phases = await phasesOf({ ...window, start: undefined });
    const start = phases[0]!.config.start!;
    expect(Math.abs(Number(start))).toBeLessThan(HOUR);
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
