import { describe, expect, test } from "vitest";
import asynchronous from "../../bench/asynchronous.json" with { type: "json" };
import { checks, type NamedScenario } from "../../bench/bar.js";
import type { Measurement } from "../../bench/measure.js";
import { failures } from "../../bench/report.js";

/** A run of 95 grants a second without a flaw. */
const good: Measurement = {
  requests: 2850,
  grants: 2850,
  tokens: 2850,
  exactTokens: 2850,
  conflictsPerRequest: 0,
  terminalFailurePct: 0,
  falseDenialPct: 0,
  unsupportedPct: 0,
  latencyP50Ms: 18,
  latencyP99Ms: 22,
  rowsReadPerRequest: 1,
  rowsPeekedPerRequest: 3.7,
  rowsWrittenPerRequest: 1,
  overshootTokensMax: 0,
  inFlightTokensMax: 9,
  inFlightGrantsMax: 9,
  rowsPeekedMax: 10,
  rowsWrittenMax: 1,
  nestedCallsMax: 1,
  deletionsPerGrant: 1,
  scheduledRunsPerRequest: 0.03,
  scheduledConflictsPerRequest: 0,
};
const peer: Measurement = { ...good, overshootTokensMax: 100 };

const near = asynchronous.late as NamedScenario;
const withHeadroom = asynchronous.nearHeadroom as NamedScenario;
const over = asynchronous.overLate as NamedScenario;
const overDead = asynchronous.overDead70 as NamedScenario;
const scenarios = { near, withHeadroom, over, overDead };

function missed(scenario: NamedScenario, flaw: Partial<Measurement>): string[] {
  const ours = { ...good, ...flaw };
  const result = { name: "x", scenario, ours, peer };
  return failures([{ ...result, checks: checks("x", scenario, ours, peer) }]);
}

describe("the bar of asynchronous updates", () => {
  test("passes a run without a flaw", () => {
    for (const scenario of Object.values(scenarios)) {
      expect(missed(scenario, {})).toEqual([]);
    }
  });

  test.each<[bar: string, keyof typeof scenarios, Partial<Measurement>]>([
    ["conflicts", "near", { conflictsPerRequest: 1e-4 }],
    ["terminal failures %", "near", { terminalFailurePct: 1e-3 }],
    ["overshoot by what is in flight", "over", { overshootTokensMax: 9.1 }],
    [
      "overshoot by what is in flight",
      "withHeadroom",
      { overshootTokensMax: 1 },
    ],
    [
      "overshoot of the peer",
      "over",
      { overshootTokensMax: 101, inFlightTokensMax: 200 },
    ],
    ["false denials %", "near", { falseDenialPct: 1.1 }],
    ["tokens", "near", { tokens: 2820 }],
    ["rows looked at", "near", { rowsPeekedPerRequest: 4.1 }],
    ["rows looked at", "over", { rowsPeekedPerRequest: 24.1 }],
    ["rows looked at, most", "overDead", { rowsPeekedMax: 14 }],
    ["rows written, most", "near", { rowsWrittenMax: 2 }],
    ["nested calls, most", "near", { nestedCallsMax: 2 }],
  ])(
    "names the scenario and the bar that is missed: %s, %s",
    (bar, scenario, flaw) => {
      expect(missed(scenarios[scenario], flaw)).toEqual([
        expect.stringMatching(`^x: NOT ${bar} \\d`),
      ]);
    },
  );

  test.each<[string, NamedScenario, Partial<Measurement>]>([
    ["fewer tokens with a headroom", withHeadroom, { tokens: 2000 }],
    ["false denials in overload", over, { falseDenialPct: 10 }],
    [
      "false denials with more in flight than the capacity",
      near,
      { falseDenialPct: 10, inFlightTokensMax: 101 },
    ],
    [
      "many rows in overload while the scheduler is dead",
      overDead,
      { rowsPeekedPerRequest: 50 },
    ],
  ])("allows %s", (_, scenario, flaw) => {
    expect(missed(scenario, flaw)).toEqual([]);
  });
});
