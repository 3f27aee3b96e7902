import type { NamedScenario } from "../bar.js";
import { ours, type Limiter } from "../limiters.js";
import { quantile } from "../measure.js";
import type { RunTotals } from "../simulate.js";
import { table } from "../table.js";
import type { Observed } from "./load.js";

/** What one limiter did in one scenario, and what the simulator predicts. */
export type Run = {
  name: string;
  scenario: NamedScenario;
  limiter: Limiter;
  observed: Observed;
  predicted: RunTotals;
};

const EMBEDDED = `This was the embedded server, which runs one transaction at a time: no conflict can happen there, and nothing
fails for one. It shows that this command works, and nothing of a deployment.`;

const MEASURED = `Each cell: as clients saw it (as the simulator predicts for the same requests).
- Terminal failures: calls that Convex gave up, for they conflicted in each of its attempts. Conflicts that it got
  over by itself are seen by no client but as latency; how many the simulator expects is in the last column.
  On Convex's cloud \`npx convex insights\` counts them.
- Latencies: from the planned arrival to the answer, of the calls that got one. They include the network.
  The simulator knows no network, and takes a transaction to run for as long as the scenario says.
- False denials and over-granted tokens: all answers replayed on the exact limit, each at the clock of its transaction.`;

/** The table, as text. */
export function loadReport(runs: readonly Run[], isEmbedded: boolean): string {
  const failed = runs.flatMap(({ name, limiter, observed }) =>
    observed.firstFailure === undefined
      ? []
      : [`- ${name}, ${limiter.name}: ${observed.firstFailure}`],
  );
  return [
    MEASURED,
    table(runs, {
      scenario: ({ name }) => name,
      limiter: ({ limiter }) => limiter.name,
      calls: ({ observed }) => String(observed.requests),
      "terminal failures %": both((o) => pct(o.terminalFailures, o), 2),
      "other failures %": ({ observed }) =>
        pct(observed.otherFailures, observed).toFixed(2),
      "false denials %": both((o) => pct(o.falseDenials, o), 1),
      "count unsupported %": both((o) => pct(o.unsupported, o), 1),
      "tokens granted": both((o) => o.tokens, 0),
      "over-granted, most": both((o) => o.overshootTokens, 1),
      "p50 ms": latency(0.5),
      "p95 ms": latency(0.95),
      "p99 ms": latency(0.99),
      "sent late, p99 ms": ({ observed }) =>
        quantile(observed.lagsMs, 0.99).toFixed(0),
      "conflicts a call": ({ predicted }) =>
        `(${(predicted.conflicts / predicted.requests).toFixed(3)})`,
    }),
    ...(failed.length > 0 ? [`Other failures:\n${failed.join("\n")}`] : []),
    ...(isEmbedded ? [EMBEDDED] : []),
  ].join("\n\n");
}

/** A line for each run in which our package granted more than it promises. */
export function overGrants(runs: readonly Run[]): string[] {
  return runs.flatMap(({ name, limiter, observed: { overshootTokens } }) =>
    limiter === ours && overshootTokens > 0
      ? [`${name}: over-granted by ${overshootTokens} tokens`]
      : [],
  );
}

type Shared = Observed | RunTotals;

function both(value: (outcome: Shared) => number, digits: number) {
  return ({ observed, predicted }: Run) =>
    `${value(observed).toFixed(digits)} (${value(predicted).toFixed(digits)})`;
}

function latency(share: number) {
  return both(({ latenciesMs }) => quantile(latenciesMs, share), 0);
}

function pct(count: number, { requests }: Shared): number {
  return (100 * count) / requests;
}
