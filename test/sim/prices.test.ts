import {
  defineSchema,
  defineTable,
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
  type GenericDataModel,
  type GenericMutationCtx,
} from "convex/server";
import { v } from "convex/values";
import { expect, test } from "vitest";
import { FREE, type Prices } from "../../sim/prices.js";
import type { Setting } from "../../sim/deployment.js";
import { callAll } from "../support/simulatedCalls.js";

type Mutation = (ctx: GenericMutationCtx<GenericDataModel>) => Promise<unknown>;

const nothing = makeFunctionReference<"query">("functions:nothing");
const VISIBLE_AFTER_MS = 5;

/** When each call of a mutation is answered, after the time at which it is made. */
async function answeredAfterMs(
  mutation: Mutation,
  times: readonly number[],
  setting: Partial<Setting>,
  more: Record<string, unknown> = {},
): Promise<number[]> {
  const app = {
    schema: defineSchema({ notes: defineTable({ text: v.string() }) }),
    modules: {
      functions: {
        nothing: queryGeneric({ handler: async () => null }),
        it: mutationGeneric({ handler: mutation }),
        ...more,
      },
    },
    loads: 4,
  };
  const calls = times.map((time) => ({ time, name: "it" }));
  const { answers } = await callAll(app, calls, { executionMs: 0, ...setting });
  return answers.map((answer) => (answer as { latencyMs: number }).latencyMs);
}

const insert: Mutation = ({ db }) => db.insert("notes", { text: "" });

test.each<[string, Mutation, Partial<Prices>, number]>([
  ["a call of its own", async () => {}, { calls: 10 }, 10],
  ["a nested call", (ctx) => ctx.runQuery(nothing), { calls: 10 }, 20],
  ["the modules that a call loads", async () => {}, { modules: 1 }, 4],
  [
    "a look",
    (ctx) => ctx.runQuery(nothing, {}, { useStaleSnapshot: true }),
    { calls: 10, looks: 7 },
    17,
  ],
  [
    "each range that it reads",
    async ({ db }) => {
      await db.query("notes").collect();
      await db.query("notes").first();
    },
    { ranges: 3 },
    6,
  ],
  ["a row that it writes", insert, { rowsWritten: 3 }, 3 + VISIBLE_AFTER_MS],
  [
    "transaction metrics",
    (ctx) => ctx.meta.getTransactionMetrics(),
    { metrics: 2 },
    2,
  ],
])("a transaction takes time for %s", async (_, mutation, some, expected) => {
  const prices = { ...FREE, ...some };
  expect(await answeredAfterMs(mutation, [0], { prices })).toEqual([expected]);
});

test("modules that Convex keeps from an earlier call cost nothing", async () => {
  const setting = { prices: { ...FREE, modules: 1 } };
  const kept = { experimental_reuseContext: true };
  expect(await answeredAfterMs(async () => {}, [0], setting, kept)).toEqual([
    0,
  ]);
});

test("what is priced comes on top of a transaction's own work", async () => {
  const prices = { ...FREE, calls: 100 };
  const setting = { executionMs: 10, prices };
  const [ms] = await answeredAfterMs(async () => {}, [0], setting);
  expect(ms).toBeGreaterThanOrEqual(106);
  expect(ms).toBeLessThanOrEqual(114);
});

test.each([
  ["as many cores as transactions", [0, 0], 2, [10, 10]],
  ["fewer cores, which they share", [0, 0], 1, [20, 20]],
  // The first is alone for 5 ms, then shares. The second has the core for the last 5 ms.
  ["a core that another begins to use", [0, 5], 1, [15, 15]],
  ["a core that was used before", [0, 10], 1, [10, 10]],
])("transactions on %s", async (_, times, cores, expected) => {
  const setting = { cores, prices: { ...FREE, calls: 10 } };
  expect(await answeredAfterMs(async () => {}, times, setting)).toEqual(
    expected,
  );
});
