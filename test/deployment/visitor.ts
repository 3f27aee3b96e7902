import { ConvexClient, ConvexHttpClient } from "convex/browser";
import type { FunctionArgs, FunctionReference } from "convex/server";
import { inject, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { api } from "../../example/convex/_generated/api.js";
import type { PlaygroundConfig } from "../../example/convex/playground.js";

/** Somebody new, with limits of their own, who is forgotten when the test ends. */
export function newVisitor() {
  const session = `test-${crypto.randomUUID()}`;
  const http = new ConvexHttpClient(inject("url"), { logger: false });
  onTestFinished(async () => {
    await http.mutation(api.session.forget, { session });
    await http.mutation(api.operators.clear, { key: session });
  });
  return { session, http };
}

/** A limit of a visitor's own, with any config. */
export function newLimit(config: PlaygroundConfig) {
  const visitor = newVisitor();
  const { session, http } = visitor;
  const target = { session, config };
  onTestFinished(async () => {
    await http.mutation(api.playground.reset, target);
    await http.mutation(api.playground.resetShards, { session });
  });
  return {
    ...visitor,
    take: (count?: number) =>
      http.mutation(api.playground.limit, { ...target, count }),
    reserve: (count?: number) =>
      http.mutation(api.playground.limit, { ...target, count, reserve: true }),
    check: (count?: number) =>
      http.mutation(api.playground.check, { ...target, count }),
    getValue: () => http.query(api.playground.getValue, target),
    reset: () => http.mutation(api.playground.reset, target),
    burst: (calls: number) =>
      http.action(api.playground.burst, { ...target, calls }),
    shards: () => http.query(api.playground.shards, target),
  };
}

/** The deployment's clock. */
export const serverNow = (http: ConvexHttpClient) =>
  http.mutation(api.messages.getServerTime, {});

/** Asks the deployment for the time until it is `time`. */
export async function serverReaches(http: ConvexHttpClient, time: number) {
  while ((await serverNow(http)) < time);
}

/** A client with live queries, until the test ends. */
export function newLiveClient(): ConvexClient {
  const client = new ConvexClient(inject("url"), {
    logger: false,
    // Node 20 has no WebSocket of its own.
    webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Follows a live query; `until` resolves with the first result that satisfies it. */
export function follow<Query extends FunctionReference<"query">>(
  client: ConvexClient,
  query: Query,
  args: FunctionArgs<Query>,
) {
  type Result = Query["_returnType"];
  const results: Result[] = [];
  let wake = () => {};
  client.onUpdate(query, args, (result) => {
    results.push(result);
    wake();
  });
  return {
    until: async (satisfies: (result: Result) => boolean): Promise<Result> => {
      for (;;) {
        const index = results.findIndex(satisfies);
        if (index !== -1) return results[index];
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}
