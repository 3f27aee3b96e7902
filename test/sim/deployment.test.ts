import {
  defineSchema,
  defineTable,
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
  type DataModelFromSchemaDefinition,
  type GenericMutationCtx,
  type QueryBuilder,
} from "convex/server";
import { v } from "convex/values";
import { describe, expect, test } from "vitest";
import { Deployment } from "../../sim/deployment.js";
import { exponential, seededRandom } from "../../sim/random.js";
import { callAll, value } from "../support/simulatedCalls.js";

const schema = defineSchema({
  rows: defineTable({ name: v.string(), value: v.number() }).index("name", [
    "name",
  ]),
  notes: defineTable({ seen: v.number() }),
});

type DataModel = DataModelFromSchemaDefinition<typeof schema>;
type Mutation = (ctx: GenericMutationCtx<DataModel>) => Promise<unknown>;
const query: QueryBuilder<DataModel, "public"> = queryGeneric;

const count = makeFunctionReference<"query", Record<string, never>, number>(
  "named:count",
);
const fail = makeFunctionReference<"mutation">("named:fail");

/** Functions that mutations call by name. */
const named = {
  count: query(async (ctx) => (await ctx.db.query("rows").collect()).length),
  fail: mutationGeneric(async (ctx) => {
    await ctx.db.insert("rows", { name: "lost", value: 1 });
    throw new Error("no");
  }),
};

/** Reads the row of this name, and writes it. */
const increment =
  (name: string): Mutation =>
  async ({ db }) => {
    const row = await db
      .query("rows")
      .withIndex("name", (q) => q.eq("name", name))
      .unique();
    if (row === null) await db.insert("rows", { name, value: 1 });
    else await db.patch(row._id, { value: row.value + 1 });
  };

/** Inserts a row without reading any. */
const insert =
  (name: string): Mutation =>
  ({ db }) =>
    db.insert("rows", { name, value: 0 });

/** Reads the rows from `from` up to `to`, and writes to another table. */
const note =
  (from: string, to: string): Mutation =>
  async ({ db }) => {
    const rows = await db
      .query("rows")
      .withIndex("name", (q) => q.gte("name", from).lt("name", to))
      .collect();
    await db.insert("notes", { seen: rows.length });
  };

/** Reads only the first of all rows, and writes to another table. */
const noteFirst: Mutation = async ({ db }) => {
  await db.query("rows").withIndex("name").first();
  await db.insert("notes", { seen: 1 });
};

/** Reads all rows by a query, and writes to another table. */
const noteCount =
  (useStaleSnapshot: boolean): Mutation =>
  async (ctx) => {
    const seen = await ctx.runQuery(count, {}, { useStaleSnapshot });
    await ctx.db.insert("notes", { seen });
  };

const appOf = (mutations: readonly Mutation[]) => ({
  schema,
  modules: {
    named,
    functions: Object.fromEntries(
      mutations.map((handler, i) => [`f${i}`, mutationGeneric({ handler })]),
    ),
  },
});

/** Calls each mutation at its time. */
async function run(...calls: [time: number, mutation: Mutation][]) {
  const { answers, deployment } = await callAll(
    appOf(calls.map(([, mutation]) => mutation)),
    calls.map(([time], i) => ({ time, name: `f${i}` })),
  );
  return { answers, conflicts: deployment.totals.conflicts };
}

