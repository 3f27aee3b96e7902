import { DAY, HOUR, MINUTE } from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import {
  inComponent,
  MIDNIGHT,
  storedRows,
  useStillClock,
  type Host,
} from "../host.js";
import { ask, post, rateLimiter, startApp } from "./dashboard.js";

useStillClock();

const take = (t: Host, key: string, times = 1) =>
  t.mutation(async (ctx) => {
    const answers = [];
    for (let i = 0; i < times; i++) {
      answers.push((await rateLimiter.limit(ctx, "message", { key })).ok);
    }
    return answers;
  });

const stored = async (t: Host) => [
  await storedRows(t),
  await inComponent(t, (ctx) => ctx.db.query("overrides").collect()),
];

const ada = { limit: "message", key: "ada" };
const until = MIDNIGHT + HOUR;

describe("a bad body is a clear 400 and changes nothing", () => {
  const TEN_YEARS = 3661 * DAY;
  test.for([
    ["nothing", "", "not JSON"],
    ["no JSON", "{", "not JSON"],
    ["null", "null", "ask must be one of limits, keys,"],
    ["a list", "[]", "ask must be one of"],
    ["a text", '"reset"', "ask must be one of"],
    ["no question", {}, "ask must be one of"],
    ["an unknown question", { ask: "drop" }, "ask must be one of"],
    ["a question of Object", { ask: "constructor" }, "ask must be one of"],
    ["a question that is no text", { ask: ["reset"] }, "ask must be one of"],
    ["no limit", { ask: "reset", key: "ada" }, "limit"],
    ["a limit that is no text", { ask: "reset", limit: 7 }, "limit"],
    [
      "an unknown limit",
      { ask: "reset", limit: "mesage" },
      'no limit of the name "mesage"',
    ],
    [
      "a limit of Object",
      { ask: "reset", limit: "constructor" },
      'no limit of the name "constructor"',
    ],
    [
      "a limit of all objects",
      { ask: "reset", limit: "__proto__" },
      'no limit of the name "__proto__"',
    ],
    [
      "a key that is no text",
      { ask: "reset", limit: "message", key: 7 },
      "key",
    ],
    ["a field too many", { ask: "reset", ...ada, config: {} }, "config"],
    ["a ban without an end", { ask: "ban", ...ada }, "until"],
    ["a ban until a text", { ask: "ban", ...ada, until: "soon" }, "until"],
    [
      "a ban until now",
      { ask: "ban", ...ada, until: MIDNIGHT },
      "until must be in the future",
    ],
    [
      "a ban in the past",
      { ask: "ban", ...ada, until: 0 },
      "until must be in the future",
    ],
    [
      "a ban for too long",
      { ask: "ban", ...ada, until: MIDNIGHT + TEN_YEARS },
      "at most ten years",
    ],
    [
      "a ban until infinity",
      '{"ask":"ban","limit":"message","key":"ada","until":1e999}',
      "until must be in the future",
    ],
    ["a note that is no text", { ask: "ban", ...ada, until, note: 7 }, "note"],
    [
      "a note that is too long",
      { ask: "ban", ...ada, until, note: "ü".repeat(513) },
      "Rate limit message: note must be at most 1024 bytes long in UTF-8, but has 1026.",
    ],
    ["longer bans for all", { ask: "penalize", limit: "message" }, "key"],
    [
      "a change of nothing",
      { ask: "change", ...ada },
      "Give a rate, a capacity, or both.",
    ],
    [
      "a rate of 0",
      { ask: "change", ...ada, rate: 0 },
      "Rate limit message: rate must be a finite number above 0, but is 0.",
    ],
    [
      "a negative capacity",
      { ask: "change", ...ada, capacity: -1 },
      "Rate limit message: capacity must be a finite number of at least 0, but is -1.",
    ],
    [
      "a rate of what has none",
      { ask: "change", limit: "render", rate: 1 },
      'Rate limit render: there is no rate in a limit of kind "concurrency".',
    ],
    [
      "an override of what has none",
      { ask: "ban", limit: "signUp", key: "ada", until },
      "overrides must be true",
    ],
    [
      "clearing what has none",
      { ask: "clear", limit: "signUp" },
      "overrides must be true",
    ],
    [
      "an unknown order",
      { ask: "keys", limit: "message", order: "value", cursor: null },
      "order",
    ],
    [
      "a cursor that is none",
      { ask: "keys", limit: "message", order: "key", cursor: 7 },
      "cursor",
    ],
    [
      "an unknown span",
      { ask: "denials", limit: "message", span: "year" },
      "span",
    ],
    [
      "a book",
      JSON.stringify({ ask: "reset", ...ada, note: "x".repeat(17_000) }),
      "more than 16384",
    ],
  ] as const)("%s", async ([, body, why]) => {
    const t = startApp();
    await take(t, "ada", 2);
    await ask(t, { ask: "ban", ...ada, until, note: "before" });
    const before = await stored(t);
    const response = await post(t, body);
    const { error } = (await response.json()) as { error: string };
    expect([response.status, error]).toEqual([
      400,
      expect.stringContaining(why),
    ]);
    expect(await stored(t)).toEqual(before);
  });
});

