import { describe, expect, test } from "vitest";
import {
  calmOf,
  fanOutOf,
  fewerRows,
  firstRowsOf,
  mayBeHot,
} from "../../src/core/heat.js";
import { toLimit } from "../../src/core/limit.js";
import type { Row } from "../../src/core/rows.js";
import { childShard, MAX_LEVELS } from "../../src/core/tree.js";

const NOW = 1_000_000;
const MINUTE = 60_000;

const config = (more: object = {}) => ({
  kind: "token bucket" as const,
  rate: 60,
  period: MINUTE,
  capacity: 100,
  shards: "auto" as const,
  ...more,
});

const row = (shard: number, value: number, more: Partial<Row> = {}): Row => ({
  shard,
  value,
  ts: NOW,
  fullAt: NOW + MINUTE,
  ...more,
});

describe("the first write of a key splits it", () => {
  test.each<
    [string, shards: number | "auto", taken: number, n?: number, more?: object]
  >([
    ["into as many rows as there are shards", 10, 5, 10],
    ["into as many by a call that takes less than a token", 50, 0.1, 50],
    ["into rows of what it takes if they hold less than twice that", 10, 6, 16],
    ["into rows of what it takes if they hold less than that", 10, 25, 4],
    ["into no fewer than two", 10, 51, 2],
    ["into no fewer, even if it takes more than there is", 10, 1000, 2],
    ["into as many as the rows of two tokens, if those are fewer", 60, 1, 50],
    ["into 1,024 at most", 1000, 2, 1024, { capacity: 2050 }],
    ["not with one shard", 1, 1, undefined],
    ['not with "auto"', "auto", 1, undefined],
  ])("%s", (_claim, shards, taken, n, more) => {
    const limit = toLimit("hot", config({ shards, ...more }));
    const only = row(0, limit.whole.capacity - taken);
    expect(firstRowsOf(limit, only, NOW)[0]!.into).toBe(n);
  });
});

