import {
  defineSchema,
  defineTable,
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
  type DataModelFromSchemaDefinition,
  type MutationBuilder,
  type QueryBuilder,
} from "convex/server";
import { v } from "convex/values";
import { describe, expect, test } from "vitest";
import { Deployment } from "../../sim/deployment.js";
import { exponential, seededRandom } from "../../sim/random.js";
import { callAll, value, type Called } from "../simulated.js";

const schema = defineSchema({
  rows: defineTable({ name: v.string(), value: v.number() }).index("name", [
    "name",
  ]),
  notes: defineTable({ seen: v.number() }),
});

type DataModel = DataModelFromSchemaDefinition<typeof schema>;
const mutation: MutationBuilder<DataModel, "public"> = mutationGeneric;
const query: QueryBuilder<DataModel, "public"> = queryGeneric;

const count = makeFunctionReference<"query", Record<string, never>, number>(
  "functions:count",
);
const fail = makeFunctionReference<"mutation">("functions:fail");

const functions = {
  /** Reads the row, and writes it. */
  increment: mutation({
    handler: async (ctx, { name, by = 1 }: { name: string; by?: number }) => {
      const row = await ctx.db
        .query("rows")
        .withIndex("name", (q) => q.eq("name", name))
        .unique();
      if (row === null) await ctx.db.insert("rows", { name, value: by });
      else await ctx.db.patch(row._id, { value: row.value + by });
    },
  }),
  /** Writes a row that it has not looked for. */
  insert: mutation({
    handler: async (ctx, { name }: { name: string }) => {
      await ctx.db.insert("rows", { name, value: 0 });
    },
  }),
  /** Reads the rows from `from` up to `to`, and writes elsewhere. */
  note: mutation({
    handler: async (ctx, { from, to }: { from: string; to: string }) => {
      const rows = await ctx.db
        .query("rows")
        .withIndex("name", (q) => q.gte("name", from).lt("name", to))
        .collect();
      await ctx.db.insert("notes", { seen: rows.length });
    },
  }),
  /** Reads only the first of all rows, and writes elsewhere. */
  noteFirst: mutation({
    handler: async (ctx) => {
      await ctx.db.query("rows").withIndex("name").first();
      await ctx.db.insert("notes", { seen: 1 });
    },
  }),
  count: query({
    handler: async (ctx) => (await ctx.db.query("rows").collect()).length,
  }),
  stale: mutation({
    handler: async (ctx) => {
      const options = { useStaleSnapshot: true };
      const seen = await ctx.runQuery(count, {}, options);
      await ctx.db.insert("notes", { seen });
    },
  }),
  fresh: mutation({
    handler: async (ctx) => {
      const seen = await ctx.runQuery(count, {});
      await ctx.db.insert("notes", { seen });
    },
  }),
  views: mutation({
    handler: async (ctx) => {
      await ctx.db.insert("rows", { name: "own", value: 1 });
      const own = await ctx.db
        .query("rows")
        .withIndex("name", (q) => q.eq("name", "own"))
        .unique();
      const nested = await ctx.runQuery(count, {});
      const stale = await ctx.runQuery(count, {}, { useStaleSnapshot: true });
      return { own: own?.value, nested, stale };
    },
  }),
  fail: mutation({
    handler: async (ctx) => {
      await ctx.db.insert("rows", { name: "lost", value: 1 });
      throw new Error("no");
    },
  }),
  surviveFailure: mutation({
    handler: async (ctx) => {
      await ctx.db.insert("rows", { name: "kept", value: 1 });
      await ctx.runMutation(fail, {}).catch(() => {});
      const rows = await ctx.db.query("rows").collect();
      return rows.map(({ name }) => name);
    },
  }),
  time: mutation({ handler: async () => Date.now() }),
  ...mutationsByVerb(),
};

/** Each changes the row "a" and returns the names that it then sees, in descending order. */
function mutationsByVerb() {
  const names = ["patch", "replace", "delete"] as const;
  return Object.fromEntries(
    names.map((verb) => [
      verb,
      mutation({
        handler: async ({ db }) => {
          const row = await db.query("rows").withIndex("name").first();
          const id = row!._id;
          if (verb === "patch") await db.patch(id, { name: "z" });
          if (verb === "replace") await db.replace(id, { name: "y", value: 9 });
          if (verb === "delete") await db.delete(id);
          const seen: string[] = [];
          for await (const { name } of db
            .query("rows")
            .withIndex("name")
            .order("desc")) {
            seen.push(name);
          }
          return { seen, document: await db.get(id) };
        },
      }),
    ]),
  );
}

const app = { schema, modules: { functions } };

async function answers(calls: Called[]) {
  const { answers: given, deployment } = await callAll(app, calls);
  return { given, conflicts: deployment.totals.conflicts };
}

