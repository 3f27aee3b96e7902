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
import { CommitTsPlaceholder, v } from "convex/values";
import { describe, expect, test } from "vitest";
import type { CallAnswer } from "../../sim/deployment.js";
import { callAll, value, type Called } from "../support/simulatedCalls.js";

const schema = defineSchema({
  records: defineTable({ name: v.string(), at: v.commitTs() }).index("at", [
    "name",
    "at",
  ]),
  notes: defineTable({ seen: v.number() }),
});

type DataModel = DataModelFromSchemaDefinition<typeof schema>;
const mutation: MutationBuilder<DataModel, "public"> = mutationGeneric;
const query: QueryBuilder<DataModel, "public"> = queryGeneric;

type At = bigint | CommitTsPlaceholder;
const ownNames = makeFunctionReference<"query", { at: At }, string[]>(
  "functions:ownNames",
);
const context = makeFunctionReference<"query", Record<string, never>, string[]>(
  "functions:context",
);

const functions = {
  /** Appends a record, and reads its own ones only. */
  append: mutation({
    handler: async ({ db }, { name = "a" }: { name?: string }) => {
      const at = db.vars.commitTs;
      const own = await db
        .query("records")
        .withIndex("at", (q) => q.eq("name", name).eq("at", at))
        .collect();
      await db.insert("records", { name, at });
      return own.length;
    },
  }),
  /** The same, but it reads all from the newest on. */
  appendAfterAll: mutation({
    handler: async ({ db }) => {
      await db
        .query("records")
        .withIndex("at", (q) => q.eq("name", "a").gte("at", 0n))
        .collect();
      await db.insert("records", { name: "a", at: db.vars.commitTs });
    },
  }),
  timestamps: query({
    handler: async ({ db }) => {
      const records = await db.query("records").withIndex("at").collect();
      return records.map(({ at }) => at);
    },
  }),
  /** What the own transaction sees of its records. */
  own: mutation({
    handler: async (ctx) => {
      const { db } = ctx;
      const at = db.vars.commitTs;
      const id = await db.insert("records", { name: "a", at });
      const record = (await db.get("records", id))!;
      const newest = await db
        .query("records")
        .withIndex("at", (q) => q.eq("name", "a"))
        .order("desc")
        .first();
      await db.patch("records", id, { name: "b" });
      return {
        isPlaceholder: record.at instanceof CommitTsPlaceholder,
        isSingleton: record.at === at,
        errors: [
          message(() => JSON.stringify(record)),
          message(() => Number(record.at)),
        ],
        isNewest: newest?._id === id,
        nested: await ctx.runQuery(ownNames, { at }),
        stale: await ctx.runQuery(ownNames, { at }, { useStaleSnapshot: true }),
        returned: { at, nested: [{ at }] },
        snapshot: ctx.meta.getSnapshotTs(),
      };
    },
  }),
  ownNames: query({
    handler: async ({ db }, { at }: { at: At }) => {
      const records = await db.query("records").collect();
      return records.filter((record) => record.at === at).map((r) => r.name);
    },
  }),
  /** Reads from the newest of "a" on, `take` of them in a loop, and writes elsewhere. */
  loop: mutation({
    handler: async ({ db }, { take }: { take: number }) => {
      let seen = 0;
      const newestFirst = db
        .query("records")
        .withIndex("at", (q) => q.eq("name", "a"))
        .order("desc");
      if (take > 0) {
        for await (const _ of newestFirst) if (++seen === take) break;
      }
      await db.insert("notes", { seen });
    },
  }),
  /** Deletes the oldest record of "a" without having looked for it in that index. */
  dropOldest: mutation({
    handler: async ({ db }) => {
      const oldest = await db.query("records").first();
      await db.delete("records", oldest!._id);
    },
  }),
  dropNewest: mutation({
    handler: async ({ db }) => {
      const newest = await db.query("records").order("desc").first();
      await db.delete("records", newest!._id);
    },
  }),
  scheduleWithPlaceholder: mutation({
    handler: async (ctx) => {
      await ctx.scheduler.runAfter(
        0,
        ownNames as never,
        {
          at: ctx.db.vars.commitTs,
        } as never,
      );
    },
  }),
  context: query({
    handler: async (ctx) => [
      ...Object.keys(ctx),
      ...["insert", "patch", "replace", "delete"].filter(
        (verb) => verb in ctx.db,
      ),
    ],
  }),
  nestedContext: mutation({
    handler: async (ctx) => [
      await ctx.runQuery(context, {}),
      await ctx.runQuery(context, {}, { useStaleSnapshot: true }),
    ],
  }),
};

function message(body: () => unknown): string {
  try {
    body();
    return "nothing thrown";
  } catch (error) {
    return String(error);
  }
}

const run = (calls: Called[]) =>
  callAll({ schema, modules: { functions } }, calls);

function conflicts(given: CallAnswer[]): number {
  return given.reduce((sum, answer) => sum + answer.conflicts, 0);
}

