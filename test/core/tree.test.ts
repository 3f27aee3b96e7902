import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { calmOf, fewerRows, mayBeHot, fanOutOf } from "../../src/core/heat.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import {
  allBalances,
  type Row,
  type SplitRow,
  total,
} from "../../src/core/rows.js";
import {
  childShard,
  leavesNear,
  leavesOfTree,
  MAX_LEVELS,
  pathTo,
  rangeNear,
  type Leaf,
} from "../../src/core/tree.js";

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
const limit = toLimit("hot", config());

const row = (shard: number, value: number, more: Partial<Row> = {}): Row => ({
  shard,
  value,
  ts: NOW,
  fullAt: NOW + MINUTE,
  ...more,
});

describe("the numbers of rows", () => {
  const last = (levels: number) => Array<number>(levels).fill(1023);
  const numberOf = (path: readonly number[]) => path.reduce(childShard, 0);

  test("are those of row 0, of its children, and of theirs", () => {
    expect([[], [0], [1023]].map(numberOf)).toEqual([0, 1, 1024]);
    expect(
      [
        [0, 0],
        [0, 1023],
      ].map(numberOf),
    ).toEqual([1025, 2048]);
    expect([[1, 0]].map(numberOf)).toEqual([2049]);
  });

  test("lead back to row 0, from any level", () => {
    const anyPath = fc.array(fc.nat(1023), { maxLength: MAX_LEVELS });
    fc.assert(
      fc.property(anyPath, (path) => {
        expect(pathTo(numberOf(path))).toEqual(path);
      }),
    );
    expect(pathTo(numberOf(last(MAX_LEVELS)))).toEqual(last(MAX_LEVELS));
    expect(Number.isSafeInteger(numberOf(last(MAX_LEVELS + 1)))).toBe(false);
  });
});

const rule = ruleOf(limit);

describe("the rows of a limit that is split", () => {
  test("one row is the whole", () => {
    const [shard, parts] = [0, 1];
    for (const stored of [row(0, 5), undefined]) {
      const rows = stored === undefined ? [] : [stored];
      expect(leavesOfTree(rows)).toEqual([{ shard, parts, row: stored }]);
    }
  });

  test("a row that is not stored holds its part of what the one above held, since when it did", () => {
    const usedAt = NOW - 5;
    const root = row(0, 40, { into: 4, rule, at: 7n, usedAt });
    const second = row(2, 7, { into: 2, calm: 3 });
    const rows = [root, row(1, 3), second, row(2050, 1)];
    expect(leavesOfTree(rows)).toEqual([
      { shard: 1, parts: 4, row: row(1, 3), parent: root },
      {
        shard: 2049,
        parts: 8,
        row: row(2049, 3.5, { calm: 3 }),
        parent: second,
      },
      { shard: 2050, parts: 8, row: row(2050, 1), parent: second },
      { shard: 3, parts: 4, row: row(3, 10, { usedAt }), parent: root },
      { shard: 4, parts: 4, row: row(4, 10, { usedAt }), parent: root },
    ]);
    expect(total(allBalances(limit, rows, NOW))).toBe(27.5);
  });
});

describe("the rows beside one", () => {
  const splitRow = (shard: number, into: number) => ({
    ...row(shard, 40),
    into,
  });
  const leaf = (shard: number, parent?: SplitRow): Leaf => ({
    shard,
    parts: 4,
    row: undefined,
    ...(parent && { parent }),
  });

  test.each([
    ["not of row 0 alone", leaf(0), undefined],
    ["from it on", leaf(1, splitRow(0, 17)), { first: 1, size: 16 }],
    ["the last ones", leaf(17, splitRow(0, 17)), { first: 2, size: 16 }],
    ["not if these are all", leaf(1, splitRow(0, 16)), undefined],
    ["further down all", leaf(1027, splitRow(1, 4)), { first: 1025, size: 4 }],
  ])("are those with its parent, %s", (_claim, near, expected) => {
    expect(rangeNear(near, 16)).toEqual(expected);
  });

  test("hold their part of the one above, if they are not split", () => {
    const range = { first: 2, size: 3 };
    const near = leaf(2, splitRow(0, 4));
    const rows = [row(3, 7), splitRow(4, 2)];
    const found = leavesNear(near, range, rows);
    expect(
      found.map(({ shard, parts, row }) => [shard, parts, row?.value]),
    ).toEqual([
      [2, 4, 10],
      [3, 4, 7],
    ]);
  });
});

