import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Leaf,
  leavesOfTree,
  parentOf,
  partShard,
  pathTo,
} from "../../src/state/spread/tree.js";
import { readSample } from "../../src/state/spread/walk.js";
import { tenEach } from "../support/demands.js";
import { NOW, rows, splitLimitOf } from "../support/splitRows.js";

describe("the numbers of rows", () => {
  const numberOf = (path: readonly number[]) => path.reduce(partShard, 0);

  test.each([
    [0, []],
    [1, [0]],
    [1024, [1023]],
    [1025, [0, 0]],
    [2048, [0, 1023]],
    [2049, [1, 0]],
  ])("%i is that of the row at %j", (shard, path) => {
    expect(numberOf(path)).toBe(shard);
    expect(pathTo(shard)).toEqual(path);
  });

  test("lead back to row 0, from any level", () => {
    const anyPath = fc.array(fc.nat(1023), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(anyPath, (path) => {
        expect(pathTo(numberOf(path))).toEqual(path);
        expect(parentOf(numberOf(path))).toBe(numberOf(path.slice(0, -1)));
      }),
    );
  });
});

const row = (shard: number, value: number, more: object = {}) => ({
  shard,
  value,
  ...{ ts: NOW, fullAt: NOW + 9, ...more },
});

test.each([[[]], [[row(0, 5)]]])(
  "a limit with the rows %j is one leaf",
  (all) => {
    expect(leavesOfTree(all)).toEqual([{ shard: 0, parts: 1, row: all[0] }]);
  },
);

test("a part that is not stored holds an equal share of the row above it, and recalls its times", () => {
  const times = { usedAt: NOW - 5, at: 7n, overlappedAt: NOW - 6, nextAt: 8 };
  const ofRoot = { into: 4, rule: "rule", owes: true, plan: "plan", close: 3 };
  const root = row(0, 40, { ...times, ...ofRoot });
  const second = row(2, 7, { into: 2, usedAt: NOW - 3 });
  const all = [root, row(1, 3), second, row(2050, 1)];
  expect(leavesOfTree(all)).toEqual([
    { shard: 1, parts: 4, row: row(1, 3) },
    { shard: 2049, parts: 8, row: row(2049, 3.5, { usedAt: NOW - 3 }) },
    { shard: 2050, parts: 8, row: row(2050, 1) },
    { shard: 3, parts: 4, row: row(3, 10, times) },
    { shard: 4, parts: 4, row: row(4, 10, times) },
  ]);
});

type Sample = { size: number; draw: number; shards?: number[] };

// The second of four rows is split again, into three.
const four = rows([1, 2, 3, 4]).map((one) =>
  one.shard === 2 ? { ...one, into: 3 } : one,
);

test.each`
  what                             | size | draw   | shards
  ${"one"}                         | ${1} | ${0.9} | ${[4]}
  ${"two, one after the other"}    | ${2} | ${0.9} | ${[4, 1]}
  ${"a part of one that is split"} | ${2} | ${0.4} | ${[2050, 3]}
  ${"each only once"}              | ${4} | ${0.4} | ${[2050, 3, 4, 1]}
  ${"not all rows"}                | ${9} | ${0}   | ${undefined}
`("a sample has $what", async ({ size, draw, shards }: Sample) => {
  const tree = splitLimitOf(tenEach(4), draw === 0 ? rows([1, 2, 3]) : four);
  const sample = await readSample(tree, size, () => draw);
  expect(sample?.map(({ shard }: Leaf) => shard)).toEqual(shards);
});