describe("conflicts", () => {
  const insert = { name: "insert", args: { name: "m" } };
  const note = (from: string, to: string) => ({
    name: "note",
    args: { from, to },
  });
  const increment = { name: "increment", args: { name: "m" } };
  test.each([
    [
      "an insert into a range that was read conflicts",
      insert,
      note("a", "z"),
      1,
    ],
    ["an insert beside a range does not", insert, note("n", "z"), 0],
    [
      "the end of a range that is left out is not read",
      insert,
      note("a", "m"),
      0,
    ],
    ["two who look for the same first row conflict", increment, increment, 1],
    ["blind writers do not conflict", insert, insert, 0],
    [
      "different rows do not conflict",
      increment,
      { name: "increment", args: { name: "n" } },
      0,
    ],
  ])("%s", async (_, first, second, expected) => {
    // The first ends from 6 to 14 ms, the second from 11 to 19 ms with this seed.
    const { conflicts } = await answers([
      { at: 0, ...first },
      { at: 10, ...second },
    ]);
    expect(conflicts).toBe(expected);
  });

  test("a read that stops early does not depend on what follows", async () => {
    const { conflicts } = await answers([
      { at: 0, name: "insert", args: { name: "a" } },
      { at: 100, name: "insert", args: { name: "m" } },
      { at: 110, name: "noteFirst" },
    ]);
    expect(conflicts).toBe(0);
  });

  test("what was validated but is not yet visible conflicts", async () => {
    // Validated at 14 ms at the latest, visible at 19 ms at the latest and at 11 ms at the earliest.
    const early = await answers([
      { at: 0, ...increment },
      { at: 10.9, ...increment },
    ]);
    expect(early.conflicts).toBe(1);
    const late = await answers([
      { at: 0, ...increment },
      { at: 19, ...increment },
    ]);
    expect(late.conflicts).toBe(0);
  });

  test.each([5, 20, 60])(
    "a reader among %i writers a second conflicts as often as the closed form says",
    async (writersPerSecond) => {
      const executionMs = 10;
      const deployment = new Deployment({
        ...app,
        executionMs,
        seed: 7,
      });
      const random = seededRandom(7, "arrivals");
      const perMs = writersPerSecond / 1000;
      const durationMs = 50_000;
      for (let at = 0; at < durationMs; at += exponential(random, perMs)) {
        // Each comes before all others, where the readers look.
        const name = (1e6 - at).toFixed(3).padStart(12, "0");
        deployment.call(at, "functions:insert", { name }, () => {});
      }
      const readers = 2500;
      let conflicting = 0;
      for (let i = 0; i < readers; i++) {
        const at = random() * durationMs;
        deployment.call(at, "functions:noteFirst", {}, ({ conflicts }) => {
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
    const writers = Array.from({ length: 2000 }, (_, i) => ({
      at: i * 2,
      name: "insert",
      args: { name: "m" },
    }));
    const { given } = await answers([
      { at: 50, ...note("a", "z") },
      ...writers,
    ]);
    expect(given[0]).toEqual({ kind: "gave up", conflicts: 5 });
  });
});

describe("views", () => {
  test("own writes are seen by own and nested reads, and not in a stale snapshot", async () => {
    const { given } = await answers([
      { at: 0, name: "insert", args: { name: "before" } },
      { at: 100, name: "views" },
    ]);
    expect(value(given[1])).toEqual({ own: 1, nested: 2, stale: 1 });
  });

  test("a read in a stale snapshot adds no dependency", async () => {
    const calls = [
      { at: 0, name: "insert", args: { name: "a" } },
      { at: 10, name: "stale" },
    ];
    expect((await answers(calls)).conflicts).toBe(0);
    calls[1]!.name = "fresh";
    expect((await answers(calls)).conflicts).toBe(1);
  });

  test("a nested mutation that throws leaves nothing, and its caller keeps its own", async () => {
    const { given } = await answers([{ at: 0, name: "surviveFailure" }]);
    expect(value(given[0])).toEqual(["kept"]);
  });

  test.each([
    ["patch", { seen: ["z", "b"], document: { name: "z", value: 0 } }],
    ["replace", { seen: ["y", "b"], document: { name: "y", value: 9 } }],
    ["delete", { seen: ["b"], document: null }],
  ])("%s is seen in the index's order", async (name, expected) => {
    const { given } = await answers([
      { at: 0, name: "insert", args: { name: "a" } },
      { at: 100, name: "insert", args: { name: "b" } },
      { at: 200, name },
    ]);
    expect(value(given[2])).toMatchObject(expected);
  });

  test("the clock stands still in a function, at the whole millisecond of its beginning", async () => {
    const real = { now: Date.now, random: Math.random };
    const { given } = await answers([
      { at: 0, name: "time" },
      { at: 1234.9, name: "time" },
    ]);
    expect(value<number>(given[1]) - value<number>(given[0])).toBe(1234);
    expect({ now: Date.now, random: Math.random }).toEqual(real);
  });
});
