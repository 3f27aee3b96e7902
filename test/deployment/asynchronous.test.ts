import { describe, expect, test } from "vitest";
import { expectDeniedUntil, newLimit, serverReaches } from "./visitor.js";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

describe("an asynchronous limit", () => {
  const config = {
    kind: "token bucket",
    rate: 20,
    period: DAY,
    applyUpdates: "asynchronously",
  } as const;

  test("owes all that simultaneous calls took too much", async () => {
    const { burst, balances } = newLimit(config);
    let granted = 0;
    for (const calls of [15, 50, 50]) granted += (await burst(calls)).granted;
    expect(granted).toBeGreaterThanOrEqual(20);
    expect((await balances()).map(Math.floor)).toEqual([20 - granted]);
    expect(await burst(10)).toEqual({ granted: 0, denied: 10 });
  });

  test("keeps the right balance while debits are compacted", async () => {
    const { burst, balances } = newLimit({ ...config, rate: 1_000 });
    // One grant in sixteen or six schedules a compaction, which deletes old debits.
    for (let taken = 50; taken <= 400; taken += 50) {
      expect(await burst(50)).toEqual({ granted: 50, denied: 0 });
      expect((await balances()).map(Math.floor)).toEqual([1_000 - taken]);
    }
  });

  test("grants again when its retryAfter is over by the server's clock", async () => {
    const { http, take, getValue } = newLimit({
      ...config,
      rate: 1,
      period: 2 * SECOND,
    });
    await take();
    const tokenAt = (await getValue()).ts + 2 * SECOND;
    await expectDeniedUntil(http, tokenAt, take);
    await serverReaches(http, tokenAt);
    expect(await take()).toMatchObject({ ok: true });
  });

  test("grants nothing of its headroom, which charges may use", async () => {
    const { take, charge, credit, getValue } = newLimit({
      ...config,
      headroom: 15,
    });
    expect(await take({ count: 5 })).toMatchObject({ ok: true });
    expect(await take({ count: 1 })).toMatchObject({ ok: false });
    await charge(10);
    expect(Math.floor((await getValue()).value)).toBe(5);
    await credit(15);
    expect(await take({ count: 5 })).toMatchObject({ ok: true });
    await expect(take({ count: 6 })).rejects.toMatchObject({
      data: { kind: "ExceedsCapacity" },
    });
  });
});
