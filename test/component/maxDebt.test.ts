import {
  MINUTE,
  type ChargeReturns,
  type LimitConfig,
  type RateLimitConfig,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ours } from "../../bench/limiters.js";
import { seededRandom } from "../../sim/random.js";
import type { Write } from "../../sim/store.js";
import { toLimit } from "../../src/core/limit.js";
import { sum } from "../../src/core/sum.js";
import { allBalances, total } from "../../src/state/spread/rows.js";
import { rarely } from "../support/arbitraries.js";
import { MIDNIGHT, useStillClock, type HostCtx } from "../support/host.js";
import { runs } from "../support/seed.js";
import { callAll, value, type Called } from "../support/simulatedCalls.js";
import { dailyBucket, rowsByNow } from "../support/splitting.js";
import {
  agreedBalance,
  balanceOf,
  bucket,
  startApp,
  window,
} from "../support/startApp.js";

useStillClock();

const name = "api";
const fullAfter = (config: RateLimitConfig, count: number) => {
  const app = startApp({ api: config });
  return app.charge(name, { count });
};

test.each([
  [undefined, 25, { retryAfter: 15 * 6000 }],
  [0, 10, {}],
  [0, 25, { forgiven: 15 }],
  [5, 15, { retryAfter: 5 * 6000 }],
  [5, 25, { retryAfter: 5 * 6000, forgiven: 10 }],
  [0, 1e300, { forgiven: 1e300 }],
])(
  "with maxDebt %o a charge of %d on 10 answers %o",
  async (maxDebt, count, answer) => {
    const config = { ...bucket(10), ...(maxDebt !== undefined && { maxDebt }) };
    expect(await fullAfter(config, count)).toEqual(answer);
  },
);

test("with maxDebt 0 a month begins full, whatever was used", async () => {
  const month = { kind: "fixed window", rate: 1000, period: "month" } as const;
  const app = startApp({ api: { ...month, maxDebt: 0 } });
  const id = await app.held(name, { count: 10 });
  expect(await app.settle(id, 3000)).toEqual({ settled: true, forgiven: 2000 });
  expect(await app.charge(name, { count: 1e9 })).toEqual({ forgiven: 1e9 });
  expect(await app.limit(name)).toMatchObject({ ok: false });
  vi.setSystemTime(Date.UTC(2026, 1, 1));
  expect(await balanceOf(app, name)).toBe(1000);
});

test("what was forgiven does not come back, and what a hold took does", async () => {
  const app = startApp({ api: { ...bucket(10), maxDebt: 0 } });
  const [a, b] = [
    await app.held(name, { count: 4 }),
    await app.held(name, { count: 2 }),
  ];
  expect(await app.settle(a, 100)).toEqual({ settled: true, forgiven: 92 });
  expect(await app.settle(a, 0)).toEqual({ settled: false });
  expect(await balanceOf(app, name)).toBe(0);
  expect(await app.release(b)).toEqual({ settled: true });
  expect(await balanceOf(app, name)).toBe(2);
  expect(await app.credit(name, { count: 1 })).toEqual({ credited: 1 });
});

test("a list of settlements tells what each was forgiven", async () => {
  const app = startApp({
    api: { ...bucket(10), maxDebt: 1 },
    free: bucket(10),
    places: { kind: "concurrency", capacity: 1, lease: MINUTE },
  });
  const ids = await Promise.all(
    [name, "free", "places"].map((name) => app.held(name)),
  );
  const [api, free, place] = ids as [string, string, string];
  expect(
    await app.settleAll([
      { id: free, count: 30 },
      { id: api, count: 30 },
      { id: place },
    ]),
  ).toEqual({ settled: [true, true, true], forgiven: [0, 19, 0] });
});

test("a settlement at the very ms of the hold's end takes nothing and forgives nothing", async () => {
  const app = startApp({ api: { ...bucket(10), maxDebt: 0 } });
  const [early, late] = [
    await app.held(name, { expiresAfter: 1000 }),
    await app.held(name, { expiresAfter: 999 }),
  ];
  vi.setSystemTime(MIDNIGHT + 999);
  expect(await app.settle(late, 50)).toEqual({ settled: false });
  expect(await app.settle(early, 50)).toMatchObject({ forgiven: 41 });
});

