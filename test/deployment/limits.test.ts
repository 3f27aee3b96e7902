import { describe, expect, test } from "vitest";
import {
  expectDeniedUntil,
  holdIdOf,
  newLimit,
  newVisitor,
  serverNow,
  serverReaches,
} from "./visitor.js";

const SECOND = 1_000;

describe("a token bucket", () => {
  const config = {
    kind: "token bucket",
    rate: 1,
    period: 2 * SECOND,
    capacity: 3,
  } as const;
  const slow = { ...config, period: 600 * SECOND };

  test("grants when its retryAfter is over by the server's clock, not before", async () => {
    const { http, take, check, getValue } = newLimit(config);
    await take({ count: 3 });
    const tokenAt = (await getValue()).ts + config.period;
    await expectDeniedUntil(http, tokenAt, take);
    expect(await check()).toMatchObject({ ok: false });
    await serverReaches(http, tokenAt);
    expect(await take()).toMatchObject({ ok: true });
  });

  test("counts a reservation's wait to the millisecond of the server's clock", async () => {
    const { take, reserve, getValue } = newLimit(slow);
    await take({ count: 3 });
    const empty = await getValue();
    const reserved = await reserve();
    const debt = await getValue();
    expect(empty.value).toBe(0);
    expect(reserved).toEqual({
      ok: true,
      retryAfter: empty.ts + 600 * SECOND - debt.ts,
    });
  });

  test("can be charged into debt and credited up to its capacity", async () => {
    const { charge, credit, check, getValue } = newLimit(slow);
    const charged = await charge(4);
    expect(charged.retryAfter).toBeGreaterThan(599 * SECOND);
    expect(charged.retryAfter).toBeLessThanOrEqual(600 * SECOND);
    expect(await check()).toMatchObject({ ok: false });
    await credit(100);
    expect((await getValue()).value).toBe(3);
  });
});

test("a fixed window owes at most its maxDebt, and says what it forgives", async () => {
  const { http } = newVisitor();
  const { charge, hold, settle, getValue } = newLimit({
    kind: "fixed window",
    rate: 3,
    period: 3600 * SECOND,
    start: await serverNow(http),
    maxDebt: 2,
  });
  const id = holdIdOf(await hold(3));
  expect(await settle(id, 4)).toEqual({ settled: true });
  expect(await charge(1e9)).toMatchObject({ forgiven: 1e9 - 1 });
  expect((await getValue()).value).toBe(-2);
});

test("a fixed window denies until the next one, to the millisecond of the server's clock, and then grants", async () => {
  const { http } = newVisitor();
  const start = await serverNow(http);
  const period = 3 * SECOND;
  const { take } = newLimit({ kind: "fixed window", rate: 2, period, start });
  await take({ count: 2 });
  await expectDeniedUntil(http, start + period, take);
  await serverReaches(http, start + period);
  expect(await take({ count: 2 })).toMatchObject({ ok: true });
});

test("a split limit grants simultaneous calls exactly its capacity", async () => {
  const { burst, balances } = newLimit({
    kind: "token bucket",
    rate: 20,
    period: 86_400 * SECOND,
    shards: 4,
  });
  const results = [await burst(15), await burst(15)];
  const granted = results.map((result) => result.granted);
  expect(granted[0]! + granted[1]!).toBe(20);
  expect((await balances()).length).toBeGreaterThan(1);
});