describe("a row is split", () => {
  /** By default, the limit refills a hundred tokens a second. */
  const into = (
    calm: number | undefined,
    capacity = 3000,
    parts = 1,
    more: object = {},
    { count = 1, row: stored }: { count?: number; row?: Row } = {},
  ) => {
    const rate = 6000;
    const limit = config({ rate, capacity: capacity * parts, ...more });
    const parent = parts > 1 ? { ...row(0, 1), into: parts } : undefined;
    const leaf = {
      shard: parts - 1,
      parts,
      row: stored,
      ...(parent && { parent }),
    };
    return mayBeHot(calm)
      ? fanOutOf(toLimit("hot", limit), leaf, calm, count, false, NOW)
      : undefined;
  };

  test.each<
    [
      string,
      calm: number | undefined,
      capacity: number,
      parts: number,
      n?: number,
    ]
  >([
    ["not while it is calm", 1, 3000, 1, undefined],
    ["not if its calm is unknown", undefined, 3000, 1, undefined],
    ["into 64 if it is row 0", 0.99, 3000, 1, 64],
    ["not at a calm of 1 if it is row 0", 1, 3000, 1, undefined],
    ["into 8 below row 0 at a calm above 1", 1.49, 1500, 2, 8],
    ["not below row 0 if few tokens remain", 1.49, 19, 2, undefined],
    ["into 3 below row 0 if ten remain in two", 1.49, 20, 2, 3],
    ["not below row 0 at a calm of 1.5", 1.5, 1500, 2, undefined],
    ["into 16 below row 0 at a calm below 1", 0.99, 1500, 2, 16],
    ["so that each holds ten tokens", 0.99, 100, 1, 10],
    ["so that each holds two tokens, if it is hot", 0.01, 100, 1, 50],
    ["into half of what it seems to need, if warm", 0.1, 100, 1, 34],
    ["into 64 at most", 0.01, 3000, 1, 64],
    ["into two, for 1,024 in all", 0.01, 3000, 512, 2],
    ["not if there are 1,024 already", 0.01, 3000, 1024, undefined],
    ["not into two if that makes 1,200", 0.01, 3000, 600, undefined],
    ["not if it holds less than four", 0.01, 3.9, 1, undefined],
  ])("%s", (_claim, calm, capacity, parts, n) => {
    expect(into(calm, capacity, parts)).toBe(n);
  });

  // Below such a row, many calls do not come at once.
  test("not at a calm of 1 or above if its parent was gathered", () => {
    const parent = { ...row(0, 1), into: 2, calm: 20 };
    const leaf = { shard: 1, parts: 2, row: undefined, parent };
    const large = toLimit("hot", config({ rate: 6000, capacity: 3000 }));
    expect(fanOutOf(large, leaf, 1.49, 1, false, NOW)).toBeUndefined();
    expect(fanOutOf(large, leaf, 1, 1, false, NOW)).toBeUndefined();
    expect(fanOutOf(large, leaf, 0.99, 1, false, NOW)).toBe(16);
  });

  test("into fewer by calls that take more", () => {
    expect(into(0.99, 3000, 1, {}, { count: 30 })).toBe(10);
    expect(into(0.01, 3000, 1, {}, { count: 1000 })).toBeUndefined();
  });

  test("into no more than rows of ten, or of what it gets, by calls that give back", () => {
    const by = (count: number) => into(0.01, 100, 1, {}, { count });
    expect([1, -1, -10, -25, -60].map(by)).toEqual([50, 10, 10, 4, undefined]);
  });

  test("not on the last level of row numbers", () => {
    const hot = (levels: number) => {
      const shard = Array<number>(levels).fill(0).reduce(childShard, 0);
      const ample = toLimit("hot", config({ rate: 6000, capacity: 3000 }));
      const leaf = { shard, parts: 2, row: undefined };
      return fanOutOf(ample, leaf, 0.9, 1, false, NOW);
    };
    expect([MAX_LEVELS - 1, MAX_LEVELS].map(hot)).toEqual([16, undefined]);
  });

  /** A row whose last write took 15 ms, until others saw it. */
  const written = row(0, 1, {
    ts: NOW - 20,
    at: BigInt(NOW - 10) * 1_000_000n,
  });

  test.each([
    ["into twice as many as the refill can use", {}, 1, 20],
    ["not if there are that many already", {}, 20, undefined],
    ["into fewer than that by calls that take more", {}, 1, 10, 2],
    ["into rows of ten if the refill uses fewer", { rate: 61 }, 1, 10],
    ["into all that hold two if the limit is slow", { rate: 60 }, 1, 50],
    ["by its heat below row 0 if the limit is slow", { rate: 60 }, 2, 25],
    ["by its heat if it is a window", { kind: "fixed window" }, 1, 50],
  ])("%s", (_claim, more, parts, expected, count = 1) => {
    const by = { count, row: written };
    const capacity = 100 / parts;
    expect(into(0.01, capacity, parts, more, by)).toBe(expected);
  });
});

// Parts of less than four tokens are never split again.
test.each([
  ["as it seems to need", 99, 100, 34],
  ["as there may be where calls take long", 100, 100, 50],
  ["as it seems to need if the parts can be split again", 100, 140, 34],
  ["as there may be, and not more than 64", 100, 133, 64],
])("a row is split into as many parts %s", (_claim, ranMs, capacity, n) => {
  const at = BigInt(NOW - 10) * 1_000_000n;
  const stored = row(0, 1, { ts: NOW - 10 - ranMs, at });
  const limit = toLimit("hot", config({ rate: 6000, capacity }));
  const leaf = { shard: 0, parts: 1, row: stored };
  expect(fanOutOf(limit, leaf, 0.1, 1, false, NOW)).toBe(n);
});

test.each([
  ["two tokens by calls that may owe", 10, 1, 20],
  ["two by those that last 99 ms", 99, 1, 20],
  ["one by those that last 100 ms", 100, 1, 40],
  ["one count of two tokens by those", 100, 2, 20],
])("a row of 40 is split so that each keeps %s", (_claim, tookMs, count, n) => {
  const at = BigInt(NOW - 10) * 1_000_000n;
  const stored = row(0, 1, { ts: NOW - 10 - tookMs, at });
  const limit = toLimit("hot", config({ rate: 6000, capacity: 40 }));
  const leaf = { shard: 0, parts: 1, row: stored };
  expect(fanOutOf(limit, leaf, 0.01, count, true, NOW)).toBe(n);
});

