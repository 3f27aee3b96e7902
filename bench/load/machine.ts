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
/** About a tenth of a second, so that whatever else takes time hardly counts. */
const LOOPS = 20_000_000;

/**
 * How many calls a second it bears, each on a key of its own: more and more callers call again as
 * soon as they are answered, until more of them no longer help.
 */
export async function bearable(
  send: Send,
  { limiter, mutations, config }: Asked & { config: Config },
  { levelMs, loops = 0 }: { levelMs: number; loops?: number },
): Promise<number> {
  const name = `spread ${crypto.randomUUID()}`;
  let made = 0;
  let best = 0;
  for (const callers of CALLERS) {
    let answered = 0;
    const beganAt = performance.now();
    const callAgain = async () => {
      while (performance.now() - beganAt < levelMs) {
        const bindings = bindingsOf({ config }, name, made++, loops);
        const spread = { ...bindings, key: bindings.each };
        await callOnce(send, { limiter, mutations }, spread);
        answered++;
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
  { calls, loops = 0 }: { calls: number; loops?: number },
): Promise<number[]> {
  const { limiter, mutations, config } = scenario;
  const name = `alone ${crypto.randomUUID()}`;
  const times = mutations.map((): number[] => []);
  for (let n = -1; n < calls; n++) {
    const bindings = bindingsOf({ config }, name, n, loops);
    await callOnce(send, { limiter, mutations }, bindings, (i, outcome, at) => {
      if (outcome.kind === "failed") throw new Error(outcome.why);
      if (n >= 0) times[i]!.push(performance.now() - at);
    });
  }
  return times.map((all) => quantile(sorted(all), 0.5));
}

/** How many loops of `work` take a millisecond. */
export async function loopsPerMs(send: Send): Promise<number> {
  const timeOf = async (loops: number) => {
    const mutations = [[["work", loops] as const]];
    const work = { limiter: "byHand" as const, mutations, config: NO_LIMIT };
    const [ms = 0] = await timesAlone(send, work, { calls: 5 });
    return ms;
  };
  return LOOPS / Math.max(0.1, (await timeOf(LOOPS)) - (await timeOf(0)));
}

const NO_LIMIT: Config = { kind: "token bucket", rate: 1, period: 1 };
