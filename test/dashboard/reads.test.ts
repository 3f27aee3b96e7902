import { HOUR, MINUTE } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  freezeClock,
  inComponent,
  MIDNIGHT,
  useStillClock,
} from "../support/host.js";
import {
  ada,
  ask,
  keyOf,
  keysOf,
  post,
  rateLimiter,
  startDashboard,
  take,
  until,
  type Page,
} from "./dashboard.js";

useStillClock();

const passMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

test("limits show their configs and, with stats, their grants and denials", async () => {
  const t = startDashboard();
  await take(t, "ada", 5);
  const { now, limits } = await ask<{
    now: number;
    limits: {
      name: string;
      config: object;
      hour?: { from: number; granted: number[]; denied: number[] };
      day?: { granted: number[] };
    }[];
  }>(t, { ask: "limits" });
  expect(now).toBe(MIDNIGHT);
  expect(limits.map(({ name, config }) => [name, config])).toEqual(
    Object.entries(rateLimiter.limits!),
  );
  const [message, ...others] = limits;
  expect(message!.hour).toMatchObject({ from: MIDNIGHT - 59 * MINUTE });
  expect(message!.hour!.granted).toEqual([...Array<number>(59).fill(0), 3]);
  expect(message!.hour!.denied.at(-1)).toBe(2);
  expect(message!.day!.granted).toEqual([...Array<number>(23).fill(0), 3]);
  expect(others.map(({ hour }) => hour)).toEqual(others.map(() => undefined));
});

test("keys come twenty at a time, the most depleted first or by key", async () => {
  const t = startDashboard();
  const named = Array.from({ length: 25 }, (_, i) => `k${i + 10}`);
  await t.mutation(async (ctx) => {
    for (const [i, key] of named.entries()) {
      const count = (i % 3) + 0.5;
      await rateLimiter.limit(ctx, "message", { key, count });
    }
  });
  const first = await keysOf(t, "message");
  const second = await keysOf(t, "message", { cursor: first.next });
  expect([...first.keys, ...second.keys].map(({ key }) => key)).toEqual(named);
  expect([first.keys.length, second.next]).toEqual([20, null]);
  expect(first.keys[0]!.value).toMatchObject({ value: 2.5, ts: MIDNIGHT });
  const order = "depleted";
  const [depleted] = (await keysOf(t, "message", { order })).keys;
  expect(named.indexOf(depleted!.key!) % 3).toBe(2);
});

test("a key shows its state, and its overrides with notes and ends", async () => {
  const t = startDashboard();
  await take(t, "ada", 2);
  const ban = { ask: "ban", ...ada, until, note: "Spam." };
  expect(await ask(t, ban)).toEqual({ now: MIDNIGHT, until });
  const stored = { override: { deny: true }, expiresAt: until, note: "Spam." };
  expect(await keyOf(t, ada)).toMatchObject({
    now: MIDNIGHT,
    config: rateLimiter.limits!.message,
    value: { phases: [{ effect: "banned", until }, { effect: "limited" }] },
    overrides: [{ key: "ada", ...stored }],
  });
});

test("a key shows how often it was denied in each of the last 24 hours", async () => {
  freezeClock(MIDNIGHT - 3 * HOUR + 1);
  const t = startDashboard();
  await take(t, "ada", 5);
  freezeClock(MIDNIGHT);
  await take(t, "ada", 4);
  await take(t, "bob", 9);
  const { denied } = await keyOf(t, ada);
  const times: Record<number, number> = { 20: 2, 23: 1 };
  const hours = Array.from({ length: 24 }, (_, i) => ({
    from: MIDNIGHT - (23 - i) * HOUR,
    denied: times[i] ?? 0,
  }));
  expect(denied).toMatchObject(hours);
  for (const of of [{ limit: "message" }, { ...ada, limit: "signUp" }]) {
    expect((await keyOf(t, of)).denied).toBeUndefined();
  }
});