// A debt needs no tokens.
test.each([
  ["as far as it can be by a call that may owe", 6.6, 2, 1, true, 20],
  ["as far as it can be if it is in debt", 6.6, 2, -1, false, 20],
  ["not by another call", 6.6, 2, 1, false, undefined],
  ["not if it is row 0", 1, 1, 1, true, undefined],
  ["as far as it can be if it is row 0, and hot", 0.99, 1, 1, true, 20],
])("a row is split %s", (_claim, calm, parts, value, mayOwe, n) => {
  const limit = toLimit("hot", config({ rate: 6000, capacity: 40 * parts }));
  const leaf = { shard: parts - 1, parts, row: row(parts - 1, value) };
  expect(fanOutOf(limit, leaf, calm, 1, mayOwe, NOW)).toBe(n);
});

test("a row bears .15 writes at a time", () => {
  expect([6.6, 6.7].map(mayBeHot)).toEqual([true, false]);
});

test.each([
  [44, undefined, 4],
  [45, undefined, 20],
  [200, undefined, 20],
  [44, "auto", 20],
  // Longer than any call: the clock has stepped.
  [5001, undefined, 4],
])(
  "after a write of %d ms, shards: %j, a row of 40 is split into %d",
  (tookMs, shards, n) => {
    const at = BigInt(NOW - 10) * 1_000_000n;
    const stored = row(0, 1, { ts: NOW - 10 - tookMs, at });
    const limit = toLimit("hot", config({ rate: 6000, capacity: 40, shards }));
    const leaf = { shard: 0, parts: 1, row: stored };
    expect(fanOutOf(limit, leaf, 0.01, 1, false, NOW)).toBe(n);
  },
);

test.each<[string, rate: number, parts: number, count: number, into: number]>([
  ["into all that hold a count twice, in a slow limit", 60, 1, 1, 50],
  ["into all that hold a count of 2 twice, in a slow limit", 120, 1, 2, 25],
  ["by its heat in a faster limit", 121, 1, 2, 5],
  ["by its heat below row 0", 60, 2, 1, 5],
])("a barely hot row is split %s", (_claim, rate, parts, count, expected) => {
  const slow = toLimit("hot", config({ rate }));
  const at = BigInt(NOW - 10) * 1_000_000n;
  const leaf = { shard: 0, parts, row: row(0, 1, { ts: NOW - 20, at }) };
  expect(fanOutOf(slow, leaf, 0.99, count, false, NOW)).toBe(expected);
});

describe("the calm of a row", () => {
  /** A row written by a call that took 15 ms, and seen 5 ms later, `agoMs` ago. */
  const written = (agoMs: number, more: Partial<Row> = {}) =>
    row(0, 1, {
      ts: NOW - agoMs - 20,
      at: BigInt(NOW - agoMs - 5) * 1_000_000n,
      ...more,
    });

  test.each([
    ["without a commit time: unknown", row(0, 1), undefined],
    ["written by the same transaction: as before", row(0, 1, { calm: 7 }), 7],
    ["that rests as long as its writes take", written(20), 2 - 1 / 3],
    ["that does not rest", written(0), 2 - 2 / 3],
    ["that is seen early, by a clock behind", written(-10), 2 - 2 / 3],
    [
      "by a clock ahead: a write takes 1 ms at least",
      written(6, { ts: NOW + 1 }),
      2 - 1 / 3,
    ],
    [
      "written at this very ms, by a clock that stands still: as before",
      written(0, { ts: NOW, calm: 7 }),
      7,
    ],
    ["whose rest is long: that counts as 20", written(1e6), 8],
    ["that was calm before", written(20, { calm: 13 }), 9],
    [
      "of a window: from its last use on",
      written(20, { ts: 0, usedAt: NOW - 40 }),
      2 - 1 / 3,
    ],
    [
      "that seems to have taken above 5 s, by a clock far behind: as before",
      written(5005, { ts: 0, calm: 7 }),
      7,
    ],
    [
      "seen 6 s before its commit, by a clock that stepped back: as before",
      written(-6000, { calm: 7 }),
      7,
    ],
    [
      "the first of a split row 0, which nobody has used: unknown",
      written(20, { usedAt: 0 }),
      undefined,
    ],
  ])("%s", (_claim, stored, expected) => {
    const calm = calmOf(ofRate(0.01), stored, 1, 1, NOW);
    if (expected === undefined) expect(calm).toBeUndefined();
    else expect(calm).toBeCloseTo(expected, 9);
  });

  /** A limit that refills `rate` tokens a second. */
  const ofRate = (rate: number) =>
    toLimit("limit", {
      kind: "token bucket",
      rate,
      period: 1000,
      capacity: 1000,
      shards: "auto",
    });

  test.each<[string, rate: number, parts: number, row: Row, calm: number]>([
    ["could keep it busy all the time", 100, 1, written(0), 2 / 3],
    [
      "could keep it busy three quarters of the time",
      37.5,
      1,
      written(0),
      8 / 9,
    ],
    ["could not keep it busy", 10, 1, written(0), 4 / 3],
    ["could keep only all rows busy", 100, 64, written(0), 4 / 3],
    ["could fill it, but it was calm", 100, 1, written(20, { calm: 13 }), 9],
  ])(
    "that is written again, if the rate %s",
    (_claim, rate, parts, stored, expected) => {
      const calm = calmOf(ofRate(rate), stored, parts, 1, NOW);
      expect(calm).toBeCloseTo(expected, 9);
    },
  );
});

