import { setTimeout as sleep } from "node:timers/promises";
import { exponential, seededRandom } from "../../sim/random.js";
import { quantile } from "../measure.js";
import { Oracle } from "../oracle.js";
import {
  callOnce,
  type Asked,
  type Bindings,
  type Outcome,
  type Send,
} from "./call.js";
import type { Scenario } from "./scenarios.js";

/** What became of one mutation of a scenario, in all of its calls. */
export type Stage = {
  verb: string;
  sent: number;
  granted: number;
  denied: number;
  /** Calls that Convex gave up, for they conflicted in each attempt. */
  gaveUp: number;
  /** How many of those sent and given up belong to calls that began in the first second. */
  first: { sent: number; gaveUp: number };
  /** Calls that failed in another way, or had no answer in time. Some may have taken tokens. */
  failed: number;
  /** The error of the first of them. */
  firstFailure?: string;
  /** From the planned time to the answer, of the calls that got one, in ascending order. */
  latenciesMs: number[];
};

export type Observed = {
  stages: Stage[];
  /** Tokens granted beyond the exact limit, and denials for which it held enough. */
  judged?: { overshootTokens: number; falseDenials: number };
};

/** What clients see of a load. */
export type Loaded = Observed & {
  /** How long a mutation that does nothing takes beside it: the median. */
  nothingMs: number;
  /** How late calls were sent: the 99th percentile. Much means that the client is too slow. */
  lateMs: number;
};

/** A mutation that does nothing. */
export const NOTHING = {
  limiter: "byHand",
  mutations: [[]],
} as const satisfies Asked;
const NOTHING_EVERY_MS = 200;

export function stagesOf({ mutations }: Pick<Scenario, "mutations">): Stage[] {
  return mutations.map((steps) => ({
    verb: steps.findLast(([verb]) => verb !== "work")?.[0] ?? "nothing",
    sent: 0,
    granted: 0,
    denied: 0,
    gaveUp: 0,
    first: { sent: 0, gaveUp: 0 },
    failed: 0,
    latenciesMs: [],
  }));
}

/** @param beganMs When the call's first mutation was planned, after the beginning of the load. */
export function count(
  stage: Stage,
  outcome: Outcome,
  beganMs: number,
  latencyMs: number,
): void {
  const isFirst = beganMs < 1000;
  stage.sent++;
  if (isFirst) stage.first.sent++;
  if (outcome.kind === "gave up") {
    stage.gaveUp++;
    if (isFirst) stage.first.gaveUp++;
  } else if (outcome.kind === "failed") {
    stage.failed++;
    stage.firstFailure ??= outcome.why;
  } else {
    stage[outcome.kind]++;
    stage.latenciesMs.push(latencyMs);
  }
}

/** When calls arrive, in ms from the beginning: a Poisson process. */
export function arrivals(
  { callsPerSecond, seconds }: Pick<Scenario, "callsPerSecond" | "seconds">,
  seed: number,
): number[] {
  const random = seededRandom(seed, "arrivals");
  const times: number[] = [];
  let time = 0;
  while (
    (time += exponential(random, callsPerSecond / 1000)) <
    seconds * 1000
  ) {
    times.push(time);
  }
  return times;
}

/** What the words of a scenario's steps stand for in its n-th call. */
export function bindingsOf(
  { config }: Pick<Scenario, "config">,
  name: string,
  n: number,
  work = 0,
): Bindings {
  return { name, config, key: "hot", each: `${name} ${n}`, work };
}

/**
 * Calls one key at the times of the scenario, whether or not earlier calls have been answered, and
 * waits for all answers.
 */
export async function load(
  send: Send,
  scenario: Scenario,
  { seed, work = 0 }: { seed: number; work?: number },
): Promise<Loaded> {
  const name = `load ${crypto.randomUUID()}`;
  const stages = stagesOf(scenario);
  const judge = new Judge(scenario);
  const latesMs: number[] = [];
  const beganAt = performance.now();
  let goesOn = true;
  const beside = timesOfNothing(send, () => goesOn);
  await Promise.all(
    arrivals(scenario, seed).map(async (time, n) => {
      const plannedAt = beganAt + time;
      await sleep(Math.max(0, plannedAt - performance.now()));
      latesMs.push(performance.now() - plannedAt);
      const bindings = bindingsOf(scenario, name, n, work);
      await callOnce(send, scenario, bindings, (i, outcome, sentAt) => {
        const receivedAt = performance.now();
        const from = i === 0 ? plannedAt : sentAt;
        count(stages[i]!, outcome, time, receivedAt - from);
        judge.note(outcome, sentAt, receivedAt);
      });
    }),
  );
  goesOn = false;
  const nothingMs = quantile(sorted(await beside), 0.5);
  for (const { latenciesMs } of stages) sorted(latenciesMs);
  const lateMs = quantile(sorted(latesMs), 0.99);
  return { stages, ...judge.finish(), nothingMs, lateMs };
}

/** How long a mutation that does nothing takes, again and again. */
async function timesOfNothing(
  send: Send,
  goesOn: () => boolean,
): Promise<number[]> {
  const times: number[] = [];
  const bindings = { name: "", key: "", each: "", config: {} };
  while (goesOn()) {
    await callOnce(send, NOTHING, bindings, (_, __, sentAt) =>
      times.push(performance.now() - sentAt),
    );
    await sleep(NOTHING_EVERY_MS);
  }
  return times;
}

/** Replays all answers on the exact limit, each at the clock of its transaction. */
class Judge {
  private readonly calls: {
    outcome: Outcome & { now: number };
    receivedAt: number;
  }[] = [];
  /** The deployment's clock minus ours, or a little more: no call began before it was sent. */
  private offset = Infinity;

  constructor(private readonly scenario: Scenario) {}

  note(outcome: Outcome, sentAt: number, receivedAt: number): void {
    if (!("now" in outcome) || outcome.now === undefined) return;
    const { now } = outcome;
    this.offset = Math.min(this.offset, now - sentAt);
    this.calls.push({ outcome: { ...outcome, now }, receivedAt });
  }

  finish(): Pick<Observed, "judged"> {
    const { takes, config } = this.scenario;
    if (takes === undefined) return {};
    const oracle = new Oracle({ ...config, shards: 1 }, { kind: "none" });
    for (const { outcome, receivedAt } of this.calls) {
      const { now, kind } = outcome;
      const visibleAt = receivedAt + this.offset;
      const when = {
        now,
        beganAt: now,
        committedAt: visibleAt,
        visibleAt,
        writes: [],
      };
      if (kind === "granted") oracle.granted(takes, when);
      else oracle.denied(takes, when);
    }
    const { overshootTokens, falseDenials } = oracle.finish();
    return { judged: { overshootTokens, falseDenials } };
  }
}

export function sorted(values: number[]): number[] {
  return values.sort((a, b) => a - b);
}