describe("actions", () => {
  test("reset makes a key full, and leaves others and overrides alone", async () => {
    const t = startApp();
    expect(await take(t, "ada", 4)).toEqual([true, true, true, false]);
    await take(t, "bob", 3);
    await ask(t, { ask: "reset", ...ada });
    expect(await take(t, "ada")).toEqual([true]);
    expect(await take(t, "bob")).toEqual([false]);
  });

  test("reset of a limit on what runs at once ends its leases", async () => {
    const t = startApp();
    const hold = () =>
      t.mutation((ctx) => rateLimiter.hold(ctx, "render", { key: "ada" }));
    await hold();
    await hold();
    expect((await hold()).ok).toBe(false);
    await ask(t, { ask: "reset", limit: "render", key: "ada" });
    expect((await hold()).ok).toBe(true);
  });

  test("a ban denies until its end, and says so", async () => {
    const t = startApp();
    expect(await ask(t, { ask: "ban", ...ada, until })).toEqual({
      now: MIDNIGHT,
      until,
    });
    expect(await take(t, "ada")).toEqual([false]);
    expect(await take(t, "bob")).toEqual([true]);
  });

  test("bans get longer: ten minutes, an hour, a day, and a day again", async () => {
    const t = startApp();
    const bans = [];
    for (let i = 0; i < 4; i++) {
      const { until } = await ask<{ until: number }>(t, {
        ask: "penalize",
        ...ada,
      });
      bans.push(until - MIDNIGHT);
    }
    expect(bans).toEqual([10 * MINUTE, HOUR, DAY, DAY]);
    expect(await take(t, "ada")).toEqual([false]);
  });

  test("lifting grants everything and takes nothing", async () => {
    const t = startApp();
    await ask(t, { ask: "lift", ...ada, until });
    expect(await take(t, "ada", 5)).toEqual(Array(5).fill(true));
    expect(await storedRows(t)).toEqual([]);
  });

  test("another rate and capacity hold until their end, or until they are cleared", async () => {
    const t = startApp();
    await ask(t, { ask: "change", ...ada, rate: 60, capacity: 5 });
    expect(await take(t, "ada", 6)).toEqual([
      ...Array<boolean>(5).fill(true),
      false,
    ]);
    await ask(t, { ask: "clear", ...ada });
    const { overrides } = await ask<{ overrides: [] }>(t, {
      ask: "key",
      ...ada,
    });
    expect(overrides).toEqual([]);
  });

  test("without a key an override is for the whole limit", async () => {
    const t = startApp();
    await ask(t, { ask: "ban", limit: "message", until });
    expect(await take(t, "ada")).toEqual([false]);
    const { limits } = await ask<{
      limits: { name: string; overrides: object[] }[];
    }>(t, { ask: "limits" });
    expect(
      limits.map(({ name, overrides }) => [name, overrides.length]),
    ).toEqual([
      ["message", 1],
      ["render", 0],
      ["signUp", 0],
      ["exports", 0],
      ["invite", 0],
    ]);
    await ask(t, { ask: "clear", limit: "message" });
    expect(await take(t, "ada")).toEqual([true]);
  });
});

