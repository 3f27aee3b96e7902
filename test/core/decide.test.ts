import { describe, expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import { ruleOf, toLimit } from "../../src/core/limit.js";
import { phasesOf } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/validators.js";
import {
  creditRows,
  isRefusedByBan,
  drainTo,
  gatheredIfOwing,
  takeFrom,
} from "../../src/core/decide.js";
import type { Demand } from "../../src/core/demand.js";
import type { Balance, Row } from "../../src/core/rows.js";
import { decideAlone } from "../support/decideAlone.js";
import { demandFor, tenEach } from "../support/demands.js";
import { NOW, rows, tree } from "../support/splitRows.js";

const phasesFor = (config: RateLimitConfig, overrides: TimedOverride[] = []) =>
  phasesOf("api", undefined, config, overrides, NOW);

const limitOf = (config: RateLimitConfig) => toLimit("api", config);

const { tolerance } = limitOf(tenEach(3));

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

/** Decides on rows, which may be given by what those below row 0 hold. */
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
    ["from the emptiest row last", [3, 5, 6], 12, { 1: 2, 2: 0, 3: 0 }],
    ["from all rows", [3, 5, 6], 14, { 1: 0, 2: 0, 3: 0 }],
    ["from a row that holds it within rounding", [3, 5], 5 + nearly, { 2: 0 }],
    ["from all rows, within rounding", [3, 5], 8 + nearly, { 1: 0, 2: 0 }],
    ["from no row, if it is 0", [3, 5, 6], 0, {}],
    ["from no row, if it is 0 beside a tiny debt", [-nearly, 0], 0, {}],
  ])("%s", (_claim, values, count, writes) => {
    const taken = [count];
    expect(decided(values, [demandFor(count)])).toEqual({
      ok: true,
      taken,
      writes,
    });
  });

  test("by a write that says when the row is full", () => {
    const phases = phasesFor(tenEach(2));
    const decision = decideAlone(phases, rows([4, 2]), [demandFor(3)], NOW);
    expect(decision).toMatchObject({
      writes: [{ shard: 1, value: 1, ts: NOW, fullAt: NOW + 18_000 }],
    });
  });

  test("from an equal part of all tokens, if the rows are of another split", () => {
    const stored = rows([1, 1, 4, 4]);
    const decision = decided(stored, [demandFor(2)], { shards: 2 });
    expect(decision).toMatchObject({ writes: { 1: 3 } });
  });

  test("without losing digits of large numbers", () => {
    const stored = held(1e15, 1e15, 1);
    const limit = limitOf(tenEach(3, { rate: 3e15, capacity: 3e15 }));
    expect(written(drainTo(limit, stored, 1, NOW))).toEqual({ 1: 0, 2: 0 });
  });
});

describe("a count above the balance", () => {
  const nearly = 2 + tolerance / 2;
  test.each<
    [string, readonly number[] | Row[], n: number, object, retryAfter?: number]
  >([
    ["is owed by row 0 for all rows", [1, 2, 0], 6, { 0: -3 }, 3000],
    ["deepens a debt", tree(2, -2), 2, { 0: -4 }, 4000],
    ["deepens a debt of another split", tree(4, -6), 1, { 0: -7 }, 7000],
    ["waits for a debt even if it is 0", tree(2, -3), 0, {}, 3000],
    ["leaves no debt within rounding", [1, 1], nearly, { 1: 0, 2: 0 }],
  ])("%s, if reserved", (_claim, given, count, writes, retryAfter) => {
    const reserved = [demandFor(count, { debt: "reserve" })];
    const shards = Math.max(2, given.length);
    const decision = decided(given, reserved, { shards });
    expect(decision).toEqual({ ok: true, taken: [count], writes, retryAfter });
  });

  test("is owed by the only row, if reserved", () => {
    const four = [{ shard: 0, value: 4, ts: NOW }];
    const reserved = [demandFor(6, { debt: "reserve" })];
    const owed = { writes: { 0: -2 }, retryAfter: 2000 };
    expect(decided(four, reserved, { shards: 1 })).toMatchObject(owed);
  });

  test("leaves a row 0 that says how it is split, if reserved", () => {
    const phases = phasesFor(tenEach(2));
    const reserved = [demandFor(5, { debt: "reserve" })];
    const decision = decideAlone(phases, rows([1, 1]), reserved, NOW);
    const rule = ruleOf(limitOf(tenEach(2)));
    expect(decision).toMatchObject({
      writes: [{ into: 2, rule, usedAt: NOW }],
    });
  });

  test("is refused if more than the tolerance is missing", () => {
    expect(decided([1, 1], [demandFor(2 + 2 * tolerance)])).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 1,
    });
  });

  test("waits 2 ** 53 - 1 ms if it leaves a debt that is never paid", () => {
    expect(decided([0, 0], [demandFor(1e18, { debt: "any" })])).toMatchObject({
      ok: true,
      retryAfter: Number.MAX_SAFE_INTEGER,
    });
  });

  test("is denied for 2 ** 53 - 1 ms if the limit never gains that much", () => {
    const config = tenEach(1, { rate: 1e-300 });
    const stored = [{ shard: 0, value: 1, ts: NOW }];
    expect(decided(stored, [demandFor(2)], { config })).toMatchObject({
      ok: false,
      retryAfter: Number.MAX_SAFE_INTEGER,
    });
  });
});

test("upTo takes a token that is missing only by rounding", () => {
  const some = demandFor(10, { upTo: true });
  expect(decided([4, 3 - tolerance / 2], [some])).toMatchObject({ taken: [7] });
});