describe("a row is split", () => {
  /** By default of a limit that refills by a hundred tokens a second. */
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
      ? fanOutOf(toLimit("hot", limit), leaf, calm, count, NOW)
      : undefined;
  };

  test.each([
    ["not while it is calm", 1, 3000, 1, undefined],
    ["not if nothing is known", undefined, 3000, 1, undefined],
    ["at first into 64", 0.99, 3000, 1, 64],
    ["not as long as it rests that long", 1, 3000, 1, undefined],
    ["further down earlier, into 8", 1.49, 1500, 2, 8],
    ["but not where few tokens remain", 1.49, 19, 2, undefined],
    ["where ten remain in two, as it seems to need", 1.49, 20, 2, 3],
    ["nor below while it rests half as long again", 1.5, 1500, 2, undefined],
    ["further down into 16", 0.99, 1500, 2, 16],
    ["so that ten tokens remain in each", 0.99, 100, 1, 10],
    ["where it is hot, so that two remain", 0.01, 100, 1, 50],
    ["where it is warm, for half of what it seems to need", 0.1, 100, 1, 34],
    ["into 64 at most", 0.01, 3000, 1, 64],
    ["into 1,024 in all", 0.01, 3000, 512, 2],
    ["not beyond that", 0.01, 3000, 1024, undefined],
    ["nor into two where that makes 1,200", 0.01, 3000, 600, undefined],
    ["not if it holds less than four", 0.01, 3.9, 1, undefined],
  ])("%s", (_claim, calm, capacity, parts, expected) => {
    expect(into(calm, capacity, parts)).toBe(expected);
  });

  test("not so early where rows were gathered: calls do not come at once", () => {
    const parent = { ...row(0, 1), into: 2, calm: 20 };
    const leaf = { shard: 1, parts: 2, row: undefined, parent };
    const large = toLimit("hot", config({ rate: 6000, capacity: 3000 }));
    expect(fanOutOf(large, leaf, 1.49, 1, NOW)).toBeUndefined();
    expect(fanOutOf(large, leaf, 1, 1, NOW)).toBeUndefined();
    expect(fanOutOf(large, leaf, 0.99, 1, NOW)).toBe(16);
  });

  test("less far by calls that take more", () => {
    expect(into(0.99, 3000, 1, {}, { count: 30 })).toBe(10);
    expect(into(0.01, 3000, 1, {}, { count: 1000 })).toBeUndefined();
  });

  test("not on the last level that numbers have room for", () => {
    const hot = (levels: number) => {
      const shard = Array<number>(levels).fill(0).reduce(childShard, 0);
      const ample = toLimit("hot", config({ rate: 6000, capacity: 3000 }));
      return fanOutOf(ample, { shard, parts: 2, row: undefined }, 0.9, 1, NOW);
    };
    expect([MAX_LEVELS - 1, MAX_LEVELS].map(hot)).toEqual([16, undefined]);
  });

  /** Its last write took 15 ms, with what passes until others see it. */
  const written = row(0, 1, {
    ts: NOW - 20,
    at: BigInt(NOW - 10) * 1_000_000n,
  });

  test.each([
    ["into as many as the refill can use, twice over", {}, 1, 20],
    ["and not below, where these are as many", {}, 20, undefined],
    ["for calls that take more, fewer", {}, 1, 10, 2],
    ["at least so that ten tokens remain in each", { rate: 61 }, 1, 10],
    ["a slow limit at once into all that hold two", { rate: 60 }, 1, 50],
    ["and below by its heat", { rate: 60 }, 2, 25],
    ["a window, whose tokens come at once", { kind: "fixed window" }, 1, 50],
  ])("%s", (_claim, more, parts, expected, count = 1) => {
    const by = { count, row: written };
    const capacity = 100 / parts;
    expect(into(0.01, capacity, parts, more, by)).toBe(expected);
  });
});

test.each([
  ["into all that hold two, where it is slow", 60, 1, 1, 50],
  ["also by calls that take more", 120, 1, 2, 25],
  ["not if it is faster than these", 121, 1, 2, 5],
  ["nor below row 0", 60, 2, 1, 5],
])(
  "a row that is not that hot is split %s",
  (_claim, rate, parts, count, expected) => {
    const slow = toLimit("hot", config({ rate }));
    const at = BigInt(NOW - 10) * 1_000_000n;
    const leaf = { shard: 0, parts, row: row(0, 1, { ts: NOW - 20, at }) };
    expect(fanOutOf(slow, leaf, 0.99, count, NOW)).toBe(expected);
  },
);

