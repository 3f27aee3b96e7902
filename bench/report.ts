import type { CheckedClaim, NamedScenario } from "./bar.js";
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
    table(results, {
      scenario: ({ name }) => name,
      bar: ({ checks }) =>
        checks.every(({ passed }) => passed) ? "pass" : "FAIL",
      numbers: ({ checks }) =>
        checks
          .map(({ claim, passed }) => (passed ? claim : `NOT ${claim}`))
          .join("; "),
    }),
    "No run over-granted, lost or minted a token, or wrote in a denial.",
  ].join("\n\n");
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
