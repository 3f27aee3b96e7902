import { makeFunctionReference } from "convex/server";
import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import {
  DAY,
  HOUR,
  MINUTE,
  RateLimiter,
  type LimitConfig,
} from "convex-rate-limiter";
import { step } from "../support/arbitraries.js";
import {
  balanceOf,
  deployed,
  startApp,
  type App,
} from "../support/startApp.js";
import {
  components,
  freezeClock,
  MIDNIGHT,
  runVacuum,
  startHost,
  useStillClock,
  type HostCtx,
} from "../support/host.js";
import { runs } from "../support/seed.js";

useStillClock();

const hourly = {
  kind: "fixed window",
  rate: 100,
  period: HOUR,
  start: 0,
} as const;
const name = "api";
const fn = makeFunctionReference<"mutation">("app:run");
const modes: { shards?: number }[] = [{}, { shards: 4 }];
const at = (ms: number) => vi.setSystemTime(MIDNIGHT + ms);

describe("what the refill has replaced does not come back", () => {
  test.each(modes)("to a window that is over (%j): a release", async (mode) => {
    const app = startApp({ [name]: { ...hourly, ...mode } });
    at(59 * MINUTE);
    const id = await app.held(name, { count: 100 });
    at(61 * MINUTE);
    await app.limit(name, { count: 50 });
    expect(await app.release(id)).toEqual({ settled: true });
    expect(await balanceOf(app, name)).toBe(50);
  });

  test("to a month that is over: a settlement with less", async () => {
    const app = startApp({
      [name]: { kind: "fixed window", rate: 20, period: "month" },
    });
    at(30 * DAY);
    const id = await app.held(name, { count: 20, expiresAfter: 9 * DAY });
    at(35 * DAY);
    await app.limit(name, { count: 20 });
    await app.settle(id, 1);
    expect(await balanceOf(app, name)).toBe(0);
  });

  test("to a bucket that was full since", async () => {
    const bucket = { kind: "token bucket", rate: 10, period: 4000 } as const;
    const app = startApp({ [name]: bucket });
    const id = await app.held(name, { count: 5 });
    at(2100);
    await app.limit(name, { count: 10 });
    await app.release(id);
    expect(await balanceOf(app, name)).toBe(0);
  });

  test("to a bucket that was almost full since: the rest does", async () => {
    const bucket = { kind: "token bucket", rate: 10, period: 10_000 } as const;
    const app = startApp({ [name]: bucket });
    const id = await app.held(name, { count: 5 });
    at(3000);
    await app.limit(name, { count: 8 });
    await app.release(id);
    expect(await balanceOf(app, name)).toBe(2);
  });

  test.each(modes)(
    "when whileHolding ends after its window (%j)",
    async (mode) => {
      const { t, limiter, ...app } = startApp({
        [name]: { ...hourly, ...mode },
      });
      at(59 * MINUTE);
      await t.action((ctx) =>
        limiter.whileHolding(ctx, name, { count: 100 }, async () => {
          at(61 * MINUTE);
          await app.limit(name, { count: 70 });
        }),
      );
      expect(await balanceOf({ t, limiter, ...app }, name)).toBe(30);
    },
  );

  test.each(modes)(
    "what was credited since does not come back either (%j)",
    async (mode) => {
      const app = startApp({ [name]: { ...hourly, ...mode } });
      const id = await app.held(name, { count: 100 });
      await app.credit(name, { count: 100 });
      await app.limit(name, { count: 60 });
      await app.release(id);
      expect(await balanceOf(app, name)).toBe(40);
    },
  );

  test.each(modes)("but what is missing does (%j)", async (mode) => {
    const app = startApp({ [name]: { ...hourly, ...mode } });
    const id = await app.held(name, { count: 60 });
    at(30 * MINUTE);
    await app.limit(name, { count: 40 });
    await app.settle(id, 5);
    expect(await balanceOf(app, name)).toBe(55);
  });

  test("nor what another row notes of a later hold in the same ms", async () => {
    const random = vi.spyOn(Math, "random").mockReturnValue(0);
    onTestFinished(() => random.mockRestore());
    const app = startApp({ [name]: { ...hourly, rate: 4, shards: 2 } });
    const id = await app.held(name, { count: 2 });
    await app.credit(name, { count: 2 });
    await app.held(name, { count: 2 });
    await app.release(id);
    expect(await balanceOf(app, name)).toBe(2);
  });
});

