import { describe, expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import { phasesOf } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/validators.js";
import {
  creditRows,
  isRefusedByBan,
  drainTo,
  takeFrom,
} from "../../src/core/decide.js";
import type { Demand } from "../../src/core/demand.js";
import {
  forecastByTotal,
  wouldGrantAll,
  timeUntilFull,
} from "../../src/core/wait.js";
import { MINUTE } from "../../src/core/periods.js";
import type { Balance, Row } from "../../src/core/rows.js";
import { decideAlone } from "../support/decideAlone.js";
import { demandFor, tenEach } from "../support/demands.js";

const NOW = 1_000_000;

const phasesFor = (config: RateLimitConfig, ofKey?: TimedOverride[]) =>
  phasesOf("api", undefined, config, ofKey && { ofKey, ofLimit: [] }, NOW);

const limitOf = (config: RateLimitConfig) => toLimit("api", config);

const { tolerance } = limitOf(tenEach(3));

/** Row 0 of a limit with so many rows, and those below it, from the first on. */
const tree = (into: number, value: number, below: readonly number[] = []) => {
  const rule = ruleOf(limitOf(tenEach(into)));
  const full = { ts: NOW, fullAt: NOW + MINUTE };
  const rows = below.map((value, i) => ({ shard: 1 + i, value, ...full }));
  return [{ shard: 0, value, into, rule, usedAt: 0, ...full }, ...rows];
};

/** Rows of a split limit, of 10 each at most. */
const rows = (values: readonly number[]): Row[] =>
  tree(values.length, 10 * values.length, values);

const held = (...values: number[]): Balance[] =>
  values.map((value, i) => ({
    shard: 1 + i,
    parts: values.length,
    value,
    ts: NOW,
  }));

/** What each row that is written holds, by its number. */
const written = (writes: readonly Row[]) =>
  Object.fromEntries(writes.map(({ shard, value }) => [shard, value]));

/** Decides on rows, or on those below row 0 that hold so much. */
function decided(
  given: readonly number[] | Row[],
  demands: readonly Demand[],
  {
    shards = given.length,
    config = tenEach(shards),
    overrides = undefined as TimedOverride[] | undefined,
  } = {},
) {
  const isValue = (one: number | Row) => typeof one === "number";
  const stored = given.every(isValue) ? rows(given) : given;
  const phases = phasesFor(config, overrides);
  const decision = decideAlone(phases, stored, demands, NOW);
  if (!decision.ok) return decision;
  const { writes, ...rest } = decision;
  return { ...rest, writes: written(writes) };
}

describe("a count is taken", () => {
  const nearly = tolerance / 2;
  test.each([
    ["from the first row that holds all of it", [3, 5, 6], 5, { 2: 0 }],
    ["from the only row that holds all of it", [3, 5, 6], 6, { 3: 0 }],
    ["from a row that keeps the rest", [3, 5, 6], 2, { 1: 1 }],
    ["from the fullest rows, if none holds it", [3, 5, 6], 7, { 2: 4, 3: 0 }],
    ["from all but the emptiest's rest", [3, 5, 6], 12, { 1: 2, 2: 0, 3: 0 }],
    ["from all rows", [3, 5, 6], 14, { 1: 0, 2: 0, 3: 0 }],
    ["from one that has it within rounding", [3, 5], 5 + nearly, { 2: 0 }],
    ["from all rows, within rounding", [3, 5], 8 + nearly, { 1: 0, 2: 0 }],
    ["from no row, if it is nothing", [3, 5, 6], 0, {}],
    ["from no row, to round a debt", [-nearly, 0], 0, {}],
  ])("%s", (_claim, values, count, writes) => {
    const taken = [count];
    expect(decided(values, [demandFor(count)])).toEqual({
      ok: true,
      taken,
      writes,
    });
  });

  test("and what is written says when it is full", () => {
    const phases = phasesFor(tenEach(2));
    const decision = decideAlone(phases, rows([4, 2]), [demandFor(3)], NOW);
    expect(decision).toMatchObject({
      writes: [{ shard: 1, value: 1, ts: NOW, fullAt: NOW + 18_000 }],
    });
  });

  test("of another split from an equal part of what all rows held", () => {
    const stored = rows([1, 1, 4, 4]);
    const decision = decided(stored, [demandFor(2)], { shards: 2 });
    expect(decision).toMatchObject({ writes: { 1: 3 } });
  });

  test("of large numbers without a loss of digits", () => {
    const stored = held(1e15, 1e15, 1);
    const limit = limitOf(tenEach(3, { rate: 3e15, capacity: 3e15 }));
    expect(written(drainTo(limit, stored, 1, NOW))).toEqual({ 1: 0, 2: 0 });
  });
});

describe("what is more than there is", () => {
  const nearly = 2 + tolerance / 2;
  test.each<[string, readonly number[] | Row[], number, object, number?]>([
    ["is owed by row 0, for all rows alike", [1, 2, 0], 6, { 0: -3 }, 3000],
    ["deepens a debt", tree(2, -2), 2, { 0: -4 }, 4000],
    ["of another split, too", tree(4, -6), 1, { 0: -7 }, 7000],
    ["is nothing, of a debt that waits", tree(2, -3), 0, {}, 3000],
    ["is no debt within a rounding error", [1, 1], nearly, { 1: 0, 2: 0 }],
  ])("reserved, %s", (_claim, given, count, writes, retryAfter) => {
    const asked = [demandFor(count, { debt: "reserve" })];
    const shards = Math.max(2, given.length);
    const decision = decided(given, asked, { shards });
    expect(decision).toEqual({ ok: true, taken: [count], writes, retryAfter });
  });

  test("is owed by the only row", () => {
    const four = [{ shard: 0, value: 4, ts: NOW }];
    const asked = [demandFor(6, { debt: "reserve" })];
    const owed = { writes: { 0: -2 }, retryAfter: 2000 };
    expect(decided(four, asked, { shards: 1 })).toMatchObject(owed);
  });

  test("leaves a row 0 that says how it is split", () => {
    const phases = phasesFor(tenEach(2));
    const asked = [demandFor(5, { debt: "reserve" })];
    const decision = decideAlone(phases, rows([1, 1]), asked, NOW);
    const rule = ruleOf(limitOf(tenEach(2)));
    expect(decision).toMatchObject({
      writes: [{ into: 2, rule, usedAt: NOW }],
    });
  });

  test("is refused, but for a rounding error", () => {
    expect(decided([1, 1], [demandFor(2 + 2 * tolerance)])).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 1,
    });
  });

  test("in debt that no time pays, waits for as long as a number can say", () => {
    expect(decided([0, 0], [demandFor(1e18, { debt: "any" })])).toMatchObject({
      ok: true,
      retryAfter: Number.MAX_SAFE_INTEGER,
    });
  });

  test("denied in a limit that gains nothing in all time, waits as long", () => {
    const config = tenEach(1, { rate: 1e-300 });
    const stored = [{ shard: 0, value: 1, ts: NOW }];
    expect(decided(stored, [demandFor(2)], { config })).toMatchObject({
      ok: false,
      retryAfter: Number.MAX_SAFE_INTEGER,
    });
  });
});

