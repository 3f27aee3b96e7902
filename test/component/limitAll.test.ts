import { MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import { bucket, startApp } from "../support/startApp.js";
import { components, storedRows, useStillClock } from "../support/host.js";

useStillClock();

const { verbs } = components.rateLimiter;

const ten = bucket(10);
const slow = { ...ten, period: 2 * MINUTE };
const dry = { ...ten, enforce: false };

type Item = {
  name: string;
  key?: string;
  config: RateLimitConfig;
  count?: number;
  reserve?: boolean;
};
type Options = { throws?: boolean; details?: boolean };

/** A request for `count` tokens of a limit of ten. */
const item = (name: string, count = 1, more: Partial<Item> = {}): Item => ({
  name,
  config: ten,
  count,
  ...more,
});
const key = "k";
const a = item("a", 1, { key });
const b = item("b", 1, { config: slow });
const free = item("free");

function start() {
  const app = startApp({});
  const limitAll = (items: Item[], options: Options = {}) =>
    app.mutate((ctx) => app.limiter.limitAll(ctx, items, options));
  return { ...app, limitAll };
}

/** Takes all of both: `a` has its next token in 6 s, and `b` in 12 s. */
async function startEmpty() {
  const app = start();
  await app.limitAll([
    { ...a, count: 10 },
    { ...b, count: 10 },
  ]);
  return app;
}

const many = (n: number, more = {}) =>
  Array.from({ length: n }, (_, i) => item(`limit ${i}`, 1, more));

// Each reads the most that a request can: two overrides, its rows by ones and twos, a look, details.
test("the longest list stays within the 4,096 queries that Convex allows", async () => {
  const { limitAll, limiter, mutate } = start();
  const config = { ...bucket(16), shards: 8, overrides: true, stats: true };
  const asking = (count: number) =>
    mutate(async (ctx) => {
      const items = many(64, { config, key }).map((one) => ({ ...one, count }));
      const { ok } = await limiter.limitAll(ctx, items, { details: true });
      const { databaseQueries } = await ctx.meta.getTransactionMetrics();
      return { ok, used: databaseQueries.used };
    });
  for (const [count, granted] of [
    [15, true],
    [2, false],
  ] as const) {
    const { ok, used } = await asking(count);
    expect(ok).toBe(granted);
    expect((used * 256) / 64).toBeLessThan(4096 / 2);
  }
  await expect(limitAll(many(257))).rejects.toThrow(
    "limitAll takes at most 256 items, but was given 257.",
  );
});

describe("a list is refused", () => {
  test("if it is empty", async () => {
    const asked = start().mutate((ctx) =>
      ctx.runMutation(verbs.limitAll, { limits: [] }),
    );
    await expect(asked).rejects.toThrow("The list of limits is empty.");
  });

  test.each([
    ["side by side", []],
    ["with another between them", [item("b")]],
  ])("if one limit and key come with two configs, %s", async (_, between) => {
    const { t, limitAll } = start();
    const other = item("a", 1, { config: slow });
    await expect(limitAll([item("a"), ...between, other])).rejects.toThrow(
      "Rate limit a comes twice in the list for the same key, with different configs.",
    );
    expect(await storedRows(t)).toEqual([]);
  });
});

describe("in a list,", () => {
  const six = (name: string, more: Partial<Item> = {}) => item(name, 6, more);

  test.each<[string, Item, blocks?: boolean]>([
    ["items of one key share a balance", six("a", { key }), true],
    ["a key and no key have a balance each", six("a")],
    ["two keys have a balance each", six("a", { key: "l" })],
    ["two names have a balance each", six("b", { key })],
    ["two keys may have two configs", six("a", { key: "l", config: slow })],
  ])("%s", async (_claim, second, blocks = false) => {
    const { t, limitAll } = start();
    const answer = await limitAll([six("a", { key }), second]);
    expect(answer).toMatchObject(
      blocks ? { ok: false, blockedBy: { index: 1, name: "a" } } : { ok: true },
    );
    expect(await storedRows(t)).toHaveLength(blocks ? 0 : 2);
  });

  test('no key and the key "null" have a balance each', async () => {
    const list = [six("a"), six("a", { key: "null" })];
    expect(await start().limitAll(list)).toEqual({ ok: true });
  });
});

describe("a denied list", () => {
  test.each<[string, Item[], retryAfter: number, index: number]>([
    ["of two", [a, b], 12_000, 0],
    ["of two, in the other order", [free, b, a], 12_000, 1],
    ["of one between others", [item("free", 5), a, item("free", 5)], 6000, 1],
  ])(
    "names the first refused item and waits for the last one: %s",
    async (_, list, retryAfter, index) => {
      const { limitAll } = await startEmpty();
      const blockedBy = { index, name: list[index]!.name };
      expect(await limitAll(list)).toEqual({
        ok: false,
        retryAfter,
        blockedBy,
      });
    },
  );

  test("has the details of the limit that blocks it, though another has less left, and counts nothing as taken", async () => {
    const { mutate, limiter } = start();
    const denied = await mutate(async (ctx) => {
      await limiter.limit(ctx, "b", { config: bucket(20), count: 12 });
      const list = [
        item("a", 3, { config: bucket(4) }),
        item("b", 9, { config: bucket(20) }),
      ];
      return limiter.limitAll(ctx, list, { details: true });
    });
    expect(denied).toEqual({
      ok: false,
      retryAfter: 3_000,
      blockedBy: { index: 1, name: "b" },
      limit: 20,
      remaining: 8,
      resetAfter: 36_000,
      each: [
        { limit: 4, remaining: 4, resetAfter: 0 },
        { limit: 20, remaining: 8, resetAfter: 36_000 },
      ],
    });
  });
});

describe("a granted list", () => {
  test("waits for the last of its reservations, wherever that stands", async () => {
    const { limitAll } = await startEmpty();
    const [ofA, ofB] = [a, b].map((one) => ({ ...one, reserve: true }));
    for (const [list, retryAfter] of [
      [[ofB!, free, ofA!], 12_000],
      [[ofA!, ofB!], 24_000],
      [[free, ofA!], 18_000],
    ] as const) {
      expect(await limitAll([...list])).toEqual({ ok: true, retryAfter });
    }
  });

  test.each([
    ["the first", [item("a", 11, { config: dry }), item("b")]],
    ["the last", [item("b"), item("a", 11, { config: dry })]],
  ])("reports a dry run that would deny: %s", async (_claim, list) => {
    expect(await start().limitAll(list)).toEqual({ ok: true, wouldDeny: true });
  });

  test.each([
    ["the first", [item("a", 8), item("b", 3)]],
    ["the last", [item("b", 3), item("a", 8)]],
  ])(
    "returns the details of the item with the least left: %s",
    async (_, list) => {
      const answer = await start().limitAll(list, { details: true });
      expect(answer).toMatchObject({ ok: true, remaining: 2 });
    },
  );
});
