import { describe, expect, test } from "vitest";
import {
  expectDeniedUntil,
  newLimit,
  serverNow,
  serverReaches,
} from "./visitor.js";

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const DAY = 24 * HOUR;

const config = {
  kind: "token bucket",
  rate: 10,
  period: DAY,
  overrides: true,
} as const;

test("a request that leaves some for others is denied below that, and no other is", async () => {
  const { takeWithDetails: take } = newLimit(config);
  await take();
  expect(await take({ count: 3, leave: 7 })).toMatchObject({ ok: false });
  expect(await take({ count: 2, leave: 7 })).toMatchObject({
    ok: true,
    remaining: 7,
  });
  expect(await take({ leave: 7 })).toMatchObject({ ok: false });
  expect(await take({ count: 7 })).toMatchObject({ ok: true, remaining: 0 });
});

test("a request for up to so many is given what there is, and then denied", async () => {
  const { http, takeUpTo, getValue } = newLimit(config);
  expect(await takeUpTo(4)).toMatchObject({ ok: true, taken: 4 });
  expect(await takeUpTo(100)).toMatchObject({ ok: true, taken: 6 });
  const { value, ts } = await getValue();
  const tokenAt = ts + Math.ceil(((1 - value) * DAY) / 10);
  await expectDeniedUntil(http, tokenAt, () => takeUpTo(100));
});

describe("an override", () => {
  test("begins at the server's time that it was given", async () => {
    const { http, take, setOverride } = newLimit(config);
    await take({ count: 10 });
    const later = (await serverNow(http)) + HOUR;
    await setOverride({ unlimited: true, startsAt: later });
    await expectDeniedUntil(http, later, take);
    const soon = (await serverNow(http)) + SECOND;
    await setOverride({ unlimited: true, startsAt: soon });
    await serverReaches(http, soon);
    expect(await take()).toMatchObject({ ok: true });
  });

  test("that is still to begin leaves the one before it until then", async () => {
    const { http, take, setOverride } = newLimit(config);
    await take({ count: 10 });
    await setOverride({ unlimited: true });
    const later = (await serverNow(http)) + HOUR;
    await setOverride({ deny: true, startsAt: later });
    expect(await take()).toMatchObject({ ok: true });
    const soon = (await serverNow(http)) + SECOND;
    await setOverride({ deny: true, startsAt: soon, expiresAt: later });
    await serverReaches(http, soon);
    await expectDeniedUntil(http, later, take);
  });

  test("enforces a limit for a growing share of the keys, and leaves out none that is in", async () => {
    const { take, setOverride } = newLimit({ ...config, enforce: 0 });
    await take({ count: 10 });
    const denied: boolean[] = [];
    for (const enforce of [0, 0.25, 0.5, 0.75, 1]) {
      await setOverride({ config: { enforce } });
      const { ok, wouldDeny } = await take();
      expect(wouldDeny).toBe(ok ? true : undefined);
      denied.push(!ok);
    }
    expect(denied).toEqual([...denied].sort());
    expect([denied[0], denied.at(-1)]).toEqual([false, true]);
  });
});
