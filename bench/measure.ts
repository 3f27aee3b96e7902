import type { Limiter } from "./limiters.js";
import { simulate, type Outcome, type Scenario } from "./simulate.js";

/** What one limiter did in one scenario: means over the seeds, and over the requests where it says so. */
export type Figures = {
  requests: number;
  tokens: number;
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
  return mean(runs);
}

function figures(outcome: Outcome): Figures {
  const { requests, tokens, latenciesMs } = outcome;
  return {
    requests,
    tokens,
    conflictsPerRequest: outcome.conflicts / requests,
    terminalFailurePct: (100 * outcome.terminalFailures) / requests,
    falseDenialPct: (100 * outcome.falseDenials) / requests,
    unsupportedPct: (100 * outcome.unsupported) / requests,
    latencyP50Ms: quantile(latenciesMs, 0.5),
    latencyP99Ms: quantile(latenciesMs, 0.99),
    rowsReadPerRequest: outcome.rowsRead / requests,
    rowsPeekedPerRequest: outcome.rowsPeeked / requests,
    rowsWrittenPerRequest: outcome.rowsWritten / requests,
  };
}

function mean(runs: readonly Figures[]): Figures {
  const sums = { ...runs[0]! };
  for (const field of Object.keys(sums) as (keyof Figures)[]) {
    sums[field] = runs.reduce((sum, run) => sum + run[field], 0) / runs.length;
  }
  return sums;
}

function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.floor(share * (ascending.length - 1))] ?? 0;
}
