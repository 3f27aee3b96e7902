import fc from "fast-check";
import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import { endOf } from "../../../src/component/stores/listing.js";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillClock,
  allPages,
} from "../../host.js";

useStillClock();

const bucket = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const limiter = new RateLimiter(components.rateLimiter, {
  rows: { ...bucket, overrides: true },
  split: { ...bucket, shards: 4 },
  appended: { ...bucket, applyUpdates: "asynchronously" },
  held: { kind: "concurrency", capacity: 3, lease: MINUTE },
});
type Name = "rows" | "split" | "appended" | "held";

const shared = undefined;
const keys = [
  "a",
  "ab",
  "abc",
  "abd",
  "ac",
  "b",
  "",
  "ab\u{10ffff}",
  "A",
  shared,
];

/** An app in which each limit is in use by each of the keys. */
async function start() {
  const t = startHost();
  await t.mutation(async (ctx) => {
    for (const key of keys) {
      for (const name of ["rows", "split", "appended"] as const) {
        await limiter.limit(ctx, name, { key, count: 3 });
      }
      await limiter.hold(ctx, "held", { key });
    }
  });
  return t;
}

/** The keys that begin with the prefix, from all pages of so many. */
async function find(
  t: Awaited<ReturnType<typeof start>>,
  name: Name,
  prefix: string,
  numItems: number,
) {
  const found = await allPages((cursor) =>
    t.query((ctx) =>
      limiter.list(ctx, { name, prefix, paginationOpts: { numItems, cursor } }),
    ),
  );
  return found.map(({ key }) => key);
}

let shownTo: ReturnType<typeof start> | undefined;

describe.for(["rows", "split", "appended", "held"] as const)(
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
      "%o gives the keys that begin so, in order",
      async ([prefix, wanted]) => {
        const t = await (shownTo ??= start());
        for (const numItems of [1, 2, 100]) {
          expect(await find(t, name, prefix, numItems)).toEqual(wanted);
        }
      },
    );
  },
);

test.for([
  ["without a name", { prefix: "a" }],
  ["by depletion", { name: "rows", order: "depleted", prefix: "a" }],
] as const)("a prefix %s is an error", async ([, options]) => {
  const t = await start();
  const paginationOpts = { numItems: 5, cursor: null };
  await expect(
    t.query((ctx) => limiter.list(ctx, { ...options, paginationOpts })),
  ).rejects.toThrow("list: a prefix needs a name, and the order by key.");
});

test("the end of a prefix is behind all texts that begin so, and before all others behind them", () => {
  const bytes = (text: string) => Buffer.from(text, "utf8");
  const letters =
    "\0aA~\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\u{10000}\u{10ffff}";
  const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 4 });
  fc.assert(
    fc.property(text, text, text, (prefix, rest, other) => {
      const end = endOf(prefix);
      if (end === undefined) {
        expect(prefix.replaceAll("\u{10ffff}", "")).toBe("");
        return;
      }
      const isBefore = (text: string) => bytes(text).compare(bytes(end)) < 0;
      expect(isBefore(prefix + rest)).toBe(true);
      const isBehind = bytes(other).compare(bytes(prefix)) >= 0;
      if (isBehind) expect(isBefore(other)).toBe(other.startsWith(prefix));
    }),
  );
  expect(endOf("a\ud7ff")).toBe("a\ue000");
});

describe("listOverrides with a key", () => {
  const until = MIDNIGHT + MINUTE;
  const list = async (key?: string | null) => {
    const t = startHost();
    const set = (key: string | undefined, startsAt?: number) =>
      t.mutation((ctx) =>
        limiter.setOverride(ctx, "rows", { key, deny: true, startsAt }),
      );
    for (const of of ["a", "ab", undefined]) await set(of);
    await set("a", until);
    const paginationOpts = { numItems: 10, cursor: null };
    const { page } = await t.query((ctx) =>
      limiter.listOverrides(ctx, { name: "rows", key, paginationOpts }),
    );
    return page.map(({ key, startsAt }) => [key, startsAt]);
  };

  test("gives those of the key, of no other that begins so, and not those of the whole limit", async () => {
    expect(await list("a")).toEqual([
      ["a", undefined],
      ["a", until],
    ]);
    expect(await list("b")).toEqual([]);
  });

  test("of null gives those of the whole limit", async () => {
    expect(await list(null)).toEqual([[undefined, undefined]]);
  });

  test("without one gives them all", async () => {
    expect(await list()).toHaveLength(4);
  });

  test("and without a name is an error", async () => {
    const paginationOpts = { numItems: 10, cursor: null };
    await expect(
      startHost().query((ctx) =>
        limiter.listOverrides(ctx, { key: "a", paginationOpts }),
      ),
    ).rejects.toThrow("listOverrides: a key needs a name.");
  });
});
