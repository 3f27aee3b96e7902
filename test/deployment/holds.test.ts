import { describe, expect, test } from "vitest";
import {
  holdIdOf,
  newLimit,
  newPlaces,
  serverNow,
  serverReaches,
} from "./visitor.js";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

describe("a hold", () => {
  const config = { kind: "token bucket", rate: 10, period: DAY } as const;

  test("takes its tokens at once, and can be settled only once", async () => {
    const { hold, settle, getValue } = newLimit(config);
    const id = holdIdOf(await hold(8));
    expect(Math.floor((await getValue()).value)).toBe(2);
    expect(await settle(id, 3)).toEqual({ settled: true });
    expect(Math.floor((await getValue()).value)).toBe(7);
    expect(await settle(id, 0)).toEqual({ settled: false });
    expect(Math.floor((await getValue()).value)).toBe(7);
  });

  test("with `once` is taken once, even by simultaneous calls", async () => {
    const { holdOnce, settle, getValue } = newLimit(config);
    const held = await Promise.all(
      Array.from({ length: 4 }, () => holdOnce("job-17", 8)),
    );
    expect(Math.floor((await getValue()).value)).toBe(2);
    // The last attempt owns the hold.
    const ended: boolean[] = [];
    for (const one of held) {
      ended.push((await settle(holdIdOf(one), 5)).settled);
    }
    expect(ended.filter(Boolean)).toEqual([true]);
    const owner = held[ended.indexOf(true)];
    expect(await holdOnce("job-17", 8)).toEqual(owner);
    expect(Math.floor((await getValue()).value)).toBe(5);
  });

  test("that has expired keeps its tokens and cannot be settled", async () => {
    const { http, hold, settle, getValue } = newLimit(config);
    const id = holdIdOf(await hold(8, SECOND));
    await serverReaches(http, (await serverNow(http)) + SECOND);
    expect(await settle(id, 0)).toEqual({ settled: false });
    expect(Math.floor((await getValue()).value)).toBe(2);
  });
});

describe("a concurrency limit", () => {
  const lease = 3 * SECOND;
  const config = { kind: "concurrency", capacity: 2, lease } as const;

  test("grants as many leases as its capacity, and another after a release", async () => {
    const { occupy, release } = newPlaces({ ...config, lease: DAY });
    const first = holdIdOf(await occupy());
    await occupy();
    expect(await occupy()).toMatchObject({ ok: false });
    expect(await release(first)).toEqual({ settled: true });
    expect(await release(first)).toEqual({ settled: false });
    expect(await occupy()).toMatchObject({ ok: true });
  });

  test("grants simultaneous calls no more leases than its capacity", async () => {
    const { occupy } = newPlaces({ ...config, lease: DAY });
    const held = await Promise.all(Array.from({ length: 6 }, occupy));
    expect(held.filter(({ ok }) => ok)).toHaveLength(2);
  });

  test("grants again when a lease ends, by the server's clock", async () => {
    const { http, occupy, renew } = newPlaces(config);
    const before = await serverNow(http);
    const first = holdIdOf(await occupy());
    const after = await serverNow(http);
    await occupy();
    const deniedFrom = await serverNow(http);
    const denied = await occupy();
    if (denied.ok) throw new Error("A third place was occupied.");
    const deniedTo = await serverNow(http);
    expect(deniedFrom + denied.retryAfter).toBeLessThanOrEqual(after + lease);
    expect(deniedTo + denied.retryAfter).toBeGreaterThanOrEqual(before + lease);
    await serverReaches(http, deniedTo + denied.retryAfter);
    expect(await occupy()).toMatchObject({ ok: true });
    expect(await renew(first)).toEqual({ renewed: false });
  });

  test("still denies at the end of a lease that was renewed", async () => {
    const { http, occupy, renew } = newPlaces({ ...config, capacity: 1 });
    const id = holdIdOf(await occupy());
    const end = (await serverNow(http)) + lease;
    await serverReaches(http, end - lease / 3);
    expect(await renew(id)).toEqual({ renewed: true });
    await serverReaches(http, end);
    expect(await occupy()).toMatchObject({ ok: false });
    expect(await renew(id)).toEqual({ renewed: true });
  });

  test("keeps the lease of an action until its work is done", async () => {
    const { http, occupy, isVacant, work } = newPlaces({
      ...config,
      capacity: 1,
    });
    let isDone = false;
    const working = work(2 * lease).finally(() => (isDone = true));
    while (await isVacant());
    await serverReaches(http, (await serverNow(http)) + 1.25 * lease);
    expect(await occupy()).toMatchObject({ ok: false });
    expect(isDone).toBe(false);
    expect(await working).toEqual({ ok: true, result: "done" });
    expect(await occupy()).toMatchObject({ ok: true });
  });
});
