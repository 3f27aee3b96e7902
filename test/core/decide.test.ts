import { describe, expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import { ruleOf, toLimit } from "../../src/core/limit.js";
import { phasesOf } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/validators.js";
import type { Demand } from "../../src/core/demand.js";
import type { Row } from "../../src/core/view.js";
import { decideAlone } from "../support/decideAlone.js";
import { demandFor, tenEach } from "../support/demands.js";
import { NOW, rows, tree, written } from "../support/splitRows.js";

const phasesFor = (config: RateLimitConfig, overrides: TimedOverride[] = []) =>
  phasesOf("api", undefined, config, overrides, NOW);

const limitOf = (config: RateLimitConfig) => toLimit("api", config);

const { tolerance } = limitOf(tenEach(3));

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

test("a decision lists each refused demand, as refused or let through", () => {
  const demands = [demandFor(3), demandFor(5), demandFor(9)];
  expect(decided([4, 3], demands)).toMatchObject({ refused: [1, 2] });
  const config = tenEach(2, { enforce: false });
  const dry = decided([4, 3], demands, { config });
  expect(dry).toMatchObject({ taken: [3, 0, 0], letThrough: [1, 2] });
});

describe("the most that a demand could ever be granted is", () => {
  const lasts = { override: { config: { capacity: 25 } }, expiresAt: NOW + 1 };
  const lowers = { ...lasts, override: { config: { capacity: 5 } } };
  type Case = { count: number; more: object; overrides: TimedOverride[] };

  test.each`
    most                                              | count   | more                   | overrides   | message
    ${"the capacity"}                                 | ${20.5} | ${{}}                  | ${[]}       | ${"count 20.5 exceeds 20."}
    ${"the capacity less what it leaves"}             | ${18}   | ${{ leave: 3 }}        | ${[]}       | ${"count 18 exceeds 17."}
    ${"0 for a leave above the capacity"}             | ${1}    | ${{ leave: 25 }}       | ${[]}       | ${"exceeds 0."}
    ${"the capacity and maxReserved"}                 | ${25}   | ${{ debt: "reserve" }} | ${[]}       | ${"count 25 exceeds 24."}
    ${"the same, if it denies a debt"}                | ${25}   | ${{ debt: "denied" }}  | ${[]}       | ${"count 25 exceeds 24."}
    ${"the capacity after an override"}               | ${21}   | ${{}}                  | ${[lowers]} | ${"exceeds 20."}
    ${"the capacity after one, not the one in force"} | ${22}   | ${{}}                  | ${[lasts]}  | ${"exceeds 20."}
    ${"the larger of two capacities"}                 | ${26}   | ${{}}                  | ${[lasts]}  | ${"exceeds 25."}
  `(
    "$most",
    ({ count, more, overrides, message }: Case & { message: string }) => {
      const config = tenEach(2, { maxReserved: 4 });
      const demands = [demandFor(1), demandFor(count, more)];
      expect(() => decided([4, 3], demands, { config, overrides })).toThrow(
        message,
      );
    },
  );
});
