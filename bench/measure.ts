import type { Limiter } from "./limiters.js";
import { simulate, type RunTotals, type Scenario } from "./simulate.js";

/**
 * What one limiter did in one scenario: means over the seeds, or the maximum if the name ends in
 * Max. Unless the name says otherwise, only calls count, not what they scheduled.
 */
export type Measurement = {
  requests: number;
  grants: number;
  tokens: number;
  /** What the unsharded limit grants if these requests come one after the other. */
  exactTokens: number;
  conflictsPerRequest: number;
  terminalFailurePct: number;
  falseDenialPct: number;
  /** Refused as more than the package can ever grant. They count as false denials, too. */
  unsupportedPct: number;
  latencyP50Ms: number;
  latencyP99Ms: number;
  rowsReadPerRequest: number;
  rowsPeekedPerRequest: number;
  rowsWrittenPerRequest: number;
  /**
   * How far below zero an exact limit goes if it takes each grant at its transaction's clock, in
   * the order of these clocks.
   */
  overshootTokensMax: number;
  /**
   * Tokens granted by transactions that were in flight at one moment, from snapshot to visibility.
   */
  inFlightTokensMax: number;
  /** How many such transactions there were. */
  inFlightGrantsMax: number;
  /** By one attempt, like the next two fields. */
  rowsPeekedMax: number;
  rowsWrittenMax: number;
  nestedCallsMax: number;
  /** Documents deleted, by calls or by scheduled mutations. */
  deletionsPerGrant: number;
  scheduledRunsPerRequest: number;
  scheduledConflictsPerRequest: number;
};

/** Runs a scenario once for each seed from 1 to `seeds`. */
export async function measure(
  limiter: Limiter,
  scenario: Scenario,
  seeds: number,
  onSeed: (seed: number) => void = () => {},
): Promise<Measurement> {
  const runs: Measurement[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    onSeed(seed);
    try {
      runs.push(measurementOf(await simulate(limiter, scenario, seed)));
    } catch (cause) {
      const run = `${limiter.name}, seed ${seed}, ${JSON.stringify(scenario)}`;
      throw new Error(`failed: ${run}`, { cause });
    }
  }
  return combine(runs);
}

function measurementOf(totals: RunTotals): Measurement {
  const { requests, granted, tokens, latenciesMs, scheduled } = totals;
  return {
    requests,
    grants: granted,
    tokens,
    exactTokens: totals.exactTokens,
    conflictsPerRequest: totals.conflicts / requests,
    terminalFailurePct: (100 * totals.terminalFailures) / requests,
    falseDenialPct: (100 * totals.falseDenials) / requests,
    unsupportedPct: (100 * totals.unsupported) / requests,
    latencyP50Ms: quantile(latenciesMs, 0.5),
    latencyP99Ms: quantile(latenciesMs, 0.99),
    rowsReadPerRequest: totals.rowsRead / requests,
    rowsPeekedPerRequest: totals.rowsPeeked / requests,
    rowsWrittenPerRequest: totals.rowsWritten / requests,
    overshootTokensMax: totals.overshootTokens,
    inFlightTokensMax: totals.inFlightTokens,
    inFlightGrantsMax: totals.inFlightGrants,
    rowsPeekedMax: totals.rowsPeekedMax,
    rowsWrittenMax: totals.rowsWrittenMax,
    nestedCallsMax: totals.nestedCallsMax,
    deletionsPerGrant: granted === 0 ? 0 : totals.deletions / granted,
    scheduledRunsPerRequest: scheduled.runs / requests,
    scheduledConflictsPerRequest: scheduled.conflicts / requests,
  };
}

/** The means over the runs, or the maximum if the name ends in Max. */
function combine(runs: readonly Measurement[]): Measurement {
  const combined = { ...runs[0]! };
  for (const field of Object.keys(combined) as (keyof Measurement)[]) {
    const values = runs.map((run) => run[field]);
    combined[field] = field.endsWith("Max")
      ? Math.max(...values)
      : values.reduce((sum, value) => sum + value, 0) / values.length;
  }
  return combined;
}

/** The value below which this share of the values lies. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.floor(share * (ascending.length - 1))] ?? 0;
}
