import { describe, expect, test } from "vitest";
import { checks, type NamedScenario } from "../../bench/bar.js";
import type { Measurement } from "../../bench/measure.js";
import { failures } from "../../bench/report.js";
import all from "../../bench/scenarios.json" with { type: "json" };

/** A run without a flaw. */
const good: Measurement = {
  requests: 2850,
  tokens: 2850,
  conflictsPerRequest: 0,
  terminalFailurePct: 0,
  falseDenialPct: 0,
  unsupportedPct: 0,
  latencyP50Ms: 18,
  latencyP99Ms: 22,
  rowsReadPerRequest: 1,
  rowsPeekedPerRequest: 0,
  rowsWrittenPerRequest: 1,
};
const peer: Measurement = {
  ...good,
  conflictsPerRequest: 0.4,
  terminalFailurePct: 2,
  falseDenialPct: 10,
};

const scenarios = {
  plenty4: all.plenty4 as NamedScenario,
  near4: all.near4 as NamedScenario,
  near20: all.near20 as NamedScenario,
  over20: all.over20 as NamedScenario,
};
type Name = keyof typeof scenarios;

function missed(name: Name, flaw: Partial<Measurement>): string[] {
  const scenario = scenarios[name];
  const ours = { ...good, ...flaw };
  const claims = checks(name, scenario, ours, peer);
  return failures([{ name, scenario, ours, peer, checks: claims }]);
}

describe("the bar", () => {
  test.each(Object.keys(scenarios) as Name[])(
    "passes a run without a flaw: %s",
    (name) => {
      expect(missed(name, {})).toEqual([]);
    },
  );

  test.each<[bar: string, Name, Partial<Measurement>]>([
    ["terminal failures %", "plenty4", { terminalFailurePct: 0.3 }],
    ["conflicts", "plenty4", { conflictsPerRequest: 0.25 }],
    ["false denials %", "near4", { falseDenialPct: 11 }],
    ["tokens", "near4", { tokens: 2700 }],
    ["terminal failures %", "near4", { terminalFailurePct: 2.2 }],
    ["conflicts", "near4", { conflictsPerRequest: 0.45, falseDenialPct: 6 }],
    ["false denials %", "near20", { falseDenialPct: 8.5 }],
    ["conflicts", "over20", { conflictsPerRequest: 0.45 }],
    ["terminal failures %", "over20", { terminalFailurePct: 2.2 }],
    ["tokens", "over20", { tokens: 2830 }],
  ])(
    "names the scenario and the bar that is missed: %s, %s",
    (bar, name, flaw) => {
      expect(missed(name, flaw)).toEqual([
        expect.stringMatching(`^${name}: NOT ${bar} \\d`),
      ]);
    },
  );
});
