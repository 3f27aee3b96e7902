import { describe, expect, test } from "vitest";
import { viewOfRow } from "../../src/state/row/row.js";
import { viewOfRows } from "../../src/state/spread/rows.js";
import { DAY, MINUTE, WEEK } from "../../src/core/periods.js";
import { decideAlone } from "../support/decideAlone.js";
import { phasesOf } from "../../src/core/phases.js";
import type { RateLimitConfig } from "../../src/core/config.js";
import type { Demand } from "../../src/core/demand.js";
import { toLimit } from "../../src/core/limit.js";
import { forecastByTotal, timeUntilFull } from "../../src/core/wait.js";
import { demandFor, tenEach } from "../support/demands.js";
import { NOW, rows } from "../support/splitRows.js";

describe("the wait for one token is right to the ms, however slow the limit", () => {
  test.each<[rate: number, period: number, retryAfter: number]>([
    [10, MINUTE, 6_000],
    [7, WEEK, DAY],
    [1, 10_000 * DAY, 10_000 * DAY],
  ])("%d per %d ms", (rate, period, retryAfter) => {
    const config = { kind: "token bucket", rate, period } as const;
    const phases = phasesOf("slow", undefined, config, [], 0);
    const take = (now: number) =>
      decideAlone(phases, [{ shard: 0, value: 0, ts: 0 }], [demandFor(1)], now);
    expect(take(0)).toEqual({ ok: false, refused: [0], retryAfter });
    expect(take(retryAfter - 1).ok).toBe(false);
    expect(take(retryAfter).ok).toBe(true);
  });
});

const phasesFor = (config: RateLimitConfig) =>
  phasesOf("api", undefined, config, [], NOW);

describe("the guess when all demands will be granted is", () => {
  const guess = (
    values: readonly number[],
    demands: readonly Demand[],
    from = NOW,
  ) => {
    const [phase] = phasesFor(tenEach(values.length));
    return forecastByTotal(viewOfRows(rows(values)), demands).guess(
      phase,
      from,
    );
  };

  type Case = { values: number[]; demands: Demand[]; expected: number };

  test.each`
    when                                               | values    | demands                                       | expected
    ${"now, if the tokens are there"}                  | ${[4, 3]} | ${[demandFor(7)]}                             | ${NOW}
    ${"now, if more are there"}                        | ${[4, 3]} | ${[demandFor(1)]}                             | ${NOW}
    ${"when the missing tokens arrive"}                | ${[4, 3]} | ${[demandFor(9)]}                             | ${NOW + 2000}
    ${"when the missing tokens of all demands arrive"} | ${[4, 3]} | ${[demandFor(6), demandFor(4)]}               | ${NOW + 3000}
    ${"when one token arrives, for up to 9"}           | ${[0, 0]} | ${[demandFor(9, { upTo: true })]}             | ${NOW + 1000}
    ${"when half a token arrives, for up to half"}     | ${[0, 0]} | ${[demandFor(0.5, { upTo: true })]}           | ${NOW + 500}
    ${"when enough would remain"}                      | ${[4, 3]} | ${[demandFor(6), demandFor(1, { leave: 2 })]} | ${NOW + 2000}
  `("$when", ({ values, demands, expected }: Case) => {
    expect(guess(values, demands)).toBe(expected);
  });

  test("the same when guessed from a later time", () => {
    expect(guess([1, 1], [demandFor(9)], NOW + 4000)).toBe(NOW + 7000);
  });
});

describe("a limit is full", () => {
  const { tolerance } = toLimit("api", tenEach(3));

  test.each([
    ["at once, if all is there within rounding", [10, 10 - tolerance / 2], 0],
    ["when its emptiest row is", [8, 9], 4000],
    ["when its debt is paid and all rows are", [-1, -1], 22_000],
  ])("%s", (_claim, values, expected) => {
    const phases = phasesFor(tenEach(2));
    expect(timeUntilFull(phases, viewOfRows(rows(values)), NOW)).toBe(expected);
  });

  test("in 2 ** 53 - 1 ms, if it never gains that much", () => {
    const idle = phasesFor(tenEach(1, { rate: 1e-300, capacity: 10 }));
    const empty = viewOfRow({ shard: 0, value: 1, ts: NOW });
    expect(timeUntilFull(idle, empty, NOW)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