test("a key shows the overrides of the whole limit below its own", async () => {
  const t = startDashboard();
  await ask(t, { ask: "ban", limit: "message", until, note: "all" });
  await ask(t, { ask: "lift", ...ada, until });
  expect(await keyOf(t, ada)).toMatchObject({
    overrides: [{ key: "ada", override: { unlimited: true } }],
    ofLimit: [{ override: { deny: true }, note: "all" }],
  });
  expect(await keyOf(t, { limit: "message" })).toMatchObject({
    overrides: [{ override: { deny: true } }],
    ofLimit: [],
  });
});

test("a key of a concurrency limit shows its leases", async () => {
  const t = startDashboard();
  const { id } = await t.mutation((ctx) =>
    rateLimiter.hold(ctx, "render", { key: "ada", count: 2 }),
  );
  const read = (key: string) => keyOf(t, { limit: "render", key });
  expect(await read("ada")).toMatchObject({
    leases: {
      leases: [{ id, count: 2, endsAt: MIDNIGHT + MINUTE }],
      isMore: false,
    },
  });
  expect(await read("bob")).toMatchObject({ leases: { leases: [] } });
});

const plan = { kind: "token bucket", rate: 500, period: HOUR } as const;

test("limits in use that the code does not name are listed, except the dashboard's own", async () => {
  const t = startDashboard();
  await post(t, { ask: "limits" }, { token: "a wrong secret of some length" });
  await t.mutation(async (ctx) => {
    for (const key of ["ada", "bob"]) {
      const config = plan;
      await rateLimiter.limit(ctx, "plan", { key, count: 33, config });
    }
    await rateLimiter.hold(ctx, "runs", {
      key: "ada",
      config: { kind: "concurrency", capacity: 5, lease: HOUR },
    });
  });
  const told = await ask<{ limits: []; others: object }>(t, { ask: "limits" });
  expect(told.limits).toHaveLength(Object.keys(rateLimiter.limits!).length);
  expect(told.others).toEqual({ names: ["plan", "runs"], isMore: false });

  freezeClock(MIDNIGHT + MINUTE);
  const bob = { key: "bob", stored: { balance: 467, usedAt: MIDNIGHT } };
  expect(await keysOf(t, "plan")).toEqual({
    now: MIDNIGHT + MINUTE,
    keys: [{ ...bob, key: "ada" }, bob],
    next: null,
  });
  const prefixed = async (prefix: string) =>
    (await keysOf(t, "plan", { prefix })).keys;
  expect(await prefixed("b")).toEqual([bob]);
  expect(await prefixed("c")).toEqual([]);
  expect(await keysOf(t, "runs")).toMatchObject({
    keys: [{ key: "ada", stored: { balance: 4, capacity: 5 } }],
  });
  // Until the vacuum deletes its rows, it is named, and empty.
  freezeClock(MIDNIGHT + 3 * HOUR);
  expect(await keysOf(t, "plan")).toMatchObject({ keys: [], next: null });
  const own = "dashboard: failed attempts";
  for (const asked of [
    { ask: "key", limit: "plan", key: "ada" },
    { ask: "reset", limit: "plan", key: "ada" },
    { ask: "keys", limit: own, order: "key", cursor: null },
  ]) {
    expect((await post(t, asked)).status).toBe(400);
  }
});

test("find finds a key in all limits, whether the code names them or not", async () => {
  const t = startDashboard();
  await take(t, "ada", 5);
  await take(t, "adam", 1);
  await ask(t, { ask: "ban", limit: "invite", key: "ada", until });
  await t.mutation(async (ctx) => {
    const config = plan;
    await rateLimiter.limit(ctx, "plan", { key: "ada", config });
    await rateLimiter.limit(ctx, "plans", { key: "adam", config });
  });
  type Found = {
    found: {
      name: string;
      value: { value: number };
      overrides: object[];
      denied?: { denied: number }[];
    }[];
    others: object[];
  };
  const { found, others } = await ask<Found>(t, { ask: "find", key: "ada" });
  expect(
    found.map(({ name, value, overrides, denied }) => [
      name,
      value.value,
      overrides.length,
      denied?.at(-1)?.denied,
    ]),
  ).toEqual([
    ["message", 0, 0, 2],
    ["render", 2, 0, undefined],
    ["signUp", 5, 0, undefined],
    ["exports", 3, 0, undefined],
    ["invite", 0, 1, undefined],
  ]);
  expect(others).toEqual([{ name: "plan", balance: 499, usedAt: MIDNIGHT }]);
});

