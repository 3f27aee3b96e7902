import type { Measurement } from "./measure.js";
import type { Scenario } from "./simulate.js";

/** A scenario as a file holds it. */
export type NamedScenario = Scenario & {
  regime: "plentiful" | "near capacity" | "overloaded";
};

export type CheckedClaim = { claim: string; passed: boolean };

// Nearly full but with capacity to spare, so nobody has to be denied.
const ALSO_PLENTIFUL = ["nearBig", "nearCnt", "burstCap"];

const FEW_CONFLICTS = 0.1;

/**
 * Checks the claims about our limiter in one scenario, against what the other package did in the
 * same run.
 */
export function checks(
  name: string,
  scenario: NamedScenario,
  ours: Measurement,
  peer: Measurement,
): CheckedClaim[] {
  const plentiful =
    scenario.regime === "plentiful" || ALSO_PLENTIFUL.includes(name);
  if (plentiful) return plentifulChecks(scenario, ours, peer);
  if (scenario.regime === "overloaded") {
    return overloadedChecks(scenario, ours, peer);
  }
  return nearChecks(name, ours, peer);
}

function plentifulChecks(
  { config }: Scenario,
  ours: Measurement,
  peer: Measurement,
): CheckedClaim[] {
  // With two shards the other package reads a single row, too.
  const [failures, conflicts] = config.shards < 3 ? [1, 1] : [1 / 8, 1 / 2];
  return [
    atMost(
      "terminal failures %",
      ours.terminalFailurePct,
      peer.terminalFailurePct * failures,
    ),
    atMost(
      "conflicts",
      ours.conflictsPerRequest,
      peer.conflictsPerRequest * conflicts,
    ),
  ];
}

function nearChecks(
  name: string,
  ours: Measurement,
  peer: Measurement,
): CheckedClaim[] {
  const muchFairer = ours.falseDenialPct < peer.falseDenialPct / 2;
  const claims = [
    atMost("false denials %", ours.falseDenialPct, peer.falseDenialPct),
    atLeast("tokens", ours.tokens, peer.tokens, 0.95),
    muchFairer
      ? atMost(
          "terminal failures %",
          ours.terminalFailurePct,
          peer.terminalFailurePct,
        )
      : atMost("conflicts", ours.conflictsPerRequest, conflictBound(peer)),
  ];
  return name === "near20"
    ? [...claims, below("false denials %", ours.falseDenialPct, 8)]
    : claims;
}

function overloadedChecks(
  { config }: Scenario,
  ours: Measurement,
  peer: Measurement,
): CheckedClaim[] {
  const { rate, capacity = rate, shards } = config;
  const isThin = capacity / shards < 2;
  return [
    atMost(
      "conflicts",
      ours.conflictsPerRequest,
      isThin ? FEW_CONFLICTS : conflictBound(peer),
    ),
    atMost(
      "terminal failures %",
      ours.terminalFailurePct,
      peer.terminalFailurePct,
    ),
    atLeast("tokens", ours.tokens, peer.tokens, 0.995),
  ];
}

/** The other package refuses large counts outright, so it has fewer conflicts to compare with. */
function conflictBound({ conflictsPerRequest, unsupportedPct }: Measurement) {
  return unsupportedPct > 0
    ? Math.max(FEW_CONFLICTS, conflictsPerRequest)
    : conflictsPerRequest;
}

// Differences below 5%, or below 0.02 conflicts a request or 0.02 percentage points, are noise.
function atMost(what: string, value: number, bound: number): CheckedClaim {
  return {
    claim: `${what} ${show(value)} <= ${show(bound)}`,
    passed: value <= bound * 1.05 || value - bound < 0.02,
  };
}

function below(what: string, value: number, bound: number): CheckedClaim {
  return { claim: `${what} ${show(value)} < ${bound}`, passed: value < bound };
}

function atLeast(
  what: string,
  value: number,
  bound: number,
  share: number,
): CheckedClaim {
  return {
    claim: `${what} ${value.toFixed(0)} >= ${100 * share}% of ${bound.toFixed(0)}`,
    passed: value >= bound * share,
  };
}

function show(value: number): string {
  return String(Number(value.toPrecision(3)));
}
