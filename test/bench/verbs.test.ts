import { describe, expect, test } from "vitest";
import { exceeds, exceedsThose } from "../../bench/chance.js";
import { stagesOf } from "../../bench/load/load.js";
import { scenariosOf } from "../../bench/load/scenarios.js";
import {
  missesOf,
  missesReport,
  runVerbs,
  verbsReport,
  type Line,
} from "../../bench/verbs.js";
import { noCounts } from "../../sim/transaction.js";

describe("a share of calls that fail", () => {
  // 10 of 1,000 are 1%. By chance 18 or more come about once in a hundred times.
  test.each([
    [10, 0.01, false],
    [17, 0.01, false],
    [19, 0.01, true],
    [1, 0, true],
    [0, 0, false],
  ])("%d of 1,000 exceeds %d beyond chance: %s", (failed, bar, expected) => {
    expect(exceeds({ failed, sent: 1000 }, bar)).toBe(expected);
  });

  test.each([
    [5, 0, false],
    [7, 0, true],
    [30, 20, false],
    [40, 20, true],
    [20, 40, false],
  ])(
    "%d of 1,000 exceeds %d of 1,000 others beyond chance: %s",
    (failed, others, expected) => {
      const share = { failed, sent: 1000 };
      expect(exceedsThose(share, { failed: others, sent: 1000 })).toBe(
        expected,
      );
    },
  );
});

type Asked = { verb?: string; supply?: string; way?: string };

/** The last mutation of a scenario, in which 10,000 calls were made, 1,000 in the first second. */
function line(
  { verb = "limit", supply = "overloaded", way = "default" }: Asked,
  gaveUp: number,
  first = 0,
): Line {
  const [scenario] = scenariosOf(
    {
      verbs: [verb],
      places: ["alone"],
      supplies: [supply],
      ways: [way],
      rates: [40],
    },
    { seconds: 20, kind: "token bucket" },
  );
  const i = scenario!.mutations.length - 1;
  const stage = {
    ...stagesOf(scenario!)[i]!,
    counts: noCounts(),
    sent: 10_000,
    gaveUp,
    first: { sent: 1000, gaveUp: first },
  };
  return { scenario: scenario!, i, stage };
}

describe("the table of verbs", () => {
  const healthy = { supply: "healthy" };
  const others = { way: "incumbent 10" };
  const settle = { verb: "settle" };

  test.each`
    what                                           | lines                                            | bars
    ${"1% in overload"}                            | ${[line({}, 100)]}                               | ${[]}
    ${"more than 1% in overload"}                  | ${[line({}, 200)]}                               | ${["1%"]}
    ${"0.1% with ample tokens"}                    | ${[line(healthy, 9)]}                            | ${[]}
    ${"more than 0.1% with ample tokens, later"}   | ${[line(healthy, 30)]}                           | ${["0.1% later"]}
    ${"more than 1% in the first second"}          | ${[line(healthy, 30, 30)]}                       | ${["1% in the first second"]}
    ${"more than the other package"}               | ${[line({}, 90), line(others, 40)]}              | ${["incumbent 10's 0.4%"]}
    ${"less than the other package"}               | ${[line({}, 40), line(others, 90)]}              | ${[]}
    ${"a settle that fails more often than limit"} | ${[line({}, 40), line(settle, 90)]}              | ${["limit's 0.4%"]}
    ${"a settle like limit in another mode"}       | ${[line({ way: "auto" }, 40), line(settle, 90)]} | ${[]}
    ${"what the other package fails"}              | ${[line(others, 5000)]}                          | ${[]}
  `("judges $what", ({ lines, bars }: { lines: Line[]; bars: string[] }) => {
    expect(missesOf(lines).flatMap(({ bars }) => bars)).toEqual(bars);
  });

  test("names what misses a bar, the worst first", () => {
    const lines = [line({}, 200), line({ way: "auto" }, 3000)];
    const misses = missesOf(lines);
    expect(misses.map(({ line: { scenario } }) => scenario.way)).toEqual([
      "auto",
      "default",
    ]);
    expect(verbsReport(lines, misses)).toContain("| 2! · 30! ");
    expect(verbsReport(lines, [])).toContain("| 2 · 30 ");
    expect(missesReport(misses)).toContain("limit, alone, overloaded");
  });

  test("comes from the simulator, the same for each run", async () => {
    const selection = {
      verbs: ["settle"],
      places: ["in 50 ms"],
      supplies: ["healthy"],
      ways: ["default"],
      rates: [20],
    };
    const setting = { seconds: 2, seeds: 2, progress: () => {} };
    const lines = await runVerbs(selection, setting);
    expect(await runVerbs(selection, setting)).toEqual(lines);
    const [hold, settle] = lines.map(({ stage }) => stage);
    expect(hold!.sent).toBeGreaterThan(50);
    expect(hold!.counts.rowsWritten).toBeGreaterThanOrEqual(2 * hold!.sent);
    // Work of 50 ms on average, and what is priced.
    expect(settle!.latenciesMs[0]).toBeGreaterThan(30 + 10);
  });
});
