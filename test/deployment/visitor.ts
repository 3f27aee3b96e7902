import { ConvexClient, ConvexHttpClient } from "convex/browser";
import type { FunctionArgs } from "convex/server";
import { expect, inject, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import type {
  ConcurrencyConfig,
  HoldReturns,
  RefillingConfig,
  SetOverrideOptions,
} from "convex-rate-limiter";
import { api } from "../app/convex/_generated/api.js";

/** Somebody new, with limits of their own. */
export function newVisitor() {
  const visitor = `test-${crypto.randomUUID()}`;
  const http = new ConvexHttpClient(inject("url"), { logger: false });
  return { visitor, http };
}

type LimitOptions = Omit<
  FunctionArgs<typeof api.verbs.limit>,
  "name" | "key" | "config"
>;

/** A visitor's own limit. It is reset, and its overrides are cleared, when the test ends. */
export function newLimit(config: RefillingConfig) {
  const { visitor: name, http } = newVisitor();
  const key = "visitor";
  const target = { name, key, config };
  const reset = () => http.mutation(api.verbs.reset, target);
  onTestFinished(async () => void (await reset()));
  const take = (options: LimitOptions = {}) =>
    http.mutation(api.verbs.limit, { ...target, ...options });
  return {
    http,
    target,
    reset,
    take,
    takeWithDetails: (options: LimitOptions = {}) =>
      http.mutation(api.verbs.limitWithDetails, { ...target, ...options }),
    takeUpTo: (count: number) =>
      http.mutation(api.verbs.limitUpTo, { ...target, count }),
    takeAndThrow: () => http.mutation(api.verbs.limitAndThrow, target),
    reserve: () => take({ reserve: true }),
    check: (count?: number) =>
      http.mutation(api.verbs.check, { ...target, count }),
    checkByQuery: () => http.query(api.verbs.checkByQuery, target),
    credit: (count?: number) =>
      http.mutation(api.verbs.credit, { ...target, count }),
    charge: (count?: number) =>
      http.mutation(api.verbs.charge, { ...target, count }),
    hold: (count: number, expiresAfter?: number) =>
      http.mutation(api.verbs.hold, { ...target, count, expiresAfter }),
    holdOnce: (once: string, count: number) =>
      http.mutation(api.verbs.hold, { ...target, count, once }),
    settle: (id: string, count: number) =>
      http.mutation(api.verbs.settle, { id, count }),
    release: (id: string) => http.mutation(api.verbs.release, { id }),
    getValue: () => http.query(api.verbs.getValue, target),
    burst: (calls: number) =>
      http.action(api.verbs.burst, { ...target, calls }),
    setOverride: (override: SetOverrideOptions) =>
      http.mutation(api.verbs.setOverride, {
        name,
        override: { key, ...override },
      }),
    /** The balance of each of its rows; a limit that has not been used has none. */
    balances: async () => {
      const { page } = await http.query(api.verbs.list, {
        name,
        config,
        order: "key",
        paginationOpts: { numItems: 1, cursor: null },
      });
      return page[0]?.shards ?? [];
    },
  };
}

/** A visitor's own concurrency limit. */
export function newPlaces(config: ConcurrencyConfig) {
  const { visitor: name, http } = newVisitor();
  const target = { name, config };
  const release = (id: string) => http.mutation(api.verbs.release, { id });
  return {
    http,
    occupy: async () => {
      const held = await http.mutation(api.verbs.occupy, target, {
        skipQueue: true,
      });
      if (held.ok) onTestFinished(async () => void (await release(held.id)));
      return held;
    },
    isVacant: () => http.query(api.verbs.isVacant, target),
    renew: (id: string) => http.mutation(api.verbs.renew, { id }),
    release,
    work: (ms: number) => http.action(api.verbs.work, { ...target, ms }),
  };
}

/** Matches an error's text, or what a production deployment sends instead. */
export const saying = (text: string) => new RegExp(`${text}|Server Error`);

/** The id of a hold that was granted. */
export function holdIdOf(held: HoldReturns): string {
  if (!held.ok) throw new Error("It was not held.");
  return held.id;
}

/** The deployment's clock. */
export const serverNow = (http: ConvexHttpClient) =>
  http.mutation(api.verbs.now, {});

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
