import { describe, expect, test } from "vitest";
import {
  expectDeniedUntil,
  newRequests,
  serverNow,
  serverReaches,
} from "./visitor.js";

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

const config = {
  kind: "token bucket",
  rate: 10,
  period: DAY,
  overrides: true,
} as const;

test("a request that leaves some for others is denied below that, and no other is", async () => {
  const { take } = newRequests(config);
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
  const { http, take, getValue } = newRequests(config);
  const takeUpTo = (count: number) => take({ count, upTo: true });
  expect(await takeUpTo(4)).toMatchObject({ ok: true, taken: 4 });
  expect(await takeUpTo(100)).toMatchObject({ ok: true, taken: 6 });
  const { value, ts } = await getValue();
  const tokenAt = ts + Math.ceil(((1 - value) * DAY) / 10);
  await expectDeniedUntil(http, tokenAt, () => takeUpTo(100));
});

describe("an override", () => {
  test("begins and ends at the server's times that it was given", async () => {
    const { http, take, setOverride, getValue } = newRequests(config);
    await take({ count: 10 });
    const { ts } = await getValue();
    const startsAt = (await serverNow(http)) + 3 * SECOND;
    const expiresAt = startsAt + 2 * SECOND;
    await setOverride({ unlimited: true, startsAt, expiresAt });
    await expectDeniedUntil(http, startsAt, take);
    await serverReaches(http, startsAt);
    expect(await take()).toMatchObject({ ok: true });
    await serverReaches(http, expiresAt);
    await expectDeniedUntil(http, ts + DAY / 10, take);
  });

  test("that is a ban to come leaves the one before it until then", async () => {
    const { http, take, setOverride } = newRequests(config);
    await take({ count: 10 });
    await setOverride({ unlimited: true });
    const startsAt = (await serverNow(http)) + 3 * SECOND;
    const expiresAt = startsAt + 2 * SECOND;
    await setOverride({ deny: true, startsAt, expiresAt });
    expect(await take()).toMatchObject({ ok: true });
    await serverReaches(http, startsAt);
    await expectDeniedUntil(http, expiresAt, take);
  });

  test("enforces a limit for a growing share of the keys, and leaves out none that is in", async () => {
    const { take, setOverride } = newRequests({ ...config, enforce: 0 });
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
