import {
  calculateRateLimit,
  DAY,
  SECOND,
  type LimitConfig,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ours } from "../../bench/limiters.js";
import { Deployment, type Answered } from "../../sim/deployment.js";
import { seededRandom } from "../../sim/random.js";
import type { StoredConfig } from "../../src/core/config.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import { sum } from "../../src/core/sum.js";
import { partShard } from "../../src/state/spread/tree.js";
import { rarely } from "../support/arbitraries.js";
import { MIDNIGHT, useStillClock, type HostCtx } from "../support/host.js";
import { runs } from "../support/seed.js";
import { callAll, value } from "../support/simulatedCalls.js";
import { rowsByNow, takeAt, dailyBucket } from "../support/splitting.js";
import { startApp, storeRows } from "../support/startApp.js";

useStillClock();

const more = fc.constantFrom(
  ...[{}, {}, {}, { reserve: true }, { upTo: true }, { leave: 3 }],
);
const aCount = fc.constantFrom(1, 1, 1, 2, 3, 15, 40, 61);

type Of<Arbitrary> = Arbitrary extends fc.Arbitrary<infer T> ? T : never;

/** A limit that refills `rate` tokens a second, up to `capacity`. */
const perSecond = (
  kind: "token bucket" | "fixed window",
  rate: number,
  capacity: number,
) => ({
  ...(kind === "fixed window" ? { kind, start: 0 } : { kind }),
  rate,
  capacity,
  period: SECOND,
});

// Its calls follow so closely that they split the limit themselves.
test.each([undefined, "auto", 4] as const)(
  "a caller alone who calls in a loop gets the last tokens of a key: shards %s",
  async (shards) => {
    const config = { ...dailyBucket(400), ...(shards && { shards }) };
    for (let seed = 1; seed <= 20; seed++) {
      const { watch, rows } = rowsByNow();
      const setting = { ...ours, executionMs: 10, seed, watch };
      const deployment = new Deployment(setting);
      const random = seededRandom(seed, "arrivals");
      const granted: boolean[] = [];
      const next = (time: number, count: number) => {
        const { name, args } = takeAt(time, config, count);
        deployment.call(time, name, args!, (answer) => {
          granted.push(value<{ ok: boolean }>(answer).ok);
          const { visibleAt } = answer as Answered;
          const again = visibleAt - MIDNIGHT + random() * 5;
          if (granted.length < 30) next(again, 1);
        });
      };
      next(0, 380);
      await deployment.run();
      expect(rows().length).toBeGreaterThan(1);
      expect(granted.indexOf(false)).toBe(21);
    }
  },
);

// Not above 75% of a window, since a busy one keeps its last tokens for calls that happen to find them.
test.each([
  ["bucket is used at 99% of its rate", "token bucket", 198],
  ["window is used at 75% of its rate", "fixed window", 150],
] as const)(
  "a limit that has split denies no call if a %s",
  async (_claim, kind, load) => {
    const config = perSecond(kind, 200, 200);
    for (let seed = 1; seed <= 2; seed++) {
      const random = seededRandom(seed, "arrivals");
      const calls = Array.from({ length: 800 }, (_, i) =>
        takeAt(((i + random()) * SECOND) / load, config),
      );
      const { watch, rows } = rowsByNow();
      const { answers } = await callAll(ours, calls, { watch, seed });
      const answered = answers.filter(({ kind }) => kind === "answered");
      expect(answered.length).toBeGreaterThan(790);
      const isDenied = answered.map((one) => !value<{ ok: boolean }>(one).ok);
      expect(isDenied).not.toContain(true);
      expect(rows().length).toBeGreaterThan(1);
    }
  },
);

const LIMITS = {
  bucket: dailyBucket(60),
  window: { kind: "fixed window", start: 0, rate: 60, period: 60 * SECOND },
} as const;

/** The four rows below row 0: the tokens of each, or of the two rows that it was split into. */
const aTree = fc.array(
  fc.oneof(fc.tuple(fc.nat(15)), fc.tuple(fc.nat(7), fc.nat(7))),
  { minLength: 4, maxLength: 4 },
);

/** The rows of a limit of 60 that has split itself. */
function treeOf(config: StoredConfig, tree: Of<typeof aTree>, ranMs?: number) {
  const rule = ruleOf(toLimit("hot", config));
  const state = { ts: MIDNIGHT, usedAt: MIDNIGHT, fullAt: MIDNIGHT + DAY };
  const below = tree.flatMap((leaves, nth) => {
    const shard = partShard(0, nth);
    if (leaves.length === 1) return [{ ...state, shard, value: leaves[0] }];
    const split = { ...state, shard, value: 15, into: leaves.length };
    const rows = leaves.map((value, i) => ({
      ...state,
      shard: partShard(shard, i),
      value,
    }));
    return [split, ...rows];
  });
  const ran = ranMs !== undefined && {
    usedAt: MIDNIGHT - ranMs,
    at: BigInt(MIDNIGHT) * 1_000_000n,
  };
  const root = { ...state, shard: 0, value: 60, into: tree.length, rule };
  return [{ ...root, ...ran }, ...below];
}

