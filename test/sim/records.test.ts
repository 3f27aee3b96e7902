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
  /** Appends a record after reading only those of its own transaction. */
  append: mutation(async ({ db }, { name = "a" }: { name?: string }) => {
    const at = db.vars.commitTs;
    const own = await db
      .query("records")
      .withIndex("at", (q) => q.eq("name", name).eq("at", at))
      .collect();
    await db.insert("records", { name, at });
    return own.length;
  }),
  /** Appends a record after reading all of them. */
  appendAfterAll: mutation(async ({ db }) => {
    await db
      .query("records")
      .withIndex("at", (q) => q.eq("name", "a").gte("at", 0n))
      .collect();
    await db.insert("records", { name: "a", at: db.vars.commitTs });
  }),
  timestamps: query(async ({ db }) => {
    const records = await db.query("records").withIndex("at").collect();
    return records.map(({ at }) => at);
  }),
  /** Returns what a transaction sees of its own records. */
  own: mutation(async (ctx) => {
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
  }),
  ownNames: query(async ({ db }, { at }: { at: At }) => {
    const records = await db.query("records").collect();
    return records.filter((record) => record.at === at).map((r) => r.name);
  }),
  /** Reads the newest `take` records of "a" in a loop, and writes to another table. */
  loop: mutation(async ({ db }, { take }: { take: number }) => {
    let seen = 0;
    const newestFirst = db
      .query("records")
      .withIndex("at", (q) => q.eq("name", "a"))
      .order("desc");
    if (take > 0) {
      for await (const _ of newestFirst) if (++seen === take) break;
    }
    await db.insert("notes", { seen });
  }),
  /** These delete a record without reading the index "at". */
  dropOldest: mutation(async ({ db }) => {
    const oldest = await db.query("records").first();
    await db.delete("records", oldest!._id);
  }),
  dropNewest: mutation(async ({ db }) => {
    const newest = await db.query("records").order("desc").first();
    await db.delete("records", newest!._id);
  }),
  scheduleWithPlaceholder: mutation(async (ctx) => {
    const args = { at: ctx.db.vars.commitTs };
    await ctx.scheduler.runAfter(0, ownNames as never, args as never);
  }),
  context: query(async (ctx) => [
    ...Object.keys(ctx),
    ...["insert", "patch", "replace", "delete"].filter(
      (verb) => verb in ctx.db,
    ),
  ]),
  nestedContext: mutation(async (ctx) => [
    await ctx.runQuery(context, {}),
    await ctx.runQuery(context, {}, { useStaleSnapshot: true }),
  ]),
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
  test("is a bigint that ascends in the order of commits, not of begins", async () => {
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

  /** Appends a record, then another one. Returns what the second transaction saw, and the timestamps of both. */
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

  test.each`
    claim                                                            | seen
    ${"is a placeholder within the transaction"}                     | ${{ isPlaceholder: true, isSingleton: true }}
    ${"has neither JSON nor order within the transaction"}           | ${{ errors: [unresolved, unresolved] }}
    ${"sorts own records after all others"}                          | ${{ isNewest: true }}
    ${"shows own records to a nested query, but not to a stale one"} | ${{ nested: ["b"], stale: [] }}
  `("$claim", async ({ seen }: { seen: object }) => {
    expect((await beside()).own).toMatchObject(seen);
  });

  test("is filled in wherever a mutation returns it, and above that of the snapshot, the last visible commit", async () => {
    const { own, at, stored } = await beside();
    expect(own).toMatchObject({ returned: { at, nested: [{ at }] } });
    expect(own.snapshot).toBe(stored[0]);
    expect(stored[1]).toBeGreaterThan(own.snapshot);
  });

  test("cannot be an argument of a scheduled function", async () => {
    const name = "scheduleWithPlaceholder";
    const { answers } = await run([{ time: 0, name }]);
    const error = new Error(
      "a scheduled function cannot be given a placeholder",
    );
    expect(answers).toMatchObject([{ returned: { error } }]);
  });
});

describe("conflicts of appended records", () => {
  test("mutations that read only their own records do not conflict", async () => {
    const { answers: given } = await run(many(100, { name: "append" }));
    expect(conflicts(given)).toBe(0);
    expect(given.map(value)).toEqual(given.map(() => 0));
  });

  test("mutations that read all records conflict", async () => {
    const { answers: given } = await run(many(10, { name: "appendAfterAll" }));
    expect(conflicts(given)).toBeGreaterThan(5);
  });
});

describe("a loop over documents", () => {
  const records = Array.from({ length: 5 }, (_, i) => ({
    time: i * 50,
    name: "append",
  }));

  // The mutation ends after 6 to 14 ms: after the loop begins, and before it ends.
  const beside = (name: string, take: number) =>
    run([
      ...records,
      { time: 1000, name },
      { time: 1004, name: "loop", args: { take } },
    ]);

  type Case = { name: string; take: number; expected: number };

  test.each`
    claim                                                            | name            | take | expected
    ${"does not conflict with a delete behind where it stopped"}     | ${"dropOldest"} | ${3} | ${0}
    ${"conflicts with a delete of a document that it read"}          | ${"dropNewest"} | ${3} | ${1}
    ${"conflicts with an insert before the first that it read"}      | ${"append"}     | ${3} | ${1}
    ${"does not conflict with an insert if it never began"}          | ${"append"}     | ${0} | ${0}
    ${"conflicts with a delete of the last document if it read all"} | ${"dropOldest"} | ${9} | ${1}
  `("$claim", async ({ name, take, expected }: Case) => {
    const { answers: given } = await beside(name, take);
    expect(given.at(-1)!.conflicts).toBe(expected);
  });

  test.each([
    [1, 1],
    [3, 3],
    [9, 5],
  ])("is billed for what it reads: of %i documents, %i", async (take, read) => {
    const { deployment: before } = await run(records);
    const loop = { time: 1000, name: "loop", args: { take } };
    const { deployment } = await run([...records, loop]);
    expect(deployment.totals.rowsRead - before.totals.rowsRead).toBe(read);
  });
});

test("a nested query has neither a scheduler nor writes, stale or not", async () => {
  const { answers: given } = await run([{ time: 0, name: "nestedContext" }]);
  const keys = ["db", "meta", "runQuery"];
  expect(value(given[0])).toEqual([keys, keys]);
});
