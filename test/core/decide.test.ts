import { describe, expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import { parseLimit } from "../../src/core/limit.js";
import { phasesOf } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/vOverride.js";
import { isBarred, takeFrom } from "../../src/core/decide.js";
import { forecast, isGranted, timeUntilFull } from "../../src/core/wait.js";
import { give } from "../../src/core/spread.js";
import type { Demand } from "../../src/core/grant.js";
import { MINUTE } from "../../src/core/periods.js";
import type { Row } from "../../src/core/row.js";
import type { Held } from "../../src/core/rows.js";
import { decideAlone } from "../decideAlone.js";

const NOW = 1_000_000;

/** A token a second; rows that hold up to 10 each. */
const bucket = (shards: number, more: Partial<RateLimitConfig> = {}) =>
  ({
    kind: "token bucket",
    rate: 60,
    period: MINUTE,
    capacity: 10 * shards,
    shards,
    ...more,
  }) as RateLimitConfig;

const phasesFor = (config: RateLimitConfig, ofKey?: TimedOverride[]) =>
  phasesOf("api", undefined, config, ofKey && { ofKey, ofLimit: [] }, NOW);

const limitOf = (config: RateLimitConfig) => parseLimit("api", config);

const { tolerance } = limitOf(bucket(3));

const ask = (count: number, more: Partial<Demand> = {}): Demand => ({
  count,
  debt: "none",
  leave: 0,
  upTo: false,
  ...more,
});

const rows = (values: readonly number[], of = values.length): Row[] =>
  values.map((value, shard) => ({ shard, value, ts: NOW, of }));

const held = (...values: number[]): Held[] =>
  values.map((value, shard) => ({
    shard,
    parts: values.length,
    value,
    ts: NOW,
  }));

/** What each row that is written holds, by its place. */
const written = (writes: readonly Row[]) =>
  Object.fromEntries(writes.map(({ shard, value }) => [shard, value]));

/** Decides on rows of a split limit; what is written is told by place. */
function decided(
  values: readonly number[],
  demands: readonly Demand[],
  {
    config = bucket(values.length),
    overrides = undefined as TimedOverride[] | undefined,
  } = {},
) {
  const decision = decideAlone(
    phasesFor(config, overrides),
    rows(values),
    demands,
    NOW,
  );
  if (!decision.ok) return decision;
  const { writes, ...rest } = decision;
  return { ...rest, writes: written(writes) };
}

describe("a count is taken", () => {
  test.each([
    ["from the first row that holds all of it", [3, 5, 6], 5, { 1: 0 }],
    ["from the only row that holds all of it", [3, 5, 6], 6, { 2: 0 }],
    ["from a row that keeps the rest", [3, 5, 6], 2, { 0: 1 }],
    ["from the fullest rows, if none holds it", [3, 5, 6], 7, { 1: 4, 2: 0 }],
    ["from all but the emptiest's rest", [3, 5, 6], 12, { 0: 2, 1: 0, 2: 0 }],
    ["from all rows", [3, 5, 6], 14, { 0: 0, 1: 0, 2: 0 }],
    [
      "from one that has it within rounding",
      [3, 5],
      5 + tolerance / 2,
      { 1: 0 },
    ],
    [
      "from all rows, within rounding",
      [3, 5],
      8 + tolerance / 2,
      { 0: 0, 1: 0 },
    ],
    ["from no row, if it is nothing", [3, 5, 6], 0, {}],
    ["from no row, to round a debt", [-tolerance / 2, 0], 0, {}],
  ])("%s", (_claim, values, count, writes) => {
    expect(decided(values, [ask(count)])).toEqual({
      ok: true,
      taken: [count],
      writes,
    });
  });

  test("beside a row in debt, which keeps its debt, from the others", () => {
    expect(decided([-2, 5, 6], [ask(8)])).toEqual({
      ok: true,
      taken: [8],
      writes: { 1: 3, 2: 0 },
    });
  });

  test("and what is written says when it is full", () => {
    const decision = decideAlone(
      phasesFor(bucket(2)),
      rows([4, 2]),
      [ask(3)],
      NOW,
    );
    expect(decision).toMatchObject({
      writes: [{ shard: 0, value: 1, ts: NOW, fullAt: NOW + 18_000, of: 2 }],
    });
  });

  test("of another split from rows that are all written anew", () => {
    const decision = decideAlone(
      phasesFor(bucket(2)),
      rows([1, 1, 4, 4]),
      [ask(2)],
      NOW,
    );
    expect(decision).toMatchObject({
      writes: [
        { shard: 0, value: 3, of: 2 },
        { shard: 1, value: 5, of: 2 },
      ],
    });
  });

  test("of large numbers without a loss of digits", () => {
    const config = bucket(3, { rate: 3e15, capacity: 3e15 });
    const few = decided([1e15, 1e15, 1], [ask(2e15)], { config });
    expect(few).toMatchObject({ ok: true, writes: { 0: 0, 1: 0 } });
    expect(few).not.toMatchObject({
      writes: { 2: expect.anything() as unknown },
    });
  });
});

describe("what is more than there is", () => {
  test.each([
    ["is owed by all rows alike", [1, 2, 0], 6, { 0: -1, 1: -1, 2: -1 }, 3000],
    ["deepens a debt", [-1, -1], 2, { 0: -2, 1: -2 }, 4000],
    ["of a row in debt levels all", [1, -3], 1, { 0: -1.5, 1: -1.5 }, 3000],
    ["is nothing, of a debt that waits", [-1, -2], 0, {}, 3000],
    [
      "is no debt within a rounding error",
      [1, 1],
      2 + tolerance / 2,
      { 0: 0, 1: 0 },
      undefined,
    ],
  ])("reserved, %s", (_claim, values, count, writes, retryAfter) => {
    const decision = decided(values, [ask(count, { debt: "reserve" })]);
    expect(decision).toEqual({ ok: true, taken: [count], writes, retryAfter });
  });

  test("is refused, but for a rounding error", () => {
    expect(decided([1, 1], [ask(2 + 2 * tolerance)])).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 1,
    });
  });

  test("reserved under another split, waits for what all rows of before owe together", () => {
    const stored = rows([0, 0, 3, -9]);
    const reserving = ask(1, { debt: "reserve" });
    expect(
      decideAlone(phasesFor(bucket(2)), stored, [reserving], NOW),
    ).toMatchObject({
      ok: true,
      retryAfter: 7000,
      writes: [{ value: -3.5 }, { value: -3.5 }],
    });
  });

  test("a debt that no time pays is paid at the last whole number", () => {
    expect(decided([0, 0], [ask(1e18, { debt: "any" })])).toMatchObject({
      ok: true,
      retryAfter: Number.MAX_SAFE_INTEGER - NOW,
    });
  });
});

