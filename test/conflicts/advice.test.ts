import { RateLimiter } from "convex-rate-limiter";
import { defineSchema, mutationGeneric } from "convex/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ours, type Limiter } from "../../bench/limiters.js";
import { simulate, type Scenario } from "../../bench/simulate.js";
import { components } from "../support/host.js";
import { callAll } from "../support/simulatedCalls.js";

const said: string[] = [];
beforeEach(() => {
  said.length = 0;
  vi.spyOn(console, "warn").mockImplementation(
    (text: string) => void said.push(text),
  );
});
afterEach(() => void vi.restoreAllMocks());

/** As the bench has it, but with advice. */
const advising: Limiter = {
  ...ours,
  toSent: (config) => config,
};

const nearOneRow: Scenario = {
  config: { kind: "token bucket", rate: 100, period: 1000, shards: 1 },
  arrivalsPerSecond: 95,
  seconds: 2,
  executionMs: 10,
};

test("advice is given where calls are lost", async () => {
  await simulate(advising, nearOneRow, 1);
  expect(said.length).toBeGreaterThan(0);
  for (const text of said) {
    expect(text).toMatch(
      /^Rate limit limit: calls came within \d\d? ms on one/,
    );
    expect(text).toContain('Try shards: "auto".');
  }
});

test("advice changes no answer, no row and no conflict", async () => {
  const silent = await simulate(ours, nearOneRow, 1);
  expect(said).toEqual([]);
  expect(await simulate(advising, nearOneRow, 1)).toEqual(silent);
  expect(said).not.toEqual([]);
});

/** Runs a mutation of a host at each of these times, which takes `takes` times. Returns the advice. */
async function run(times: number[], takes = 1) {
  const limiter = new RateLimiter(components.rateLimiter, { it: fast });
  const take = mutationGeneric({
    handler: async (ctx) => {
      for (let i = 0; i < takes; i++) await limiter.limit(ctx, "it");
    },
  });
  const host = {
    schema: defineSchema({}),
    modules: { functions: { take } },
    components: { rateLimiter: ours },
  };
  const calls = times.map((time) => ({ time, name: "take" }));
  await callAll(host, calls);
  return said;
}

const fast = {
  kind: "token bucket",
  rate: 1e5,
  period: 1000,
  shards: 1,
} as const;
const every = (ms: number, n: number) =>
  Array.from({ length: n }, (_, i) => i * ms);

test.each([
  ["on one call a second", every(1000, 600), 1],
  ["on ten calls in one mutation", every(1000, 60), 10],
])("no advice is given %s", async (_, times, takes) => {
  expect(await run(times, takes)).toEqual([]);
});

// Shows that the calls of the tests above could have been given advice.
test("advice is given on a call every 20 ms", async () => {
  expect((await run(every(20, 400))).length).toBeGreaterThan(0);
});
