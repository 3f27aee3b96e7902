import { isRateLimitError } from "convex-rate-limiter";
import { ConvexHttpClient } from "convex/browser";
import { setTimeout as sleep } from "node:timers/promises";
import { api } from "./convex/_generated/api.js";
import type { LimiterName } from "./scenarios.js";
import type { Step, Taken } from "./steps.js";

/** A mutation or a query of the app, as its client sends it. */
export type Sent = {
  limiter: LimiterName;
  steps: readonly Step[];
  isQuery?: boolean;
};

/** What became of it. "gave up": it conflicted in each of its attempts. */
export type Outcome =
  | ({ kind: "granted" } & Taken)
  // A denial that was thrown says neither.
  | ({ kind: "denied" } & Partial<Taken>)
  | { kind: "gave up" }
  | { kind: "failed"; why: string };

export type Send = (sent: Sent) => Promise<Outcome>;

/** A call without an answer after this time counts as failed. */
const MAX_ANSWER_MS = 30_000;

/** Sends over HTTP to the app in `./convex`. */
export function connect(url: string): Send {
  const client = new ConvexHttpClient(url, {
    logger: false,
    fetch: (input, init) =>
      fetch(input, { ...init, signal: AbortSignal.timeout(MAX_ANSWER_MS) }),
  });
  return async ({ limiter, steps, isQuery = false }) => {
    const { run, ask } = api[limiter];
    const args = { steps: steps.map((step) => [...step]) };
    try {
      const taken = isQuery
        ? await client.query(ask, args)
        : await client.mutation(run, args, { skipQueue: true });
      return answered(taken);
    } catch (error) {
      return thrown(error);
    }
  };
}

/** Denied if any of the steps was. */
export function answered(taken: Taken): Outcome {
  const isDenied = (taken.answers as ({ ok?: boolean } | null)[]).some(
    (answer) => answer?.ok === false,
  );
  return { kind: isDenied ? "denied" : "granted", ...taken };
}

/** Clients see earlier attempts of a mutation that conflicts only as latency. */
export function thrown(error: unknown): Outcome {
  if (isRateLimitError(error)) return { kind: "denied" };
  const why = String(error);
  return why.includes("OptimisticConcurrencyControlFailure")
    ? { kind: "gave up" }
    : { kind: "failed", why };
}

/** What a call asks for. */
export type Asked = {
  limiter: LimiterName;
  mutations: readonly (readonly Step[])[];
  /** How long after an answer the next mutation is sent. Default 0. */
  afterMs?: number;
  isQuery?: boolean;
};

/**
 * Makes one call: its mutations, one after the other, until one is not granted. `note` learns what
 * became of each, and when it was sent.
 */
export async function callOnce(
  send: Send,
  { limiter, mutations, afterMs = 0, isQuery }: Asked,
  bindings: Bindings,
  note: (stage: number, outcome: Outcome, sentAt: number) => void = () => {},
): Promise<void> {
  let answer: unknown;
  for (const [stage, steps] of mutations.entries()) {
    if (stage > 0) await sleep(afterMs);
    const sentAt = performance.now();
    const filled = fill(steps, { ...bindings, answer });
    const outcome = await send({ limiter, steps: filled, isQuery });
    note(stage, outcome, sentAt);
    if (outcome.kind !== "granted") return;
    answer = answerOf(outcome);
  }
}

/** What the limiter said last. */
export function answerOf({ answers }: Pick<Taken, "answers">): unknown {
  return answers.findLast((answer) => answer instanceof Object);
}

/** What stands for the words that begin with `$`. */
export type Bindings = {
  name: string;
  key: string;
  each: string;
  config: object;
  work?: number;
  answer?: unknown;
};

/** Steps with their words replaced, as they are sent. */
export function fill(steps: readonly Step[], bindings: Bindings): Step[] {
  const replaced = (value: unknown): unknown => {
    if (typeof value === "string" && value.startsWith("$")) {
      return at(bindings, value.slice(1).split("."));
    }
    if (Array.isArray(value)) return value.map(replaced);
    if (!(value instanceof Object)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([field, inner]) => [field, replaced(inner)]),
    );
  };
  return steps.map(([verb, ...args]) => [verb, ...args.map(replaced)]);
}

function at(bindings: Bindings, path: readonly string[]): unknown {
  let value: unknown = bindings;
  for (const field of path) {
    value = value instanceof Object ? Reflect.get(value, field) : undefined;
  }
  if (value !== undefined) return value;
  throw new Error(`Nothing stands for $${path.join(".")}.`);
}