test("the hold of a repeated `once` is forgiven once", async () => {
  const app = startApp({ api: { ...bucket(10), maxDebt: 0 } });
  const id = await app.held(name, { once: "job" });
  expect(await app.settle(id, 50)).toMatchObject({ forgiven: 40 });
  const again = await app.held(name, { once: "job" });
  expect(await app.settle(again, 70)).toEqual({ settled: false });
});

test.each([
  [{ unlimited: true }, {}, 10],
  [{ deny: true }, { forgiven: 15 }, -5],
  [{ config: { maxDebt: 0 } }, { forgiven: 20 }, 0],
  [{ config: { maxDebt: 8 } }, { forgiven: 12 }, -8],
  [{ config: { enforce: false } }, { forgiven: 15 }, -5],
] as const)(
  "under the override %j a charge of 30 answers %j",
  async (override, answer, left) => {
    const config = { ...bucket(10), maxDebt: 5, overrides: true };
    const app = startApp({ api: config });
    await app.setOverride(name, override);
    const { retryAfter: _, ...charged } = await app.charge(name, { count: 30 });
    expect(charged).toEqual(answer);
    await app.clearOverride(name);
    expect(await balanceOf(app, name)).toBe(left);
  },
);

test("getValue, list and the hook show the balance, and getValue the maxDebt in force", async () => {
  const config = { ...bucket(10, 4), maxDebt: 5, overrides: true };
  const app = startApp({ api: config });
  await app.charge(name, { count: 30 });
  expect(await agreedBalance(app, name)).toBe(-5);
  await app.setOverride(name, { config: { maxDebt: 2 } });
  expect((await app.getValue(name)).config).toMatchObject({ maxDebt: 2 });
  expect(await app.charge(name)).toMatchObject({ forgiven: 1 });
  expect(await agreedBalance(app, name)).toBe(-5);
});

/** A balance on a clock: a number that refills, is cut off above, and of which charges go so deep. */
class Naive {
  value = 20;
  at = 0;
  maxDebt = 3;

  constructor(readonly kind: RateLimitConfig["kind"]) {}

  pass(ms: number) {
    const now = this.at + ms;
    const minutes =
      this.kind === "token bucket"
        ? ms / MINUTE
        : Math.floor(now / MINUTE) - Math.floor(this.at / MINUTE);
    this.value = Math.min(20, this.value + 12 * minutes);
    this.at = now;
  }

  charge(count: number) {
    const left = Math.max(
      this.value - count,
      Math.min(this.value, -this.maxDebt),
    );
    const forgiven = count - (this.value - left);
    this.value = left;
    return forgiven === 0 ? {} : { forgiven };
  }

  take(count: number, deepest: number) {
    const ok = this.value - count >= -deepest;
    if (ok) this.value -= count;
    return { ok };
  }

  copy() {
    return Object.assign(new Naive(this.kind), this);
  }
}

const aCount = fc.constantFrom(0.25, 1, 3, 7.5, 16, 60);

const aStep = fc.record({
  verb: fc.constantFrom(
    ...(["charge", "charge", "settle", "settle", "limit", "reserve"] as const),
    ...(["check", "credit", "override"] as const),
  ),
  count: aCount,
  more: fc.constantFrom(0.25, 2, 90),
});
type Step = typeof aStep extends fc.Arbitrary<infer T> ? T : never;

const aMutation = fc.record({
  steps: fc.array(aStep, { minLength: 1, maxLength: 3 }),
  throws: rarely(4),
  passes: fc.constantFrom(0, 0, 5000, 30_000, MINUTE - 1, 3 * MINUTE),
});

const MAX_RESERVED = 5;

