import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { corrected, isWrittenBy } from "../../src/core/correct.js";
import { parseLimit, type Limit } from "../../src/core/limit.js";
import { DAY, HOUR } from "../../src/core/periods.js";
import type { Row } from "../../src/core/row.js";
import { holdings, total, toRow } from "../../src/core/rows.js";
import { give, spread } from "../../src/core/spread.js";
import { aKind } from "../arbitraries.js";
import { runs } from "../seed.js";

/** Ten at most, one each hundred ms, or all of them at each full second. */
const bucket = parseLimit("api", {
  kind: "token bucket",
  rate: 10,
  period: 1000,
});
const window = parseLimit("api", {
  kind: "fixed window",
  rate: 10,
  period: 1000,
  start: 0,
});
const slower = parseLimit("api", {
  kind: "token bucket",
  rate: 9,
  period: 1000,
});

/** With 4 of 10 at 1000. */
const row: Row = { shard: 0, value: 4, ts: 1000, fullAt: 1600 };
const used: Row = { ...row, fullAt: 2000, usedAt: 1700 };
const unknown: Row = { ...row, fullAt: undefined };
const YEAR = 366 * DAY - HOUR;

test.each([
  ["by its rule", bucket, row, true],
  ["by another", slower, row, false],
  ["by one of windows", window, used, true],
  ["when it was full", bucket, { ...row, value: 10, fullAt: 1000 }, true],
  [
    "in a window when it was full",
    window,
    { ...used, value: 10, fullAt: 1700 },
    true,
  ],
  ["by the other package", bucket, unknown, false],
])("a row says whether it was written %s", (_claim, limit, row, expected) => {
  expect(isWrittenBy(limit, row)).toBe(expected);
});

describe("a row is corrected", () => {
  test.each<[string, Limit, Row, amount: number, now: number, Partial<Row>]>([
    ["by what is given", bucket, row, 1, 1300, { value: 5, fullAt: 1500 }],
    ["up to its brim", bucket, row, 9, 1300, { value: 7, fullAt: 1300 }],
    ["not if it is full", bucket, row, 1, 1600, {}],
    ["by what is taken", bucket, row, -2, 1300, { value: 2, fullAt: 1800 }],
    [
      "from what it holds by now, if it is full",
      bucket,
      row,
      -2,
      9000,
      { value: 8, ts: 9000, fullAt: 9200 },
    ],
    [
      "in its window",
      window,
      used,
      -2,
      1900,
      { value: 2, fullAt: 2000, usedAt: 1900 },
    ],
    [
      "in the window of now, if it is full",
      window,
      used,
      -2,
      5500,
      { value: 8, ts: 5000, fullAt: 6000, usedAt: 5500 },
    ],
    [
      "by another rule: by what is given, as it is",
      slower,
      row,
      1,
      1300,
      { value: 5 },
    ],
    ["by another rule: not if it is full", slower, row, 1, 1600, {}],
    [
      "by another rule: by what is taken, as it is, and kept",
      slower,
      row,
      -9,
      1300,
      { value: -5, fullAt: 1600 + YEAR },
    ],
    [
      "by another rule: with no more than it had when it was full",
      slower,
      row,
      -2,
      9000,
      { value: 2, ts: 8400, fullAt: 9000 + YEAR },
    ],
    [
      "by another rule: where its window begins",
      slower,
      used,
      -2,
      9000,
      { value: 2, fullAt: 9000 + YEAR },
    ],
    [
      "of the other package: by what is given",
      bucket,
      unknown,
      1,
      9000,
      { value: 5 },
    ],
    [
      "of the other package: by what is taken, and kept",
      bucket,
      unknown,
      -1,
      9000,
      { value: 3, fullAt: 9000 + YEAR },
    ],
    [
      "and kept for as long as a number can say",
      slower,
      { ...row, fullAt: 2 ** 53 - 1 },
      -1,
      9000,
      { value: 3, fullAt: 2 ** 53 - 1 },
    ],
  ])("%s", (_claim, limit, row, amount, now, changes) => {
    expect(corrected(limit, row, amount, now)).toEqual({ ...row, ...changes });
  });
});

