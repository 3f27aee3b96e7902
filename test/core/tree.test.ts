import fc from "fast-check";
import { describe, expect, test } from "vitest";
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

const limit = toLimit("hot", {
  kind: "token bucket",
  rate: 60,
  period: MINUTE,
  capacity: 100,
  shards: "auto",
});

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

describe("the leaves of a limit", () => {
  test("are one row that is the whole, if it is not split", () => {
    const [shard, parts] = [0, 1];
    for (const stored of [row(0, 5), undefined]) {
      const rows = stored === undefined ? [] : [stored];
      expect(leavesOfTree(rows)).toEqual([{ shard, parts, row: stored }]);
    }
  });

  test("include absent rows, with their part of the row above since its last write", () => {
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
    ["none beside row 0 alone", leaf(0), undefined],
    ["16 from it on", leaf(1, splitRow(0, 17)), { first: 1, size: 16 }],
    ["the last 16", leaf(17, splitRow(0, 17)), { first: 2, size: 16 }],
    ["none if they would be all", leaf(1, splitRow(0, 16)), undefined],
    ["all of four", leaf(1027, splitRow(1, 4)), { first: 1025, size: 4 }],
  ])("are %s", (_claim, near, expected) => {
    expect(rangeNear(near, 16)).toEqual(expected);
  });

  test("are the leaves among them, absent ones with their part of the row above", () => {
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
