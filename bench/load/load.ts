import { ConvexHttpClient } from "convex/browser";
import type { FunctionArgs } from "convex/server";
import type { Limiter } from "../limiters.js";
import { Oracle } from "../oracle.js";
import {
  arrivals,
  withStart,
  type RunTotals,
  type Scenario,
} from "../simulate.js";
import { api } from "./convex/_generated/api.js";
import type { Taken } from "./convex/limits.js";

/** What clients see of one run. */
export type Observed = Pick<
  RunTotals,
  | "requests"
  | "granted"
  | "tokens"
  | "denied"
  | "unsupported"
  | "terminalFailures"
  | "latenciesMs"
  | "falseDenials"
  | "overshootTokens"
> & {
  /** Calls that failed in another way, or had no answer in time. Some may have taken tokens. */
  otherFailures: number;
  /** The error of the first of them. */
  firstFailure?: string;
  /** How late calls were sent, in ascending order. Long lags mean that the client is too slow. */
  lagsMs: number[];
};

/** A call without an answer after this time counts as failed. */
const MAX_ANSWER_MS = 30_000;

type TakeArgs = FunctionArgs<typeof api.limits.take>;
type Call = { count: number; sentAt: number; receivedAt: number } & Taken;

/**
 * Sends the requests of a scenario at their times, whether or not earlier ones have been answered,
 * and waits for all answers. Latencies count from the planned time.
 */
export async function load(
  url: string,
  limiter: Limiter,
  scenario: Scenario,
  seed: number,
): Promise<Observed> {
  const client = new ConvexHttpClient(url, {
    logger: false,
    fetch: (input, init) =>
      fetch(input, { ...init, signal: AbortSignal.timeout(MAX_ANSWER_MS) }),
  });
  const target = {
    limiter: limiter.name as TakeArgs["limiter"],
    name: `load ${crypto.randomUUID()}`,
    config: configOf(limiter, scenario),
  };
  const observed: Observed = {
    requests: 0,
    granted: 0,
    tokens: 0,
    denied: 0,
    unsupported: 0,
    terminalFailures: 0,
    otherFailures: 0,
    latenciesMs: [],
    lagsMs: [],
    falseDenials: 0,
    overshootTokens: 0,
  };
  const answered: Call[] = [];
  const send = async (count: number, plannedAt: number) => {
    const sentAt = performance.now();
    observed.lagsMs.push(sentAt - plannedAt);
    try {
      const taken = await client.mutation(
        api.limits.take,
        { ...target, count },
        { skipQueue: true },
      );
      const receivedAt = performance.now();
      observed.latenciesMs.push(receivedAt - plannedAt);
      answered.push({ count, sentAt, receivedAt, ...taken });
    } catch (error) {
      if (isTerminalFailure(error)) observed.terminalFailures++;
      else {
        observed.otherFailures++;
        observed.firstFailure ??= String(error);
      }
    }
  };

  // The first call also loads the code, so it is not part of the run.
  await client.mutation(api.limits.take, { ...target, count: 0 });
  await client.mutation(api.limits.reset, target);
  const planned = [...arrivals(scenario, seed)];
  observed.requests = planned.length;
  const beganAt = performance.now();
  await Promise.all(
    planned.map(async ({ time, count }) => {
      await waitUntil(beganAt + time);
      await send(count, beganAt + time);
    }),
  );
  await client.mutation(api.limits.reset, target);

  for (const { answer, count } of answered) {
    if (answer === "granted") {
      observed.granted++;
      observed.tokens += count;
    } else {
      observed.denied++;
      if (answer === "unsupported") observed.unsupported++;
    }
  }
  observed.latenciesMs.sort((a, b) => a - b);
  observed.lagsMs.sort((a, b) => a - b);
  return { ...observed, ...replay(scenario, answered) };
}

/**
 * Whether Convex gave a mutation up because each of its attempts conflicted. Clients see earlier
 * attempts only as latency.
 */
function isTerminalFailure(error: unknown): boolean {
  return (
    error instanceof Error &&
    error.message.includes("OptimisticConcurrencyControlFailure")
  );
}

/** The config to send. Its type is known only once the scenario is read. */
function configOf(limiter: Limiter, { config }: Scenario): TakeArgs["config"] {
  // The app itself silences advice.
  const { advice: _, ...sent } = withStart(limiter.toSent(config));
  return sent as TakeArgs["config"];
}

async function waitUntil(time: number): Promise<void> {
  const waitMs = time - performance.now();
  if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
}

/** Replays the answers on the exact limit, by the deployment's clock. */
function replay({ config }: Scenario, answered: readonly Call[]) {
  const oracle = new Oracle(config, { kind: "none" });
  // The deployment's clock minus ours, or a little more: no call began before it was sent.
  const offset = answered.reduce(
    (least, { now, sentAt }) => Math.min(least, now - sentAt),
    Infinity,
  );
  for (const { answer, count, now, receivedAt } of answered) {
    const when = { now, committedAt: receivedAt + offset, writes: [] };
    if (answer === "granted") oracle.granted(count, when);
    else oracle.denied(count, when);
  }
  return oracle.finish();
}
