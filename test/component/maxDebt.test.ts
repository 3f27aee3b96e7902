import { ConvexError } from "convex/values";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { HOUR, MINUTE } from "../../src/core/periods.js";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import { modesOf } from "../support/modes.js";
import { runs } from "../support/seed.js";
import {
  agreedBalance,
  balanceOf,
  bucket,
  deployed,
  startApp,
} from "../support/startApp.js";

useStillClock();

const at = (ms: number) => void vi.setSystemTime(MIDNIGHT + ms);

/** A window of 100 an hour. */
const monthly = {
  kind: "fixed window",
  rate: 100,
  period: HOUR,
  start: 0,
} as const;

/** What is left of a window's tokens. Knows a debt, and what is beyond it, and nothing else. */
class NaiveBalance {
  private left: number = monthly.rate;
  private window = 0;

  constructor(private readonly maxDebt: number) {}

  at(ms: number) {
    const window = Math.floor(ms / monthly.period);
    for (; this.window < window; this.window++) {
      this.left = Math.min(monthly.rate, this.left + monthly.rate);
    }
    return this.left;
  }

  take(count: number) {
    if (count > this.left) return false;
    this.left -= count;
    return true;
  }

  /** Takes one token after the other, as long as it may owe one more. */
  charge(count: number) {
    let forgiven = 0;
    for (let i = 0; i < count; i++) {
      if (this.left - 1 >= -this.maxDebt) this.left -= 1;
      else forgiven += 1;
    }
    return forgiven > 0 ? forgiven : undefined;
  }

  giveBack(count: number) {
    this.left += count;
  }
}

