import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
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
    "a bucket of one grants a call every 100 ms, and no sooner",
    bucket(10, SECOND, { capacity: 1 }),
    [
      ...times(20, (i) => [i / 10, take(), granted]),
      [1.999, take(), deniedFor(1)],
      [2, take(), granted],
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
    "days with a start of 7 h begin at 7:00 UTC",
    windows(1, DAY, { start: 7 * HOUR }),
    [
      [0, take(), granted],
      [0, take(), deniedFor(7 * HOUR)],
      [7 * 3600, take(), granted],
      [7 * 3600, take(), deniedFor(DAY)],
    ],
  ],
])("%s", async (_, config, steps) => {
  const app = startApp({ [name]: config });
  for (const [seconds, act, expected] of steps) {
    vi.setSystemTime(MIDNIGHT + seconds * 1000);
    expect(await act(app), `at ${seconds} s`).toEqual(expected);
  }
});
