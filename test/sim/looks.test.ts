import {
  defineSchema,
  defineTable,
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
} from "convex/server";
import { v } from "convex/values";
import { expect, test } from "vitest";
import type { Answered } from "../../sim/deployment.js";
import type { FaultRates } from "../../sim/faults.js";
import { callAll, value } from "../support/simulatedCalls.js";

type Seen = { notes: number; ts: bigint };

const seeReference = makeFunctionReference<
  "query",
  Record<string, never>,
  Seen
>("functions:see");

const functions = {
  see: queryGeneric(async (ctx): Promise<Seen> => {
    const notes = await ctx.db.query("notes").collect();
    return { notes: notes.length, ts: ctx.meta.getSnapshotTs() };
  }),
  /** Inserts a note. Returns what it saw by itself, by a query and by two looks. */
  note: mutationGeneric(async (ctx) => {
    const look = () =>
      ctx.runQuery(seeReference, {}, { useStaleSnapshot: true });
    const seen = {
      ts: ctx.meta.getSnapshotTs(),
      read: await ctx.runQuery(seeReference, {}),
      looks: [await look(), await look()],
    };
    await ctx.db.insert("notes", {});
    return seen;
  }),
  /** Looks at the notes, and inserts one without reading any. */
  glance: mutationGeneric(async (ctx) => {
    await ctx.runQuery(seeReference, {}, { useStaleSnapshot: true });
    await ctx.db.insert("notes", {});
  }),
};

/** Calls a function `times` times, one call every `everyMs`. */
async function call(
  name: string,
  { times, everyMs }: { times: number; everyMs: number },
  faults: FaultRates,
): Promise<Answered[]> {
  const { answers } = await callAll(
    {
      schema: defineSchema({ notes: defineTable(v.any()) }),
      modules: { functions },
    },
    Array.from({ length: times }, (_, i) => ({ time: i * everyMs, name })),
    { faults },
  );
  return answers.filter((answer) => answer.kind === "answered");
}

const seenBy = (answer: Answered) =>
  value<{ ts: bigint; read: Seen; looks: Seen[] }>(answer);

test("a look sees the snapshot of its transaction, unless looks age", async () => {
  const answers = await call("note", { times: 4, everyMs: 100 }, {});
  expect(answers).toHaveLength(4);
  for (const [i, answer] of answers.entries()) {
    const { ts, read, looks } = seenBy(answer);
    expect(read).toEqual({ notes: i, ts });
    expect(looks).toEqual([read, read]);
    expect(answer).toMatchObject({ seen: i });
  }
});

test("an aged look sees the state of up to `lookAge` commits ago, and its timestamp", async () => {
  const faults = { agedLooks: 0.7, lookAge: 2 };
  const answers = await call("note", { times: 60, everyMs: 100 }, faults);
  const times = answers.map((answer) => seenBy(answer).ts);
  const ages = new Set<number>();
  for (const [i, answer] of answers.entries()) {
    const { read, looks } = seenBy(answer);
    expect(read.notes).toBe(i);
    for (const { notes, ts } of looks) {
      expect(ts).toBe(times[notes]);
      ages.add(i - notes);
    }
  }
  expect([...ages].sort()).toEqual([0, 1, 2]);
  expect(times).toEqual([...times].sort());
});

test("an aged look adds no dependency", async () => {
  const faults = { agedLooks: 1 };
  const answers = await call("glance", { times: 20, everyMs: 1 }, faults);
  expect(answers.map(({ conflicts }) => conflicts)).toEqual(Array(20).fill(0));
});

test("no look is older than half an hour", async () => {
  const halfAnHour = { times: 3, everyMs: 30 * 60_000 + 1000 };
  const answers = await call("note", halfAnHour, { agedLooks: 1 });
  for (const answer of answers) {
    const { read, looks } = seenBy(answer);
    expect(looks).toEqual([read, read]);
  }
});