describe("reads", () => {
  test("limits say their configs, and what those with stats have granted and denied", async () => {
    const t = startApp();
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
    const t = startApp();
    await t.mutation(async (ctx) => {
      for (let i = 10; i < 35; i++) {
        const count = i % 3;
        await rateLimiter.limit(ctx, "message", {
          key: `k${i}`,
          count: count + 0.5,
        });
      }
    });
    type Page = { keys: { key: string; value: object }[]; next: string | null };
    const read = (order: string, cursor: string | null) =>
      ask<Page>(t, { ask: "keys", limit: "message", order, cursor });
    const first = await read("key", null);
    const second = await read("key", first.next);
    expect([...first.keys, ...second.keys].map(({ key }) => key)).toEqual(
      Array.from({ length: 25 }, (_, i) => `k${i + 10}`),
    );
    expect([first.keys.length, second.next]).toEqual([20, null]);
    expect(first.keys[0]!.value).toMatchObject({ value: 1.5, ts: MIDNIGHT });
    const [depleted] = (await read("depleted", null)).keys;
    expect(Number(depleted!.key.slice(1)) % 3).toBe(2);
  });

  test("a key says its state, and its overrides with notes and ends", async () => {
    const t = startApp();
    await take(t, "ada", 2);
    await ask(t, { ask: "ban", ...ada, until, note: "Spam." });
    const told = await ask(t, { ask: "key", ...ada });
    expect(told).toMatchObject({
      now: MIDNIGHT,
      config: rateLimiter.limits!.message,
      value: { segments: [{ effect: "banned", until }, { effect: "limited" }] },
      overrides: [
        {
          key: "ada",
          override: { deny: true },
          expiresAt: until,
          note: "Spam.",
        },
      ],
    });
  });

  test("denials say whom the limit denied, and of a limit without stats nothing", async () => {
    const t = startApp();
    await take(t, "ada", 5);
    const denials = (limit: string, span = "hour") =>
      ask<{ figures?: { denied: number[] }; top?: object }>(t, {
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
    for (const [span, length] of [
      ["hour", 60],
      ["day", 24],
      ["month", 720],
    ] as const) {
      const { figures } = await denials("message", span);
      expect(figures!.denied).toEqual([
        ...Array<number>(length - 1).fill(0),
        2,
      ]);
    }
  });

  test("hostile keys and notes come back as they are, in JSON", async () => {
    const t = startApp();
    const key = `</script><img src=x onerror=alert(1)>"'\u2028\u0000`;
    await take(t, key);
    await ask(t, { ask: "ban", limit: "message", key, until, note: key });
    const response = await post(t, {
      ask: "keys",
      limit: "message",
      order: "key",
      cursor: null,
    });
    expect(response.headers.get("Content-Type")).toBe("application/json");
    const { keys } = (await response.json()) as { keys: { key: string }[] };
    expect(keys.map(({ key }) => key)).toEqual([key]);
    const { overrides } = await ask<{ overrides: { note: string }[] }>(t, {
      ask: "key",
      limit: "message",
      key,
    });
    expect(overrides.map(({ note }) => note)).toEqual([key]);
  });

  test.for([
    ["no cursor of any list", "bob"],
    ["one of another order", '0:["invite","k",0,1,"id"]'],
    ["one of a list that is not", "7:"],
    ["one that is cut off", '0:["message","k10",0,17'],
    ["an empty one", ""],
  ])("a stale cursor is a 400 and no failure: %s", async ([, cursor]) => {
    const t = startApp();
    await take(t, "ada");
    const keys = { ask: "keys", limit: "message", order: "depleted", cursor };
    const overrides = { ask: "overrides", limit: "message", cursor };
    for (const asked of [keys, overrides]) {
      const response = await post(t, asked);
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: "There is no such page in this list." },
      ]);
    }
  });

  test("a page of one search, asked for in another, is answered", async () => {
    const t = startApp();
    await t.mutation(async (ctx) => {
      for (let i = 0; i < 25; i++) {
        for (const name of ["ada", "bob"]) {
          await rateLimiter.limit(ctx, "message", { key: `${name}${i}` });
        }
      }
    });
    const asked = { ask: "keys", limit: "message", order: "key" };
    const { next } = await ask(t, { ...asked, prefix: "bob", cursor: null });
    const response = await post(t, { ...asked, prefix: "ada", cursor: next });
    const { keys } = (await response.json()) as { keys: { key: string }[] };
    expect(response.status).toBe(200);
    expect(keys.filter(({ key }) => !key.startsWith("ada"))).toEqual([]);
  });

  test("a key that calls refuse for its length is listed, without what it holds", async () => {
    const t = startApp();
    await take(t, "ada");
    const key = "k".repeat(1025);
    await inComponent(t, ({ db }) =>
      db.insert("rateLimits", {
        name: "message",
        key,
        shard: 0,
        value: 1,
        ts: MIDNIGHT,
      }),
    );
    const { keys } = await ask<{ keys: { key: string; value?: object }[] }>(t, {
      ask: "keys",
      limit: "message",
      order: "key",
      cursor: null,
    });
    expect(keys.map(({ key, value }) => [key, value !== undefined])).toEqual([
      ["ada", true],
      [key, false],
    ]);
  });
});

describe("a limit with requireKey", () => {
  const config = rateLimiter.limits!.invite;
  const invite = { limit: "invite" };

  test("is shown as a whole, and can be banned as a whole", async () => {
    const t = startApp();
    expect(await ask(t, { ask: "key", ...invite })).toMatchObject({
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
    expect(await ask(t, { ask: "key", ...invite })).toMatchObject({
      overrides: [{ override: { deny: true } }],
    });
  });

  test.for([undefined, ""])(
    "lists its keys beside an old row of the key %j, which can be reset",
    async (old) => {
      const t = startApp();
      await t.mutation((ctx) =>
        rateLimiter.limit(ctx, "invite", { key: "ada" }),
      );
      const row = { name: "invite", shard: 0, value: 1, ts: MIDNIGHT };
      await inComponent(t, ({ db }) =>
        db.insert("rateLimits", { ...row, ...(old === "" && { key: old }) }),
      );
      const read = () =>
        ask<{ keys: { key?: string; value: { value: number } }[] }>(t, {
          ask: "keys",
          ...invite,
          order: "depleted",
          cursor: null,
        });
      const { keys } = await read();
      expect(keys.map(({ key, value }) => [key, value.value])).toEqual([
        ["ada", 4],
        [old, 1],
      ]);
      await ask(t, {
        ask: "reset",
        ...invite,
        ...(old === "" && { key: old }),
      });
      expect((await read()).keys.map(({ key }) => key)).toEqual(["ada"]);
    },
  );
});
