import { describe, expect, test } from "vitest";
import { overlay, toStored } from "../../src/core/config.js";
import { parseLimit } from "../../src/core/limit.js";
import type { ConfigOverride } from "../../src/core/vOverride.js";
import { DAY, MINUTE } from "../../src/core/periods.js";
import type { Row } from "../../src/core/row.js";
import {
  dependOnEachOther,
  holdings,
  isOutdated,
  speaksForItself,
  toRow,
  total,
} from "../../src/core/rows.js";

const NOW = 1_000_000;

/** A token a second for each 60 a minute; 40 at most, over so many rows. */
const bucket = (shards: number, override: ConfigOverride = {}) => {
  const tokens = { rate: 60, period: MINUTE, capacity: 40 };
  const config = { kind: "token bucket", ...tokens, shards } as const;
  return parseLimit("rows", config, undefined, overlay(config, override));
};

const windows = (shards: number) =>
  parseLimit("rows", {
    kind: "fixed window",
    rate: 40,
    period: MINUTE,
    start: 0,
    shards,
  });

const one = bucket(1);
const four = bucket(4);
const doubled = bucket(4, { capacity: 80 });

const row = (shard: number, value: number, more: Partial<Row> = {}): Row => ({
  shard,
  value,
  ts: NOW,
  ...more,
});

const ago = (ms: number) => ({ ts: NOW - ms });

/** Row 0 of a limit that is split so, with 1 token. */
const of = (shards: number, more: Partial<Row> = {}) =>
  row(0, 1, { of: shards, ...more });

/** The rows of a limit that is split so, from row 0 on. */
const split = (shards: number, values: number[], more: Partial<Row> = {}) =>
  values.map((value, shard) => row(shard, value, { of: shards, ...more }));

/** Says no split, and yet when it is full: it is the only row of its key. */
const onlyOne = { fullAt: NOW + MINUTE };

describe("rows are outdated", () => {
  test.each([
    ["of this split they are not", four, [of(4)], false],
    ["of another they are", four, [of(2)], true],
    ["of one, unsplit since, they are", one, [of(2)], true],
    ["that do not say it are not", four, [row(0, 1)], false],
    ["that say it for one row are not", one, [of(1)], false],
    ["of one, split since, they are", four, [row(0, 1, onlyOne)], true],
    ["of another capacity they are", four, [of(4, { capacity: 80 })], true],
    ["of the usual capacity, changed now, they are", doubled, [of(4)], true],
    ["of the changed they are not", doubled, [of(4, { capacity: 80 })], false],
    [
      "of another capacity, in one row, not",
      one,
      [of(1, { capacity: 80 })],
      false,
    ],
    ["but not if they are full again", four, [of(2, { fullAt: NOW })], false],
    ["until they are full again", four, [of(2, { fullAt: NOW + 1 })], true],
  ])("%s", (_claim, limit, rows, expected) => {
    expect(isOutdated(limit, rows, NOW)).toBe(expected);
  });

  const old = of(2);
  const current = row(1, 1, { of: 4 });

  test.each([
    ["the last one is another's", { ...old }, { ...current, ...ago(1) }, true],
    ["the last one does not say it", old, row(1, 1, { ts: NOW + 5 }), true],
    [
      "windows are compared by when they were written",
      { ...old, usedAt: NOW - 1 },
      { ...current, ...ago(50), usedAt: NOW },
      false,
    ],
    [
      "the last one to be written is full again",
      { ...old, ...ago(1) },
      { ...current, fullAt: NOW },
      true,
    ],
  ])("as the last row tells: %s", (_claim, a, b, expected) => {
    expect(isOutdated(four, [a, b], NOW)).toBe(expected);
    expect(isOutdated(four, [b, a], NOW)).toBe(expected);
  });

  test("as the first tells of two written at once", () => {
    expect(isOutdated(four, [old, current], NOW)).toBe(true);
    expect(isOutdated(four, [current, old], NOW)).toBe(false);
  });

  test("by the time of the newest row, where the clock has stepped back", () => {
    const fullByThen = of(2, { fullAt: NOW + 5 });
    const later = row(1, 1, { of: 4, ts: NOW + 5 });
    expect(isOutdated(four, [fullByThen], NOW)).toBe(true);
    expect(
      isOutdated(four, [{ ...fullByThen, usedAt: NOW + 9 }, later], NOW),
    ).toBe(false);
  });
});

