import { type EmbeddedServer, startEmbedded } from "convex-embedded";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ours, peer } from "../../bench/limiters.js";
import { embeddedApp } from "../../bench/load/embeddedApp.js";
import { load } from "../../bench/load/load.js";
import scenarios from "../../bench/scenarios.json" with { type: "json" };
import type { Scenario } from "../../bench/simulate.js";

// Tests the command itself, always on the embedded server: no deployment is loaded, whatever CONVEX_URL is.
let server: EmbeddedServer;
beforeAll(async () => {
  server = await startEmbedded({ app: embeddedApp, port: 0 });
});
afterAll(() => server.close());

const limiters = [ours, peer].map((one) => [one.name, one] as const);

test.each(limiters)(
  "a load below the limit is granted: %s",
  async (_name, limiter) => {
    const scenario: Scenario = {
      ...(scenarios.near4 as Scenario),
      arrivalsPerSecond: 25,
      seconds: 1,
    };
    const observed = await load(server.url, limiter, scenario, 1);
    expect(observed.requests).toBeGreaterThan(10);
    expect(observed).toMatchObject({
      granted: observed.requests,
      denied: 0,
      terminalFailures: 0,
      otherFailures: 0,
      falseDenials: 0,
      overshootTokens: 0,
    });
    expect(observed.latenciesMs).toHaveLength(observed.requests);
  },
);

test.each(limiters)(
  "an overload is granted no more than the limit: %s",
  async (_name, limiter) => {
    const scenario: Scenario = {
      ...(scenarios.fwOver as Scenario),
      config: { kind: "fixed window", rate: 10, period: 60_000, shards: 2 },
      arrivalsPerSecond: 30,
      seconds: 1,
    };
    const observed = await load(server.url, limiter, scenario, 1);
    expect(observed.denied).toBeGreaterThan(0);
    expect(observed.granted).toBeLessThanOrEqual(20);
    expect(observed).toMatchObject({ overshootTokens: 0, otherFailures: 0 });
  },
);
