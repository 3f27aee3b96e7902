import {
  defineSchema,
  makeFunctionReference,
  mutationGeneric,
} from "convex/server";
import { describe, expect, test } from "vitest";
import fc from "fast-check";
import { aKind } from "../support/arbitraries.js";
import { ours, peer, type Limiter } from "../../bench/limiters.js";
import scenarios from "../../bench/scenarios.json" with { type: "json" };
import { measure } from "../../bench/measure.js";
import { simulate, type Scenario } from "../../bench/simulate.js";
import { runs } from "../support/seed.js";

test("both limiters get the same requests", async () => {
  const brief: Scenario = { ...(scenarios.over2 as Scenario), seconds: 1 };
  const a = await simulate(ours, brief, 1);
  const b = await simulate(peer, brief, 1);
  expect(a.requests).toBe(b.requests);
});

describe("a run", () => {
  const overloaded: Scenario = {
    config: { kind: "token bucket", rate: 50, period: 1000, shards: 4 },
    arrivalsPerSecond: 200,
    seconds: 2,
    executionMs: 10,
  };
  // Folding the events of `stats` is scheduled.
  const counted = { ...overloaded.config, stats: true };

  test.each([
    [ours, counted],
    [peer, overloaded.config],
  ])(
    "with all faults depends on its seed alone: $0.name",
    async (limiter, config) => {
      const faulty: Scenario = {
        ...overloaded,
        config,
        scheduledAfterMs: 20,
        faults: {
          dropped: 0.1,
          doubled: 0.2,
          delayed: 0.2,
          delayMs: 500,
          killed: 0.1,
          long: 0.02,
        },
      };
      const first = await simulate(limiter, faulty, 1);
      expect(await simulate(limiter, faulty, 1)).toEqual(first);
      expect(await simulate(limiter, faulty, 2)).not.toEqual(first);
    },
  );

  test("fails if a scheduled mutation of ours throws", async () => {
    const broken: Limiter = {
      ...ours,
      schema: defineSchema({}),
      modules: {
        lib: {
          rateLimit: mutationGeneric({
            handler: async ({ scheduler }) => {
              const work = makeFunctionReference<"mutation">("lib:work");
              await scheduler.runAfter(0, work);
              return { ok: false };
            },
          }),
          work: mutationGeneric({
            handler: async () => {
              throw new Error("no");
            },
          }),
        },
      },
    };
    const rarely = { ...overloaded, config: counted, arrivalsPerSecond: 10 };
    await expect(simulate(broken, rarely, 1)).rejects.toThrow(
      "a scheduled mutation failed",
    );
  });
});

describe("the published figures of the peer are reproduced", () => {
  test.each([
    ["near4", { conflictsPerRequest: 0.496, tokens: 2809 }],
    ["over2n4", { conflictsPerRequest: 0.216, tokens: 1217 }],
  ] as const)("%s", async (name, published) => {
    const figures = await measure(peer, scenarios[name] as Scenario, 1);
    expect({
      conflicts: figures.conflictsPerRequest / published.conflictsPerRequest,
      tokens: figures.tokens / published.tokens,
    }).toEqual({
      conflicts: expect.closeTo(1, 1) as number,
      tokens: expect.closeTo(1, 1) as number,
    });
  });
});

const scenario = fc.record({
  config: fc
    .record({
      kind: aKind,
      rate: fc.integer({ min: 1, max: 300 }),
      period: fc.constantFrom(100, 1000, 7000),
      shards: fc.integer({ min: 1, max: 40 }),
      room: fc.constantFrom(0.25, 1, 3),
    })
    .map(({ room, ...config }) => ({
      ...config,
      capacity: Math.ceil(config.rate * room),
    })),
  arrivalsPerSecond: fc.integer({ min: 1, max: 300 }),
  seconds: fc.constant(2),
  executionMs: fc.constantFrom(2, 10, 50),
  most: fc.double({ min: 0, max: 1, noNaN: true }),
});

// The oracle is in `simulate`, which throws if a run does one of these.
test("no run over-grants, loses or mints a token, or writes in a denial", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, fc.nat(), async ({ most, ...rest }, seed) => {
      const largest = Math.max(1, Math.floor(most * rest.config.capacity));
      const { granted, denied, terminalFailures, requests } = await simulate(
        ours,
        { ...rest, countUniform: [1, largest] },
        seed,
      );
      expect(granted + denied + terminalFailures).toBe(requests);
    }),
    runs(3),
  );
}, 30_000);
