import { describe, expect, test } from "vitest";
import { toLimit } from "../../src/core/limit.js";
import type { Row } from "../../src/core/view.js";
import {
  doOverlap,
  doServe,
  drawTwo,
  held,
  isBusy,
  isLarge,
  rowsWith,
  scaleToWhole,
  timeWhenServed,
} from "../../src/state/spread/rules.js";
import type { Leaf } from "../../src/state/spread/tree.js";
import { tenEach } from "../support/demands.js";
import { commitAt, NOW } from "../support/splitRows.js";
import { table } from "../support/table.js";

const numbers = (text: string) => text.split(" ").map(Number);

/** Rows whose last writes began and were committed these ms ago, as "50-40". */
const leavesBy = (spans: string, more: object = {}): Leaf[] =>
  spans.split(" ").map((span, i) => {
    const [from, to] = span.split("-") as [string, string?];
    const at = to === undefined ? undefined : commitAt(NOW - Number(to));
    const row = { shard: 1 + i, value: 0, ts: NOW - Number(from), at, ...more };
    return { shard: 1 + i, parts: 4, row };
  });

test.each(
  table(`
    at the same time                                    | 50-40 41-30       | true
    one within another                                  | 50-10 40-30       | true
    at the same time, in rows of any order              | 40-30 50-10       | true
    at the same time, after one alone                   | 90-80 70-20 40-30 | true
    almost a second ago                                 | 999-985 990-980   | true
    a second ago                                        | 1000-985 990-980  | false
    one after another                                   | 40-30 50-40 29-1  | false
    one in the ms of a commit                           | 50-39.1 40-30     | false
    by one that took from two rows                      | 50-40 50-40       | false
    by one alone                                        | 50-40             | false
    one of them without a time                          | 50-40 45          | false
    one of them in this very ms, on a frozen clock      | 5-0 0-0           | false
    one of them by a clock ahead                        | 5-0 -1-0          | false
`),
)("calls overlap: %s (%s): %s", (_claim, spans, expected) => {
  const leaves = leavesBy(spans.replace("-1-0", "NaN-0"));
  expect(String(doOverlap(leaves, NOW))).toBe(expected);
  expect(String(isBusy(leaves, NOW))).toBe(expected);
});

test.each(
  table(`
    calls overlapped just now                     | 999-998 | 1    | true
    calls overlapped almost 5 s ago               | 999-998 | 4999 | true
    calls overlapped 5 s ago                      | 999-998 | 5000 | false
    calls overlapped in this very ms              | 999-998 | 0    | false
    nobody has used it for a second               | 1000-998 | 1   | false
    it was only used in this very ms              | 0-0     | 1    | false
`),
)(
  "a limit where a caller is alone is busy, if %s",
  (_claim, span, ago, busy) => {
    const [recalling] = leavesBy(span, { overlappedAt: NOW - Number(ago) });
    const [other] = leavesBy("9999-9998");
    for (const leaves of [
      [recalling!, other!],
      [other!, recalling!],
    ]) {
      expect(String(isBusy(leaves, NOW))).toBe(busy);
      expect(doOverlap(leaves, NOW)).toBe(false);
    }
  },
);

test("a limit without stored rows is not busy", () => {
  const absent = [{ shard: 1, parts: 2, row: undefined }];
  expect(isBusy(absent, NOW)).toBe(false);
});

/** Rows that hold these values, written `ago` ms before; at once, if they are busy. */
const leavesOf = (values: string, isQuiet = false, ago = 50): Leaf[] =>
  numbers(values).map((value, i, { length: parts }) => {
    const shard = 1 + i;
    const at = isQuiet ? undefined : commitAt(NOW - ago + 10 + i);
    const row: Row = { shard, value, ts: NOW, usedAt: NOW - ago, at };
    return { shard, parts, row };
  });

// A deficit of a quarter is none.
const limitOf = (parts: number, tolerance = 1 / 4) => ({
  ...toLimit("ten", tenEach(parts)),
  tolerance,
});

describe("rows that hold up to 10 each", () => {
  test.each(
    table(`
      serve what they hold together     | quiet | 1 1 0.75        | 3    | true
      do not serve more                 | quiet | 1 1 0.74        | 3    | false
      serve a lone token                | quiet | 0 0 0 1         | 1    | true
      do not serve it beside a debt     | quiet | 2 -1.5 0 0      | 1    | false
      serve 0                           | quiet | 0 0 0 0         | 0    | true
      do not serve a lone token         | busy  | 0 0 0 1         | 1    | false
      serve a token of more than 3/8    | busy  | 0 0 1 1         | 1    | true
      not of 3/8 of them                | busy  | 1 1 1 0 0 0 0 0 | 1    | false
      serve it of more than 3/8         | busy  | 1 1 1 1 0 0 0 0 | 1    | true
      which hold it within rounding     | busy  | 0 0 0.75 0.75   | 1    | true
      and not if these hold less        | busy  | 0 0.5 0.7 1     | 1    | false
      nor what others owe               | busy  | 2 2 -2 -2       | 1    | false
      serve 11 of 3/8 of the capacity   | busy  | 5 5 5 0.1       | 11   | true
      not if they have just that        | busy  | 5 5 5 0         | 11   | false
      nor if they hold less             | busy  | 10 5 0 0        | 15.5 | false
  `),
  )("%s (%s: %s, for %s)", (_claim, mode, values, count, expected) => {
    const leaves = leavesOf(values, mode === "quiet");
    const limit = limitOf(leaves.length);
    expect(String(doServe(limit, leaves, Number(count), NOW))).toBe(expected);
  });
});

