import type { CheckedClaim, NamedScenario } from "./bar.js";
import { isAsynchronous } from "./exact.js";
import { ours, peer } from "./limiters.js";
import type { Measurement } from "./measure.js";
import { table } from "./table.js";

export type Result = {
  name: string;
  scenario: NamedScenario;
  ours: Measurement;
  peer: Measurement;
  checks: CheckedClaim[];
};

/** The tables and the bar, as text. */
export function report(results: readonly Result[], seeds: number): string {
  const refuses = results.some((result) => result.peer.unsupportedPct > 0);
  return [
    `Means over seeds 1 to ${seeds}, per request. Each cell: ${peer.name} → ${ours.name}.`,
    table(results, {
      scenario: ({ name }) => name,
      conflicts: both("conflictsPerRequest", 3),
      "terminal failures %": both("terminalFailurePct", 2),
      "false denials %": both("falseDenialPct", 1),
      ...(refuses && { "count unsupported %": both("unsupportedPct", 1) }),
      "tokens granted": both("tokens", 0),
    }),
    table(results, {
      scenario: ({ name }) => name,
      "p50 ms": both("latencyP50Ms", 0),
      "p99 ms": both("latencyP99Ms", 0),
      "rows read": both("rowsReadPerRequest", 2),
      peeked: both("rowsPeekedPerRequest", 2),
      written: both("rowsWrittenPerRequest", 2),
    }),
    ...asynchronousTables(results),
    table(results, {
      scenario: ({ name }) => name,
      bar: ({ checks }) =>
        checks.every(({ passed }) => passed) ? "pass" : "FAIL",
      numbers: ({ checks }) =>
        checks
          .map(({ claim, passed }) => (passed ? claim : `NOT ${claim}`))
          .join("; "),
    }),
    safetyText(results),
  ].join("\n\n");
}

/** The table of what matters only for asynchronous updates, if any scenario has them. */
function asynchronousTables(results: readonly Result[]): string[] {
  const those = results.filter(({ scenario }) =>
    isAsynchronous(scenario.config),
  );
  if (those.length === 0) return [];
  return [
    table(those, {
      scenario: ({ name }) => name,
      "tokens of the exact limit": (result) =>
        result.ours.exactTokens.toFixed(0),
      "overshoot, most": both("overshootTokensMax", 1),
      "in flight, most": both("inFlightTokensMax", 0),
      "peeked, most": both("rowsPeekedMax", 0),
      "deletions per grant": both("deletionsPerGrant", 2),
      "scheduled runs": both("scheduledRunsPerRequest", 3),
      "their conflicts": both("scheduledConflictsPerRequest", 3),
    }),
  ];
}

function safetyText(results: readonly Result[]): string {
  return results.some(({ scenario }) => isAsynchronous(scenario.config))
    ? `No run wrote in a denial, and none of ${ours.name} over-granted by more than was in flight.`
    : "No run over-granted, lost or minted a token, or wrote in a denial.";
}

/** The bars that do not hold, one a line. */
export function failures(results: readonly Result[]): string[] {
  return results.flatMap(({ name, checks }) =>
    checks
      .filter(({ passed }) => !passed)
      .map(({ claim }) => `${name}: NOT ${claim}`),
  );
}

function both(field: keyof Measurement, digits: number) {
  return (result: Result) =>
    `${result.peer[field].toFixed(digits)} → ${result.ours[field].toFixed(digits)}`;
}
