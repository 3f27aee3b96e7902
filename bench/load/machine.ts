import { quantile } from "../measure.js";
import { callOnce, type Asked, type Send } from "./call.js";
import { bindingsOf, sorted } from "./load.js";
import type { Config, Scenario } from "./scenarios.js";

/*
 * What the machine bears, whatever the limiter does: found out before a limit is loaded, so that a
 * full machine is not taken for a fault of the limiter.
 */

/** Above this share of what it bears, a machine counts as full. */
export const FULL = 0.7;

const CALLERS = [2, 4, 8, 16, 32];

/**
 * How many calls a second it bears, each on a key of its own: more and more callers call again as
 * soon as they are answered, until more of them no longer help.
 */
export async function bearable(
  send: Send,
  { limiter, mutations, config }: Asked & { config: Config },
  { levelMs, work = 0 }: { levelMs: number; work?: number },
): Promise<number> {
  const name = `spread ${crypto.randomUUID()}`;
  let made = 0;
  let best = 0;
  for (const callers of CALLERS) {
    let answered = 0;
    const beganAt = performance.now();
    const callAgain = async () => {
      while (performance.now() - beganAt < levelMs) {
        const bindings = bindingsOf({ config }, name, made++, work);
        const spread = { ...bindings, key: bindings.each };
        let isAnswered = true;
        await callOnce(send, { limiter, mutations }, spread, (_, { kind }) => {
          if (kind === "failed") isAnswered = false;
        });
        if (isAnswered) answered++;
      }
    };
    await Promise.all(Array.from({ length: callers }, callAgain));
    const perSecond = (answered * 1000) / (performance.now() - beganAt);
    if (perSecond < 1.1 * best) return Math.max(best, perSecond);
    best = perSecond;
  }
  return best;
}

/** The median time of each mutation of a call if nobody else calls. Also loads the code. */
export async function timesAlone(
  send: Send,
  scenario: Pick<Scenario, "limiter" | "mutations" | "config">,
  { calls, work = 0 }: { calls: number; work?: number },
): Promise<number[]> {
  const { limiter, mutations, config } = scenario;
  const name = `alone ${crypto.randomUUID()}`;
  const times = mutations.map((): number[] => []);
  let why: string | undefined;
  for (let n = -1; n < calls; n++) {
    const bindings = bindingsOf({ config }, name, n, work);
    await callOnce(send, { limiter, mutations }, bindings, (i, outcome, at) => {
      if (outcome.kind === "failed") why ??= outcome.why;
      else if (n >= 0) times[i]!.push(performance.now() - at);
    });
  }
  return times.map((all) => {
    if (all.length === 0) throw new Error(why ?? "A call was never granted.");
    return quantile(sorted(all), 0.5);
  });
}

const WORK_CALLS = 20;

/** How long each of the calls takes that `work` makes. */
export async function workCallMs(send: Send): Promise<number> {
  const timeOf = async (calls: number) => {
    const mutations = [[["work", calls] as const]];
    const work = { limiter: "byHand" as const, mutations, config: NO_LIMIT };
    const [ms = 0] = await timesAlone(send, work, { calls: 10 });
    return ms;
  };
  const ms = ((await timeOf(WORK_CALLS)) - (await timeOf(0))) / WORK_CALLS;
  return Math.max(LEAST_MS, ms);
}

/** On a machine that is so fast, or so busy, that nothing can be told. */
const LEAST_MS = 0.1;
const NO_LIMIT: Config = { kind: "token bucket", rate: 1, period: 1 };
