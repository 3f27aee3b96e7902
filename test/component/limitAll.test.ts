import { MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import { expect, test } from "vitest";
import { bucket, startApp } from "../support/startApp.js";
import { table } from "../support/table.js";
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
function start() {
  const app = startApp({});
  const limitAll = (items: Item[], options: Options = {}) =>
    app.mutate((ctx) => app.limiter.limitAll(ctx, items, options));
  return { ...app, limitAll };
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

test("an empty list is refused", async () => {
  const asked = start().mutate((ctx) =>
    ctx.runMutation(verbs.limitAll, { limits: [] }),
  );
  await expect(asked).rejects.toThrow("The list of limits is empty.");
});

/** The items of a list, as "a/k slow 6 reserve": a name, maybe a key, a config other than `ten`, a count. */
const itemsOf = (text: string): Item[] =>
  text.split(", ").map((one) => {
    const [of, ...words] = one.split(" ") as [string, ...string[]];
    const [name, key] = of.split("/") as [string, string?];
    const config = words.includes("slow")
      ? slow
      : words.includes("dry")
        ? dry
        : ten;
    const count = Number(words.find((word) => /^\d+$/.test(word)) ?? 1);
    return item(name, count, {
      key,
      config,
      reserve: words.includes("reserve"),
    });
  });

/** Both limits are used up: `a` has its next token in 6 s, and `b` in 12 s. */
const empty = "a/k 10, b slow 10";

test.each(
  table(`
    with items of one key, which share a balance                    |          | a/k 6, a/k 6                       | {"ok":false,"retryAfter":60000,"blockedBy":{"index":1,"name":"a"}}
    with a key and no key, which have a balance each                |          | a/k 6, a 6                         | {"ok":true}
    with two keys, which have a balance each                        |          | a/k 6, a/l 6                       | {"ok":true}
    with two names, which have a balance each                       |          | a/k 6, b/k 6                       | {"ok":true}
    with no key and the key "null", which have a balance each       |          | a 6, a/null 6                      | {"ok":true}
    with two configs of two keys                                    |          | a/k 6, a/l slow 6                  | {"ok":true}
    and denied by two names the first, and waits for both           | ${empty} | a/k, b slow                        | {"ok":false,"retryAfter":12000,"blockedBy":{"index":0,"name":"a"}}
    and denied by two names the first, in any order                 | ${empty} | free, b slow, a/k                  | {"ok":false,"retryAfter":12000,"blockedBy":{"index":1,"name":"b"}}
    and denied by one between others names it                       | ${empty} | free 5, a/k, free 5                | {"ok":false,"retryAfter":6000,"blockedBy":{"index":1,"name":"a"}}
    of reservations, of which the first is the last to run          | ${empty} | b slow reserve, free, a/k reserve  | {"ok":true,"retryAfter":12000}
    of reservations, of which the last is the last to run           | ${empty} | a/k reserve, b slow reserve        | {"ok":true,"retryAfter":12000}
    of reservations, of which one can run at once                   | ${empty} | free, a/k reserve                  | {"ok":true,"retryAfter":6000}
    of which a dry run would deny the first                         |          | a dry 11, b                        | {"ok":true,"wouldDeny":true}
    of which a dry run would deny the last                          |          | b, a dry 11                        | {"ok":true,"wouldDeny":true}
    with the details of the first, which has least left             |          | a 8, b 3                           | {"ok":true,"remaining":2}
    with the details of the last, which has least left              |          | b 3, a 8                           | {"ok":true,"remaining":2}
    with two configs of one key, side by side                       |          | a, a slow                          | "different configs"
    with two configs of one key, and another between them           |          | a, b, a slow                       | "different configs"
  `),
)("a list is answered %s", async (_claim, before, list, answer) => {
  const { t, limitAll } = start();
  if (before !== "") await limitAll(itemsOf(before));
  const rows = await storedRows(t);
  const expected = JSON.parse(answer) as string | { ok: boolean };
  const details = answer.includes("remaining");
  const asked = limitAll(itemsOf(list), { details });
  if (typeof expected === "string") {
    await expect(asked).rejects.toThrow(
      `Rate limit a comes twice in the list for the same key, with ${expected}.`,
    );
  } else if (details) expect(await asked).toMatchObject(expected);
  else expect(await asked).toEqual(expected);
  if (typeof expected === "string" || !expected.ok) {
    expect(await storedRows(t)).toEqual(rows);
  }
});

test("a denied list has the details of the limit that blocks it, though another has less left, and counts nothing as taken", async () => {
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
