// @vitest-environment happy-dom
import { cleanup, renderHook, waitFor } from "@testing-library/react";
import { ConvexProvider, ConvexReactClient } from "convex/react";
import { setTimeout as sleep } from "node:timers/promises";
import { createElement, type ReactNode } from "react";
import { useRateLimit } from "convex-rate-limiter/react";
import { expect, inject, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { api } from "../app/convex/_generated/api.js";
import { newLine } from "./line.js";

const SECOND = 1_000;

/** A client at that address, until the test ends. */
function newClient(url: string): ConvexReactClient {
  const client = new ConvexReactClient(url, {
    logger: false,
    webSocketConstructor: WebSocket as unknown as typeof globalThis.WebSocket,
  });
  onTestFinished(() => client.close());
  return client;
}

test("over a slow line the hook's retryAt is wrong by at most half a round trip", async () => {
  const delayMs = 0.8 * SECOND;
  const answeredAt: number[] = [];
  // Each message of the server takes this time, and those of the client none.
  const line = await newLine(async ({ type }) => {
    await sleep(delayMs);
    if (type === "MutationResponse") answeredAt.push(Date.now());
    return true;
  });
  const sender = `test-${crypto.randomUUID()}`;
  const direct = newClient(inject("url"));
  const slow = newClient(line);
  const wrapper = ({ children }: { children: ReactNode }) =>
    createElement(ConvexProvider, { client: slow }, children);
  const mountedAt = Date.now();
  const { result } = renderHook(
    () =>
      useRateLimit(api.messages.getRateLimit, {
        key: sender,
        getServerTimeMutation: api.messages.getServerTime,
      }),
    { wrapper },
  );
  onTestFinished(cleanup);
  const shows = (isSo: () => boolean) =>
    waitFor(() => expect(isSo()).toBe(true), { timeout: 50 * SECOND });

  await shows(() => result.current.status?.ok === true);
  for (let i = 0; i < 3; i++)
    await direct.mutation(api.messages.send, { sender });
  await shows(() => result.current.status?.ok === false);
  // It asks a second time when it has the first answer: the round trip took less than both.
  await shows(() => answeredAt.length > 1);
  const maxRoundTrip = answeredAt[1]! - mountedAt;
  expect(maxRoundTrip).toBeGreaterThan(delayMs);

  const from = Date.now();
  const serverNow = await direct.mutation(api.verbs.now, {});
  const to = Date.now();
  const { value, ts, config } = await direct.query(api.messages.getRateLimit, {
    key: sender,
  });
  if (config.kind !== "token bucket") throw new Error("It has another limit.");
  const tokenAt = ts + ((1 - value) * config.period) / config.rate;
  const { status } = result.current;
  if (status?.ok !== false) throw new Error("It is enabled before its time.");
  expect(status.retryAt).toBeGreaterThan(
    from + tokenAt - serverNow - maxRoundTrip / 2,
  );
  expect(status.retryAt).toBeLessThan(
    to + tokenAt - serverNow + maxRoundTrip / 2,
  );
  // By itself, without a call.
  await shows(() => result.current.status?.ok === true);
});

test("a mutation whose answer was lost is sent again, runs once and keeps its answer", async () => {
  const lost: unknown[] = [];
  const line = await newLine(({ type, result }) => {
    if (type !== "MutationResponse" || lost.length > 0) return true;
    lost.push(result);
    return false;
  });
  const target = {
    name: `test-${crypto.randomUUID()}`,
    config: { kind: "fixed window", rate: 10, period: 86_400 * SECOND },
  } as const;
  const held = await newClient(line).mutation(api.verbs.hold, {
    ...target,
    count: 4,
  });
  expect(lost).toEqual([held]);
  const { value } = await newClient(inject("url")).query(
    api.verbs.getValue,
    target,
  );
  expect(value).toBe(6);
});
