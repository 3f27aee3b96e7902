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
import { Deployment, type Returned } from "../../sim/deployment.js";

const schema = defineSchema({ rows: defineTable({ name: v.string() }) });

/** Inserts a row, and returns the names in its component's table. */
const insert = mutationGeneric({
  handler: async ({ db }, { name }: { name: string }) => {
    await db.insert("rows", { name });
    const rows = (await db.query("rows").collect()) as { name: string }[];
    return rows.map((row) => row.name);
  },
});

const lib = componentsGeneric().child!.lib as Record<
  string,
  FunctionReference<"mutation", "internal">
>;

const viaHandle = (name: string) =>
  mutationGeneric({
    handler: async (ctx) => {
      const reference = makeFunctionReference<"mutation">(`lib:${name}`);
      const handle = await createFunctionHandle(reference);
      return (await ctx.runMutation(handle, { name: "by handle" })) as unknown;
    },
  });

const app: Component = {
  schema,
  modules: {
    lib: {
      insert,
      both: mutationGeneric({
        handler: async (ctx) => {
          await ctx.db.insert("rows", { name: "root" });
          return (await ctx.runMutation(lib.insert!, {
            name: "child",
          })) as unknown;
        },
      }),
      viaHandle: viaHandle("insertThere"),
      ambiguous: viaHandle("insert"),
    },
  },
  components: {
    child: { schema, modules: { lib: { insert, insertThere: insert } } },
  },
};

async function returned(...names: string[]): Promise<Returned> {
  const deployment = new Deployment({ ...app, executionMs: 10, seed: 1 });
  let last: Returned | undefined;
  names.forEach((name, i) => {
    const args = { name: "direct" };
    deployment.call(i * 100, `lib:${name}`, args, (answer) => {
      if (answer.kind === "answered") last = answer.returned;
    });
  });
  await deployment.run();
  return last!;
}

test("a component has tables of its own, whatever their names", async () => {
  expect(await returned("both")).toEqual({ value: ["child"] });
  expect(await returned("both", "insert")).toEqual({
    value: ["root", "direct"],
  });
});

test("a function's handle leads to the component that has it", async () => {
  expect(await returned("both", "viaHandle")).toEqual({
    value: ["child", "by handle"],
  });
});

test("a handle of a function that two components have is refused", async () => {
  expect(await returned("ambiguous")).toEqual({
    error: new Error("2 components have a function lib:insert"),
  });
});

test.each([
  ["in tables of one name in two components do not conflict", "insert", 0],
  ["in one component do", "viaHandle", 1],
])("writers %s", async (_, beside, expected) => {
  const deployment = new Deployment({ ...app, executionMs: 10, seed: 1 });
  let conflicts = 0;
  for (const name of ["viaHandle", beside]) {
    deployment.call(0, `lib:${name}`, { name: "x" }, (answer) => {
      conflicts += answer.conflicts;
    });
  }
  await deployment.run();
  expect(conflicts).toBe(expected);
});