describe.each(modesOf(monthly))("with %s", (_, plain) => {
  const api = { ...plain, maxDebt: 0 };

  test("a month begins full, whatever was used in the last one", async () => {
    const app = startApp({ api });
    expect(await app.limit("api", { count: 90 })).toMatchObject({ ok: true });
    expect(await app.charge("api", { count: 1e9 })).toEqual({
      forgiven: 1e9 - 10,
    });
    expect(await agreedBalance(app, "api")).toBe(0);
    expect(await app.charge("api", { count: 3 })).toEqual({ forgiven: 3 });
    at(HOUR);
    expect(await agreedBalance(app, "api")).toBe(100);
  });

  test("a settlement takes no more than may be owed", async () => {
    const app = startApp({ api: { ...plain, maxDebt: 30 } });
    const id = await app.held("api", { count: 60 });
    expect(await app.settle(id, 200)).toEqual({ settled: true, forgiven: 70 });
    expect(await agreedBalance(app, "api")).toBe(-30);
    expect(await app.settle(id, 200)).toEqual({ settled: false });
    at(HOUR);
    expect(await agreedBalance(app, "api")).toBe(70);
  });

  test("a list of settlements says what each of them is not to pay", async () => {
    const app = startApp({ api, other: { ...plain, maxDebt: undefined } });
    const [a, b, other] = [
      await app.held("api", { count: 60 }),
      await app.held("api", { count: 30 }),
      await app.held("other", { count: 1 }),
    ];
    const used = [
      { id: b },
      { id: a, count: 110 },
      { id: other, count: 500 },
      { id: a, count: 200 },
    ];
    expect(await app.settleAll(used)).toEqual({
      settled: [true, true, true, false],
      forgiven: [0, 10, 0, 0],
    });
    expect(await agreedBalance(app, "api")).toBe(0);
    expect(await agreedBalance(app, "other")).toBe(-400);
  });

  test("any calls leave what a naive balance has", async () => {
    const count = fc.integer({ min: 0, max: 260 });
    const aStep = fc.oneof(
      fc.record({ does: fc.constant("wait"), count: fc.nat(2 * HOUR) }),
      fc.record({ does: fc.constant("limit"), count: fc.nat(100) }),
      fc.record({ does: fc.constant("charge"), count }),
      fc.record({ does: fc.constant("settle"), count, held: fc.nat(40) }),
    );
    const some = fc.array(aStep, { minLength: 1, maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(
        some,
        fc.constantFrom(0, 1, 30, 250),
        async (steps, maxDebt) => {
          const app = startApp({ api: { ...plain, maxDebt } });
          const naive = new NaiveBalance(maxDebt);
          let time = 0;
          at(time);
          for (const step of steps) {
            if (step.does === "wait") time += step.count;
            at(time);
            naive.at(time);
            if (step.does === "limit") {
              const { count } = step;
              const ok = naive.take(count);
              expect(await app.limit("api", { count })).toMatchObject({ ok });
            } else if (step.does === "charge" && step.count > 0) {
              const { count } = step;
              const { forgiven } = await app.charge("api", { count });
              expect(forgiven).toBe(naive.charge(count));
            } else if (step.does === "settle" && "held" in step) {
              const { held } = step;
              const { id } = await app.hold("api", { count: held });
              expect(id !== undefined).toBe(naive.take(held));
              if (id === undefined) continue;
              const beyond = step.count - held;
              if (beyond < 0) naive.giveBack(-beyond);
              const forgiven = naive.charge(Math.max(0, beyond));
              expect(await app.settle(id, step.count)).toEqual({
                settled: true,
                forgiven,
              });
            }
            expect(await balanceOf(app, "api")).toBe(naive.at(time));
          }
        },
      ),
      runs(30),
    );
  });
});

const api = { ...bucket(10), maxDebt: 5 };

test("fractions are owed to the bound, without rounding errors", async () => {
  const { charge, limit, getValue } = startApp({
    api: { ...bucket(1), maxDebt: 0 },
  });
  for (let i = 0; i < 10; i++) {
    expect(await charge("api", { count: 0.1 })).toEqual({});
  }
  const { forgiven } = await charge("api", { count: 0.1 });
  expect(forgiven).toBeCloseTo(0.1, 12);
  expect((await getValue("api")).value).toBeCloseTo(0, 12);
  expect(await limit("api")).toMatchObject({ retryAfter: MINUTE });
});

test("reserved work may owe more, and a charge after it owes nothing", async () => {
  const app = startApp({ api });
  const reserved = await app.limit("api", { count: 30, reserve: true });
  expect(reserved).toEqual({ ok: true, retryAfter: 2 * MINUTE });
  expect(await app.charge("api", { count: 4 })).toEqual({
    retryAfter: 2 * MINUTE,
    forgiven: 4,
  });
  expect(await balanceOf(app, "api")).toBe(-20);
});

test("a debt from before a deploy stays, and ends by the refill", async () => {
  const before = startApp({ api: bucket(10) });
  await before.charge("api", { count: 40 });
  const app = deployed(before.t, { api });
  expect(await app.charge("api")).toEqual({
    retryAfter: 3 * MINUTE,
    forgiven: 1,
  });
  at(2.5 * MINUTE);
  expect(await agreedBalance(app, "api")).toBe(-5);
  expect(await app.charge("api")).toMatchObject({ forgiven: 1 });
  at(3 * MINUTE);
  expect(await app.charge("api", { count: 7 })).toEqual({
    retryAfter: 0.5 * MINUTE,
    forgiven: 2,
  });
});

test("several charges of one mutation owe together", async () => {
  const app = startApp({ api });
  const answers = await app.mutate(async (ctx) => [
    await app.limiter.charge(ctx, "api", { count: 12 }),
    await app.limiter.charge(ctx, "api", { count: 12 }),
  ]);
  expect(answers).toEqual([
    { retryAfter: 12_000 },
    { retryAfter: 30_000, forgiven: 9 },
  ]);
});

test("a host that throws owes nothing", async () => {
  const app = startApp({ api });
  const throwing = app.mutate(async (ctx) => {
    await app.limiter.charge(ctx, "api", { count: 100 });
    throw new ConvexError("the host's");
  });
  await expect(throwing).rejects.toThrow("the host's");
  expect(await balanceOf(app, "api")).toBe(10);
});

test("an override changes the bound, and an unlimited key owes nothing", async () => {
  const app = startApp({ api: { ...api, overrides: true } });
  const config = { maxDebt: 20 };
  await app.setOverride("api", { key: "a", config });
  expect(await app.charge("api", { key: "a", count: 40 })).toMatchObject({
    forgiven: 10,
  });
  await app.setOverride("api", { key: "b", unlimited: true });
  expect(await app.charge("api", { key: "b", count: 40 })).toEqual({});
  await app.setOverride("api", { key: "c", deny: true });
  expect(await app.charge("api", { key: "c", count: 40 })).toMatchObject({
    forgiven: 25,
  });
  await expect(
    app.setOverride("api", { key: "d", config: { maxDebt: -1 } }),
  ).rejects.toThrow(
    "maxDebt must be a finite number of at least 0, but is -1.",
  );
});

test("a dry run takes no more either", async () => {
  const app = startApp({ api: { ...api, enforce: false } });
  expect(await app.charge("api", { count: 40 })).toMatchObject({
    forgiven: 25,
  });
  expect(await app.limit("api")).toMatchObject({ ok: true, wouldDeny: true });
  expect(await balanceOf(app, "api")).toBe(-5);
});

test("what was forgiven does not come back", async () => {
  const app = startApp({ api });
  const id = await app.held("api", { count: 4 });
  expect(await app.charge("api", { count: 40 })).toMatchObject({
    forgiven: 29,
  });
  expect(await app.release(id)).toEqual({ settled: true });
  expect(await balanceOf(app, "api")).toBe(-1);
  expect(await app.credit("api", { count: 40 })).toEqual({ credited: 11 });
});
