import { MINUTE, RateLimiter, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import {
  components,
  startHost,
  storedRows,
  useStillClock,
} from "../../host.js";

useStillClock();

const ten: RateLimitConfig = { kind: "token bucket", rate: 10, period: MINUTE };
const slow: RateLimitConfig = { ...ten, period: 2 * MINUTE };
const dry: RateLimitConfig = { ...ten, enforce: false };

const limiter = new RateLimiter(components.rateLimiter);

type Item = {
  name: string;
  key?: string;
  config: RateLimitConfig;
  count?: number;
  reserve?: boolean;
};

const item = (name: string, more: Partial<Item> = {}): Item => ({
  name,
  config: ten,
  ...more,
});

function start() {
  const t = startHost();
  const limitAll = (
    items: Item[],
    options: { throws?: boolean; details?: boolean } = {},
  ) => t.mutation((ctx) => limiter.limitAll(ctx, items, options));
  return { t, limitAll };
}

/** After everything was taken of both, one a token in 6 s and one in 12 s. */
async function startEmpty() {
  const app = start();
  await app.limitAll([
    item("a", { key: "k", count: 10 }),
    item("b", { config: slow, count: 10 }),
  ]);
  return app;
}

describe("a list is refused", () => {
  test("if it is empty", async () => {
    const { lib } = components.rateLimiter;
    await expect(
      startHost().mutation((ctx) =>
        ctx.runMutation(lib.limitAll, { limits: [] }),
      ),
    ).rejects.toThrow("The list of limits is empty.");
  });

  test("if one limit and key come with two configs, in whichever places", async () => {
    const { t, limitAll } = start();
    const other = item("a", { config: slow });
    for (const list of [
      [item("a"), other],
      [item("a"), item("b"), other],
    ]) {
      await expect(limitAll(list)).rejects.toThrow(
        "Rate limit a comes twice in the list for the same key, with different configs.",
      );
    }
    expect(await storedRows(t)).toEqual([]);
  });
});

describe("a list is one limit for each name and key", () => {
  test.each([
    [
      "the same without a key",
      [item("a", { count: 6 }), item("a", { count: 6 })],
      false,
    ],
    [
      "the same key",
      [item("a", { key: "k", count: 6 }), item("a", { key: "k", count: 6 })],
      false,
    ],
    [
      "a key and none",
      [item("a", { key: "k", count: 6 }), item("a", { count: 6 })],
      true,
    ],
    [
      "two keys",
      [item("a", { key: "k", count: 6 }), item("a", { key: "l", count: 6 })],
      true,
    ],
    ["two names", [item("a", { count: 6 }), item("b", { count: 6 })], true],
    [
      "none and a key that reads so",
      [item("a", { count: 6 }), item("a", { key: "null", count: 6 })],
      true,
    ],
    [
      "two keys with two configs",
      [
        item("a", { key: "k", count: 6 }),
        item("a", { key: "l", config: slow }),
      ],
      true,
    ],
    [
      "fields in another order",
      [
        item("a", { count: 6 }),
        item("a", {
          config: { period: MINUTE, rate: 10, kind: "token bucket" },
          count: 6,
        }),
      ],
      false,
    ],
  ])("%s", async (_claim, list, ok) => {
    const { limitAll } = start();
    expect((await limitAll(list)).ok).toBe(ok);
  });
});

describe("a denied list", () => {
  test("names the first that is refused, and waits for the last to be granted", async () => {
    const { limitAll } = await startEmpty();
    const b = item("b", { config: slow });
    const a = item("a", { key: "k" });
    const waits = { ok: false, retryAfter: 12_000 };
    expect(await limitAll([item("free"), b, a])).toEqual({
      ...waits,
      blockedBy: { index: 1, name: "b" },
    });
    expect(await limitAll([a, b])).toEqual({
      ...waits,
      blockedBy: { index: 0, name: "a" },
    });
    expect(
      await limitAll([
        item("free", { count: 5 }),
        a,
        item("free", { count: 5 }),
      ]),
    ).toEqual({
      ok: false,
      retryAfter: 6000,
      blockedBy: { index: 1, name: "a" },
    });
  });

  test("throws, if asked to, what names the limit, the key and the wait", async () => {
    const { limitAll } = await startEmpty();
    const denied = limitAll([item("free"), item("a", { key: "k" })], {
      throws: true,
    });
    await expect(denied).rejects.toMatchObject({
      data: { kind: "RateLimited", name: "a", key: "k", retryAfter: 6000 },
    });
    expect(await limitAll([item("free")], { throws: true })).toEqual({
      ok: true,
    });
  });

  test("takes nothing from those that would have granted", async () => {
    const { t, limitAll } = await startEmpty();
    const before = await storedRows(t);
    await limitAll([item("free"), item("a", { key: "k" })], { details: true });
    expect(await storedRows(t)).toEqual(before);
  });
});

describe("a granted list", () => {
  test("waits for the last of what it reserves, in whichever place", async () => {
    const { limitAll } = await startEmpty();
    const reserve = true;
    const b = item("b", { config: slow, reserve });
    const a = item("a", { key: "k", reserve });
    expect(await limitAll([b, item("free"), a])).toEqual({
      ok: true,
      retryAfter: 12_000,
    });
    expect(await limitAll([a, item("b", { config: slow, reserve })])).toEqual({
      ok: true,
      retryAfter: 24_000,
    });
    expect(await limitAll([item("free"), a])).toEqual({
      ok: true,
      retryAfter: 18_000,
    });
  });

  test.each([
    ["the first", [item("a", { config: dry, count: 11 }), item("b")]],
    ["the last", [item("b"), item("a", { config: dry, count: 11 })]],
  ])("tells a dry run that would deny: %s", async (_claim, list) => {
    const { limitAll } = start();
    expect(await limitAll(list)).toEqual({ ok: true, wouldDeny: true });
  });

  test.each([
    ["the first", [item("a", { count: 8 }), item("b", { count: 3 })], 2],
    ["the last", [item("b", { count: 3 }), item("a", { count: 8 })], 2],
  ])(
    "tells the details of the one with the least left: %s",
    async (_claim, list, remaining) => {
      const { limitAll } = start();
      expect(await limitAll(list, { details: true })).toMatchObject({
        ok: true,
        remaining,
      });
    },
  );

  test("takes 1 of what says no count", async () => {
    const { t, limitAll } = start();
    await limitAll([item("a"), item("b", { count: 4 })]);
    expect((await storedRows(t)).map(({ value }) => value)).toEqual([9, 6]);
  });
});

describe("a count of a limit of 10^15", () => {
  const large: RateLimitConfig = { ...ten, rate: 1e15 };
  const least = 1e15 * Number.EPSILON;

  test.each([
    ["that its balance cannot tell is refused", least, false],
    ["that its balance can tell is taken", least * 1.01, true],
    ["of nothing is taken", 0, true],
  ])("%s", async (_claim, count, isTaken) => {
    const { limitAll } = start();
    const asked = limitAll([item("a", { config: large, count })]);
    if (isTaken) expect(await asked).toEqual({ ok: true });
    else {
      await expect(asked).rejects.toThrow(
        `Rate limit a: count must be 0, or above ${least}: its capacity is large, but is ${count}.`,
      );
    }
  });
});

describe("the component answers", () => {
  const { lib } = components.rateLimiter;
  const one = item("a", { key: "k", count: 10 });

  test("one request without its place in a list", async () => {
    const t = startHost();
    const ask = (more: { throws?: boolean; details?: boolean } = {}) =>
      t.mutation((ctx) => ctx.runMutation(lib.rateLimit, { ...one, ...more }));
    const denied = { ok: false, retryAfter: MINUTE };
    expect(await ask()).toEqual({ ok: true });
    expect(await ask()).toEqual(denied);
    expect(await ask({ throws: false })).toEqual(denied);
    expect(await ask({ details: true })).toEqual({
      ...denied,
      limit: 10,
      remaining: 0,
      resetAfter: MINUTE,
    });
  });

  test("a denial by an error, if asked to, that names the limit and the key", async () => {
    const t = startHost();
    const throws = true;
    const ask = (item: Item) =>
      t.mutation((ctx) => ctx.runMutation(lib.rateLimit, { ...item, throws }));
    expect(await ask(one)).toEqual({ ok: true });
    await expect(ask(one)).rejects.toMatchObject({
      data: { kind: "RateLimited", name: "a", key: "k", retryAfter: MINUTE },
    });
    const limits = [item("b"), one];
    const both = t.mutation((ctx) =>
      ctx.runMutation(lib.limitAll, { limits, throws }),
    );
    await expect(both).rejects.toMatchObject({ data: { name: "a", key: "k" } });
  });

  test("a bad count by an error that names it", async () => {
    const bad = { ...one, count: -1 };
    await expect(
      startHost().mutation((ctx) => ctx.runMutation(lib.rateLimit, bad)),
    ).rejects.toThrow("Rate limit a: count must be");
  });
});