test("find shows the first 50 limits that the code does not name and that use the key", async () => {
  const t = startDashboard();
  const use = (name: string, key = "ada") =>
    t.mutation((ctx) => rateLimiter.limit(ctx, name, { key, config: plan }));
  const found = async () => {
    const asked = { ask: "find", key: "ada" };
    type Found = { others: object[]; isMore: boolean };
    const { others, isMore } = await ask<Found>(t, asked);
    return [others.length, isMore];
  };
  for (let i = 10; i < 60; i++) await use(`plan ${i}`);
  await use("plan 00", "bob");
  expect(await found()).toEqual([50, false]);
  await use("plan 60");
  expect(await found()).toEqual([50, true]);
});

test("each view of a limit shows the rule by overrides of the whole limit, if any", async () => {
  const t = startDashboard();
  const views = [
    { ask: "keys", order: "depleted", cursor: null },
    { ask: "overrides", cursor: null },
    { ask: "denials", span: "hour" },
  ];
  const wholes = async (limit: string) => {
    const read = (view: object) =>
      ask<{ whole?: object }>(t, { ...view, limit });
    return (await Promise.all(views.map(read))).map(({ whole }) => whole);
  };
  const none = views.map(() => undefined);
  await ask(t, { ask: "ban", ...ada, until });
  expect(await wholes("message")).toEqual(none);
  expect(await wholes("signUp")).toEqual(none);
  await ask(t, { ask: "change", limit: "message", rate: 60, until });
  await ask(t, { ask: "lift", limit: "invite", until });
  const inForce = (effect: string, config: object) => ({
    value: { phases: [{ effect, config, until }, {}] },
    overrides: [{ expiresAt: until }],
  });
  for (const whole of await wholes("message")) {
    expect(whole).toMatchObject(inForce("limited", { rate: 60 }));
  }
  for (const whole of await wholes("invite")) {
    expect(whole).toMatchObject(inForce("unlimited", { rate: 5 }));
  }
});

test("denials list the keys that a limit with stats denied", async () => {
  const t = startDashboard();
  await take(t, "ada", 5);
  const denials = (limit: string, span = "hour") =>
    ask<{ stats?: { denied: number[] }; top?: object }>(t, {
      ask: "denials",
      limit,
      span,
    });
  expect(await denials("signUp")).toEqual({
    now: MIDNIGHT,
    config: rateLimiter.limits!.signUp,
  });
  const { top } = await denials("message");
  expect(top).toEqual([{ key: "ada", denied: 2 }]);
  const dryRun = { config: { enforce: false } } as const;
  await t.mutation((ctx) => rateLimiter.setOverride(ctx, "message", dryRun));
  await take(t, "bob", 4);
  expect(await denials("message")).toMatchObject({
    top: [{ key: "ada", denied: 2 }],
    topWouldDeny: [{ key: "bob", denied: 1 }],
  });
  for (const [span, length] of [
    ["hour", 60],
    ["day", 24],
    ["month", 720],
  ] as const) {
    const { stats } = await denials("message", span);
    expect(stats!.denied).toEqual([...Array<number>(length - 1).fill(0), 2]);
  }
});

test("denials tell how often calls came close, in the last hour and day", async () => {
  const t = startDashboard();
  await take(t, "ada");
  passMs(20);
  await take(t, "ada");
  passMs(2 * HOUR);
  for (let i = 0; i < 3; i++) {
    await take(t, "ada");
    passMs(50);
  }
  for (const span of ["hour", "day", "month"]) {
    const asked = { ask: "denials", limit: "message", span };
    const { closeCalls } = await ask<{ closeCalls: object }>(t, asked);
    expect(closeCalls).toEqual({ hour: 2, day: 3 });
  }
});

