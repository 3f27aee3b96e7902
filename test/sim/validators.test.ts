import {
  defineSchema,
  defineTable,
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
} from "convex/server";
import { v } from "convex/values";
import { expect, test } from "vitest";
import type { Component } from "../../sim/components.js";
import { callAll } from "../support/simulatedCalls.js";

const count = v.optional(v.union(v.number(), v.literal("all")));
const double = makeFunctionReference<"query">("functions:double");
const insert = makeFunctionReference<"mutation">("functions:insert");

const functions = {
  /** Returns twice the count; for "all" a string, which its validator rejects. */
  double: queryGeneric({
    args: { count },
    returns: v.number(),
    handler: async (_, { count = 0 }) =>
      (count === "all" ? "twice all" : 2 * count) as number,
  }),
  ask: mutationGeneric({
    handler: async (ctx, args: Record<string, unknown>): Promise<unknown> =>
      ctx.runQuery(double, args),
  }),
  insert: mutationGeneric({
    args: { name: v.string() },
    returns: v.null(),
    handler: async ({ db }, { name }) => {
      await db.insert("rows", { name });
    },
  }),
  later: mutationGeneric({
    handler: async (ctx, args: Record<string, unknown>) => {
      await ctx.scheduler.runAfter(0, insert, args);
    },
  }),
  /** Writes, and returns what its validator rejects. */
  broken: mutationGeneric({
    args: {},
    returns: v.null(),
    handler: async (ctx) => {
      await ctx.db.insert("rows", { name: "broken" });
      return "no null" as unknown as null;
    },
  }),
  names: mutationGeneric({
    args: {},
    returns: v.array(v.string()),
    handler: async ({ db }) => {
      const rows = (await db.query("rows").collect()) as { name: string }[];
      return rows.map(({ name }) => name);
    },
  }),
  commitTs: mutationGeneric({
    args: {},
    returns: v.object({ at: v.commitTs() }),
    handler: async ({ db }) => ({ at: db.vars.commitTs }),
  }),
};

const app: Component = {
  schema: defineSchema({ rows: defineTable({ name: v.string() }) }),
  modules: { functions },
};

/** Calls a function. Returns its result, or the message of its error. */
async function outcome(name: string, args: Record<string, unknown> = {}) {
  const { answers } = await callAll(app, [{ time: 0, name, args }]);
  const [answer] = answers;
  if (answer?.kind !== "answered") throw new Error("no answer");
  const { returned } = answer;
  return "error" in returned
    ? (returned.error as Error).message
    : returned.value;
}

test.each([
  [{ count: 2 }, 4],
  [{ count: undefined }, 0],
  [{ count: "2" }, /double args\.count/],
  [{ tokens: 2 }, /double args\.tokens/],
  [{ count: "all" }, /double returns/],
])(
  "the validators of a function check %o in direct and nested calls",
  async (args, expected) => {
    for (const name of ["double", "ask"]) {
      const returned = await outcome(name, args);
      if (expected instanceof RegExp) expect(returned).toMatch(expected);
      else expect(returned).toBe(expected);
    }
  },
);

test("a scheduled function fails on arguments that its validator rejects", async () => {
  const { deployment } = await callAll(app, [
    { time: 0, name: "later", args: { name: 1 } },
    { time: 1_000, name: "names" },
  ]);
  expect(deployment.scheduledErrors).toMatchObject([
    { message: expect.stringContaining("insert args.name") as string },
  ]);
});

test("a function whose result its validator rejects leaves no write", async () => {
  const { answers } = await callAll(app, [
    { time: 0, name: "broken" },
    { time: 1_000, name: "names" },
  ]);
  expect(answers).toMatchObject([
    { returned: { error: { path: "functions:broken returns" } } },
    { returned: { value: [] } },
  ]);
});

test("a validator accepts the commit's timestamp before it is known", async () => {
  expect(await outcome("commitTs")).toEqual({
    at: expect.any(BigInt) as bigint,
  });
});