test("up to a count, a token that is there but for a rounding error is taken", () => {
  const some = ask(10, { upTo: true });
  expect(decided([4, 3 - tolerance / 2], [some])).toMatchObject({ taken: [7] });
});

test("each demand that is refused is told", () => {
  const demands = [ask(3), ask(5), ask(9)];
  expect(decided([4, 3], demands)).toMatchObject({ refused: [1, 2] });
  const config = bucket(2, { enforce: false });
  const dry = decided([4, 3], demands, { config });
  expect(dry).toMatchObject({ taken: [3, 0, 0], wouldDeny: [1, 2] });
});

describe("what can never be granted is told by", () => {
  const lasts = { override: { config: { capacity: 25 } }, expiresAt: NOW + 1 };
  const lowers = { ...lasts, override: { config: { capacity: 5 } } };

  test.each([
    ["the capacity", ask(20.5), [], "count 20.5 exceeds 20."],
    ["what must remain", ask(18, { leave: 3 }), [], "count 18 exceeds 17."],
    ["nothing below", ask(1, { leave: 25 }), [], "count 1 exceeds 0."],
    ["debts", ask(25, { debt: "reserve" }), [], "count 25 exceeds 24."],
    ["what follows", ask(21), [lowers], "count 21 exceeds 20."],
    ["that, not by what holds now", ask(22), [lasts], "exceeds 20."],
    ["the most of both", ask(26), [lasts], "exceeds 25."],
  ])("%s", (_claim, demand, overrides, message) => {
    const config = bucket(2, { maxReserved: 4 });
    expect(() =>
      decided([4, 3], [ask(1), demand], { config, overrides }),
    ).toThrow(message);
  });
});

describe("about when all demands will be granted", () => {
  const guess = (
    values: readonly number[],
    demands: readonly Demand[],
    from = NOW,
  ) => {
    const [phase] = phasesFor(bucket(values.length));
    return forecast(rows(values), demands).guess(phase, from);
  };

  test.each([
    ["now, if they are there", [4, 3], [ask(7)], NOW],
    ["now, if more is there", [4, 3], [ask(1)], NOW],
    ["when what is missing arrives", [4, 3], [ask(9)], NOW + 2000],
    ["when it arrives for all of them", [4, 3], [ask(6), ask(4)], NOW + 3000],
    ["for up to more, a token", [0, 0], [ask(9, { upTo: true })], NOW + 1000],
    ["for up to a half, that", [0, 0], [ask(0.5, { upTo: true })], NOW + 500],
    ["when enough remains", [4, 3], [ask(6), ask(1, { leave: 2 })], NOW + 2000],
  ])("%s", (_claim, values, demands, expected) => {
    expect(guess(values, demands)).toBe(expected);
  });

  test("counted from then on", () => {
    expect(guess([1, 1], [ask(9)], NOW + 4000)).toBe(NOW + 7000);
  });
});