describe("conflicts", () => {
  type Case = { first: Mutation; second: Mutation; expected: number };

  test.each`
    claim                                                             | first             | second              | expected
    ${"an insert into a range that was read conflicts"}               | ${insert("m")}    | ${note("a", "z")}   | ${1}
    ${"an insert outside a range that was read does not conflict"}    | ${insert("m")}    | ${note("n", "z")}   | ${0}
    ${"an insert at the excluded end of a range does not conflict"}   | ${insert("m")}    | ${note("a", "m")}   | ${0}
    ${"two mutations that look for a row and insert it conflict"}     | ${increment("m")} | ${increment("m")}   | ${1}
    ${"blind writers do not conflict"}                                | ${insert("m")}    | ${insert("m")}      | ${0}
    ${"different rows do not conflict"}                               | ${increment("m")} | ${increment("n")}   | ${0}
    ${"an insert does not conflict with a count in a stale snapshot"} | ${insert("a")}    | ${noteCount(true)}  | ${0}
    ${"an insert conflicts with a count in a fresh snapshot"}         | ${insert("a")}    | ${noteCount(false)} | ${1}
  `("$claim", async ({ first, second, expected }: Case) => {
    // With this seed the first ends between 6 and 14 ms, the second between 11 and 19 ms.
    const { conflicts } = await run([0, first], [10, second]);
    expect(conflicts).toBe(expected);
  });

  test("a read that stops early does not depend on the rows that follow", async () => {
    const { conflicts } = await run(
      [0, insert("a")],
      [100, insert("m")],
      [110, noteFirst],
    );
    expect(conflicts).toBe(0);
  });

  // The first writer is validated by 14 ms, and visible between 11 and 19 ms.
  test.each([
    [10.9, 1],
    [19, 0],
  ])(
    "a commit conflicts until it is visible: with a writer that begins at %d ms, %i times",
    async (time, expected) => {
      const { conflicts } = await run(
        [0, increment("m")],
        [time, increment("m")],
      );
      expect(conflicts).toBe(expected);
    },
  );

  test.each([5, 20, 60])(
    "a reader among %i writers a second conflicts as often as a formula predicts",
    async (writersPerSecond) => {
      const executionMs = 10;
      const deployment = new Deployment({
        schema,
        modules: {
          functions: {
            insert: mutationGeneric(
              async ({ db }, { name }: { name: string }) => {
                await db.insert("rows", { name, value: 0 });
              },
            ),
            noteFirst: mutationGeneric({ handler: noteFirst }),
          },
        },
        executionMs,
        seed: 7,
      });
      const random = seededRandom(7, "arrivals");
      const perMs = writersPerSecond / 1000;
      const durationMs = 50_000;
      for (
        let time = 0;
        time < durationMs;
        time += exponential(random, perMs)
      ) {
        // Each row comes before all earlier ones, so that the readers find it first.
        const name = (1e6 - time).toFixed(3).padStart(12, "0");
        deployment.call(time, "functions:insert", { name }, () => {});
      }
      const readers = 2500;
      let conflicting = 0;
      for (let i = 0; i < readers; i++) {
        const time = random() * durationMs;
        deployment.call(time, "functions:noteFirst", {}, ({ conflicts }) => {
          if (conflicts > 0) conflicting++;
        });
      }
      await deployment.run();
      // The mean of 1 - exp(-lambda W) for W from 6 + 5 to 14 + 5 ms.
      const expected =
        1 - (Math.exp(-11 * perMs) - Math.exp(-19 * perMs)) / (8 * perMs);
      const deviation = Math.sqrt((expected * (1 - expected)) / readers);
      const share = conflicting / readers;
      expect(Math.abs(share - expected)).toBeLessThan(4 * deviation);
    },
  );

  test("a call gives up after its fifth conflict", async () => {
    const writers = Array.from({ length: 2000 }, (_, i): [number, Mutation] => [
      i * 2,
      insert("m"),
    ]);
    const { answers } = await run([50, note("a", "z")], ...writers);
    expect(answers[0]).toMatchObject({ kind: "gave up", conflicts: 5 });
  });
});

describe("snapshots", () => {
  test("a mutation's own and nested reads see its writes, but stale reads do not", async () => {
    const views: Mutation = async (ctx) => {
      await increment("own")(ctx);
      const own = await ctx.db
        .query("rows")
        .withIndex("name", (q) => q.eq("name", "own"))
        .unique();
      const nested = await ctx.runQuery(count, {});
      const stale = await ctx.runQuery(count, {}, { useStaleSnapshot: true });
      return { own: own?.value, nested, stale };
    };
    const { answers } = await run([0, insert("before")], [100, views]);
    expect(value(answers[1])).toEqual({ own: 1, nested: 2, stale: 1 });
  });

  test("a nested mutation that throws loses its writes, but not those of its caller", async () => {
    const surviveFailure: Mutation = async (ctx) => {
      await insert("kept")(ctx);
      await ctx.runMutation(fail, {}).catch(() => {});
      const rows = await ctx.db.query("rows").collect();
      return rows.map(({ name }) => name);
    };
    const { answers } = await run([0, surviveFailure]);
    expect(value(answers[0])).toEqual(["kept"]);
  });

  test.each([
    ["patch", { seen: ["z", "b"], document: { name: "z", value: 0 } }],
    ["replace", { seen: ["y", "b"], document: { name: "y", value: 9 } }],
    ["delete", { seen: ["b"], document: null }],
  ])(
    "a mutation sees its own %s in the order of the index",
    async (verb, expected) => {
      const change: Mutation = async ({ db }) => {
        const row = await db.query("rows").withIndex("name").first();
        const id = row!._id;
        if (verb === "patch") await db.patch(id, { name: "z" });
        if (verb === "replace") await db.replace(id, { name: "y", value: 9 });
        if (verb === "delete") await db.delete(id);
        const seen: string[] = [];
        const descending = db.query("rows").withIndex("name").order("desc");
        for await (const { name } of descending) seen.push(name);
        return { seen, document: await db.get(id) };
      };
      const { answers } = await run(
        [0, insert("a")],
        [100, insert("b")],
        [200, change],
      );
      expect(value(answers[2])).toMatchObject(expected);
    },
  );

  test("a function's clock stands still at the whole millisecond in which it began", async () => {
    const real = { now: Date.now, random: Math.random };
    const time: Mutation = async () => Date.now();
    const { answers } = await run([0, time], [1234.9, time]);
    expect(value<number>(answers[1]) - value<number>(answers[0])).toBe(1234);
    expect({ now: Date.now, random: Math.random }).toEqual(real);
  });
});
