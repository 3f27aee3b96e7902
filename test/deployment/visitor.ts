import { ConvexClient, ConvexHttpClient } from "convex/browser";
import type {
  FunctionArgs,
  FunctionReference,
  FunctionReturnType,
} from "convex/server";
import { expect, inject, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { api } from "../../demo/convex/_generated/api.js";
import type { PlacesConfig } from "../../demo/convex/holds.js";
import type { PlaygroundConfig } from "../../demo/convex/playground.js";

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
    await http.mutation(api.playground.resetShards, target);
  });
  return {
    ...visitor,
    take: (count?: number) =>
      http.mutation(api.playground.limit, { ...target, count }),
    reserve: (count?: number) =>
      http.mutation(api.playground.limit, { ...target, count, reserve: true }),
    check: (count?: number) =>
      http.mutation(api.playground.check, { ...target, count }),
    checkTwice: (count?: number) =>
      http.query(api.playground.checkTwice, { ...target, count }),
    credit: (count?: number) =>
      http.mutation(api.playground.credit, { ...target, count }),
    charge: (count?: number) =>
      http.mutation(api.playground.charge, { ...target, count }),
    hold: (count: number, expiresAfter?: number) =>
      http.mutation(api.holds.hold, { ...target, count, expiresAfter }),
    settle: (id: string, count: number) =>
      http.mutation(api.holds.settle, { id, count }),
    release: (id: string) => http.mutation(api.holds.release, { id }),
    getValue: () => http.query(api.playground.getValue, target),
    reset: () => http.mutation(api.playground.reset, target),
    burst: (calls: number) =>
      http.action(api.playground.burst, { ...target, calls }),
    shards: () => http.query(api.playground.shards, target),
  };
}

/** A limit of a visitor's own on what runs at once. */
export function newPlaces(config: PlacesConfig) {
  const { session, http } = newVisitor();
  const target = { session, config };
  const release = (id: string) => http.mutation(api.holds.release, { id });
  return {
    http,
    occupy: async () => {
      const held = await http.mutation(api.holds.occupy, target, {
        skipQueue: true,
      });
      if (held.ok) onTestFinished(async () => void (await release(held.id)));
      return held;
    },
    isVacant: () => http.query(api.holds.isVacant, target),
    renew: (id: string) => http.mutation(api.holds.renew, { id }),
    release,
    work: (ms: number, fails?: boolean) =>
      http.action(api.holds.work, { ...target, ms, fails }),
  };
}

type Request = Omit<FunctionArgs<typeof api.requests.limit>, "session">;
type Override = FunctionArgs<typeof api.requests.setOverride>["override"];

/** A limit of a visitor's own that has overrides, or the windows of a calendar. */
export function newRequests(config: Request["config"]) {
  const { session, http } = newVisitor();
  onTestFinished(
    async () => void (await http.mutation(api.requests.forget, { session })),
  );
  return {
    http,
    take: (options: Omit<Request, "config"> = {}) =>
      http.mutation(api.requests.limit, { session, config, ...options }),
    getValue: () => http.query(api.requests.getValue, { session, config }),
    setOverride: (override: Override) =>
      http.mutation(api.requests.setOverride, { session, override }),
  };
}

type Held = FunctionReturnType<typeof api.holds.hold>;

/** The id of what was held. */
export function idOf(held: Held): string {
  if (!held.ok) throw new Error("It was not held.");
  return held.id;
}

/** The deployment's clock. */
export const serverNow = (http: ConvexHttpClient) =>
  http.mutation(api.messages.getServerTime, {});

/** Asks the deployment for the time until it is `time`. */
export async function serverReaches(http: ConvexHttpClient, time: number) {
  while ((await serverNow(http)) < time);
}

/**
 * Expects the deployment to deny, and to say that it grants from `time` on: to the millisecond
 * of its own clock, which is known before and after.
 */
export async function expectDeniedUntil<
  Status extends { ok: boolean; retryAfter?: number },
>(http: ConvexHttpClient, time: number, ask: () => Promise<Status>) {
  const from = await serverNow(http);
  const denied = await ask();
  const to = await serverNow(http);
  expect(denied.ok).toBe(false);
  expect(denied.retryAfter).toBeLessThanOrEqual(time - from);
  expect(denied.retryAfter).toBeGreaterThanOrEqual(time - to);
  return denied;
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