test("a ban bars what asks, and not what takes unasked", () => {
  const [banned] = phasesFor(bucket(2), [{ override: { deny: true } }]);
  const unasked = ask(1, { debt: "any" });
  expect(isBarred(banned, [unasked])).toBe(false);
  expect(isBarred(banned, [unasked, ask(1)])).toBe(true);
  expect(isBarred(banned, [ask(1, { debt: "reserve" })])).toBe(true);
  expect(isBarred(phasesFor(bucket(2))[0], [ask(1)])).toBe(false);
});

describe("from a few rows", () => {
  const take = (values: number[], demand: Demand) => {
    const writes = takeFrom(limitOf(bucket(5)), held(...values), demand, NOW);
    return writes && written(writes);
  };

  test.each([
    ["what one of them holds", [4, 3], ask(3), { 0: 1 }],
    ["what they hold together", [4, 3], ask(7), { 0: 0, 1: 0 }],
    ["nothing of what they do not hold", [4, 3], ask(7.5), undefined],
    ["no debt", [4, 3], ask(7.5, { debt: "reserve" }), undefined],
    ["no part", [4, 3], ask(9, { upTo: true }), undefined],
    ["no row for nothing", [4, 3], ask(0), {}],
  ])("%s", (_claim, values, demand, expected) => {
    expect(take(values, demand)).toEqual(expected);
  });
});

describe("tokens are given", () => {
  const given = (values: number[], count: number, isOutdated?: true) => {
    const limit = limitOf(bucket(values.length));
    const rows = held(...values).map((row) => ({ ...row, isOutdated }));
    const { credited, writes } = give(limit, rows, count, NOW);
    return { credited, writes: written(writes) };
  };

  test.each([
    ["to the emptiest row", [9, 2, 5], 3, 3, { 1: 5 }],
    ["to the emptiest up to its brim", [9, 2, 5], 8, 8, { 1: 10 }],
    ["to the next when it is full", [9, 2, 5], 10, 10, { 1: 10, 2: 7 }],
    ["to all that have room", [9, 2, 5], 99, 14, { 0: 10, 1: 10, 2: 10 }],
    ["to none if all are full", [10, 10], 1, 0, {}],
    ["to rows in debt first, alike", [9, -4, -2], 4, 4, { 1: -1, 2: -1 }],
    ["to rows in debt, all of it", [9, -4, -2], 6, 6, { 1: 0, 2: 0 }],
    [
      "to debts, and the rest to the emptiest",
      [9, -4, -2],
      8,
      8,
      { 1: 2, 2: 0 },
    ],
    ["to one row in debt", [9, -4], 1, 1, { 1: -3 }],
    ["to a debt before an empty row", [0, -4], 5, 5, { 0: 1, 1: 0 }],
  ])("%s", (_claim, values, count, credited, writes) => {
    expect(given(values, count)).toEqual({ credited, writes });
  });

  test("under another split, each row is written anew, if there is room", () => {
    expect(given([9, 2], 3, true)).toEqual({
      credited: 3,
      writes: { 0: 9, 1: 5 },
    });
    expect(given([9, -4], 1, true)).toEqual({
      credited: 1,
      writes: { 0: 9, 1: -3 },
    });
    expect(given([10, 10], 3, true)).toEqual({ credited: 0, writes: {} });
  });
});

test.each([
  ["limited", 7, true],
  ["limited", 8, false],
  ["banned", 1, false],
  ["unlimited", 1e9, true],
] as const)("of what is %s, %d is granted: %s", (effect, count, expected) => {
  const phase = { ...phasesFor(bucket(2))[0], effect };
  expect(isGranted(phase, rows([4, 3]), [ask(count)], NOW)).toBe(expected);
});

describe("a limit is full", () => {
  test.each([
    ["at once but for a rounding error", [10, 10 - tolerance / 2], 0],
    ["when its emptiest row is", [8, 9], 4000],
    ["when its debt is paid and all rows are", [-1, 9], 22_000],
  ])("%s", (_claim, values, expected) => {
    const phases = phasesFor(bucket(2));
    expect(timeUntilFull(phases, rows(values), NOW)).toBe(expected);
  });

  test("never, if it gains nothing in all time, but that is a whole number", () => {
    const idle = phasesFor(bucket(1, { rate: 1e-300, capacity: 10 }));
    expect(timeUntilFull(idle, rows([1]), NOW)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