function many(count: number, called: Omit<Called, "time">, everyMs = 1) {
  return Array.from({ length: count }, (_, i) => ({
    ...called,
    time: 100 + i * everyMs,
  }));
}

describe("the commit's timestamp", () => {
  test("is a bigint that ascends in commit order, whoever began first", async () => {
    const { answers: given } = await run([
      ...many(30, { name: "append" }),
      { time: 1000, name: "timestamps" },
    ]);
    const stored = value<bigint[]>(given.pop());
    expect(stored.map((at) => typeof at)).toEqual(stored.map(() => "bigint"));
    const byCommit = given
      .map((answer) => answer as Extract<CallAnswer, { kind: "answered" }>)
      .sort((a, b) => a.committedAt - b.committedAt);
    expect(byCommit.map(({ now }) => now)).not.toEqual(
      byCommit.map(({ now }) => now).sort((a, b) => a - b),
    );
    expect(byCommit.map(({ writes }) => writes[0]!.after!.at)).toEqual(stored);
    expect(new Set(stored).size).toBe(30);
  });

  /** A record, then what a transaction with another one sees, then the timestamps of both. */
  const beside = async () => {
    const { answers: given } = await run([
      { time: 0, name: "append" },
      { time: 100, name: "own" },
      { time: 200, name: "timestamps" },
    ]);
    const { writes } = given[1] as Extract<CallAnswer, { kind: "answered" }>;
    return {
      own: value<{ snapshot: bigint }>(given[1]),
      at: writes[0]!.after!.at as bigint,
      stored: value<bigint[]>(given[2]),
    };
  };
  const unresolved = expect.stringContaining("unresolved") as string;

  test.each([
    [
      "is a placeholder within the transaction, with no JSON and no order",
      {
        isPlaceholder: true,
        isSingleton: true,
        errors: [unresolved, unresolved],
      },
    ],
    ["sorts own records after all others", { isNewest: true }],
    [
      "shows own records to a nested query, and not to a stale one",
      { nested: ["b"], stale: [] },
    ],
  ])("%s", async (_, seen) => {
    expect((await beside()).own).toMatchObject(seen);
  });

  test("is in what a mutation returns, wherever it is", async () => {
    const { own, at } = await beside();
    expect(own).toMatchObject({ returned: { at, nested: [{ at }] } });
  });

  test("is above the snapshot's, which is that of the last visible commit", async () => {
    const { own, stored } = await beside();
    expect(own.snapshot).toBe(stored[0]);
    expect(stored[1]).toBeGreaterThan(own.snapshot);
  });

  test("cannot be given to a scheduled function", async () => {
    const { answers: given } = await run([
      { time: 0, name: "scheduleWithPlaceholder" },
    ]);
    expect(given[0]).toMatchObject({
      returned: {
        error: new Error("a scheduled function cannot be given a placeholder"),
      },
    });
  });
});

describe("conflicts of appended records", () => {
  test("who looks for own records conflicts with nobody who appends", async () => {
    const { answers: given } = await run(many(100, { name: "append" }));
    expect(conflicts(given)).toBe(0);
    expect(given.map(value)).toEqual(given.map(() => 0));
  });

  test("who looks at all of them conflicts", async () => {
    const { answers: given } = await run(many(10, { name: "appendAfterAll" }));
    expect(conflicts(given)).toBeGreaterThan(5);
  });
});

describe("a loop that stops early", () => {
  const records = Array.from({ length: 5 }, (_, i) => ({
    time: i * 50,
    name: "append",
  }));

  // Ends 6 to 14 ms after its beginning; the loop begins before and ends after that.
  const beside = (name: string, take: number) =>
    run([
      ...records,
      { time: 1000, name },
      { time: 1004, name: "loop", args: { take } },
    ]);

  test.each([
    ["a document behind where it stopped", "dropOldest", 3, 0],
    ["a document where it was", "dropNewest", 3, 1],
    ["a new document before its first", "append", 3, 1],
    ["any document, if it never began", "append", 0, 0],
    ["a document that it reached at the end", "dropOldest", 9, 1],
  ])(
    "and %s that is written beside it: a conflict or none",
    async (_, name, take, expected) => {
      const { answers: given } = await beside(name, take);
      expect(given.at(-1)!.conflicts).toBe(expected);
    },
  );

  test.each([
    [1, 1],
    [3, 3],
    [9, 5],
  ])("is billed for what it saw: %i asked, %i read", async (take, expected) => {
    const { deployment } = await run(records);
    const before = deployment.totals.rowsRead;
    const looped = await run([
      ...records,
      { time: 1000, name: "loop", args: { take } },
    ]);
    expect(looped.deployment.totals.rowsRead - before).toBe(expected);
  });
});

test("a nested query has no scheduler and cannot write, stale or not", async () => {
  const { answers: given } = await run([{ time: 0, name: "nestedContext" }]);
  const keys = ["db", "meta", "runQuery"];
  expect(value(given[0])).toEqual([keys, keys]);
});