test("up to a count, a token that is there but for a rounding error is taken", () => {
  const some = demandFor(10, { upTo: true });
  expect(decided([4, 3 - tolerance / 2], [some])).toMatchObject({ taken: [7] });
});

test("each demand that is refused is told", () => {
  const demands = [demandFor(3), demandFor(5), demandFor(9)];
  expect(decided([4, 3], demands)).toMatchObject({ refused: [1, 2] });
  const config = tenEach(2, { enforce: false });
  const dry = decided([4, 3], demands, { config });
  expect(dry).toMatchObject({ taken: [3, 0, 0], spared: [1, 2] });
});

describe("what can never be granted is told by", () => {
  const lasts = { override: { config: { capacity: 25 } }, expiresAt: NOW + 1 };
  const lowers = { ...lasts, override: { config: { capacity: 5 } } };

  test.each([
    ["the capacity", demandFor(20.5), [], "count 20.5 exceeds 20."],
    [
      "what must remain",
      demandFor(18, { leave: 3 }),
      [],
      "count 18 exceeds 17.",
    ],
    ["nothing below", demandFor(1, { leave: 25 }), [], "count 1 exceeds 0."],
    ["debts", demandFor(25, { debt: "reserve" }), [], "count 25 exceeds 24."],
    ["what follows", demandFor(21), [lowers], "count 21 exceeds 20."],
    ["that, not by what holds now", demandFor(22), [lasts], "exceeds 20."],
    ["the most of both", demandFor(26), [lasts], "exceeds 25."],
  ])("%s", (_claim, demand, overrides, message) => {
    const config = tenEach(2, { maxReserved: 4 });
    expect(() =>
      decided([4, 3], [demandFor(1), demand], { config, overrides }),
    ).toThrow(message);
  });
});

describe("about when all demands will be granted", () => {
  const guess = (
    values: readonly number[],
    demands: readonly Demand[],
    from = NOW,
  ) => {
    const [phase] = phasesFor(tenEach(values.length));
    return forecastByTotal(rows(values), demands).guess(phase, from);
  };

  test.each([
    ["now, if they are there", [4, 3], [demandFor(7)], NOW],
    ["now, if more is there", [4, 3], [demandFor(1)], NOW],
    ["when what is missing arrives", [4, 3], [demandFor(9)], NOW + 2000],
    [
      "when it arrives for all of them",
      [4, 3],
      [demandFor(6), demandFor(4)],
      NOW + 3000,
    ],
    [
      "for up to more, a token",
      [0, 0],
      [demandFor(9, { upTo: true })],
      NOW + 1000,
    ],
    [
      "for up to a half, that",
      [0, 0],
      [demandFor(0.5, { upTo: true })],
      NOW + 500,
    ],
    [
      "when enough remains",
      [4, 3],
      [demandFor(6), demandFor(1, { leave: 2 })],
      NOW + 2000,
    ],
  ])("%s", (_claim, values, demands, expected) => {
    expect(guess(values, demands)).toBe(expected);
  });

  test("counted from then on", () => {
    expect(guess([1, 1], [demandFor(9)], NOW + 4000)).toBe(NOW + 7000);
  });
});

