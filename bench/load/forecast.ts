import { Deployment } from "../../sim/deployment.js";
import type { Component } from "../../sim/components.js";
import { ours, peer } from "../limiters.js";
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
import type { Scenario } from "./scenarios.js";
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

/**
 * What the simulator predicts for a scenario: a machine that is never full, on which each call
 * takes as long as it takes alone. `aloneMs` is that time, commit included. The runs are added up.
 */
export async function forecast(
  scenario: Scenario,
  aloneMs: number,
  seed: number,
): Promise<Observed> {
  const stages = stagesOf(scenario);
  for (let run = 0; run < RUNS; run++) {
    await simulate(scenario, aloneMs, seed + run, stages);
  }
  for (const { latenciesMs } of stages) sorted(latenciesMs);
  return { stages };
}

async function simulate(
  scenario: Scenario,
  aloneMs: number,
  seed: number,
  stages: Stage[],
): Promise<void> {
  const deployment = new Deployment({
    ...app,
    executionMs: Math.max(1, aloneMs - COMMIT_MS),
    seed,
    epochMs: EPOCH_MS,
  });
  const { limiter, afterMs } = scenario;
  // Work costs virtual time only, and `aloneMs` has it already.
  const mutations = scenario.mutations.map((steps) =>
    steps.filter(([verb]) => verb !== "work"),
  );
  const call = (n: number, stage: number, at: number, answer?: unknown) => {
    const bindings = { ...bindingsOf(scenario, "forecast", n), answer };
    const steps = fill(mutations[stage]!, bindings);
    deployment.call(at, `${limiter}:run`, { steps }, (result) => {
      if (result.kind === "gave up") {
        count(stages[stage]!, { kind: "gave up" }, 0);
        return;
      }
      const { returned, latencyMs, visibleAt } = result;
      const outcome =
        "error" in returned
          ? thrown(returned.error)
          : answered(returned.value as Taken);
      count(stages[stage]!, outcome, latencyMs);
      if (outcome.kind !== "granted" || stage + 1 === mutations.length) return;
      const next = visibleAt - EPOCH_MS + afterMs;
      call(n, stage + 1, next, answerOf(outcome));
    });
  };
  arrivals(scenario, seed).forEach((at, n) => call(n, 0, at));
  await deployment.run();
}
