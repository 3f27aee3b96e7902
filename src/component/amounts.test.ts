import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  components,
  freezeClock,
  MIDNIGHT,
  startHost,
  storedRows,
} from "../../test/host.js";

beforeEach(() => freezeClock(MIDNIGHT));
afterEach(() => void vi.useRealTimers());

const limiter = new RateLimiter(components.rateLimiter, {
  row: { kind: "token bucket", rate: 100, period: HOUR },
  split: { kind: "token bucket", rate: 100, period: HOUR, shards: 8 },
  window: { kind: "fixed window", rate: 100, period: HOUR, start: 0 },
  capped: { kind: "token bucket", rate: 100, period: HOUR, maxReserved: 5 },
});

type Name = "row" | "split" | "window";

function start(name: Name) {
  const t = startHost();
  return {
    t,
    take: (count: number) =>
      t.mutation((ctx) => limiter.limit(ctx, name, { count })),
    credit: async (count: number) =>
      (await t.mutation((ctx) => limiter.credit(ctx, name, { count })))
        .credited,
    charge: (count: number) =>
      t.mutation((ctx) => limiter.charge(ctx, name, { count })),
    balance: () =>
      t.query(async (ctx) => (await limiter.getValue(ctx, name)).value),
  };
}

const close = (n: number) => expect.closeTo(n, 9) as number;

describe.each<Name>(["row", "split", "window"])("%s: credit", (name) => {
  test("gives back what was taken, however it is spread", async () => {
    const { take, credit, balance } = start(name);
    await take(100);
    for (const count of [1, 30, 69]) {
      expect(await credit(count)).toEqual(close(count));
    }
    expect(await balance()).toEqual(close(100));
    expect(await take(100)).toEqual({ ok: true });
  });

  test("never passes the capacity, and reports what it discarded", async () => {
    const { take, credit, balance } = start(name);
    await take(40);
    expect(await credit(70)).toEqual(close(40));
    expect(await balance()).toEqual(close(100));
  });

  test("to a full limit writes nothing", async () => {
    const { t, take, credit } = start(name);
    expect(await credit(5)).toBe(0);
    expect(await storedRows(t)).toEqual([]);
    await take(10);
    vi.setSystemTime(MIDNIGHT + HOUR);
    const before = await storedRows(t);
    expect(await credit(5)).toBe(0);
    expect(await storedRows(t)).toEqual(before);
  });

  test("pays a debt", async () => {
    const { charge, credit, balance } = start(name);
    await charge(150);
    expect(await credit(60)).toEqual(close(60));
    expect(await balance()).toEqual(close(10));
  });
});

describe.each<Name>(["row", "split", "window"])("%s: charge", (name) => {
  test("takes what is there without a wait", async () => {
    const { charge, balance } = start(name);
    expect(await charge(100)).toEqual({});
    expect(await balance()).toEqual(close(0));
  });

  test("goes into debt, far past the capacity, and later calls see it", async () => {
    const { charge, take, balance } = start(name);
    const { retryAfter } = await charge(350);
    expect(await balance()).toEqual(close(-250));
    expect(await take(1)).toMatchObject({ ok: false });
    // Paid then, and full an hour later.
    vi.setSystemTime(MIDNIGHT + retryAfter! + HOUR);
    expect(await take(100)).toEqual({ ok: true });
  });
});

test("charge does not stop at maxReserved, but a reservation does", async () => {
  const t = startHost();
  await t.mutation((ctx) => limiter.charge(ctx, "capped", { count: 120 }));
  expect(
    await t.mutation((ctx) => limiter.limit(ctx, "capped", { reserve: true })),
  ).toEqual({ ok: false, retryAfter: (16 * HOUR) / 100 });
});

test("a window in debt is paid by whole windows", async () => {
  const { charge } = start("window");
  vi.setSystemTime(MIDNIGHT + 15 * MINUTE);
  expect(await charge(250)).toEqual({ retryAfter: 2 * HOUR - 15 * MINUTE });
});

test("an estimate that is settled later leaves what the call really cost", async () => {
  const { take, credit, charge, balance } = start("row");
  await take(20);
  await credit(20 - 12);
  await take(20);
  await charge(35 - 20);
  expect(await balance()).toBe(100 - 12 - 35);
});