test("a ban bars what asks, and not what takes unasked", () => {
  const [banned] = phasesFor(tenEach(2), [{ override: { deny: true } }]);
  const unasked = demandFor(1, { debt: "any" });
  expect(isRefusedByBan(banned, [unasked])).toBe(false);
  expect(isRefusedByBan(banned, [unasked, demandFor(1)])).toBe(true);
  expect(isRefusedByBan(banned, [demandFor(1, { debt: "reserve" })])).toBe(
    true,
  );
  expect(isRefusedByBan(phasesFor(tenEach(2))[0], [demandFor(1)])).toBe(false);
});

describe("from a few rows", () => {
  const take = (values: number[], demand: Demand) => {
    const writes = takeFrom(limitOf(tenEach(5)), held(...values), demand, NOW);
    return writes && written(writes);
  };

  test.each([
    ["what one of them holds", [4, 3], demandFor(3), { 1: 1 }],
    ["what they hold together", [4, 3], demandFor(7), { 1: 0, 2: 0 }],
    ["nothing of what they do not hold", [4, 3], demandFor(7.5), undefined],
    ["no debt", [4, 3], demandFor(7.5, { debt: "reserve" }), undefined],
    ["no part", [4, 3], demandFor(9, { upTo: true }), undefined],
    ["no row for nothing", [4, 3], demandFor(0), {}],
  ])("%s", (_claim, values, demand, expected) => {
    expect(take(values, demand)).toEqual(expected);
  });
});

describe("tokens are given", () => {
  test.each([
    ["to the emptiest row", [9, 2, 5], 3, 3, { 2: 5 }],
    ["to the emptiest up to its brim", [9, 2, 5], 8, 8, { 2: 10 }],
    ["to the next when it is full", [9, 2, 5], 10, 10, { 2: 10, 3: 7 }],
    ["to all that have room", [9, 2, 5], 99, 14, { 1: 10, 2: 10, 3: 10 }],
    ["to none if all are full", [10, 10], 1, 0, {}],
    ["to a debt", [-4, -2], 4, 4, { 0: -2 }],
    ["to a debt, all of it", [-4, -2], 6, 6, { 0: 0 }],
    ["to a debt, and then to all rows alike", [-4, -2], 8, 8, { 0: 2 }],
    ["to a debt, up to the capacity", [-4, -2], 99, 26, { 0: 20 }],
    ["to a debt beside what others hold", [9, -4, -2], 4, 4, { 0: 7 }],
  ])("%s", (_claim, values, count, credited, written) => {
    const limit = limitOf(tenEach(values.length));
    const gift = creditRows(limit, held(...values), count, NOW);
    const { writes } = gift;
    const values0 = writes.map(({ shard, value }) => [shard, value]);
    expect(Object.fromEntries(values0)).toEqual(written);
    expect(gift.credited).toBe(credited);
    expect(writes[0]?.into).toBe(0 in written ? values.length : undefined);
  });
});

test("rows of which one is in debt are gathered by what is taken", () => {
  const writes = drainTo(limitOf(tenEach(3)), held(-2, 5, 6), 1, NOW);
  expect(writes).toMatchObject([{ shard: 0, value: 1, into: 3 }]);
});

test.each([
  ["limited", 7, true],
  ["limited", 8, false],
  ["banned", 1, false],
  ["unlimited", 1e9, true],
] as const)("of what is %s, %d is granted: %s", (effect, count, expected) => {
  const phase = { ...phasesFor(tenEach(2))[0], effect };
  expect(wouldGrantAll(phase, rows([4, 3]), [demandFor(count)], NOW)).toBe(
    expected,
  );
});

describe("a limit is full", () => {
  test.each([
    ["at once but for a rounding error", [10, 10 - tolerance / 2], 0],
    ["when its emptiest row is", [8, 9], 4000],
    ["when its debt is paid and all rows are", [-1, -1], 22_000],
  ])("%s", (_claim, values, expected) => {
    const phases = phasesFor(tenEach(2));
    expect(timeUntilFull(phases, rows(values), NOW)).toBe(expected);
  });

  test("never, if it gains nothing in all time, but that is a whole number", () => {
    const idle = phasesFor(tenEach(1, { rate: 1e-300, capacity: 10 }));
    const empty = [{ shard: 0, value: 1, ts: NOW }];
    expect(timeUntilFull(idle, empty, NOW)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