describe.each(["token bucket", "fixed window"] as const)("a %s", (kind) => {
  const config = (shards: number | "auto", maxDebt: number): LimitConfig => ({
    ...(kind === "token bucket" ? bucket(12) : window(12)),
    ...{ capacity: 20, maxReserved: MAX_RESERVED, overrides: true },
    ...{ shards, maxDebt },
  });

  test.each([1, 4, "auto"] as const)(
    "answers as a number that is cut off: shards %s",
    async (shards) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(aMutation, { minLength: 5, maxLength: 15 }),
          async (mutations) => {
            vi.setSystemTime(MIDNIGHT);
            const app = startApp({ api: config(shards, 3) });
            const { limiter } = app;
            let naive = new Naive(kind);
            const call = async (
              ctx: HostCtx,
              model: Naive,
              { verb, count, more }: Step,
            ) => {
              switch (verb) {
                case "charge": {
                  const { retryAfter, ...charged } = await limiter.charge(
                    ctx,
                    name,
                    { count },
                  );
                  expect(charged).toEqual(model.charge(count));
                  expect(retryAfter !== undefined).toBe(model.value < 0);
                  return;
                }
                case "settle": {
                  const held = await limiter.hold(ctx, name, { count: more });
                  expect(held.ok).toBe(model.take(more, 0).ok);
                  if (!held.ok) return;
                  const used = { count: more + count };
                  const settled = await limiter.settle(ctx, held.id, used);
                  const charged = model.charge(count);
                  expect(settled).toEqual({ settled: true, ...charged });
                  return;
                }
                case "limit":
                case "reserve": {
                  const reserve = verb === "reserve";
                  const ask = { count, reserve };
                  const { ok } = await limiter.limit(ctx, name, ask);
                  const deepest = reserve ? MAX_RESERVED : 0;
                  expect(ok).toBe(model.take(count, deepest).ok);
                  return;
                }
                case "check": {
                  const { ok } = await limiter.check(ctx, name, { count });
                  expect(ok).toBe(model.copy().take(count, 0).ok);
                  return;
                }
                case "credit":
                  await limiter.credit(ctx, name, { count });
                  model.value = Math.min(20, model.value + count);
                  return;
                case "override":
                  model.maxDebt = more;
                  await limiter.setOverride(ctx, name, {
                    config: { maxDebt: more },
                  });
              }
            };
            for (const { steps, throws, passes } of mutations) {
              // What rows of a bucket gain differs once some of them are full.
              const ms = shards === 1 || kind === "fixed window" ? passes : 0;
              vi.setSystemTime(Date.now() + ms);
              naive.pass(ms);
              const model = naive.copy();
              const done = app.mutate(async (ctx) => {
                for (const step of steps) {
                  if (step.count <= 20 || step.verb === "charge") {
                    await call(ctx, model, step);
                  }
                }
                if (throws) throw new Error("the host");
              });
              if (throws) await expect(done).rejects.toThrow("the host");
              else await done;
              if (!throws) naive = model;
              const balance = await balanceOf(app, name);
              expect(balance).toBeCloseTo(naive.value, 6);
            }
          },
        ),
        { ...runs(4), endOnFailure: true },
      );
    },
  );
});

describe("charges at once on a split limit", () => {
  const D = 16;
  /** 60 tokens, of which the charges want several times as many. */
  const config = { ...dailyBucket(60), shards: 8, advice: false } as const;
  const chargeAt = (time: number, count: number, maxDebt: number): Called => ({
    ...{ time, name: "verbs:charge" },
    args: { name: "hot", count, config: { ...config, maxDebt } },
  });

  test.each([0, 1, D])(
    "together owe no more than a maxDebt of %d, and all that they take",
    async (maxDebt) => {
      let alone = 0;
      for (let seed = 1; seed <= 6; seed++) {
        const random = seededRandom(seed, "arrivals");
        const { watch, rows } = rowsByNow();
        const limit = toLimit("hot", { ...config, maxDebt });
        const sums: number[] = [];
        const watchSums = (writes: readonly Write[]) => {
          watch(writes);
          sums.push(total(allBalances(limit, rows(), MIDNIGHT)));
          if (rows().some(({ owes }) => owes)) alone++;
        };
        const calls = Array.from({ length: 250 }, () =>
          chargeAt(
            random() * 2000,
            0.25 + Math.floor(random() * 4) / 4,
            maxDebt,
          ),
        );
        const { answers } = await callAll(ours, calls, {
          watch: watchSums,
          seed,
        });
        expect(Math.min(...sums)).toBeGreaterThanOrEqual(-maxDebt - 1e-4);
        expect(rows().length).toBeGreaterThan(1);
        const taken = answers.map((answer, i) => {
          if (answer.kind !== "answered") return 0;
          const { forgiven = 0 } = value<ChargeReturns>(answer);
          return Number(calls[i]!.args!.count) - forgiven;
        });
        expect(sum(taken)).toBeCloseTo(60 - sums.at(-1)!, 2);
        expect(sums.at(-1)).toBeCloseTo(-maxDebt, 2);
      }
      // Without any debt in a single row this would prove little.
      if (maxDebt === D) expect(alone).toBeGreaterThan(0);
    },
  );
});