test("a count is large if no row can hold it", () => {
  const uneven = [{ parts: 2 }, { parts: 4 }, { parts: 4 }];
  const areLarge = [10, 20, 20.1].map((n) => isLarge(limitOf(4), uneven, n));
  expect(areLarge).toEqual([false, false, true]);
});

// A token a second.
test.each(
  table(`
    at once, if the tokens are there         | quiet | 1 1 1   | 50   | 3 | 0
    at once, if more are there               | quiet | 5 5 5   | 50   | 3 | 0
    when the missing tokens arrive           | quiet | 1 1 0   | 50   | 3 | 1000
    a second after the last use              | busy  | 2 2 2   | 300  | 3 | 700
    at once, a second after the last use     | busy  | 2 2 2   | 1000 | 3 | 0
    when the missing tokens arrive, if later | busy  | 0 0 0   | 300  | 1 | 1000
    a second after the last use, if later    | busy  | 0 0 0.5 | 300  | 1 | 700
`),
)(
  "a refused request is served about %s",
  (_claim, mode, values, ago, count, expected) => {
    const leaves = leavesOf(values, mode === "quiet", Number(ago));
    const time = timeWhenServed(limitOf(3), leaves, Number(count), NOW);
    expect(time - NOW).toBe(Number(expected));
  },
);

test("a busy limit is quiet a second after the last of its uses, whatever rows are absent", () => {
  const [first, ...others] = leavesOf("0 0 0 0", false, 300);
  const later = { ...first!.row!, usedAt: NOW - 100, at: commitAt(NOW - 90) };
  const absent = { shard: 4, parts: 4, row: undefined };
  const leaves = [{ ...first!, row: later }, ...others.slice(0, 2), absent];
  expect(timeWhenServed(limitOf(4), leaves, 1, NOW)).toBe(NOW + 900);
});

test.each`
  draws          | two
  ${[0, 0]}      | ${[0, 1]}
  ${[0.19, 0]}   | ${[0, 1]}
  ${[0.2, 0]}    | ${[1, 2]}
  ${[0.99, 0]}   | ${[4, 0]}
  ${[0.6, 0.24]} | ${[3, 4]}
  ${[0.6, 0.25]} | ${[3, 0]}
  ${[0.6, 0.99]} | ${[3, 2]}
  ${[0, 0.99]}   | ${[0, 4]}
`(
  "of five parts, $draws draw $two",
  ({ draws, two }: Record<string, number[]>) => {
    expect(drawTwo(5, () => draws!.shift()!)).toEqual(two);
  },
);

test.each(
  table(`
    a random one of those with all of it: the first     | 4.75 4.74 7 9 | 5    | 0    | 0
    the one in the middle                               | 4.75 4.74 7 9 | 5    | 0.5  | 2
    the last                                            | 4.75 4.74 7 9 | 5    | 0.99 | 3
    the fullest, if none has all of it                  | 3 4 2 1       | 7    | 0    | 1 0
    as many of these as it takes                        | 3 4 2 1       | 7.5  | 0    | 1 0 2
    no row for what is within rounding                  | 3 4 2 1       | 7.25 | 0    | 1 0
    all that have something, if that is not enough      | 3 0 2 -1      | 9    | 0    | 0 2
`),
)("a count comes from %s", (_claim, values, count, draw, expected) => {
  const rows = numbers(values).map((value, shard) => ({
    ...{ shard, parts: 4, value, ts: NOW },
  }));
  const chosen = rowsWith(limitOf(4), rows, held, Number(count), () =>
    Number(draw),
  );
  expect(chosen.map(({ shard }) => shard).join(" ")).toBe(expected);
});

test.each([
  ["all of 49 rows", Array<number>(49).fill(49), 1],
  ["two of 49 rows", [49, 49], 24.5],
  ["a third, and all parts of the others", [3, 9, 9, 9, 6, 6], 1],
  ["a half and a quarter", [2, 4], 4 / 3],
])("%s are scaled to the whole", (_claim, sizes, expected) => {
  const scale = scaleToWhole(sizes.map((parts) => ({ parts })));
  expect(scale).toBe(expected);
});
