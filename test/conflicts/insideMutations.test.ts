import { expect, test } from "vitest";
import { missesOf, runVerbs } from "../../bench/verbs.js";
import { ours } from "../../bench/limiters.js";
import { seededRandom } from "../../sim/random.js";
import { callAll } from "../support/simulatedCalls.js";

/* Hot limits in mutations that do more than ask one limit. `npm run bench` runs all such scenarios. */

// Each of them failed for more than 2% of the calls: some read all rows once their mutation had
// written, some searched for room in a full limit, and some fought over fractions of tokens.
test.each([
  ["limit", "alone", "overloaded"],
  ["limit", "after another limit", "overloaded"],
  ["check", "alone", "overloaded"],
  ["details", "after an insert", "healthy"],
  ["details", "after another limit", "just sufficient"],
  ["upTo", "after another limit", "overloaded"],
  ["settle", "in 50 ms", "healthy"],
  ["release", "in 50 ms", "healthy"],
  ["credit", "after an insert", "healthy"],
])(
  "hardly any of 40 calls of %s a second fail, %s, on a key that is %s",
  async (verb, place, supply) => {
    const lines = await runVerbs(
      {
        verbs: [verb],
        places: [place],
        supplies: [supply],
        ways: ["default", "auto", "10"],
        rates: [40],
      },
      { seconds: 10, seeds: 1, progress: () => {} },
    );
    expect(lines.length).toBeGreaterThan(2);
    const misses = missesOf(lines).map(({ line, worst }) => [
      line.scenario.way,
      worst,
    ]);
    expect(misses).toEqual([]);
  },
);

// 12% failed: each of the rows held a fraction of a token, and all calls took the same ones.
test("calls that come late in a used window do not fight over its last fractions", async () => {
  const random = seededRandom(1, "arrivals");
  const config = {
    kind: "fixed window",
    rate: 1000,
    period: 10_000,
    start: 0,
    shards: "auto",
  };
  const times = [
    ...Array.from({ length: 1500 }, () => random() * 500),
    ...Array.from({ length: 180 }, () => 1000 + random() * 9000),
  ].sort((a, b) => a - b);
  const calls = times.map((time) => ({
    time,
    name: "lib:rateLimit",
    args: { name: "limit", config },
  }));
  const { answers } = await callAll(ours, calls, { executionMs: 50 });
  const late = answers.filter((_, i) => times[i]! >= 1000);
  const failed = late.filter(({ kind }) => kind === "gave up");
  expect(failed.length).toBeLessThanOrEqual(1);
});