describe.each(modes)("after a reset (%j)", (mode) => {
  const limits = { [name]: { ...hourly, ...mode } };
  const resets: [string, (app: App) => Promise<unknown>][] = [
    ["reset", (app) => app.reset(name)],
    [
      "clearAll",
      (app) =>
        app.mutate((ctx) =>
          ctx.runMutation(components.rateLimiter.lib.clearAll, {}),
        ),
    ],
  ];

  test.each(resets)(
    "by %s, a hold gives nothing back, and says so",
    async (_, reset) => {
      const app = startApp(limits);
      const held = await app.held(name, { count: 50 });
      const once = await app.held(name, { count: 10, once: "job" });
      const more = await app.held(name, { count: 10 });
      await reset(app);
      await app.limit(name, { count: 100 });
      expect(await app.release(held)).toEqual({ settled: false });
      expect(await app.settle(once, 1)).toEqual({ settled: false });
      expect(await app.settle(more, 90)).toEqual({ settled: false });
      expect(await balanceOf(app, name)).toBe(0);
    },
  );

  test.each(resets)(
    "by %s, a scheduled function is cancelled, and gives nothing back",
    async (_, reset) => {
      const app = startApp(limits);
      const { limiter, mutate } = app;
      await app.limit(name, { count: 60 });
      const { scheduledId } = await mutate((ctx) =>
        limiter.schedule(ctx, name, { count: 50, fn, args: {} }),
      );
      await reset(app);
      await app.limit(name, { count: 100 });
      const cancelled = await mutate((ctx) =>
        limiter.cancelScheduled(ctx, scheduledId!),
      );
      expect(cancelled).toEqual({ cancelled: true });
      expect(await balanceOf(app, name)).toBe(0);
    },
  );

  test.each(resets)(
    "by %s, work that was settled does not hold again, and a retry of other work does",
    async (_, reset) => {
      const app = startApp(limits);
      const done = { count: 10, once: "done" };
      const id = await app.held(name, done);
      await app.settle(id, 5);
      const open = await app.held(name, { count: 10, once: "open" });
      await reset(app);
      expect(await app.held(name, done)).toBe(id);
      expect(await balanceOf(app, name)).toBe(100);
      expect(await app.held(name, { count: 10, once: "open" })).not.toBe(open);
      expect(await balanceOf(app, name)).toBe(90);
    },
  );
});

test("a reset ends all holds of its key, however much its mutation has read", async () => {
  const { mutate, limiter, ...app } = deployed(
    startHost({ transactionLimits: { documentsRead: 400 } }),
    { [name]: hourly },
  );
  const ids = [];
  for (let i = 0; i < 4; i++) ids.push(await app.held(name, {}));
  for (let i = 0; i < 150; i++) {
    await mutate((ctx) => ctx.db.insert("notes", { text: "" }));
  }
  await mutate(async (ctx) => {
    await ctx.db.query("notes").collect();
    await limiter.reset(ctx, name);
  });
  for (const id of ids) {
    expect(await app.release(id)).toEqual({ settled: false });
  }
});

/* The oracle replays all that was taken from the beginning, each time: of a settled hold, what it used. */
const SECOND = 1000;
const monthOf = (time: number) => {
  const date = new Date(time);
  return 12 * date.getUTCFullYear() + date.getUTCMonth();
};
type Taken = { time: number; count: number };

/** The balance of a limiter that has known from the beginning what each hold would use. */
type Replay = (log: readonly Taken[], now: number) => number;

/** By how many tokens arrive between two times. */
const byArrivals =
  (most: number, arrive: (from: number, to: number) => number): Replay =>
  (log, now) => {
    let balance = most;
    let time = MIDNIGHT;
    for (const taken of [...log, { time: now, count: 0 }]) {
      const arrived = arrive(time, taken.time);
      balance = Math.min(most, balance + arrived) - taken.count;
      balance = Math.min(most, balance);
      time = taken.time;
    }
    return balance;
  };

/** By when the window ends that the first use began. */
const byFirstUse =
  (rate: number, period: number): Replay =>
  (log, now) => {
    let balance = rate;
    let end = Infinity;
    const passUntil = (time: number) => {
      while (time >= end) {
        balance = Math.min(rate, balance + rate);
        end = balance < rate ? end + period : Infinity;
      }
    };
    for (const { time, count } of log) {
      passUntil(time);
      if (end === Infinity) end = time + period;
      balance = Math.min(rate, balance - count);
    }
    passUntil(now);
    return balance;
  };

/** Each limit, and how to replay it. */
const second = { kind: "fixed window", rate: 20, period: SECOND } as const;
const byWindows = (most: number, rate: number) =>
  byArrivals(
    most,
    (from, to) => rate * (Math.floor(to / SECOND) - Math.floor(from / SECOND)),
  );
const LIMITS: Record<
  string,
  { config: LimitConfig; most: number; wait: number; replay: Replay }