describe("one row says by itself what it holds", () => {
  const full = { of: 4, fullAt: NOW };

  test.each([
    ["of this split it does", four, of(4), true],
    ["of another it does not", four, of(2), false],
    ["that does not say its split it does not", four, row(0, 1), false],
    ["of another capacity it does not", four, of(4, { capacity: 80 }), false],
    ["of the changed capacity it does", doubled, of(4, { capacity: 80 }), true],
    ["of the usual capacity, changed now, it does not", doubled, of(4), false],
    ["full again it does", four, row(0, 1, full), true],
    [
      "full again under a changed capacity it does not",
      doubled,
      row(0, 1, { ...full, capacity: 80 }),
      false,
    ],
    ["full again in one row it does", one, row(0, 1, { ...full, of: 1 }), true],
    [
      "full again in one row, the capacity changed, it does not",
      bucket(1, { capacity: 80 }),
      row(0, 1, { ...full, of: 1 }),
      false,
    ],
  ])("%s", (_claim, limit, row, expected) => {
    expect(speaksForItself(limit, row, NOW)).toBe(expected);
  });

  test.each([
    ["until its next tokens are due it does", -1, {}, true],
    ["from then on it does not", 0, {}, false],
    ["full again it does not", -1, { fullAt: NOW }, false],
    [
      "that does not say when they are due it does not",
      -1,
      { nextAt: undefined },
      false,
    ],
  ])("in windows of a former time zone: %s", (_claim, ms, more, expected) => {
    const daily = { kind: "fixed window", rate: 40, period: "day" } as const;
    const limit = parseLimit("rows", toStored({ ...daily, shards: 4 }));
    const nextAt = Date.UTC(2026, 0, 2, 1);
    const ts = nextAt - DAY;
    const before = of(4, {
      ts,
      nextAt,
      fullAt: nextAt + DAY,
      usedAt: ts,
      ...more,
    });
    expect(speaksForItself(limit, before, nextAt + ms)).toBe(expected);
  });
});

describe("rows depend on each other", () => {
  test.each([
    ["if they are of another split", [of(2)], true],
    ["if one is in debt", [row(0, 1), row(1, -1)], true],
    ["not if that is paid by now", [row(0, 1), row(1, -1, ago(4000))], false],
    ["not if all hold something, or nothing", [row(0, 1), row(1, 0)], false],
  ])("%s", (_claim, rows, expected) => {
    expect(dependOnEachOther(four, rows, NOW)).toBe(expected);
  });
});

describe("what the rows of a limit hold", () => {
  const holds = (limit: typeof four, rows: Row[], now = NOW) =>
    holdings(limit, rows, now).map(({ value }) => value);

  test.each([
    ["without any, each is full", four, [], [10, 10, 10, 10]],
    ["each what it says", four, [row(2, 3), row(0, 1)], [1, 10, 3, 10]],
    [
      "each what it has gained",
      four,
      [row(0, 1, ago(4000)), row(1, -3, ago(8000))],
      [2, -1, 10, 10],
    ],
    ["no more than a share", four, [row(0, 9.5, ago(4000))], [10, 10, 10, 10]],
    ["none beyond the split", four, [row(4, -50), row(0, 1)], [1, 10, 10, 10]],
    ["of two for one the newer", one, [row(0, 5, ago(1)), row(1, 9)], [9]],
    ["the only one, full again", one, [row(0, 5, { fullAt: NOW })], [40]],
  ])("%s", (_claim, limit, rows, expected) => {
    expect(holds(limit, rows)).toEqual(expected);
  });

  test("is told at the time of the newest row, where the clock has stepped back", () => {
    expect(
      holdings(four, [row(0, 1, { ts: NOW + 8000 }), row(1, 1)], NOW),
    ).toEqual([
      { shard: 0, parts: 4, value: 1, ts: NOW + 8000 },
      { shard: 1, parts: 4, value: 3, ts: NOW + 8000 },
      { shard: 2, parts: 4, value: 10, ts: NOW + 8000 },
      { shard: 3, parts: 4, value: 10, ts: NOW + 8000 },
    ]);
  });

  test("the only row is row 0, whichever is stored", () => {
    expect(holdings(one, [row(3, 5)], NOW)).toEqual([
      { shard: 0, parts: 1, value: 5, ts: NOW },
    ]);
  });

  describe("that were split otherwise before is the same together", () => {
    const halfEmpty = [row(0, 0, { of: 2, ...ago(4000) })];
    const nearlyFull = [row(0, 19, { of: 2, ...ago(4000) })];
    const second = row(1, 4, { of: 2 });
    const beyond = row(2, 99, { of: 2, ...ago(1) });
    const wide = { capacity: 80 };
    const again = row(1, 0, { of: 2, fullAt: NOW });

    test.each([
      ["two of 20 each become four", four, split(2, [1, 3]), 1],
      ["an absent one of them was full", four, split(2, [4]), 6],
      ["one that was full again was full", four, [...split(2, [4]), again], 6],
      ["a debt stays a debt", four, split(2, [-4, -8]), -3],
      ["they have gained what two do", four, [...halfEmpty, second], 1.5],
      ["none held more than its share", four, [...nearlyFull, second], 6],
      ["none beyond their split", four, [...split(2, [1, 3]), beyond], 1],
      ["one becomes four", four, [row(0, 6, onlyOne)], 1.5],
      ["one in debt becomes four", four, [row(0, -8, onlyOne)], -2],
      ["twice the capacity is cut to it", four, split(4, [20], wide), 10],
      ["they held twice as much then", four, split(4, [0, 1, 2, 3], wide), 1.5],
      ["absent ones held what was full then", doubled, split(4, [2]), 8],
      [
        "absent ones held their share of the capacity of then",
        doubled,
        split(2, [2], { capacity: 20 }),
        3,
      ],
      ["the last one says no split: it is this", doubled, [row(0, 2)], 8],
    ])("%s", (_claim, limit, rows, each) => {
      const expected = Array<number>(limit.shards).fill(each);
      expect(holds(limit, rows)).toEqual(expected);
    });

    test("absent ones have gained since the last one was written", () => {
      // The three that were full at 10 each had 4 s for a quarter token a second.
      expect(
        total(holdings(doubled, [row(0, 2, { of: 4, ...ago(4000) })], NOW)),
      ).toBe(3 + 3 * 11);
    });

    test("is told at the time up to which it is counted", () => {
      const rows = [of(2, { ...ago(5) }), row(1, 3, { of: 2, ts: NOW + 7 })];
      expect(
        holdings(four, rows, NOW).map(({ shard, ts }) => [shard, ts]),
      ).toEqual([0, 1, 2, 3].map((shard) => [shard, NOW + 7]));
    });
  });
});

