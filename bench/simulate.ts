import { Deployment, type Returned } from "./deployment.js";
import type { LimitConfig } from "./exact.js";
import type { Limiter } from "./limiters.js";
import { Oracle } from "./oracle.js";
import { exponential, seededRandom } from "./random.js";

export type Scenario = {
  config: LimitConfig;
  arrivalsPerSecond: number;
  seconds: number;
  executionMs: number;
  /** Whole counts, uniform over both ends. Default 1 each. */
  countUniform?: [number, number];
  /** Arrivals alternate: on for so long, then off for so long, from the start. */
  onOffSeconds?: [number, number];
  offArrivalsPerSecond?: number;
};

/** What became of the requests of one run, as totals. */
export type Outcome = {
  requests: number;
  granted: number;
  tokens: number;
  denied: number;
  /** Denied although the unsharded limit would have held enough. */
  falseDenials: number;
  /** Refused because the package cannot grant such a count at all. Denied, too. */
  unsupported: number;
  /** Given up after the last retry. */
  terminalFailures: number;
  conflicts: number;
  rowsRead: number;
  rowsPeeked: number;
  rowsWritten: number;
  /** From arrival to the answer, of the requests that got one, in ascending order. */
  latenciesMs: number[];
};

/** Runs one scenario on one limiter. Same seed, same outcome. Throws if the limiter is not safe. */
export async function simulate(
  limiter: Limiter,
  scenario: Scenario,
  seed: number,
): Promise<Outcome> {
  const { config, executionMs } = scenario;
  const deployment = new Deployment({ ...limiter, executionMs, seed });
  const oracle = new Oracle(config, limiter.rows(config));
  const outcome = {
    requests: 0,
    granted: 0,
    tokens: 0,
    denied: 0,
    falseDenials: 0,
    unsupported: 0,
    terminalFailures: 0,
    latenciesMs: [] as number[],
  };
  for (const { at, count } of arrivals(scenario, seed)) {
    outcome.requests++;
    const args = { name: "limit", count, config: withStart(config) };
    deployment.call(at, "lib:rateLimit", args, (answer) => {
      if (answer.kind === "gave up") {
        outcome.terminalFailures++;
        return;
      }
      const { returned, now, committedAt, writes } = answer;
      outcome.latenciesMs.push(answer.latencyMs);
      if (isGranted(limiter, returned)) {
        oracle.granted(count, now, committedAt, writes);
        outcome.granted++;
        outcome.tokens += count;
        return;
      }
      if ("error" in returned) outcome.unsupported++;
      outcome.denied++;
      if (oracle.denied(count, committedAt, writes)) outcome.falseDenials++;
    });
  }
  await deployment.run();
  oracle.finish();
  outcome.latenciesMs.sort((a, b) => a - b);
  return { ...outcome, ...deployment.totals };
}

function isGranted(limiter: Limiter, returned: Returned): boolean {
  if ("value" in returned) return (returned.value as { ok: boolean }).ok;
  if (limiter.isUnsupported(returned.error)) return false;
  throw returned.error;
}

function withStart(config: LimitConfig) {
  return config.kind === "fixed window" ? { ...config, start: 0 } : config;
}

function* arrivals(scenario: Scenario, seed: number) {
  const random = seededRandom(seed, "arrivals");
  const countRandom = seededRandom(seed, "counts");
  const [least, most] = scenario.countUniform ?? [1, 1];
  for (const { from, until, perSecond } of phases(scenario)) {
    if (perSecond === 0) continue;
    // A Poisson process has no memory: each phase can begin afresh.
    let at = from;
    while ((at += exponential(random, perSecond / 1000)) < until) {
      const count = least + Math.floor(countRandom() * (most - least + 1));
      yield { at, count };
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