> = {
  "a bucket": {
    config: { kind: "token bucket", rate: 4, period: SECOND, capacity: 20 },
    ...{ most: 20, wait: 3 * SECOND },
    replay: byArrivals(20, (from, to) => (4 * (to - from)) / SECOND),
  },
  "a window": {
    config: { ...second, start: 0 },
    ...{ most: 20, wait: SECOND, replay: byWindows(20, 20) },
  },
  "a window from the first use": {
    config: { ...second, start: "first use" },
    ...{ most: 20, wait: SECOND, replay: byFirstUse(20, SECOND) },
  },
  "a window that carries tokens over": {
    config: { ...second, rate: 8, capacity: 30, start: 0 },
    ...{ most: 30, wait: 2 * SECOND, replay: byWindows(30, 8) },
  },
  "a calendar": {
    config: { kind: "fixed window", rate: 20, period: "month" },
    ...{ most: 20, wait: 31 * DAY },
    replay: byArrivals(20, (from, to) => 20 * (monthOf(to) - monthOf(from))),
  },
};
const steps = fc.array(
  fc.oneof(
    step("hold", 4, { count: fc.integer({ min: 1, max: 9 }) }),
    step("take", 3, { count: fc.integer({ min: 1, max: 9 }) }),
    step("charge", 1, { count: fc.integer({ min: 1, max: 30 }) }),
    step("credit", 3, { count: fc.integer({ min: 1, max: 9 }) }),
    step("pass", 2, { percent: fc.nat(100) }),
    step("settle", 4, { nth: fc.nat(9), used: fc.nat(12) }),
    step("vacuum", 1, { wait: fc.constantFrom(0, 2 * HOUR) }),
    // In one mutation: a hold, a call, and the settlement.
    step("all", 2, {
      count: fc.integer({ min: 1, max: 6 }),
      used: fc.nat(6),
      throws: fc.boolean(),
    }),
  ),
  { maxLength: 40, size: "max" },
);

describe.each(Object.entries(LIMITS))("%s", (_, limit) => {
  /** Plays steps, and tells how far the balance is below that of the oracle, and whether it may be. */
  const judge = async (
    config: LimitConfig,
    steps: readonly Steps[],
    requireBalance: (balance: number, oracle: number, isKnown: boolean) => void,
  ) => {
    freezeClock(MIDNIGHT);
    const app = startApp({ [name]: config });
    const limiter = new RateLimiter(components.rateLimiter, { [name]: config });
    const log: Taken[] = [];
    const open: { id: string; taken: Taken }[] = [];
    let holdsSinceFull = 0;
    for (const step of steps) {
      const now = Date.now();
      const isFull = (await balanceOf(app, name)) >= limit.most - 1e-6;
      if (isFull) holdsSinceFull = 0;
      if (step.verb === "pass") {
        vi.setSystemTime(now + Math.round((step.percent / 100) * limit.wait));
      } else if (step.verb === "vacuum") {
        vi.setSystemTime(now + step.wait);
        await runVacuum(app.t);
      } else if (step.verb === "all") {
        const used = Math.min(step.used, step.count);
        const taken: Taken[] = [];
        const all = app.t.mutation(async (ctx: HostCtx) => {
          const { ok, id } = await limiter.hold(ctx, name, {
            count: step.count,
          });
          if ((await limiter.limit(ctx, name)).ok) {
            taken.push({ time: now, count: 1 });
          }
          if (ok) {
            await limiter.settle(ctx, id, { count: used });
            taken.push({ time: now, count: used });
          }
          if (step.throws) throw new Error("The host throws.");
        });
        if (step.throws) await expect(all).rejects.toThrow("The host throws.");
        else {
          await all;
          log.push(...taken);
          holdsSinceFull += 1;
        }
      } else if (step.verb === "settle") {
        const [hold] = open.splice(step.nth % Math.max(1, open.length), 1);
        if (hold === undefined) continue;
        const { count } = hold.taken;
        await app.settle(hold.id, step.used);
        hold.taken.count = Math.min(count, step.used);
        if (step.used > count)
          log.push({ time: now, count: step.used - count });
      } else {
        const taken = { time: now, count: step.count };
        if (step.verb === "charge") {
          await app.charge(name, { count: step.count });
        } else if (step.verb === "credit") {
          const { count } = step;
          const { credited } = await app.credit(name, { count });
          if (credited === 0) continue;
          taken.count = -credited;
        } else if (step.verb === "take") {
          if (!(await app.limit(name, { count: step.count })).ok) continue;
        } else {
          const { count } = step;
          const asked = { count, expiresAfter: 9999 * DAY };
          const { ok, id } = await app.hold(name, asked);
          if (!ok) continue;
          open.push({ id, taken });
          holdsSinceFull += 1;
        }
        log.push(taken);
      }
      requireBalance(
        await balanceOf(app, name),
        limit.replay(log, Date.now()),
        holdsSinceFull <= 8,
      );
    }
  };

  const judgeIn = (
    shards: number,
    requireBalance: Parameters<typeof judge>[2],
  ) => {
    const config = { ...limit.config, shards } as LimitConfig;
    const property = fc.asyncProperty(steps, (steps) =>
      judge(config, steps, requireBalance),
    );
    return fc.assert(property, runs(shards === 1 ? 60 : 20));
  };

  test("in one row holds what it would if holds had taken what they used: with up to eight since it was full, to the token", () =>
    judgeIn(1, (balance, oracle, isKnown) => {
      if (isKnown) expect(balance).toBeCloseTo(oracle, 5);
      else expect(balance).toBeLessThan(oracle + 1e-6);
    }));

  test("split, never holds more than it would if holds had taken what they used", () =>
    judgeIn(4, (balance, oracle) =>
      expect(balance).toBeLessThan(oracle + 1e-6),
    ));
});

type Steps = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;
