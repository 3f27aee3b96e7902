import { MINUTE, type LimitConfig } from "convex-rate-limiter";
import { beforeEach, describe, expect, test } from "vitest";
import {
  bucket,
  listAll,
  listedOverrides,
  startApp,
} from "../support/startApp.js";
import { MIDNIGHT, useStillClock } from "../support/host.js";

useStillClock();

const ten = bucket(10);
const limits = {
  rows: { ...ten, overrides: true },
  split: bucket(10, 4),
  held: { kind: "concurrency", capacity: 3, lease: MINUTE },
} satisfies Record<string, LimitConfig>;

const keys = [
  ...["a", "ab", "abc", "abd", "ac", "b", "", "ab\u{10ffff}", "A"],
  undefined,
];

/** An app in which each limit is in use by each of the keys. */
async function start() {
  const app = startApp(limits);
  await app.mutate(async (ctx) => {
    for (const key of keys) {
      for (const name of ["rows", "split"]) {
        await app.limiter.limit(ctx, name, { key, count: 3 });
      }
      await app.limiter.hold(ctx, "held", { key });
    }
  });
  return app;
}

let shownTo: ReturnType<typeof start> | undefined;

describe.for(["rows", "split", "held"] as const)(
  "list of %s with a prefix",
  (name) => {
    test.for([
      ["ab", ["ab", "abc", "abd", "ab\u{10ffff}"]],
      ["abc", ["abc"]],
      ["a", ["a", "ab", "abc", "abd", "ab\u{10ffff}", "ac"]],
      ["", ["", "A", "a", "ab", "abc", "abd", "ab\u{10ffff}", "ac", "b"]],
      ["ab\u{10ffff}", ["ab\u{10ffff}"]],
      ["abcd", []],
      ["c", []],
    ] as const)(
      "%o returns the keys that begin with it, in order",
      async ([prefix, wanted]) => {
        const app = await (shownTo ??= start());
        for (const numItems of [1, 2, 100]) {
          const found = await listAll(app, { name, prefix }, numItems);
          expect(found.map(({ key }) => key)).toEqual(wanted);
        }
      },
    );
  },
);

test.for([
  ["without a name", { prefix: "a" }],
  ["by depletion", { name: "rows", order: "depleted", prefix: "a" }],
] as const)("a prefix %s is an error", async ([, options]) => {
  const { t, limiter } = startApp(limits);
  const paginationOpts = { numItems: 5, cursor: null };
  await expect(
    t.query((ctx) => limiter.list(ctx, { ...options, paginationOpts })),
  ).rejects.toThrow("list: a prefix needs a name, and the order by key.");
});

describe("listOverrides with a key", () => {
  const app = startApp(limits);
  const { limiter, mutate } = app;
  const startsAt = MIDNIGHT + MINUTE;
  beforeEach(() =>
    mutate(async (ctx) => {
      for (const of of [{ key: "a" }, { key: "ab" }, {}]) {
        await limiter.setOverride(ctx, "rows", { ...of, deny: true });
      }
      const coming = { key: "a", deny: true, startsAt } as const;
      await limiter.setOverride(ctx, "rows", coming);
    }),
  );

  type Case = { key: string | null | undefined; expected: unknown[][] };

  test.each`
    claim                                             | key          | expected
    ${"returns those of the key, not of longer ones"} | ${"a"}       | ${[["a"], ["a", startsAt]]}
    ${"returns none if the key has none"}             | ${"b"}       | ${[]}
    ${"of null returns those of the whole limit"}     | ${null}      | ${[[undefined]]}
    ${"that is undefined returns all"}                | ${undefined} | ${[[undefined], ["a"], ["a", startsAt], ["ab"]]}
  `("$claim", async ({ key, expected }: Case) => {
    const listed = await listedOverrides(app, { name: "rows", key });
    const told = listed.map(({ key, startsAt }) => [key, startsAt]);
    expect(told).toEqual(expected.map(([key, startsAt]) => [key, startsAt]));
  });

  test("without a name is an error", async () => {
    await expect(listedOverrides(app, { key: "a" })).rejects.toThrow(
      "listOverrides: a key needs a name.",
    );
  });
});
