import type { Limiter } from "./limiters.js";
import { simulate, type Outcome, type Scenario } from "./simulate.js";

/**
 * What one limiter did in one scenario: means over the seeds, and over the requests where it says so; of what
 * ends in Max, the largest. Where nothing else is said calls are counted, and not what they scheduled.
 */
export type Figures = {
  requests: number;
  grants: number;
  tokens: number;
  /** What the unsharded limit grants of these requests, one after the other. */
  exactTokens: number;
  conflictsPerRequest: number;
  terminalFailurePct: number;
  falseDenialPct: number;
  /** Refused as above what the package can ever grant. Counted as false denials too. */
  unsupportedPct: number;
  latencyP50Ms: number;
  latencyP99Ms: number;
  rowsReadPerRequest: number;
  rowsPeekedPerRequest: number;
  rowsWrittenPerRequest: number;
  /** How far below zero an exact limit goes that takes each grant at its transaction's clock, in that order. */
  overshootTokensMax: number;
  /** Tokens granted by transactions that were in flight at one moment, from snapshot to visibility. */
  inFlightTokensMax: number;
  /** Such transactions. */
  inFlightGrantsMax: number;
  /** By one attempt, as the next two. */
  rowsPeekedMax: number;
  rowsWrittenMax: number;
  nestedCallsMax: number;
  /** By whomever. */
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
): Promise<Figures> {
  const runs: Figures[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    onSeed(seed);
    try {
      runs.push(figures(await simulate(limiter, scenario, seed)));
    } catch (cause) {
      const run = `${limiter.name}, seed ${seed}, ${JSON.stringify(scenario)}`;
      throw new Error(`failed: ${run}`, { cause });
    }
  }
  return overSeeds(runs);
}

function figures(outcome: Outcome): Figures {
  const { requests, granted, tokens, latenciesMs, scheduled } = outcome;
  return {
    requests,
    grants: granted,
    tokens,
    exactTokens: outcome.exactTokens,
    conflictsPerRequest: outcome.conflicts / requests,
    terminalFailurePct: (100 * outcome.terminalFailures) / requests,
    falseDenialPct: (100 * outcome.falseDenials) / requests,
    unsupportedPct: (100 * outcome.unsupported) / requests,
    latencyP50Ms: quantile(latenciesMs, 0.5),
    latencyP99Ms: quantile(latenciesMs, 0.99),
    rowsReadPerRequest: outcome.rowsRead / requests,
    rowsPeekedPerRequest: outcome.rowsPeeked / requests,
    rowsWrittenPerRequest: outcome.rowsWritten / requests,
    overshootTokensMax: outcome.overshootTokens,
    inFlightTokensMax: outcome.inFlightTokens,
    inFlightGrantsMax: outcome.inFlightGrants,
    rowsPeekedMax: outcome.rowsPeekedMax,
    rowsWrittenMax: outcome.rowsWrittenMax,
    nestedCallsMax: outcome.nestedCallsMax,
    deletionsPerGrant: granted === 0 ? 0 : outcome.deletions / granted,
    scheduledRunsPerRequest: scheduled.runs / requests,
    scheduledConflictsPerRequest: scheduled.conflicts / requests,
  };
}

function overSeeds(runs: readonly Figures[]): Figures {
  const figures = { ...runs[0]! };
  for (const field of Object.keys(figures) as (keyof Figures)[]) {
    const values = runs.map((run) => run[field]);
    figures[field] = field.endsWith("Max")
      ? Math.max(...values)
      : values.reduce((sum, value) => sum + value, 0) / values.length;
  }
  return figures;
}

/** The value below which a share of them lies. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.floor(share * (ascending.length - 1))] ?? 0;
}