test("hostile keys and notes come back as they are, in JSON", async () => {
  const t = startDashboard();
  const key = `</script><img src=x onerror=alert(1)>"'\u2028\u0000`;
  await take(t, key);
  await ask(t, { ask: "ban", limit: "message", key, until, note: key });
  const keysAsked = {
    ask: "keys",
    limit: "message",
    order: "key",
    cursor: null,
  };
  const response = await post(t, keysAsked);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  const { keys } = (await response.json()) as Page;
  expect(keys.map(({ key }) => key)).toEqual([key]);
  const { overrides } = await keyOf(t, { limit: "message", key });
  expect(overrides.map(({ note }) => note)).toEqual([key]);
});

test.for([
  ["no cursor of any list", "bob"],
  ["one of another order", '0:["invite","k"]'],
  ["one of a list that does not exist", "7:"],
  ["one that is cut off", '0:["message","k10",0,17'],
  ["an empty one", ""],
])("a bad cursor gets a 400: %s", async ([, cursor]) => {
  const t = startDashboard();
  await take(t, "ada");
  for (const ask of ["keys", "overrides"]) {
    const order = ask === "keys" ? { order: "depleted" } : {};
    const asked = { ask, limit: "message", ...order, cursor };
    const response = await post(t, asked);
    expect([response.status, await response.json()]).toEqual([
      400,
      { error: "There is no such page in this list." },
    ]);
  }
});

test("the cursor of one search shows a page of another", async () => {
  const t = startDashboard();
  await t.mutation(async (ctx) => {
    for (let i = 0; i < 25; i++) {
      for (const name of ["ada", "bob"]) {
        await rateLimiter.limit(ctx, "message", { key: `${name}${i}` });
      }
    }
  });
  const { next } = await keysOf(t, "message", { prefix: "bob" });
  const other = { prefix: "ada", cursor: next };
  const { keys } = await keysOf(t, "message", other);
  expect(keys.filter(({ key }) => !key!.startsWith("ada"))).toEqual([]);
});

test("a key that is too long for calls is listed without its balance", async () => {
  const t = startDashboard();
  await take(t, "ada");
  const key = "k".repeat(1025);
  const row = { name: "message", key, shard: 0, value: 1, ts: MIDNIGHT };
  await inComponent(t, ({ db }) => db.insert("rateLimits", row));
  const { keys } = await keysOf(t, "message");
  expect(keys.map(({ key, value }) => [key, value !== undefined])).toEqual([
    ["ada", true],
    [key, false],
  ]);
});

describe("a limit with requireKey", () => {
  const config = rateLimiter.limits!.invite;
  const invite = { limit: "invite" };

  test("is shown as a whole, and can be banned as a whole", async () => {
    const t = startDashboard();
    expect(await keyOf(t, invite)).toMatchObject({
      config,
      value: { value: 5 },
      overrides: [],
    });
    await ask(t, { ask: "ban", ...invite, until });
    const key = "ada";
    const { ok } = await t.mutation((ctx) =>
      rateLimiter.limit(ctx, "invite", { key }),
    );
    expect(ok).toBe(false);
    expect(await keyOf(t, invite)).toMatchObject({
      overrides: [{ override: { deny: true } }],
    });
  });

  test.for([undefined, ""])(
    "lists its keys beside an old row of the key %j, which can be reset",
    async (old) => {
      const t = startDashboard();
      await t.mutation((ctx) =>
        rateLimiter.limit(ctx, "invite", { key: "ada" }),
      );
      const key = old === "" && { key: old };
      const row = { name: "invite", shard: 0, value: 1, ts: MIDNIGHT, ...key };
      await inComponent(t, ({ db }) => db.insert("rateLimits", row));
      const read = () => keysOf(t, "invite", { order: "depleted" });
      const { keys } = await read();
      expect(keys.map(({ key, value }) => [key, value!.value])).toEqual([
        ["ada", 4],
        [old, 1],
      ]);
      await ask(t, { ask: "reset", ...invite, ...key });
      expect((await read()).keys.map(({ key }) => key)).toEqual(["ada"]);
    },
  );
});
