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

test("a request with leave is denied where one without it is granted", async () => {
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

test("a request with upTo takes what there is, and is denied if there is nothing", async () => {
  const { http, takeUpTo, getValue } = newLimit(config);
  expect(await takeUpTo(4)).toMatchObject({ ok: true, taken: 4 });
  expect(await takeUpTo(100)).toMatchObject({ ok: true, taken: 6 });
  const { value, ts } = await getValue();
  const tokenAt = ts + Math.ceil(((1 - value) * DAY) / 10);
  await expectDeniedUntil(http, tokenAt, () => takeUpTo(100));
});

describe("an override", () => {
  test("begins at its startsAt by the server's clock", async () => {
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

  test("leaves the one before it in force until it begins", async () => {
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

  test("that raises the enforced share of keys keeps a key that is in it", async () => {
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