test("a decision lists each refused demand, as refused or spared", () => {
  const demands = [demandFor(3), demandFor(5), demandFor(9)];
  expect(decided([4, 3], demands)).toMatchObject({ refused: [1, 2] });
  const config = tenEach(2, { enforce: false });
  const dry = decided([4, 3], demands, { config });
  expect(dry).toMatchObject({ taken: [3, 0, 0], spared: [1, 2] });
});

describe("the most that a demand could ever be granted is", () => {
  const lasts = { override: { config: { capacity: 25 } }, expiresAt: NOW + 1 };
  const lowers = { ...lasts, override: { config: { capacity: 5 } } };

  test.each([
    ["the capacity", demandFor(20.5), [], "count 20.5 exceeds 20."],
    [
      "the capacity less what it leaves",
      demandFor(18, { leave: 3 }),
      [],
      "count 18 exceeds 17.",
    ],
    ["0 for a leave above the capacity", demandFor(1, { leave: 25 }), [], "0."],
    [
      "the capacity and maxReserved",
      demandFor(25, { debt: "reserve" }),
      [],
      "count 25 exceeds 24.",
    ],
    ["the capacity after an override", demandFor(21), [lowers], "exceeds 20."],
    [
      "the capacity after an override, not the one in force",
      demandFor(22),
      [lasts],
      "exceeds 20.",
    ],
    ["the larger of two capacities", demandFor(26), [lasts], "exceeds 25."],
  ])("%s", (_claim, demand, overrides, message) => {
    const config = tenEach(2, { maxReserved: 4 });
    expect(() =>
      decided([4, 3], [demandFor(1), demand], { config, overrides }),
    ).toThrow(message);
  });
});

test("a ban refuses every request, and no charge alone", () => {
  const [banned] = phasesFor(tenEach(2), [{ override: { deny: true } }]);
  const charge = demandFor(1, { debt: "any" });
  expect(isRefusedByBan(banned, [charge])).toBe(false);
  expect(isRefusedByBan(banned, [charge, demandFor(1)])).toBe(true);
  expect(isRefusedByBan(banned, [demandFor(1, { debt: "reserve" })])).toBe(
    true,
  );
  expect(isRefusedByBan(phasesFor(tenEach(2))[0], [demandFor(1)])).toBe(false);
});

describe("a few rows grant", () => {
  const take = (values: number[], demand: Demand) => {
    const writes = takeFrom(limitOf(tenEach(5)), held(...values), demand, NOW);
    return writes && written(writes);
  };

  test.each([
    ["a count that one of them holds", [4, 3], demandFor(3), { 1: 1 }],
    ["a count that they hold together", [4, 3], demandFor(7), { 1: 0, 2: 0 }],
    ["no count that they do not hold", [4, 3], demandFor(7.5), undefined],
    ["no debt", [4, 3], demandFor(7.5, { debt: "reserve" }), undefined],
    ["no part of a count", [4, 3], demandFor(9, { upTo: true }), undefined],
    ["0 without a write", [4, 3], demandFor(0), {}],
  ])("%s", (_claim, values, demand, expected) => {
    expect(take(values, demand)).toEqual(expected);
  });
});

describe("tokens are given", () => {
  test.each<[string, number[], count: number, credited: number, object]>([
    ["to the emptiest row", [9, 2, 5], 3, 3, { 2: 5 }],
    ["to the emptiest until it is full", [9, 2, 5], 8, 8, { 2: 10 }],
    ["to the next if the emptiest is full", [9, 2, 5], 10, 10, { 2: 10, 3: 7 }],
    ["to all that have room", [9, 2, 5], 99, 14, { 1: 10, 2: 10, 3: 10 }],
    ["to none if all are full", [10, 10], 1, 0, {}],
    ["to a debt", [-4, -2], 4, 4, { 0: -2 }],
    ["to a debt until it is paid", [-4, -2], 6, 6, { 0: 0 }],
    ["to a debt, and then to all rows alike", [-4, -2], 8, 8, { 0: 2 }],
    ["to a debt, up to the capacity", [-4, -2], 99, 26, { 0: 20 }],
    ["to a debt beside what others hold", [9, -4, -2], 4, 4, { 0: 7 }],
  ])("%s", (_claim, values, count, credited, written) => {
    const limit = limitOf(tenEach(values.length));
    const rows = gatheredIfOwing(held(...values));
    const gift = creditRows(limit, rows, count, NOW);
    const { writes } = gift;
    const values0 = writes.map(({ shard, value }) => [shard, value]);
    expect(Object.fromEntries(values0)).toEqual(written);
    expect(gift.credited).toBe(credited);
    expect(writes[0]?.into).toBe(0 in written ? values.length : undefined);
  });
});

test("taking tokens gathers the rows if one is in debt", () => {
  const limit = limitOf(tenEach(3));
  const rows = gatheredIfOwing(held(-2, 5, 6), 1);
  const writes = drainTo(limit, rows, 1, NOW);
  expect(writes).toMatchObject([{ shard: 0, value: 1, into: 3 }]);
});

test("some of the rows are never gathered", () => {
  const limit = limitOf(tenEach(3));
  const some = held(-2, 5, 6);
  expect(written(drainTo(limit, some, 1, NOW))).toEqual({ 2: 3, 3: 0 });
  const { writes } = creditRows(limit, some, 13, NOW);
  expect(written(writes)).toEqual({ 1: 10, 2: 6 });
});
