import { Deployment, type Returned } from "../sim/deployment.js";
import { ExactLimit, type ScenarioLimit } from "./exact.js";
import type { FaultRates } from "../sim/faults.js";
import type { Limiter } from "./limiters.js";
import { Oracle, type Verdict } from "./oracle.js";
import { exponential, seededRandom } from "../sim/random.js";

export type Scenario = {
  config: ScenarioLimit;
  arrivalsPerSecond: number;
  seconds: number;
  executionMs: number;
  /** Uniform whole counts, from the first number to the second. Default always 1. */
  countUniform?: [number, number];
  /** Arrivals alternate between on and off, each for this many seconds. */
  onOffSeconds?: [number, number];
  offArrivalsPerSecond?: number;
  /** How long after its due time a scheduled mutation starts. Default 50. */
  scheduledAfterMs?: number;
  faults?: FaultRates;
  /** Whether crons run. Default false. */
  crons?: boolean;
};

/** Totals of one run. `falseDenials`: denials for which the unsharded limit held enough. */
export type RunTotals = Verdict &
  Deployment["totals"] & {
    requests: number;
    granted: number;
    tokens: number;
    /** What the unsharded limit grants if these requests come one after the other. */
    exactTokens: number;
    denied: number;
    /** Refused because the package can never grant such a count. Counted as denied, too. */
    unsupported: number;
    /** Given up after the last retry. */
    terminalFailures: number;
    /** From arrival to answer, of the answered requests, in ascending order. */
    latenciesMs: number[];
  };

/** Runs one scenario on one limiter. Same seed, same outcome. Throws if the limiter is not safe. */
export async function simulate(
  limiter: Limiter,
  scenario: Scenario,
  seed: number,
): Promise<RunTotals> {
  const { config } = scenario;
  const deployment = new Deployment({ ...scenario, ...limiter, seed });
  const rows = limiter.rowsOf(config);
  const oracle = new Oracle(config, { kind: "exact", rows });
  const exact = new ExactLimit(config);
  const outcome = {
    requests: 0,
    granted: 0,
    tokens: 0,
    exactTokens: 0,
    denied: 0,
    unsupported: 0,
    terminalFailures: 0,
    latenciesMs: [] as number[],
  };
  for (const { time, count } of arrivals(scenario, seed)) {
    outcome.requests++;
    if (exact.at(time) >= count) {
      exact.take(count, time);
      outcome.exactTokens += count;
    }
    const sent = withStart(limiter.toSent(config));
    const args = { name: "limit", count, config: sent };
    deployment.call(time, "lib:rateLimit", args, (answer) => {
      if (answer.kind === "gave up") {
        outcome.terminalFailures++;
        return;
      }
      outcome.latenciesMs.push(answer.latencyMs);
      const { returned } = answer;
      if (isGranted(limiter, returned)) {
        oracle.granted(count, answer);
        outcome.granted++;
        outcome.tokens += count;
        return;
      }
      if ("error" in returned) outcome.unsupported++;
      outcome.denied++;
      oracle.denied(count, answer);
    });
  }
  await deployment.run();
  const [cause] = deployment.scheduledErrors;
  if (cause !== undefined) {
    throw new Error("a scheduled mutation failed", { cause });
  }
  outcome.latenciesMs.sort((a, b) => a - b);
  return { ...outcome, ...oracle.finish(), ...deployment.totals };
}

function isGranted(limiter: Limiter, returned: Returned): boolean {
  if ("value" in returned) return (returned.value as { ok: boolean }).ok;
  if (limiter.isUnsupported(returned.error)) return false;
  throw returned.error;
}

/** A fixed window that begins at the epoch. */
export function withStart<Config extends Pick<ScenarioLimit, "kind">>(
  config: Config,
) {
  return config.kind === "fixed window" ? { ...config, start: 0 } : config;
}

/** When requests arrive, in ms from the start of the run, and their counts. */
export function* arrivals(scenario: Scenario, seed: number) {
  const random = seededRandom(seed, "arrivals");
  const countRandom = seededRandom(seed, "counts");
  const [min, max] = scenario.countUniform ?? [1, 1];
  for (const { from, until, perSecond } of phases(scenario)) {
    if (perSecond === 0) continue;
    // A Poisson process has no memory, so each phase can start afresh.
    let time = from;
    while ((time += exponential(random, perSecond / 1000)) < until) {
      const count = min + Math.floor(countRandom() * (max - min + 1));
      yield { time, count };
    }
  }
}

function* phases(scenario: Scenario) {
  const end = scenario.seconds * 1000;
  const [on, off] = scenario.onOffSeconds ?? [scenario.seconds, 0];
  let from = 0;
  while (from < end) {
    const offFrom = from + on * 1000;
    const next = offFrom + off * 1000;
    yield {
      from,
      until: Math.min(offFrom, end),
      perSecond: scenario.arrivalsPerSecond,
    };
    yield {
      from: offFrom,
      until: Math.min(next, end),
      perSecond: scenario.offArrivalsPerSecond ?? 0,
    };
    from = next;
  }
}