test("a window that was given back its last tokens pays for what is taken later", () => {
  const full = corrected(window, used, 6, 1900);
  expect(full).toEqual({ ...used, value: 10, fullAt: 1900, usedAt: 1900 });
  const after = corrected(window, full, -3, 5500);
  expect(total(holdings(window, [after], 5600))).toBe(7);
});

const aLimit = fc
  .record({
    kind: aKind,
    rate: fc.integer({ min: 1, max: 20 }),
    capacity: fc.integer({ min: 1, max: 40 }),
    period: fc.constantFrom(100, 1000, 60_000),
  })
  .map(({ kind, ...numbers }) =>
    parseLimit(
      "api",
      kind === "fixed window"
        ? { kind, ...numbers, start: 7 }
        : { kind, ...numbers },
    ),
  );

const NOW = 1_000_000;

/** A row as a limit has written it, and what becomes of it. */
const aCase = fc.record({
  wait: fc.oneof(fc.nat(3000), fc.nat(2 * HOUR)),
  amount: fc.integer({ min: -30, max: 30 }).filter((n) => n !== 0),
  later: fc.nat(100_000),
});

const writtenBy = (limit: Limit, missing: number) => {
  const { capacity, arrivals } = limit.whole;
  const state = { value: capacity - missing, ts: arrivals.startAt(NOW) };
  return toRow(limit, { shard: 0, parts: 1, ...state }, NOW);
};

const balance = (limit: Limit, row: Row, at: number) =>
  total(holdings(limit, [row], at));

test("by the rule that wrote the row, that is what credits and charges would do, one after the other", () => {
  const steps = fc.array(aCase, { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(aLimit, fc.nat(60), steps, (limit, missing, steps) => {
      let row = writtenBy(limit, missing);
      let ordinary = row;
      let now = NOW;
      for (const { wait, amount, later } of steps) {
        now += wait;
        const held = holdings(limit, [ordinary], now);
        const { writes } =
          amount > 0
            ? give(limit, held, amount, now)
            : { writes: spread(limit, held, total(held) + amount, now) };
        ordinary = writes[0] ?? ordinary;
        row = corrected(limit, row, amount, now);
        for (const at of [now, now + later]) {
          const expected = balance(limit, ordinary, at);
          expect(balance(limit, row, at)).toBeCloseTo(expected, 6);
        }
        const apart = Math.abs(row.fullAt! - ordinary.fullAt!);
        expect(apart).toBeLessThanOrEqual(1);
        // The time of a bucket does not tell when it was given back its last tokens.
        if (limit.kind === "token bucket" && row.fullAt === now) break;
        expect(isWrittenBy(limit, row)).toBe(true);
      }
    }),
    runs(500),
  );
});

test("by any other it brings no more than is given, and takes nothing back", () => {
  fc.assert(
    fc.property(
      fc.tuple(aLimit, aLimit, aLimit),
      fc.nat(60),
      aCase,
      ([writer, holder, reader], missing, { wait, amount, later }) => {
        const row = writtenBy(writer, missing);
        fc.pre(!isWrittenBy(holder, row));
        const now = NOW + wait;
        const after = corrected(holder, row, amount, now);
        for (const at of [now, now + later]) {
          if (at >= row.fullAt! + HOUR) continue;
          const before = balance(reader, row, at);
          const change = balance(reader, after, at) - before;
          const [least, most] = amount > 0 ? [0, amount] : [-Infinity, 0];
          expect(change).toBeGreaterThanOrEqual(least - 1e-6);
          expect(change).toBeLessThanOrEqual(most + 1e-6);
        }
        expect(after.fullAt).toBeGreaterThanOrEqual(row.fullAt!);
      },
    ),
    runs(500),
  );
});