describe("a limit shrinks", () => {
  /** `count` rows that were each written `ago` ms ago. */
  type Group = [count: number, ago: number | undefined];

  /** Rows written by calls of 20 ms. */
  const leaves = (calm: number, groups: readonly Group[]) => {
    const agos = groups.flatMap(([n, ago]) =>
      Array.from({ length: n }, () => ago),
    );
    return agos.map((ago, i) => {
      const leaf = { shard: i + 1, parts: agos.length };
      if (ago === undefined) return { ...leaf, row: undefined };
      const at = BigInt(NOW - ago - 5) * 1_000_000n;
      return { ...leaf, row: row(i + 1, 1, { ts: NOW - ago - 25, at, calm }) };
    });
  };
  const long = 1e6;

  // The calm of the rows, into how many they shrink, and when they were written.
  test.each<
    [string, calm: number, rows: number | undefined, ...groups: Group[]]
  >([
    ["to one row if none was written for ten minutes", 20, 1, [8, 600_001]],
    ["to one row if none is stored", 20, 1, [8, undefined]],
    ["to two within ten minutes of writes", 20, 2, [8, long], [5, 600_000]],
    ["from two to one, though that is not a quarter", 20, 1, [2, long]],
    ["not from one row", 20, undefined, [1, long]],
    [
      "not if 21 were written in the last second",
      20,
      undefined,
      [99, long],
      [21, 999],
    ],
    ["if 20 were written in 1 s", 20, 8, [80, long], [20, 999], [4, 1000]],
    ["to twice what hot ones need", 0.5, 27, [119, long], [1, 2000]],
    ["to what a row of calm 1.66 needs", 1.66, 9, [119, long], [1, 2000]],
    ["to one with a row of calm 1.67", 1.67, 1, [119, long], [1, 2000]],
    ["counting no calm below 0.1", 0.05, 134, [599, long], [1, 2000]],
    ["to twice what a burst needs", 20, 7, [80, long], [20, 2000]],
    ["for a burst of a second", 20, 7, [80, long], [10, 2000], [10, 3000]],
    ["not for a burst of over 1 s", 20, 4, [80, long], [10, 2000], [10, 3001]],
    [
      "for the largest of several bursts",
      20,
      7,
      [80, long],
      [2, 90_000],
      [20, 9000],
      [1, 2000],
    ],
    ["not to over a quarter", 0.5, undefined, [8, long], [1, 2000]],
  ])("%s", (_claim, calm, rows, ...groups) => {
    expect(fewerRows(leaves(calm, groups), NOW)).toBe(rows);
  });

  test("to more rows if one of the calls was slow", () => {
    const burst = leaves(20, [
      [80, long],
      [10, 2000],
    ]);
    const { row, ...slow } = burst.find((leaf) => leaf.row?.ts === NOW - 2025)!;
    const one = { ...slow, row: { ...row!, ts: row!.ts - 240 } };
    expect(fewerRows([one, ...burst], NOW)).toBe(7);
  });
});