describe("how calm a row is", () => {
  /** Written by a call that took 15 ms, and 5 ms later seen, so long ago. */
  const written = (agoMs: number, more: Partial<Row> = {}) =>
    row(0, 1, {
      ts: NOW - agoMs - 20,
      at: BigInt(NOW - agoMs - 5) * 1_000_000n,
      ...more,
    });

  test.each([
    ["of which nothing is known", row(0, 1), undefined],
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
    ["whose rest is long: it counts as 20", written(1e6), 8],
    ["which was calm before", written(20, { calm: 13 }), 9],
    [
      "of a window: from its last use on",
      written(20, { ts: 0, usedAt: NOW - 40 }),
      2 - 1 / 3,
    ],
    [
      "by a clock far behind: no write takes above 5 s",
      written(5005, { ts: 0 }),
      2 - 1 / 3,
    ],
  ])("%s", (_claim, stored, expected) => {
    const calm = calmOf(ofRate(0.01), stored, 1, 1, NOW);
    if (expected === undefined) expect(calm).toBeUndefined();
    else expect(calm).toBeCloseTo(expected, 9);
  });

  /** A limit that refills so many tokens a second. */
  const ofRate = (rate: number) =>
    toLimit("limit", {
      kind: "token bucket",
      rate,
      period: 1000,
      capacity: 1000,
      shards: "auto",
    });

  test.each([
    ["could fill it", 100, 1, written(0), 2 / 3],
    [
      "could keep it busy three quarters of the time",
      37.5,
      1,
      written(0),
      8 / 9,
    ],
    ["could not", 10, 1, written(0), 4 / 3],
    ["could fill it if it were not split", 100, 64, written(0), 4 / 3],
    ["could fill it, but it was calm", 100, 1, written(20, { calm: 13 }), 9],
  ])(
    "of a row that is new: the rate %s",
    (_claim, rate, parts, stored, expected) => {
      const calm = calmOf(ofRate(rate), stored, parts, 1, NOW);
      expect(calm).toBeCloseTo(expected, 9);
    },
  );
});

describe("fewer rows would do", () => {
  /** So many rows that were each written so many ms ago. */
  type Group = [count: number, ago: number | undefined];

  /** Written by calls of 20 ms. */
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

  test.each<[string, number, number | undefined, ...Group[]]>([
    ["if none was written for ten minutes: one", 20, 1, [8, 600_001]],
    ["if none is stored: one", 20, 1, [8, undefined]],
    ["not one before ten minutes", 20, 2, [8, long], [5, 600_000]],
    ["of two, one, though that is not a quarter", 20, 1, [2, long]],
    ["and not of one", 20, undefined, [1, long]],
    [
      "not while 21 are written in a second",
      20,
      undefined,
      [99, long],
      [21, 999],
    ],
    ["as soon as 20 are", 20, 8, [80, long], [20, 999], [4, 1000]],
    ["twice as many as the hot ones need", 0.5, 27, [119, long], [1, 2000]],
    ["one is hot below 1.67", 1.66, 9, [119, long], [1, 2000]],
    ["and not from there on", 1.67, 1, [119, long], [1, 2000]],
    ["nor hotter than 0.1", 0.05, 134, [599, long], [1, 2000]],
    ["twice as many as a burst needs", 20, 7, [80, long], [20, 2000]],
    ["a burst of a second", 20, 7, [80, long], [10, 2000], [10, 3000]],
    ["no longer", 20, 4, [80, long], [10, 2000], [10, 3001]],
    [
      "the largest, if there were several",
      20,
      7,
      [80, long],
      [2, 90_000],
      [20, 9000],
      [1, 2000],
    ],
    ["not if it is over a quarter", 0.5, undefined, [8, long], [1, 2000]],
  ])("%s", (_claim, calm, expected, ...groups) => {
    expect(fewerRows(leaves(calm, groups), NOW)).toBe(expected);
  });

  test("more where one of the calls was slow", () => {
    const burst = leaves(20, [
      [80, long],
      [10, 2000],
    ]);
    const { row, ...slow } = burst.find((leaf) => leaf.row?.ts === NOW - 2025)!;
    const one = { ...slow, row: { ...row!, ts: row!.ts - 240 } };
    expect(fewerRows([one, ...burst], NOW)).toBe(7);
  });
});
