import { DAY, HOUR, MINUTE } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import {
  ada,
  ask,
  keyOf,
  rateLimiter,
  startDashboard,
  storedState,
  take,
  until,
} from "./dashboard.js";

useStillClock();

test("reset makes one key full, and no other", async () => {
  const t = startDashboard();
  expect(await take(t, "ada", 4)).toEqual([true, true, true, false]);
  await take(t, "bob", 3);
  await ask(t, { ask: "reset", ...ada });
  expect(await take(t, "ada")).toEqual([true]);
  expect(await take(t, "bob")).toEqual([false]);
});

test("release ends one lease, once", async () => {
  const t = startDashboard();
  const hold = () =>
    t.mutation((ctx) => rateLimiter.hold(ctx, "render", { key: "ada" }));
  const { id } = await hold();
  await hold();
  const asked = { ask: "release", limit: "render", id };
  expect(await ask(t, asked)).toEqual({ now: MIDNIGHT, released: true });
  expect(await ask(t, asked)).toEqual({ now: MIDNIGHT, released: false });
  expect([(await hold()).ok, (await hold()).ok]).toEqual([true, false]);
});

test("change with credit gives the key what its capacity grows by", async () => {
  const t = startDashboard();
  await take(t, "ada", 3);
  const change = { ask: "change", ...ada, rate: 60, capacity: 5 };
  const credited = { now: MIDNIGHT, credited: 2 };
  expect(await ask(t, { ...change, credit: true })).toEqual(credited);
  expect(await take(t, "ada", 3)).toEqual([true, true, false]);
  const plain = await ask(t, { ...change, capacity: 9, credit: false });
  expect(plain).toEqual({ now: MIDNIGHT });
  expect(await take(t, "ada")).toEqual([false]);
});

test("forget deletes a key in all limits, and its bans only with bans: true", async () => {
  const t = startDashboard();
  const key = "ada";
  await take(t, key, 5);
  await t.mutation((ctx) => rateLimiter.hold(ctx, "render", { key }));
  await ask(t, { ask: "change", limit: "invite", key, rate: 9 });
  await ask(t, { ask: "ban", ...ada, until });
  const forget = (bans: boolean) => ask(t, { ask: "forget", key, bans });
  const done = { now: MIDNIGHT, isForgotten: true };
  expect(await forget(false)).toEqual({ ...done, bannedIn: ["message"] });
  expect(await take(t, key)).toEqual([false]);
  expect(await forget(true)).toEqual({ ...done, bannedIn: [] });
  expect(JSON.stringify(await storedState(t))).not.toContain(key);
  expect(await take(t, key)).toEqual([true]);
});

test("resetAll makes a limit full for all of its keys", async () => {
  const t = startDashboard();
  for (const key of ["ada", "bob"]) await take(t, key, 5);
  const done = { now: MIDNIGHT, isReset: true };
  expect(await ask(t, { ask: "resetAll", limit: ada.limit })).toEqual(done);
  for (const key of ["ada", "bob"]) {
    expect(await take(t, key)).toEqual([true]);
  }
});

test("penalize bans for ten minutes, an hour, a day, and a day again", async () => {
  const t = startDashboard();
  const penalize = { ask: "penalize", ...ada };
  for (const ban of [10 * MINUTE, HOUR, DAY, DAY]) {
    expect(await ask(t, penalize)).toMatchObject({ until: MIDNIGHT + ban });
  }
  expect(await take(t, "ada")).toEqual([false]);
});

describe("an action that is sent again with its id, since its answer was lost", () => {
  const once = "the page's id";

  test("bans no longer, and gets the same answer", async () => {
    const t = startDashboard();
    const penalize = { ask: "penalize", ...ada, once };
    const first = await ask(t, penalize);
    expect(await ask(t, penalize)).toEqual(first);
    vi.setSystemTime(MIDNIGHT + MINUTE);
    const { until } = await ask<{ until: number }>(t, penalize);
    expect(until).toBe(MIDNIGHT + 10 * MINUTE);
    const next = await ask(t, { ...penalize, once: "another" });
    expect(next).toMatchObject({ until: MIDNIGHT + MINUTE + HOUR });
  });

  test.for([
    ["ban", {}],
    ["lift", {}],
    ["change", { rate: 60 }],
  ] as const)("sets nothing: %s", async ([action, fields]) => {
    const t = startDashboard();
    await ask(t, { ask: "lift", ...ada, until: until + DAY });
    const asked = { ask: action, ...ada, ...fields, until, once };
    const first = await ask(t, asked);
    const before = await storedState(t);
    expect(await ask(t, asked)).toEqual(first);
    expect(await storedState(t)).toEqual(before);
  });

  test("credits nothing", async () => {
    const t = startDashboard();
    await take(t, "ada", 3);
    const change = { ask: "change", ...ada, capacity: 5, credit: true, once };
    expect(await ask(t, change)).toMatchObject({ credited: 2 });
    await take(t, "ada");
    expect(await ask(t, change)).toMatchObject({ credited: 0 });
    expect(await take(t, "ada", 2)).toEqual([true, false]);
  });
});

test("another rate and capacity hold until they are cleared", async () => {
  const t = startDashboard();
  await ask(t, { ask: "change", ...ada, rate: 60, capacity: 4 });
  expect(await take(t, "ada", 5)).toEqual([true, true, true, true, false]);
  await ask(t, { ask: "clear", ...ada });
  expect((await keyOf(t, ada)).overrides).toEqual([]);
});

test("an override without a key is for the whole limit", async () => {
  const t = startDashboard();
  await ask(t, { ask: "ban", limit: "message", until });
  expect(await take(t, "ada")).toEqual([false]);
  type Limits = { limits: { name: string; overrides: object[] }[] };
  const { limits } = await ask<Limits>(t, { ask: "limits" });
  const overridden = limits.filter(({ overrides }) => overrides.length > 0);
  expect(overridden).toMatchObject([{ name: "message" }]);
  await ask(t, { ask: "clear", limit: "message" });
  expect(await take(t, "ada")).toEqual([true]);
});
