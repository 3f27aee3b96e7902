import { describe, expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import { toLimit, type Limit } from "../../src/core/limit.js";
import { DAY, SECOND } from "../../src/core/periods.js";
import {
  randomChild,
  balancesOf,
  forecastBySomeRows,
  isWellFilled,
  isBusy,
  canServe,
  rowsToCredit,
  rowsToTakeFrom,
  rowToOwe,
  tookLong,
  scaleToWhole,
  otherRandomChild,
  timeWhenServed,
} from "../../src/core/policy.js";
import type { Balance } from "../../src/core/rows.js";
import type { Leaf } from "../../src/core/tree.js";
import { timeUntilGranted } from "../../src/core/wait.js";

const NOW = 1_000_000;

/** A limit whose rows hold up to 10 each, and that refills `rate` tokens a second. */
const tens = (
  shards: number,
  rate = 100,
  more: Partial<RateLimitConfig> = {},
) =>
  toLimit("tens", {
    kind: "token bucket",
    rate,
    period: SECOND,
    capacity: 10 * shards,
    shards,
    ...more,
  } as RateLimitConfig);

/** Rows with a little less than ample tokens. */
const nines = (shards: number) => tens(shards, 100, { capacity: 9 * shards });

const fast = tens(5);

/** A limit for which a deficit of a quarter is none. */
const coarse = { ...fast, tolerance: 1 / 4 };

/** When a write that began with others was committed: a ms after the one before. */
const committed = (began: number, nth: number) =>
  BigInt(began + 1 + nth) * 1_000_000n;

/** Rows that hold these values at `NOW`, regain `perMs` and were written `age` ms before, at the same time. */
const rows = (values: readonly number[], age = 0, perMs = 0): readonly Leaf[] =>
  values.map((value, shard) => ({
    shard,
    parts: 5,
    row: {
      shard,
      value: value - perMs * age,
      ts: NOW - age,
      at: committed(NOW - age, shard),
    },
  }));

/** Rows with these values, as a busy limit has them: the first two were written 1 ms ago. */
const busy = (values: readonly number[]): readonly Leaf[] =>
  rows(values).map(({ shard, parts, row }) => ({
    shard,
    parts,
    row: {
      ...row!,
      usedAt: shard < 2 ? NOW - 1 : NOW,
      at: committed(NOW - 1, shard),
    },
  }));

/** The rows, as those of this limit. */
const of = (limit: Limit, seen: readonly Leaf[]): readonly Leaf[] =>
  seen.map((leaf) => ({ ...leaf, parts: limit.firstRows }));

const ones = (n: number) => Array.from({ length: n }, () => 1);

const zeros = (n: number) => Array.from({ length: n }, () => 0);

const held = (...values: number[]): Balance[] =>
  values.map((value, shard) => ({ shard, parts: 5, value, ts: NOW }));

describe("of five rows,", () => {
  test.each([
    [0, 0],
    [0.19, 0],
    [0.2, 1],
    [0.99, 4],
  ])("a random %d picks row %i first", (random, first) => {
    expect(randomChild(5, () => random)).toBe(first);
  });

  test.each<[first: number, random: number, second: number]>([
    [3, 0, 4],
    [3, 0.24, 4],
    [3, 0.25, 0],
    [3, 0.5, 1],
    [3, 0.99, 2],
    [0, 0, 1],
    [0, 0.99, 4],
  ])("after row %i, a random %d picks row %i", (first, random, second) => {
    expect(otherRandomChild(5, first, () => random)).toBe(second);
  });
});

describe("a row that holds up to 10, read alone,", () => {
  test.each([
    ["serves 1 with 2: twice the count", 1, 2, true],
    ["does not serve 1 with less than 2", 1, 2 - 0.01, false],
    ["serves 2 with 4", 2, 4, true],
    ["does not serve 2 with less than 4", 2, 4 - 0.01, false],
    ["serves 4 with 5: half of its capacity", 4, 5, true],
    ["does not serve 4 with less than 5", 4, 5 - 0.01, false],
    ["serves 6 with 6: more than half of its capacity", 6, 6, true],
    ["does not serve 6 with less than 6", 6, 6 - 0.01, false],
    ["serves 0 with 0", 0, 0, true],
    ["does not serve 0 with a debt", 0, -0.01, false],
  ])("%s", (_claim, count, value, expected) => {
    const left = value - coarse.tolerance;
    expect(isWellFilled(coarse, held(left)[0]!, count)).toBe(expected);
  });

  test.each([
    ["serves", 1],
    ["serves", 2],
    ["does not serve", 3],
    ["does not serve", 4],
  ] as const)("%s without a token, as one of %i", (serves, parts) => {
    const serving = isWellFilled(tens(parts), { ...held(0)[0]!, parts }, 1);
    expect(serving).toBe(serves === "serves");
  });
});

describe("a limit is busy", () => {
  const absent = [{ shard: 0, parts: 5, row: undefined }];
  const recent = rows([0, 0], 1);
  const [small, large] = rows([0, 0], 1);
  const inUse = (usedAt: number): readonly Leaf[] =>
    rows([0, 0], NOW - usedAt).map(({ row, ...leaf }) => ({
      ...leaf,
      row: { ...row!, ts: NOW - 5000, usedAt },
    }));

  test.each([
    ["not at the instant of a write", fast, rows([0, 0], 0), 1, false],
    ["1 ms after a write", fast, rows([0, 0], 1), 1, true],
    ["999 ms after a write", fast, rows([0, 0], 999), 1, true],
    ["not 1,000 ms after a write", fast, rows([0, 0], 1000), 1, false],
    ["not by a clock before a write", fast, rows([0, 0], -1), 1, false],
    [
      "if two rows were written just now, though another was not",
      fast,
      [...rows([0], 5000), ...rows([0, 0, 0], 10).slice(1)],
      1,
      true,
    ],
    ["not if its rows are absent", fast, absent, 1, false],
    ["not without rows", fast, [], 1, false],
    ["if a window was used 10 ms ago", fast, inUse(NOW - 10), 1, true],
    ["not if a window was used 1 s ago", fast, inUse(NOW - 1000), 1, false],
    ["not at one count a second", tens(5, 1), recent, 1, false],
    ["at more than one count a second", tens(5, 1.01), recent, 1, true],
    ["not at one full row a second", tens(5, 10), recent, 10, false],
    ["at more than one full row a second", tens(5, 10.1), recent, 10, true],
    ["not at five counts above any row", tens(5, 55), recent, 11, false],
    ["at more than five such counts", tens(5, 55.1), recent, 11, true],
    [
      "at more than one count a second that one of the rows can hold",
      tens(5, 20),
      [small!, { ...large!, parts: 2 }],
      11,
      true,
    ],
    ["not at 10 in 10 s", tens(5, 10, { period: 10_000 }), recent, 1, false],
    ["at 11 in 10 s", tens(5, 11, { period: 10_000 }), recent, 1, true],
  ])("%s", (_claim, limit, seen, count, expected) => {
    expect(isBusy(limit, seen, count, NOW)).toBe(expected);
  });
});

describe.each([[5], ["auto"], [undefined]] as const)(
  "a limit is busy by its writes (shards %s)",
  (shards) => {
    /** Rows whose last writes began and were committed these ms ago. */
    const writes = (
      spans: readonly (readonly [number, number?])[],
    ): readonly Leaf[] =>
      spans.map(([from, to], shard) => {
        const at = to === undefined ? to : BigInt((NOW - to) * 1e6);
        const row = { shard, value: 0, ts: NOW - from, at };
        return { shard, parts: 5, row };
      });

    test.each<[string, boolean, ...[began: number, committed?: number][]]>([
      ["by calls at the same time", true, [50, 40], [41, 30]],
      ["by one call within another", true, [50, 10], [40, 30]],
      ["by overlapping calls in any order", true, [40, 30], [50, 10]],
      ["by calls after one alone", true, [90, 80], [70, 20], [40, 30]],
      ["not by one after another", false, [40, 30], [50, 40], [29, 1]],
      ["not by one in the ms of a commit", false, [50, 39.1], [40, 30]],
      ["not by a call that took from two rows", false, [50, 40], [50, 40]],
      ["not by one call", false, [50, 40]],
      ["not without commit times", false, [50], [45]],
      ["not with one commit time", false, [50, 40], [45]],
      ["not a second later", false, [1000, 985], [990, 980]],
      ["not by a call in this very ms", false, [5, -5], [0, -9]],
    ])("%s", (_claim, expected, ...spans) => {
      const limit = tens(5, 100, { shards });
      expect(isBusy(limit, writes(spans), 1, NOW)).toBe(expected);
    });
  },
);

describe("a search of rows that hold up to 10 each", () => {
  const slow = { ...tens(5, 1, { period: DAY }), tolerance: 1 / 4 };

  const exact = { ...fast, tolerance: 0 };

  test.each([
    ["grants 3 in three slow rows", slow, [1, 1, 0.75], 3, true],
    ["denies 3 in slow rows with less", slow, [1, 1, 0.74], 3, false],
    ["grants a lone token in slow rows", slow, [0, 0, 1], 1, true],
    ["denies 1 beside a debt of slow rows", slow, [2, -1.5, 0], 1, false],
    ["denies a lone token in busy rows", tens(5), [1, 0], 1, false],
    ["grants 1 of two tokens in busy rows", tens(5), [1, 1], 1, true],
    ["denies 1 of 1.5 and 0.5 in busy rows", tens(5), [1.5, 0.5], 1, false],
    ["grants 1 of two within rounding", coarse, [0.75, 0.75], 1, true],
    ["grants 1 of 2.5 beside a busy debt", tens(5), [2.5, -1], 1, true],
    ["denies 3 of 3 and 2.9 in busy rows", tens(5), [3, 2.9], 3, false],
    ["denies 1 of 5 in 16", nines(16), [...ones(5), ...zeros(11)], 1, false],
    ["grants 1 of 6 in 16", nines(16), [...ones(6), ...zeros(10)], 1, true],
    ["grants 10 if 3/4 are full", nines(4), [9, 9, 9, 0], 10, true],
    ["denies 10 if fewer are full", nines(4), [9, 9, 8.9, 0], 10, false],
    ["grants 10 with two full rows", tens(4), [10, 10, 0, 0], 10, true],
    ["denies 10 with one full row", tens(4), [10, 9.9, 9.9, 9.9], 10, false],
    ["grants 0 without a token", exact, [0, 0, 0, 0], 0, true],
    ["denies 0 in debt", tens(4), [-1, 0, 0, 0], 0, false],
  ])("%s", (_claim, limit, values, count, expected) => {
    expect(canServe(limit, of(limit, busy(values)), count, NOW)).toBe(expected);
  });

  /** Rows that were written at the same time. */
  const crowded = (values: number[]): readonly Leaf[] =>
    values.map((value, shard) => {
      const at = BigInt((NOW - 40 + shard) * 1e6);
      return { shard, parts: 24, row: { shard, value, ts: NOW - 50, at } };
    });

  test.each([
    ["denies 1 if 2 of 24 rows of ten are free", tens(24), 2, 1, false],
    ["grants 1 if an eighth of them is free", tens(24), 3, 1, true],
    [
      "denies 1 if less than 3/8 of rows of nine are free",
      nines(24),
      8,
      1,
      false,
    ],
    ["grants 1 if 3/8 of them are free", nines(24), 9, 1, true],
    [
      "denies 1.2 if less than 3/8 of rows of ten are free",
      tens(24),
      8,
      1.2,
      false,
    ],
  ] as const)("%s", (_claim, limit, full, count, expected) => {
    const free = ones(full).map(() => count);
    const seen = crowded([...free, ...zeros(24 - full)]);
    expect(canServe(limit, seen, count, NOW)).toBe(expected);
  });

  test.each([
    ["denies 1 if less than 5/8 of the rows are free", 14, false],
    ["grants 1 if 5/8 of them are free", 15, true],
  ])("%s, where a call takes 100 ms", (_claim, full, expected) => {
    const [first, ...others] = crowded([...ones(full), ...zeros(24 - full)]);
    const at = BigInt((NOW - 40) * 1e6);
    const long = { ...first!.row!, ts: NOW - 140, at };
    const seen = [{ ...first!, row: long }, ...others];
    expect(canServe(nines(24), seen, 1, NOW)).toBe(expected);
  });

  test("grants a lone token a second after the last write", () => {
    const idle = rows([0, 1], 1000, 0.02);
    expect(canServe(tens(5), idle, 1, NOW)).toBe(true);
  });

  test("counts absent rows as full", () => {
    const seen: readonly Leaf[] = [
      ...busy([0, 0]),
      { shard: 2, parts: 5, row: undefined },
    ];
    expect(balancesOf(tens(5), seen, NOW)).toEqual(held(0, 0, 10));
    expect(canServe(tens(5), seen, 5, NOW)).toBe(true);
    expect(canServe(tens(5), seen, 10, NOW)).toBe(false);
  });
});

describe("a request is served about", () => {
  // A token every 6 seconds: never busy.
  const slow = (shards: number) => tens(shards, 10, { period: 60_000 });

  test.each([
    ["now, if it is there", slow(3), rows([1, 1, 1]), 3, NOW],
    ["now, if more is there", slow(3), rows([5, 5, 5]), 3, NOW],
    ["when the rest has arrived", slow(3), rows([1, 1, 0]), 3, NOW + 6_000],
    [
      "when two tokens have arrived, if it sees half of the rows",
      slow(4),
      rows([0, 0]),
      1,
      NOW + 12_000,
    ],
    ["1 s after a write", tens(5), rows([2, 2], 300, 0.02), 1, NOW + 700],
    [
      "1 s after the last of several writes",
      tens(5),
      [...rows([2], 300), ...rows([2, 2, 2], 100).slice(1)],
      1,
      NOW + 900,
    ],
    ["now, if a write was 1 s ago", tens(5), rows([2, 2], 1000, 0.02), 1, NOW],
    [
      "when it is no longer busy, even if the rest arrives before",
      tens(5),
      rows([0, 0, 0, 0, 0], 200, 0.02),
      1,
      NOW + 800,
    ],
    [
      "when the rest has arrived, even if it is not busy before",
      tens(5, 2),
      rows([0, 0, 0, 0, 0], 200, 0.0004),
      3,
      NOW + 1500,
    ],
  ])("%s", (_claim, limit, seen, count, expected) => {
    expect(timeWhenServed(limit, of(limit, seen), count, NOW)).toBe(expected);
  });

  test("now, if a window that began before holds just enough", () => {
    const hourly = toLimit("hourly", {
      kind: "fixed window",
      rate: 30,
      period: 3600 * SECOND,
      start: 0,
      shards: 3,
    });
    expect(timeWhenServed(hourly, rows([1, 1, 1], 100), 3, NOW)).toBe(NOW);
  });

  test("when its stored rows are calm, whatever rows are absent", () => {
    const seen: readonly Leaf[] = [
      ...rows([0, 0], 400, 0.02),
      { shard: 2, parts: 5, row: undefined },
    ];
    expect(timeWhenServed(tens(5), seen, 1, NOW)).toBe(NOW + 600);
  });

  test("when 4/3 tokens have arrived, if it sees three quarters of the limit", () => {
    const [half, quarter] = rows([0, 0]);
    const uneven = [
      { ...half!, parts: 2 },
      { ...quarter!, parts: 4 },
    ];
    expect(timeWhenServed(slow(4), uneven, 1, NOW)).toBe(NOW + 8_000);
  });
});

describe("after a look at a few rows of a busy limit, a count is granted", () => {
  const calm = 1000;
  test.each<
    [
      string,
      rate: number,
      tolerance: number,
      values: number[],
      count: number,
      wait: number,
      guess: number,
    ]
  >([
    ["once it is calm", 100, 0, [0, 0], 1, calm, calm],
    ["once it is calm, if the rows hold it", 100, 0, [2, 2], 4, calm, calm],
    ["when it needs no tokens of other rows", 1, 0, [1, 1], 4, 2000, 2000],
    ["when all but the tolerance is there", 1, 1 / 4, [1, 0.75], 4, 2000, 2250],
  ])("%s", (_claim, rate, tolerance, values, count, wait, guess) => {
    const limit = { ...tens(5, rate), tolerance };
    const forecast = forecastBySomeRows(limit, held(...values), count, NOW);
    const config = { kind: "token bucket", rate, period: SECOND } as const;
    const phase = {
      effect: "limited",
      limit,
      config,
      until: Infinity,
    } as const;
    const demands = [{ count, debt: "none", leave: 0, upTo: false }] as const;
    const waiting = { phases: [phase], demands, forecast } as const;
    expect(timeUntilGranted([waiting], NOW)).toBe(wait);
    expect(forecast.guess(phase, NOW)).toBe(NOW + guess);
  });
});

test("rows of one size are scaled to the whole without rounding", () => {
  const seen = (n: number) => Array.from({ length: n }, () => ({ parts: 49 }));
  expect(scaleToWhole(seen(49))).toBe(1);
  expect(scaleToWhole(seen(2))).toBe(24.5);
});

describe("a count is taken from", () => {
  const take = (
    values: number[],
    count: number,
    { read = [] as number[], random = 0 } = {},
  ) => {
    const all = held(...values);
    const wereRead = read.map((shard) => all[shard]!);
    return rowsToTakeFrom(coarse, all, wereRead, count, () => random).map(
      ({ shard }) => shard,
    );
  };

  test.each([
    ["the first", 0, [0]],
    ["the one in the middle", 0.5, [2]],
    ["the last", 0.99, [3]],
  ])("a random one of the rows that hold it: %s", (_, random, expected) => {
    // All of it but for the tolerance.
    expect(take([4.75, 4.74, 7, 9], 5, { random })).toEqual(expected);
  });

  test.each([
    ["the fullest rows first", [3, 4, 2, 1], 7, [], [1, 0]],
    ["as many rows as needed", [3, 4, 2, 1], 7.5, [], [1, 0, 2]],
    ["no row for what is within rounding", [3, 4, 2, 1], 7.25, [], [1, 0]],
    ["rows that were read before fuller ones", [3, 4, 2, 1], 6, [2], [2, 1]],
    ["the fuller of those read first", [3, 4, 2, 1], 6, [3, 2], [2, 3, 1]],
    ["no row that is empty or in debt", [3, 0, 2, -1], 9, [1], [0, 2]],
  ])("%s", (_claim, values, count, read, expected) => {
    expect(take(values, count, { read })).toEqual(expected);
  });
});

describe("a debt is made by", () => {
  const limit = tens(4, 100);
  const demand = {
    count: 2,
    debt: "reserve",
    leave: 0,
    upTo: false,
  } as const;
  const owing = (
    balances: Balance[],
    one: number,
    draw: number,
    maxReserved: number = Infinity,
  ) =>
    rowToOwe(
      { ...limit, maxReserved },
      balances[one]!,
      balances,
      demand,
      () => draw,
    )?.shard;

  const four = held(0, -1, 3, -8);

  test.each([
    ["the given one", 1, 0, 1],
    ["the given one if it holds the count", 2, 0, 2],
    ["a random one that owes two counts less", 3, 0, 0],
    ["not one that owes hardly less", 1, 0.6, 1],
  ])("%s", (_claim, one, draw, expected) => {
    expect(owing(four, one, draw)).toBe(expected);
  });

  test.each([
    [10, 0, 0],
    [9.9, 0, 2],
    [5, 3, 2],
    [4.9, 0, undefined],
  ])(
    "one that may owe its part of maxReserved: %d",
    (maxReserved, one, expected) => {
      const balances = held(0, -1, 1, -2);
      expect(owing(balances, one, 0, maxReserved)).toBe(expected);
    },
  );

  // The first row is half of the limit, each of the others a quarter.
  const uneven = held(-4, -3, -3).map((row, i) => ({
    ...row,
    parts: i === 0 ? 2 : 4,
  }));

  test("another drawn by its share of the limit", () => {
    const deep = { ...uneven[0]!, shard: 9, value: -99 };
    const drawn = (draw: number) =>
      rowToOwe(limit, deep, uneven, demand, () => draw)?.shard;
    expect([0.49, 0.5, 0.75].map(drawn)).toEqual([0, 1, 2]);
  });

  test("one is compared with another by when they pay", () => {
    const owed = (value: number) =>
      owing(
        [
          { ...uneven[0]!, value: -4 },
          { ...uneven[1]!, value },
        ],
        1,
        0,
      );
    // -4 of a half weighs as much as -2 of a quarter, and a count of two 8.
    expect([-2, -6, -6.1].map(owed)).toEqual([1, 1, 0]);
  });
});

test.each([
  [99, false],
  [100, true],
  [5000, true],
  [5001, false],
])("whether a write of %d ms took long: %j", (ms, expected) => {
  const at = BigInt(NOW) * 1_000_000n;
  expect(tookLong({ shard: 1, value: 1, ts: NOW - ms, at })).toBe(expected);
});

test("nothing is known of a row without a commit's time", () => {
  expect(tookLong(undefined)).toBe(false);
  expect(tookLong({ shard: 1, value: 1, ts: NOW })).toBe(false);
});

describe("a count is given to", () => {
  const fill = (
    values: number[],
    count: number,
    { isHot = false, random = 0 } = {},
  ) =>
    rowsToCredit(coarse, held(...values), count, isHot, () => random).map(
      ({ shard }) => shard,
    );

  test.each([
    ["the only row with room for it", [9, 2, 5], 6, [1]],
    ["one row that has just enough room", [9, 2, 5], 8, [1]],
    ["one row with room within rounding", [9, 2, 5], 8.25, [1]],
    ["two rows if one has too little room", [9, 2, 5], 9, [1, 2]],
    ["all rows that have room", [9, 2, 5], 99, [1, 2, 0]],
    ["no row that is full", [10, 2, 10], 99, [1]],
    ["no row of a full limit", [10, 10], 1, []],
  ])("%s", (_claim, values, count, expected) => {
    expect(fill(values, count)).toEqual(expected);
  });

  test.each([
    [0, [1]],
    [0.5, [2]],
  ])("a random one of the rows with room for it: %d", (random, expected) => {
    expect(fill([9, 2, 5], 4, { random })).toEqual(expected);
  });

  test.each([
    ["with room for a part, if few have room for all", 0.9, 8, [2]],
    ["but for those with little room", 0.9, 9, [2]],
    ["if none has room for all", 0, 99, [1]],
  ])(
    "a random row of a busy limit %s, and no second one",
    (_claim, random, count, expected) => {
      expect(fill([9, 2, 5], count, { isHot: true, random })).toEqual(expected);
    },
  );

  test("a random one of eight rows of a busy limit with room for all, and no other", () => {
    const values = [9, 9, ...Array.from({ length: 8 }, () => 5)];
    expect(fill(values, 4, { isHot: true, random: 0.99 })).toEqual([9]);
    expect(fill(values, 4, { isHot: true, random: 0 })).toEqual([2]);
  });

  test("rows that are returned unchanged, from a list that is not reordered", () => {
    const all = held(9, 2);
    expect(rowsToCredit(tens(5), all, 2, false, () => 0)).toEqual([
      { shard: 1, parts: 5, value: 2, ts: NOW },
    ]);
    expect(all).toEqual(held(9, 2));
  });
});
