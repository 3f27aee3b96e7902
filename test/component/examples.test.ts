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

type Step = {
  /** In seconds. */
  time: number;
  do: Do;
  expect: unknown;
};

type Script = { claim: string; config: RateLimitConfig; steps: Step[] };

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

const bucket = (
  rate: number,
  period: number,
  more: Partial<RateLimitConfig> = {},
) => ({ kind: "token bucket", rate, period, ...more }) as RateLimitConfig;

const windows = (
  rate: number,
  period: number,
  more: Partial<RateLimitConfig> = {},
) => ({ kind: "fixed window", rate, period, ...more }) as RateLimitConfig;

const times = (n: number, step: (i: number) => Step) =>
  Array.from({ length: n }, (_, i) => step(i));

const scripts: Script[] = [
  {
    claim: "a bucket of 20 refills by 10 a minute, and no further",
    config: bucket(10, MINUTE, { capacity: 20 }),
    steps: [
      { time: 1, do: take(5), expect: granted },
      { time: 1, do: look, expect: 15 },
      { time: 5, do: look, expect: tokens(15 + 2 / 3) },
      { time: 10, do: look, expect: tokens(16.5) },
      { time: 30.999, do: look, expect: tokens(20 - 1 / 6000) },
      { time: 31, do: look, expect: 20 },
      { time: 60, do: look, expect: 20 },
    ],
  },
  {
    claim: "a bucket of 10 a minute gains a token every 6 s",
    config: bucket(10, MINUTE),
    steps: [
      { time: 0, do: take(5), expect: granted },
      { time: 29.999, do: look, expect: tokens(10 - 1 / 6000) },
      { time: 30, do: look, expect: 10 },
      { time: 30, do: take(10), expect: granted },
      { time: 36, do: look, expect: tokens(1) },
      { time: 60, do: look, expect: tokens(5) },
    ],
  },
  {
    claim: "a bucket of 3 denies the fourth call until a token arrives",
    config: bucket(10, MINUTE, { capacity: 3 }),
    steps: [
      ...times(3, () => ({ time: 0, do: take(), expect: granted })),
      { time: 0, do: take(), expect: deniedFor(6_000) },
    ],
  },
  {
    claim: "an empty bucket of 10 an hour denies for six minutes",
    config: bucket(10, HOUR),
    steps: [
      ...times(10, () => ({ time: 0, do: take(), expect: granted })),
      { time: 0, do: take(), expect: deniedFor(360_000) },
    ],
  },
  {
    claim: "an idle bucket holds its capacity, not all that arrived",
    config: bucket(60, HOUR, { capacity: 10 }),
    steps: [
      { time: 0, do: take(10), expect: granted },
      { time: 900, do: look, expect: 10 },
    ],
  },
  {
    claim:
      "a reservation above the balance leaves a debt, which the next call waits for",
    config: bucket(10, MINUTE),
    steps: [
      { time: 0, do: take(7), expect: granted },
      { time: 0, do: reserve(5), expect: reservedFor(12_000) },
      { time: 0, do: look, expect: -2 },
      { time: 0, do: take(), expect: deniedFor(18_000) },
      { time: 12, do: look, expect: tokens(0) },
    ],
  },
  {
    claim: "a reservation goes as deep into debt as maxReserved, and no deeper",
    config: bucket(10, MINUTE, { maxReserved: 50 }),
    steps: [
      { time: 0, do: reserve(60), expect: reservedFor(300_000) },
      { time: 0, do: look, expect: -50 },
      { time: 0, do: reserve(), expect: deniedFor(6_000) },
    ],
  },
  {
    claim: "with a capacity of 0 each reservation waits for a token of its own",
    config: bucket(10, MINUTE, { capacity: 0 }),
    steps: times(5, (i) => ({
      time: 0,
      do: reserve(),
      expect: reservedFor((i + 1) * 6_000),
    })),
  },
  {
    claim: "a capacity above the rate takes more than a period to fill",
    config: bucket(10_000, MINUTE, { capacity: 15_000 }),
    steps: [
      { time: 0, do: take(15_000), expect: granted },
      { time: 0, do: look, expect: 0 },
      { time: 60, do: look, expect: 10_000 },
      { time: 90, do: look, expect: 15_000 },
    ],
  },
  {
    claim: "a bucket of 1.5 keeps half a token when one is taken",
    config: bucket(1.5, MINUTE),
    steps: [
      { time: 0, do: take(1), expect: granted },
      { time: 0, do: look, expect: 0.5 },
    ],
  },
  {
    claim: "an empty bucket of 100 a second denies for 10 ms",
    config: bucket(100, SECOND, { capacity: 200 }),
    steps: [
      { time: 0, do: take(200), expect: granted },
      { time: 0, do: take(), expect: deniedFor(10) },
      { time: 0.5, do: takeAllSingly, expect: 50 },
      { time: 2, do: take(151), expect: deniedFor(10) },
      { time: 2, do: take(150), expect: granted },
      { time: 5, do: take(200), expect: granted },
      { time: 5, do: take(), expect: deniedFor(10) },
    ],
  },
  {
    claim: "a bucket of one grants a call every 100 ms, and no sooner",
    config: bucket(10, SECOND, { capacity: 1 }),
    steps: [
      ...times(20, (i) => ({ time: i / 10, do: take(), expect: granted })),
      { time: 1.999, do: take(), expect: deniedFor(1) },
      { time: 2, do: take(), expect: granted },
    ],
  },
  {
    claim: "a bucket over 10 shards grants any count up to the whole",
    config: bucket(40_000, MINUTE, { shards: 10 }),
    steps: [
      { time: 0, do: take(8_000), expect: granted },
      { time: 0, do: take(32_000), expect: granted },
      { time: 0, do: take(), expect: denied },
    ],
  },
  {
    claim:
      "a charge above the balance leaves a debt, which later calls wait for",
    config: bucket(1000, MINUTE),
    steps: [
      { time: 0, do: take(500), expect: granted },
      { time: 0, do: charge(1500), expect: { retryAfter: 60_000 } },
      { time: 0, do: look, expect: -1000 },
      { time: 30, do: take(), expect: deniedFor(30_060) },
      { time: 60, do: look, expect: 0 },
      { time: 90, do: look, expect: 500 },
    ],
  },
  {
    claim: "a charge takes what was used beyond the estimate",
    config: bucket(100, MINUTE),
    steps: [
      { time: 0, do: take(5), expect: granted },
      { time: 0, do: charge(7), expect: {} },
      { time: 0, do: look, expect: 88 },
    ],
  },
  {
    claim: "a credit gives back what was not used, never above the capacity",
    config: bucket(100, MINUTE),
    steps: [
      { time: 0, do: take(10), expect: granted },
      { time: 0, do: credit(6), expect: { credited: 6 } },
      { time: 0, do: look, expect: 96 },
      { time: 0, do: credit(6), expect: { credited: 4 } },
      { time: 0, do: look, expect: 100 },
    ],
  },
  {
    claim: "a window adds its rate to what is left, up to the capacity",
    config: windows(5, 10 * SECOND, { capacity: 20, start: 0 }),
    steps: [
      { time: 0, do: take(5), expect: granted },
      { time: 0, do: look, expect: 15 },
      { time: 10, do: look, expect: 20 },
      { time: 15, do: take(18), expect: granted },
      { time: 15, do: look, expect: 2 },
      { time: 20, do: look, expect: 7 },
    ],
  },
  {
    claim: "a used-up window denies until the next one begins",
    config: windows(100, MINUTE, { start: 0 }),
    steps: [
      ...times(100, () => ({ time: 12, do: take(), expect: granted })),
      { time: 12, do: take(), expect: deniedFor(48_000) },
      { time: 59.999, do: take(), expect: deniedFor(1) },
      { time: 60, do: take(), expect: granted },
    ],
  },
  {
    claim: "a reservation of 4 waits for two windows of 3",
    config: windows(3, 10 * SECOND, { start: 0 }),
    steps: [
      { time: 0, do: reserve(3), expect: granted },
      { time: 0, do: reserve(4), expect: reservedFor(20_000) },
    ],
  },
  {
    claim: "one window grants at most the capacity, and the next adds its rate",
    config: windows(5, 10 * SECOND, { capacity: 20, start: 0 }),
    steps: [
      { time: 0, do: takeAllSingly, expect: 20 },
      { time: 9.999, do: takeAllSingly, expect: 0 },
      { time: 10, do: takeAllSingly, expect: 5 },
    ],
  },
  {
    claim: "hourly windows with start: 0 begin on the hour",
    config: windows(1, HOUR, { start: 0 }),
    steps: [
      { time: 90 * 60, do: take(), expect: granted },
      { time: 90 * 60, do: take(), expect: deniedFor(30 * MINUTE) },
    ],
  },
  {
    claim: "days with a start of 7 h begin at 7:00 UTC",
    config: windows(1, DAY, { start: 7 * HOUR }),
    steps: [
      { time: 0, do: take(), expect: granted },
      { time: 0, do: take(), expect: deniedFor(7 * HOUR) },
      { time: 7 * 3600, do: take(), expect: granted },
      { time: 7 * 3600, do: take(), expect: deniedFor(DAY) },
    ],
  },
  {
    claim: "counts of any size share one balance",
    config: bucket(100, HOUR),
    steps: [
      ...[1, 5, 10, 50].map((n) => ({ time: 0, do: take(n), expect: granted })),
      { time: 0, do: take(50), expect: deniedFor(16 * 36_000) },
      { time: 0, do: look, expect: 34 },
    ],
  },
];

const titled = scripts.map(({ claim, ...script }) => [claim, script] as const);

test.each(titled)("%s", async (_claim, { config, steps }) => {
  const app = startApp({ [name]: config });
  for (const step of steps) {
    vi.setSystemTime(MIDNIGHT + step.time * 1000);
    expect(await step.do(app), `at ${step.time} s`).toEqual(step.expect);
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
