import { quantile } from "../measure.js";
import { callOnce, type Asked, type Send } from "./call.js";
import { bindingsOf, sorted } from "./load.js";
import { wayOf, type Config, type Timed } from "./scenarios.js";

/** The median time of a call with each way to keep its limit. */
export type Cost = { call: string; ways: { way: string; ms: number }[] };

/** A limit is empty once it has denied so often in a row. */
const EMPTY = 10;

/**
 * How long a call takes if nobody else calls. The ways take turns, so that whatever else the
 * machine does slows all of them.
 */
export async function timeInTurns(
  send: Send,
  timed: Timed,
  rounds: number,
): Promise<Cost> {
  const runners = timed.ways.map((way) => ({
    way,
    timesMs: [] as number[],
    call: caller(send, timed, way),
  }));
  for (const { call } of runners) {
    let denials = 0;
    // A call or two also load the code.
    for (let i = 0; i < 2; i++) await call();
    while (timed.isEmpty && denials < EMPTY) {
      denials = (await call()).isDenied ? denials + 1 : 0;
    }
  }
  for (let round = 0; round < rounds; round++) {
    for (const { call, timesMs } of runners) timesMs.push((await call()).ms);
  }
  const ways = runners.map(({ way, timesMs }) => ({
    way,
    ms: quantile(sorted(timesMs), 0.5),
  }));
  return { call: timed.call, ways };
}

function caller(send: Send, timed: Timed, way: string) {
  const { limiter, shards } = wayOf(way);
  const { mutations, instead = mutations, isQuery = false } = timed;
  const config: Config = {
    ...timed.config,
    ...(shards !== undefined && { shards }),
  };
  const asked: Asked = {
    limiter,
    mutations: limiter === "ours" ? mutations : instead,
    isQuery,
  };
  const name = `cost ${crypto.randomUUID()}`;
  let n = 0;
  return async () => {
    let ms = 0;
    let isDenied = false;
    const bindings = bindingsOf({ config }, name, n++);
    await callOnce(send, asked, bindings, (_, outcome, sentAt) => {
      ms += performance.now() - sentAt;
      if (outcome.kind === "failed" || outcome.kind === "gave up") {
        throw new Error(`${timed.call}, ${way}: ${JSON.stringify(outcome)}`);
      }
      isDenied = outcome.kind === "denied";
    });
    return { ms, isDenied };
  };
}
