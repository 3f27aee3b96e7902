import {
  componentsGeneric,
  createFunctionHandle,
  defineSchema,
  defineTable,
  makeFunctionReference,
  mutationGeneric,
  type FunctionReference,
} from "convex/server";
import { v } from "convex/values";
import { expect, test } from "vitest";
import type { Component } from "../../sim/components.js";
import { callAll } from "../support/simulatedCalls.js";

const schema = defineSchema({ rows: defineTable({ name: v.string() }) });

/** Inserts a row, and returns the names in its component's table. */
const insert = mutationGeneric(async ({ db }, { name }: { name: string }) => {
  await db.insert("rows", { name });
  const rows = (await db.query("rows").collect()) as { name: string }[];
  return rows.map((row) => row.name);
});

const lib = componentsGeneric().child!.lib as Record<
  string,
  FunctionReference<"mutation", "internal">
>;

const viaHandle = (name: string) =>
  mutationGeneric(async (ctx) => {
    const reference = makeFunctionReference<"mutation">(`lib:${name}`);
    const handle = await createFunctionHandle(reference);
    return (await ctx.runMutation(handle, { name: "by handle" })) as unknown;
  });

const app: Component = {
  schema,
  modules: {
    lib: {
      insert,
      both: mutationGeneric(async (ctx) => {
        await ctx.db.insert("rows", { name: "root" });
        return (await ctx.runMutation(lib.insert!, {
          name: "child",
        })) as unknown;
      }),
      viaHandle: viaHandle("insertThere"),
      ambiguous: viaHandle("insert"),
    },
  },
  components: {
    child: { schema, modules: { lib: { insert, insertThere: insert } } },
  },
};

/** Calls these functions one after the other. Returns what the last one returned. */
async function returned(...names: string[]) {
  const args = { name: "direct" };
  const { answers } = await callAll(
    app,
    names.map((name, i) => ({ time: i * 100, name: `lib:${name}`, args })),
  );
  const last = answers.at(-1);
  return last?.kind === "answered" ? last.returned : undefined;
}

test("tables of the same name in two components are separate", async () => {
  expect(await returned("both")).toEqual({ value: ["child"] });
  expect(await returned("both", "insert")).toEqual({
    value: ["root", "direct"],
  });
});

test("a function handle leads to the component that has the function", async () => {
  expect(await returned("both", "viaHandle")).toEqual({
    value: ["child", "by handle"],
  });
});

test("a handle to a function that two components have is refused", async () => {
  expect(await returned("ambiguous")).toEqual({
    error: new Error("2 components have a function lib:insert"),
  });
});

test.each([
  ["in tables of the same name in two components do not conflict", "insert", 0],
  ["in the same table conflict", "viaHandle", 1],
])("writers %s", async (_, beside, expected) => {
  const args = { name: "x" };
  const { deployment } = await callAll(app, [
    { time: 0, name: "lib:viaHandle", args },
    { time: 0, name: `lib:${beside}`, args },
  ]);
  expect(deployment.totals.conflicts).toBe(expected);
});