const aStep = fc.record({
  verb: fc.constantFrom("limit", "limit", "check", "charge", "credit"),
  count: aCount,
  more,
  passes: fc.constantFrom<number[]>(0, 0, 0, 7, 900, 45_000),
});
const life = fc.array(aStep, { minLength: 5, maxLength: 20 });

/** The answers of a limit with these rows to one call after the other, each with the balance after it. */
async function live(
  config: LimitConfig,
  rows: readonly { value: number; ts: number }[],
  steps: readonly Of<typeof aStep>[],
  isOneMutation = false,
) {
  vi.setSystemTime(MIDNIGHT);
  const app = startApp({ hot: config });
  const { limiter, mutate } = app;
  await storeRows(app, "hot", rows);
  const play = async (
    { verb, count, more, passes }: Of<typeof aStep>,
    ctx: HostCtx,
  ) => {
    vi.setSystemTime(Date.now() + passes);
    const request = { count, ...more };
    const ask = {
      limit: () => limiter.limit(ctx, "hot", request),
      check: () => limiter.check(ctx, "hot", { ...request, details: true }),
      charge: () => limiter.charge(ctx, "hot", { count }),
      credit: () => limiter.credit(ctx, "hot", { count }),
    }[verb];
    const answer = await ask().catch(({ data }: { data: object }) => data);
    const told = await limiter.getValue(ctx, "hot");
    const now = calculateRateLimit(told, told.config, Date.now());
    const { credited, forgiven } = answer as Partial<
      Record<"credited" | "forgiven", number>
    >;
    return {
      ...answer,
      ...(credited !== undefined && { credited: rounded(credited) }),
      ...(forgiven !== undefined && { forgiven: rounded(forgiven) }),
      balance: rounded(now.value),
    };
  };
  const answers: Record<string, unknown>[] = [];
  const playAll = async (steps: readonly Of<typeof aStep>[], ctx: HostCtx) => {
    for (const step of steps) answers.push(await play(step, ctx));
  };
  const mutations = isOneMutation ? [steps] : steps.map((step) => [step]);
  for (const steps of mutations) await mutate((ctx) => playAll(steps, ctx));
  return answers;
}

const rounded = (value: number) => Math.round(value * 1e6) / 1e6 + 0;

/** Full rows of a bucket gain nothing, and the others gain no more for it: so its waits differ. */
const timeless = (kind: string, answers: Record<string, unknown>[]) =>
  kind === "bucket"
    ? answers.map((one) => ({ ...one, resetAfter: 0, retryAfter: 0 }))
    : answers;

/** Steps between which a bucket gains nothing. */
const still = (kind: string, steps: readonly Of<typeof aStep>[]) =>
  kind === "bucket" ? steps.map((one) => ({ ...one, passes: 0 })) : steps;

/** Whether the limit enforces, how deep charges may go, and whether all calls come in one mutation. */
const aSetting = {
  enforce: rarely(3).map((isDry) => !isDry),
  maxDebt: fc.constantFrom(undefined, 0, 7),
  isOne: rarely(3),
};

// The oracle is the same calls on a limit with one row, which begins with the sum of the other's rows.
describe("a limit that splits itself answers sequential calls as one row does", () => {
  test("once it has split, except for a bucket's waits", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("bucket", "window"),
        fc.constantFrom("auto" as const, undefined),
        aTree,
        life,
        fc.record({
          ...aSetting,
          ranMs: fc.constantFrom(undefined, 99, 200),
        }),
        async (kind, shards, tree, steps, { isOne, ranMs, ...more }) => {
          const config = { ...LIMITS[kind], ...more };
          const split = { ...config, ...(shards && { shards }) };
          const apart = still(kind, steps);
          const rows = treeOf(config, tree, ranMs);
          const answers = await live(split, rows, apart, isOne);
          const row = {
            value: sum(tree.flat()),
            ts: MIDNIGHT,
            fullAt: MIDNIGHT + DAY,
          };
          const alone = { ...config, shards: 1 };
          const ofOne = await live(alone, [row], apart, isOne);
          expect(timeless(kind, answers)).toEqual(timeless(kind, ofOne));
        },
      ),
      runs(10),
    );
  });
});
