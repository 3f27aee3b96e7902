import { describe, expect, test } from "vitest";
import { api } from "../app/convex/_generated/api.js";
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
const three = { ...config, rate: 3 } as const;

test("a ban is listed and denies until it is lifted", async () => {
  const { http, target, take, setOverride, reset } = newLimit(three);
  const { name, key } = target;
  const banned = async () => {
    const { page } = await http.query(api.verbs.listOverrides, {
      name,
      paginationOpts: { numItems: 50, cursor: null },
    });
    return page.map((override) => override.key);
  };
  await setOverride({ deny: true });
  expect(await banned()).toEqual([key]);
  expect(await take()).toMatchObject({ ok: false });
  await reset();
  expect(await banned()).toEqual([]);
  expect(await take()).toMatchObject({ ok: true });
});

test("an upgrade credits once what its override adds to the capacity", async () => {
  const { http, target, take } = newLimit(three);
  await take({ count: 3 });
  const upgrade = () =>
    http.mutation(api.verbs.upgrade, { ...target, rate: 5 });
  expect((await upgrade())?.credited).toBeCloseTo(2, 2);
  expect(await upgrade()).toEqual({ credited: 0 });
  expect(await take({ count: 2 })).toMatchObject({ ok: true });
  expect(await take()).toMatchObject({ ok: false });
});

test("bans in a row last longer", async () => {
  const { http, target, take, reset } = newLimit(three);
  const { name, key } = target;
  const penalize = () => http.mutation(api.verbs.penalize, { name, key });
  expect(await penalize()).toEqual({ retryAfter: 60_000 });
  expect(await take()).toMatchObject({ ok: false });
  expect(await penalize()).toEqual({ retryAfter: 600_000 });
  await reset();
  expect(await take()).toMatchObject({ ok: true });
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
    const end = later + HOUR;
    await setOverride({ deny: true, startsAt: later, expiresAt: end });
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
