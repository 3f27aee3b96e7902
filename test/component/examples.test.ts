import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { balanceOf, startApp, type App } from "../support/startApp.js";
import { MIDNIGHT, useStillClock } from "../support/host.js";

useStillClock();

const name = "example";

/** What a script does at a time. */
type Do = (app: App) => Promise<unknown>;

type Step = [seconds: number, act: Do, expected: unknown];

const take =
  (count = 1): Do =>
  ({ limit }) =>
    limit(name, { count });

const reserve =
  (count = 1): Do =>
  ({ limit }) =>
    limit(name, { count, reserve: true });

const look: Do = (app) => balanceOf(app, name);

const charge =
  (count: number): Do =>
  (app) =>
    app.charge(name, { count });

const credit =
  (count: number): Do =>
  (app) =>
    app.credit(name, { count });

/** Takes single tokens until it is denied, and returns how many it got. */
const takeAllSingly: Do = async ({ limit }) => {
  let granted = 0;
  while ((await limit(name)).ok) granted++;
  return granted;
};

const granted = { ok: true };
const denied: unknown = expect.objectContaining({ ok: false });
const deniedFor = (ms: number) => ({ ok: false, retryAfter: ms });
const reservedFor = (ms: number) => ({ ok: true, retryAfter: ms });
const tokens = (n: number) => expect.closeTo(n, 6) as number;

type Make = (
  rate: number,
  period: number,
  more?: Partial<RateLimitConfig>,
) => RateLimitConfig;

const bucket: Make = (rate, period, more) =>
  ({ kind: "token bucket", rate, period, ...more }) as RateLimitConfig;

const windows: Make = (rate, period, more) =>
  ({ kind: "fixed window", rate, period, ...more }) as RateLimitConfig;

const times = (n: number, step: (i: number) => Step) =>
  Array.from({ length: n }, (_, i) => step(i));

test.each<[claim: string, RateLimitConfig, Step[]]>([
  [
    "a bucket of 20 refills by 10 a minute, and no further",
    bucket(10, MINUTE, { capacity: 20 }),
    [
      [1, take(5), granted],
      [1, look, 15],
      [5, look, tokens(15 + 2 / 3)],
      [10, look, tokens(16.5)],
      [30.999, look, tokens(20 - 1 / 6000)],
      [31, look, 20],
      [60, look, 20],
    ],
  ],
  [
    "a bucket of 10 a minute gains a token every 6 s",
    bucket(10, MINUTE),
    [
      [0, take(5), granted],
      [29.999, look, tokens(10 - 1 / 6000)],
      [30, look, 10],
      [30, take(10), granted],
      [36, look, tokens(1)],
      [60, look, tokens(5)],
    ],
  ],
  [
    "a bucket of 3 denies the fourth call until a token arrives",
    bucket(10, MINUTE, { capacity: 3 }),
    [...times(3, () => [0, take(), granted]), [0, take(), deniedFor(6_000)]],
  ],
  [
    "an empty bucket of 10 an hour denies for six minutes",
    bucket(10, HOUR),
    [...times(10, () => [0, take(), granted]), [0, take(), deniedFor(360_000)]],
  ],
  [
    "an idle bucket holds its capacity, not all that arrived",
    bucket(60, HOUR, { capacity: 10 }),
    [
      [0, take(10), granted],
      [900, look, 10],
    ],
  ],
  [
    "a reservation above the balance leaves a debt, which the next call waits for",
    bucket(10, MINUTE),
    [
      [0, take(7), granted],
      [0, reserve(5), reservedFor(12_000)],
      [0, look, -2],
      [0, take(), deniedFor(18_000)],
      [12, look, tokens(0)],
    ],
  ],
  [
    "a reservation goes as deep into debt as maxReserved, and no deeper",
    bucket(10, MINUTE, { maxReserved: 50 }),
    [
      [0, reserve(60), reservedFor(300_000)],
      [0, look, -50],
      [0, reserve(), deniedFor(6_000)],
    ],
  ],
  [
    "with a capacity of 0 each reservation waits for a token of its own",
    bucket(10, MINUTE, { capacity: 0 }),
    times(5, (i) => [0, reserve(), reservedFor((i + 1) * 6_000)]),
  ],
  [
    "a capacity above the rate takes more than a period to fill",
    bucket(10_000, MINUTE, { capacity: 15_000 }),
    [
      [0, take(15_000), granted],
      [0, look, 0],
      [60, look, 10_000],
      [90, look, 15_000],
    ],
  ],
  [
    "a bucket of 1.5 keeps half a token when one is taken",
    bucket(1.5, MINUTE),
    [
      [0, take(1), granted],
      [0, look, 0.5],
    ],
  ],
  [
    "an empty bucket of 100 a second denies for 10 ms",
    bucket(100, SECOND, { capacity: 200 }),
    [
      [0, take(200), granted],
      [0, take(), deniedFor(10)],
      [0.5, takeAllSingly, 50],
      [2, take(151), deniedFor(10)],
      [2, take(150), granted],
      [5, take(200), granted],
      [5, take(), deniedFor(10)],
    ],
  ],
  [
    "a bucket of one grants a call every 100 ms, and no sooner",
    bucket(10, SECOND, { capacity: 1 }),
    [
      ...times(20, (i) => [i / 10, take(), granted]),
      [1.999, take(), deniedFor(1)],
      [2, take(), granted],
    ],
  ],
  [
    "a bucket over 10 shards grants any count up to the whole",
    bucket(40_000, MINUTE, { shards: 10 }),
    [
      [0, take(8_000), granted],
      [0, take(32_000), granted],
      [0, take(), denied],
    ],
  ],
  [
    "a charge above the balance leaves a debt, which later calls wait for",
    bucket(1000, MINUTE),
    [
      [0, take(500), granted],
      [0, charge(1500), { retryAfter: 60_000 }],
      [0, look, -1000],
      [30, take(), deniedFor(30_060)],
      [60, look, 0],
      [90, look, 500],
    ],
  ],
  [
    "a charge takes what was used beyond the estimate",
    bucket(100, MINUTE),
    [
      [0, take(5), granted],
      [0, charge(7), {}],
      [0, look, 88],
    ],
  ],
  [
    "a credit gives back what was not used, never above the capacity",
    bucket(100, MINUTE),
    [
      [0, take(10), granted],
      [0, credit(6), { credited: 6 }],
      [0, look, 96],
      [0, credit(6), { credited: 4 }],
      [0, look, 100],
    ],
  ],
  [
    "a window adds its rate to what is left, up to the capacity",
    windows(5, 10 * SECOND, { capacity: 20, start: 0 }),
    [
      [0, take(5), granted],
      [0, look, 15],
      [10, look, 20],
      [15, take(18), granted],
      [15, look, 2],
      [20, look, 7],
    ],
  ],
  [
    "a used-up window denies until the next one begins",
    windows(100, MINUTE, { start: 0 }),
    [
      ...times(100, () => [12, take(), granted]),
      [12, take(), deniedFor(48_000)],
      [59.999, take(), deniedFor(1)],
      [60, take(), granted],
    ],
  ],
  [
    "a reservation of 4 waits for two windows of 3",
    windows(3, 10 * SECOND, { start: 0 }),
    [
      [0, reserve(3), granted],
      [0, reserve(4), reservedFor(20_000)],
    ],
  ],
  [
    "one window grants at most the capacity, and the next adds its rate",
    windows(5, 10 * SECOND, { capacity: 20, start: 0 }),
    [
      [0, takeAllSingly, 20],
      [9.999, takeAllSingly, 0],
      [10, takeAllSingly, 5],
    ],
  ],
  [
    "hourly windows with start: 0 begin on the hour",
    windows(1, HOUR, { start: 0 }),
    [
      [90 * 60, take(), granted],
      [90 * 60, take(), deniedFor(30 * MINUTE)],
    ],
  ],
  [
    "days with a start of 7 h begin at 7:00 UTC",
    windows(1, DAY, { start: 7 * HOUR }),
    [
      [0, take(), granted],
      [0, take(), deniedFor(7 * HOUR)],
      [7 * 3600, take(), granted],
      [7 * 3600, take(), deniedFor(DAY)],
    ],
  ],
  [
    "counts of any size share one balance",
    bucket(100, HOUR),
    [
      ...[1, 5, 10, 50].map((n): Step => [0, take(n), granted]),
      [0, take(50), deniedFor(16 * 36_000)],
      [0, look, 34],
    ],
  ],
])("%s", async (_, config, steps) => {
  const app = startApp({ [name]: config });
  for (const [seconds, act, expected] of steps) {
    vi.setSystemTime(MIDNIGHT + seconds * 1000);
    expect(await act(app), `at ${seconds} s`).toEqual(expected);
  }
});

