import { isAsynchronous } from "./exact.js";
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
  if (isAsynchronous(scenario.config)) {
    return asynchronousChecks(scenario, ours, peer);
  }
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

// What a look reads in addition to the grants in flight: the newest visible grant, the limit's row,
// a checkpoint.
const ROWS_BESIDE = 4;
const VISIBLE_AFTER_MS = 5;
const LOOK_MS = 3;

/**
 * For asynchronous updates: what that mode promises, and a comparison with the same mode of the
 * other package.
 */
function asynchronousChecks(
  scenario: NamedScenario,
  ours: Measurement,
  peer: Measurement,
): CheckedClaim[] {
  const { config } = scenario;
  const { rate, capacity = rate, headroom = 0 } = config;
  const holdsWhatIsInFlight =
    headroom === 0 && capacity >= ours.inFlightTokensMax;
  const isOverloaded = scenario.regime === "overloaded";
  return [
    exactly("conflicts", ours.conflictsPerRequest, 0),
    exactly("terminal failures %", ours.terminalFailurePct, 0),
    notAbove(
      "overshoot by what is in flight",
      ours.overshootTokensMax,
      Math.max(0, ours.inFlightTokensMax - headroom),
    ),
    notAbove(
      "overshoot of the peer",
      ours.overshootTokensMax,
      peer.overshootTokensMax,
    ),
    ...(isOverloaded || !holdsWhatIsInFlight
      ? []
      : [
          notAbove("false denials %", ours.falseDenialPct, 1),
          atLeast("tokens", ours.tokens, ours.exactTokens, 0.99),
        ]),
    ...looks(scenario, ours),
    notAbove(
      "rows looked at, most",
      ours.rowsPeekedMax,
      ours.inFlightGrantsMax + ROWS_BESIDE,
    ),
    notAbove("rows written, most", ours.rowsWrittenMax, 1),
    notAbove("nested calls, most", ours.nestedCallsMax, 1),
  ];
}

function looks(scenario: NamedScenario, ours: Measurement): CheckedClaim[] {
  const { executionMs, faults = {} } = scenario;
  const mean = ours.rowsPeekedPerRequest;
  const aroundMs = executionMs + LOOK_MS + VISIBLE_AFTER_MS;
  const perMs = ours.grants / (1000 * busySeconds(scenario));
  const inFlight = 2 + 1.2 * perMs * aroundMs;
  if (scenario.regime !== "overloaded") {
    return [notAbove("rows looked at", mean, inFlight)];
  }
  // Scheduled work reads a herd once. Without it every call reads the herd.
  const { schedulerDeadSeconds, dropped = 0 } = faults;
  const works = schedulerDeadSeconds === undefined && dropped < 1;
  // With that many always in flight, no debit can have seen more.
  const bound = Math.max(24, inFlight);
  return works ? [notAbove("rows looked at", mean, bound)] : [];
}

/** For how many seconds requests arrive. */
function busySeconds({
  seconds,
  onOffSeconds,
  offArrivalsPerSecond = 0,
}: Scenario): number {
  if (onOffSeconds === undefined || offArrivalsPerSecond > 0) return seconds;
  const [on, off] = onOffSeconds;
  const whole = Math.floor(seconds / (on + off));
  return whole * on + Math.min(on, seconds - whole * (on + off));
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

/** Like `atMost`, but without an allowance for noise: for promises that every run must keep. */
function notAbove(what: string, value: number, bound: number): CheckedClaim {
  return {
    claim: `${what} ${show(value)} <= ${show(bound)}`,
    passed: value <= bound + 1e-6,
  };
}

function exactly(what: string, value: number, expected: number): CheckedClaim {
  return {
    claim: `${what} ${show(value)} = ${show(expected)}`,
    passed: value === expected,
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
