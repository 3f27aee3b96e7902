import type { Limiter } from "./limiters.js";
import { simulate, type RunTotals, type Scenario } from "./simulate.js";

/** What the calls of one limiter did in one scenario: means over the seeds. */
export type Measurement = {
  requests: number;
  tokens: number;
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
  return meanOf(runs);
}

function measurementOf(totals: RunTotals): Measurement {
  const { requests, tokens, latenciesMs } = totals;
  return {
    requests,
    tokens,
    conflictsPerRequest: totals.conflicts / requests,
    terminalFailurePct: (100 * totals.terminalFailures) / requests,
    falseDenialPct: (100 * totals.falseDenials) / requests,
    unsupportedPct: (100 * totals.unsupported) / requests,
    latencyP50Ms: quantile(latenciesMs, 0.5),
    latencyP99Ms: quantile(latenciesMs, 0.99),
    rowsReadPerRequest: totals.rowsRead / requests,
    rowsPeekedPerRequest: totals.rowsPeeked / requests,
    rowsWrittenPerRequest: totals.rowsWritten / requests,
  };
}

function meanOf(runs: readonly Measurement[]): Measurement {
  const mean = { ...runs[0]! };
  for (const field of Object.keys(mean) as (keyof Measurement)[]) {
    mean[field] = runs.reduce((sum, run) => sum + run[field], 0) / runs.length;
  }
  return mean;
}

/** The value below which this share of the values lies. */
export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.floor(share * (ascending.length - 1))] ?? 0;
}