describe("several limits at once", () => {
  const ten = bucket(10, MINUTE);

  type Counts = Record<string, number>;

  const listOf = (counts: Counts) =>
    Object.entries(counts).map(([name, count]) => ({ name, count }));

  async function start(
    limits: Record<string, RateLimitConfig>,
    alreadyTaken: Counts = {},
  ) {
    const app = startApp(limits);
    for (const { name, count } of listOf(alreadyTaken)) {
      await app.limit(name, { count });
    }
    return {
      takeAll: (counts: Counts) => app.limitAll(listOf(counts)),
      balance: (name: string) => balanceOf(app, name),
      limitAll: app.limitAll,
    };
  }

  test("two lists that compete for two limits are both denied and take nothing", async () => {
    const { takeAll, balance } = await start(
      { x: ten, y: ten },
      { x: 5, y: 5 },
    );
    const a = await takeAll({ x: 5, y: 10 });
    const b = await takeAll({ y: 5, x: 10 });
    expect([a, b]).toEqual([
      { ok: false, retryAfter: 30_000, blockedBy: { index: 1, name: "y" } },
      { ok: false, retryAfter: 30_000, blockedBy: { index: 1, name: "x" } },
    ]);
    expect([await balance("x"), await balance("y")]).toEqual([5, 5]);

    vi.setSystemTime(MIDNIGHT + 30_000);
    expect(await takeAll({ y: 5, x: 10 })).toEqual({ ok: true });
  });

  test("a list of organisation, user and operation takes from all three or from none", async () => {
    const hourly = (rate: number) => bucket(rate, HOUR);
    const limits = {
      organisation: hourly(100_000),
      user: hourly(10_000),
      read: hourly(8_000),
    };
    const { takeAll, balance } = await start(limits, { organisation: 92_000 });
    const read = (count: number) =>
      takeAll({ organisation: count, user: count, read: count });
    expect(await read(8_000)).toEqual({ ok: true });
    expect(await balance("organisation")).toBe(0);
    expect(await balance("user")).toBe(2_000);
    expect(await balance("read")).toBe(0);

    vi.setSystemTime(MIDNIGHT + HOUR);
    expect(await read(8_000)).toEqual({ ok: true });
    await takeAll({ organisation: 92_000 });
    vi.setSystemTime(MIDNIGHT + HOUR + 1);
    expect(await read(1)).toMatchObject({
      ok: false,
      blockedBy: { index: 0, name: "organisation" },
    });
    expect(await balance("user")).toBeCloseTo(2_000 + 1 / 360, 9);
  });
});
