import type { Component } from "../../sim/components.js";
import { Deployment } from "../../sim/deployment.js";
import { MEASURED, scaled, type Prices } from "../../sim/prices.js";
import { noCounts, type Counts } from "../../sim/transaction.js";
import { ours, peer } from "../limiters.js";
import { Oracle } from "../oracle.js";
import { answered, answerOf, fill, thrown } from "./call.js";
import * as byHandFunctions from "./convex/byHand.js";
import * as oursFunctions from "./convex/ours.js";
import * as peerFunctions from "./convex/peer.js";
import schema from "./convex/schema.js";
import {
  arrivals,
  bindingsOf,
  count,
  sorted,
  stagesOf,
  type Observed,
  type Stage,
} from "./load.js";
import type { Config, Scenario } from "./scenarios.js";
import type { Taken } from "./steps.js";

/** The same app that is loaded, in the simulator. */
const app: Component = {
  schema,
  modules: {
    ours: oursFunctions,
    peer: peerFunctions,
    byHand: byHandFunctions,
  },
  components: { rateLimiter: ours, peer },
};

const EPOCH_MS = Date.UTC(2026, 0, 1);
/** From the end of a simulated transaction until its answer. */
const COMMIT_MS = 5;

/** How many runs a forecast is made of. */
const RUNS = 5;

/** How long mutations take: their own work, on average, and what is priced. */
export type Pace = { ownMs: number; prices: Prices; cores?: number };

/** The same, and what the attempts of the mutation did. */
export type Simulated = Stage & { counts: Counts };

/** How long the mutations of a call take if nobody else calls, and how many such calls a second the machine bears. */
export type Known = { aloneMs: readonly number[]; bearable: number };

/**
 * What the simulator predicts for a scenario, on a machine of which so much is known. The runs are
 * added up.
 */
export async function forecast(
  scenario: Scenario,
  known: Known,
  seed: number,
): Promise<Observed> {
  const pace = await paceOf(scenario, known);
  return await simulateRuns(scenario, pace, { seed, runs: RUNS });
}

/** Adds up runs with the seeds from `seed` on. Throws if ours grants more than the limit allows. */
export async function simulateRuns(
  scenario: Scenario,
  pace: Pace,
  { seed, runs }: { seed: number; runs: number },
): Promise<{ stages: Simulated[] }> {
  const stages = stagesOf(scenario).map((stage): Simulated => ({
    ...stage,
    counts: noCounts(),
  }));
  for (let run = seed; run < seed + runs; run++) {
    await simulate(scenario, pace, run, arrivals(scenario, run), stages);
  }
  for (const { latenciesMs } of stages) sorted(latenciesMs);
  return { stages };
}

/** The pace of a machine of which so much is known. */
export async function paceOf(
  scenario: Scenario,
  { aloneMs, bearable }: Known,
): Promise<Pace> {
  const { workMs } = scenario;
  const priced = await pricedMs(scenario);
  const measured = sum(aloneMs) - aloneMs.length * (COMMIT_MS + workMs);
  return {
    ownMs: workMs,
    prices: scaled(MEASURED, Math.max(0.05, measured / priced)),
    // So many calls are under way at once if it makes all that it bears.
    cores: Math.max(1, (bearable * sum(aloneMs)) / 1000),
  };
}

const PLENTY = { rate: 1e6, period: 1000, capacity: 1e6 };
const ALONE_EVERY_MS = 10_000;

/** What the mutations of a call cost together, if nobody else calls. */
async function pricedMs(scenario: Scenario): Promise<number> {
  const config: Config = { ...scenario.config, ...PLENTY };
  const stages = stagesOf(scenario).map((stage): Simulated => ({
    ...stage,
    counts: noCounts(),
  }));
  const pace = { ownMs: 0, prices: MEASURED };
  const times = [0, 1, 2, 3].map((n) => n * ALONE_EVERY_MS);
  await simulate({ ...scenario, config }, pace, 1, times, stages);
  return sum(
    stages.map(
      ({ latenciesMs }) => sum(latenciesMs) / latenciesMs.length - COMMIT_MS,
    ),
  );
}

async function simulate(
  scenario: Scenario,
  { ownMs, prices, cores = Infinity }: Pace,
  seed: number,
  times: readonly number[],
  stages: Simulated[],
): Promise<void> {
  const deployment = new Deployment({
    ...app,
    executionMs: ownMs,
    prices,
    cores,
    seed,
    epochMs: EPOCH_MS,
  });
  const { limiter, afterMs, takes, config } = scenario;
  const oracle = new Oracle(
    { ...config, shards: 1 },
    limiter === "ours" ? { kind: "exact" } : { kind: "none" },
  );
  // Work costs virtual time only: `ownMs`.
  const mutations = scenario.mutations.map((steps) =>
    steps.filter(([verb]) => verb !== "work"),
  );
  const call = (n: number, i: number, at: number, answer?: unknown) => {
    const bindings = { ...bindingsOf(scenario, "forecast", n), answer };
    const steps = fill(mutations[i]!, bindings);
    const stage = stages[i]!;
    deployment.call(at, `${limiter}:run`, { steps }, (result) => {
      add(stage.counts, result.counts);
      if (result.kind === "gave up") {
        count(stage, { kind: "gave up" }, times[n]!, 0);
        return;
      }
      const { returned, latencyMs, visibleAt } = result;
      const outcome =
        "error" in returned
          ? thrown(returned.error)
          : answered(returned.value as Taken);
      count(stage, outcome, times[n]!, latencyMs);
      if (outcome.kind !== "granted") return;
      if (takes !== undefined) oracle.granted(takes, result);
      if (i + 1 === mutations.length) return;
      call(n, i + 1, visibleAt - EPOCH_MS + afterMs, answerOf(outcome));
    });
  };
  times.forEach((at, n) => call(n, 0, at));
  await deployment.run();
  oracle.finish();
  const [cause] = deployment.scheduledErrors;
  if (cause !== undefined) throw new Error("a job failed", { cause });
}

function add(sum: Counts, more: Counts): void {
  for (const what of Object.keys(sum) as (keyof Counts)[]) {
    sum[what] += more[what];
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