test("windows go on where they were, though a row became full within one", () => {
  const window = { ts: 16 * MINUTE, of: 2 };
  const isCredited = { fullAt: NOW - 10_000, usedAt: NOW - 10_000 };
  const rows = [
    row(0, 5, { ...window, fullAt: 17 * MINUTE, usedAt: NOW - 20_000 }),
    row(1, 20, { ...window, ...isCredited }),
  ];
  const held = (now: number) => holdings(windows(4), rows, now);
  expect(held(NOW).map(({ ts }) => ts)).toEqual(
    [1, 1, 1, 1].map(() => window.ts),
  );
  expect(total(held(NOW))).toBe(25);
});

test("windows of before that began apart are told from the last beginning", () => {
  const of = 2;
  const rows = [row(0, 1, { of, ts: 950_000 }), row(1, 2, { of, ts: 960_000 })];
  const holding = holdings(windows(1), rows, NOW);
  expect(holding).toMatchObject([{ shard: 0, value: 3, ts: 960_000 }]);
});

describe("the sum of rows", () => {
  test.each([
    ["of none is 0", [], 0],
    ["of one is what it holds", [-0.1], -0.1],
    ["loses no digits to a large one", [1, 1e100, 1, -1e100], 2],
    ["loses no digits to a large one that comes first", [1e16, 1, -1e16], 1],
    ["of tenths is exact", Array.from({ length: 10 }, () => 0.1), 1],
  ])("%s", (_claim, values, expected) => {
    const held = values.map((value, shard) => ({
      shard,
      parts: 1,
      value,
      ts: 0,
    }));
    expect(total(held)).toBe(expected);
  });
});

describe("what is stored of a row", () => {
  const held = { shard: 2, value: 4, ts: NOW };

  test.each([
    ["that is the only one: its end", one, false, { fullAt: NOW + 36_000 }],
    [
      "that is the only one of several before: that it is",
      one,
      true,
      { fullAt: NOW + 36_000, of: 1 },
    ],
    ["of four: of how many", four, false, { fullAt: NOW + 24_000, of: 4 }],
    [
      "of four under another capacity: under which",
      doubled,
      false,
      { fullAt: NOW + 64_000, of: 4, capacity: 80 },
    ],
    [
      "of a split window: when it was written",
      windows(4),
      false,
      { ts: 960_000, fullAt: 1_020_000, of: 4, usedAt: NOW },
    ],
    [
      "of a window in one row that was split: that it is",
      windows(1),
      true,
      { ts: 960_000, fullAt: 1_020_000, of: 1, usedAt: NOW },
    ],
  ])("%s", (_claim, limit, isOutdated, expected) => {
    const ts = limit.kind === "fixed window" ? 960_000 : NOW;
    const parts = limit.shards;
    const row = { ...held, parts, ts, ...(isOutdated && { isOutdated }) };
    expect(toRow(limit, row, NOW)).toEqual({
      ...held,
      ...expected,
    });
  });

  test("that is full: as of now, so that it is kept for as long as any", () => {
    const full = { shard: 0, value: 40, ts: NOW - 5000 };
    expect(toRow(one, { ...full, parts: 1 }, NOW)).toEqual({
      ...full,
      fullAt: NOW,
    });
  });
});
