import { describe, expect, test } from "vitest";
import { DAY, HOUR } from "../../src/core/periods.js";
import { isIdle, lastUsedAt } from "../../src/core/rows.js";

test.each([
  ["at its usedAt", { ts: 5, usedAt: 7 }, 7],
  ["at its usedAt, even if that is 0", { ts: 5, usedAt: 0 }, 0],
  ["at its ts, without a usedAt", { ts: 5 }, 5],
])("a row was last used %s", (_claim, row, expected) => {
  expect(lastUsedAt(row)).toBe(expected);
});

describe("a key is idle", () => {
  const now = 10 * HOUR;
  const ago = (ms: number) => ({ fullAt: now - ms });

  /** A row that was split in two, and is not full before tomorrow. */
  const split = { ...ago(-DAY), into: 2 };

  test.each<[string, { fullAt?: number; into?: number }[], boolean]>([
    ["without rows", [], true],
    ["an hour after its row is full", [ago(HOUR)], true],
    ["not a ms before that", [ago(HOUR - 1)], false],
    ["an hour after its last row is full", [ago(HOUR), ago(DAY)], true],
    ["not if one row is in use", [ago(DAY), ago(HOUR - 1), ago(DAY)], false],
    ["never, if a row has no fullAt", [ago(DAY), {}], false],
    [
      "whenever row 0 was full, by all rows below it",
      [split, ago(DAY), ago(HOUR)],
      true,
    ],
    [
      "not if one row below row 0 has not been written since",
      [split, ago(DAY)],
      false,
    ],
  ])("%s", (_claim, rows, expected) => {
    const numbered = rows.map((row, shard) => ({ shard, ...row }));
    expect(isIdle(numbered, now)).toBe(expected);
  });
});
