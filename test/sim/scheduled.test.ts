import {
  cronJobs,
  defineSchema,
  defineTable,
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
  type DataModelFromSchemaDefinition,
  type GenericMutationCtx,
  type MutationBuilder,
  type QueryBuilder,
} from "convex/server";
import { v } from "convex/values";
import { describe, expect, test } from "vitest";
import type { Setting } from "../../sim/deployment.js";
import type { FaultRates } from "../../sim/faults.js";
import { callAll, value, type Called } from "../support/simulatedCalls.js";

const schema = defineSchema({
  done: defineTable({ name: v.string(), time: v.number() }),
  jobs: defineTable({ id: v.id("_scheduled_functions") }),
});

type DataModel = DataModelFromSchemaDefinition<typeof schema>;
const mutation: MutationBuilder<DataModel, "public"> = mutationGeneric;
const query: QueryBuilder<DataModel, "public"> = queryGeneric;

const reference = (name: string) =>
  makeFunctionReference<"mutation">(`functions:${name}`);

type Asked = { afterMs?: number; fn?: string; name?: string };

async function schedule(
  ctx: GenericMutationCtx<DataModel>,
  { afterMs = 0, fn = "work", name = "a" }: Asked,
) {
  const id = await ctx.scheduler.runAfter(afterMs, reference(fn), { name });
  await ctx.db.insert("jobs", { id });
}

const functions = {
  schedule: mutation(async (ctx, asked: Asked) => schedule(ctx, asked)),
  scheduleAndThrow: mutation(async (ctx) => {
    await schedule(ctx, {});
    throw new Error("no");
  }),
  surviveThrow: mutation(async (ctx) => {
    await ctx.runMutation(reference("scheduleAndThrow"), {}).catch(() => {});
    await schedule(ctx, { name: "kept" });
  }),
  scheduleAt: mutation(async (ctx, { inMs }: { inMs: number }) => {
    const at = new Date(Date.now() + inMs);
    await ctx.scheduler.runAt(at, reference("work"), { name: "at" });
  }),
  cancel: mutation(async (ctx) => {
    const job = await ctx.db.query("jobs").first();
    await ctx.scheduler.cancel(job!.id);
  }),
  work: mutation(async (ctx, { name = "cron" }: { name?: string }) => {
    await ctx.db.insert("done", { name, time: Date.now() });
  }),
  /** Conflicts with every `work`. */
  workAlone: mutation(async (ctx) => {
    await ctx.db.query("done").collect();
    await ctx.db.insert("done", { name: "alone", time: Date.now() });
  }),
  workAndThrow: mutation(async (ctx) => {
    await ctx.db.insert("done", { name: "lost", time: Date.now() });
    throw new Error("no");
  }),
  seeItself: mutation(async (ctx) => {
    const job = await ctx.db.query("jobs").first();
    const record = await ctx.db.system.get("_scheduled_functions", job!.id);
    const { kind: name } = record!.state;
    await ctx.db.insert("done", { name, time: Date.now() });
    await ctx.scheduler.cancel(job!.id).catch(async ({ message }: Error) => {
      await ctx.db.insert("done", { name: message, time: Date.now() });
    });
  }),
  done: query(async ({ db }) => {
    const done = await db.query("done").collect();
    return done.map(({ name, time }) => ({ name, time }));
  }),
  states: query(async ({ db }) => {
    const jobs = await db.query("jobs").collect();
    const records = jobs.map(({ id }) =>
      db.system.get("_scheduled_functions", id),
    );
    return (await Promise.all(records)).map((record) => record!.state.kind);
  }),
};

const crons = cronJobs();
crons.interval("work", { seconds: 1 }, reference("work"), {});

/** Makes these calls. Returns what is done a minute later (or at `untilMs`), in ms from the start of the run. */
async function run(
  calls: Called[],
  {
    untilMs = 60_000,
    ...setting
  }: Partial<Setting> & { untilMs?: number } = {},
) {
  const last = [
    { time: untilMs, name: "done" },
    { time: untilMs, name: "states" },
  ];
  const { deployment, answers } = await callAll(
    { schema, modules: { functions, crons: { default: crons } } },
    [...calls, ...last],
    setting,
  );
  const states = value<string[]>(answers.pop());
  const done = value<{ name: string; time: number }[]>(answers.pop()).map(
    ({ name, time }) => ({ name, time: time - Date.UTC(2026, 0, 1) }),
  );
  const { scheduled, scheduledErrors, totals } = deployment;
  return { done, states, answers, scheduled, scheduledErrors, totals };
}

function names({ done }: { done: { name: string }[] }) {
  return done.map(({ name }) => name);
}

const many = Array.from({ length: 200 }, (_, i) => ({
  time: 100 + i * 20,
  name: "schedule",
}));

type Start = {
  args: Asked;
  setting: Partial<Setting>;
  from: number;
  to: number;
};

describe("a scheduled mutation", () => {
  // A transaction takes 6 to 14 ms.
  test.each`
    claim                                  | args                 | setting                      | from    | to
    ${"50 ms after the commit"}            | ${{}}                | ${{}}                        | ${156}  | ${164}
    ${"scheduledAfterMs after the commit"} | ${{}}                | ${{ scheduledAfterMs: 500 }} | ${606}  | ${614}
    ${"not before others see the commit"}  | ${{}}                | ${{ scheduledAfterMs: 0 }}   | ${111}  | ${119}
    ${"scheduledAfterMs after its delay"}  | ${{ afterMs: 2000 }} | ${{ scheduledAfterMs: 50 }}  | ${2150} | ${2150}
  `("starts $claim", async ({ args, setting, from, to }: Start) => {
    const { done } = await run(
      [{ time: 100, name: "schedule", args }],
      setting,
    );
    expect(done).toHaveLength(1);
    expect(done[0]!.time).toBeGreaterThanOrEqual(from);
    expect(done[0]!.time).toBeLessThanOrEqual(to);
  });

  test("starts at the time of runAt", async () => {
    const args = { inMs: 3000 };
    const { done } = await run([{ time: 100, name: "scheduleAt", args }]);
    expect(done).toEqual([{ name: "at", time: 3150 }]);
  });

  const cancelledAt = (time: number, afterMs: number) => [
    { time: 0, name: "schedule", args: { afterMs } },
    { time, name: "cancel" },
  ];
  const scheduled = (fn: string) => [
    { time: 0, name: "schedule", args: { fn } },
  ];

  type Case = { calls: Called[]; done: string[]; states: string[] };

  test.each`
    claim                                                         | calls                                      | done                                                 | states
    ${"never starts if its transaction throws"}                   | ${[{ time: 0, name: "scheduleAndThrow" }]} | ${[]}                                                | ${[]}
    ${"never starts if a nested mutation scheduled it and threw"} | ${[{ time: 0, name: "surviveThrow" }]}     | ${["kept"]}                                          | ${["success"]}
    ${"never starts if it was cancelled"}                         | ${cancelledAt(500, 1000)}                  | ${[]}                                                | ${["canceled"]}
    ${"cannot be cancelled once it has run"}                      | ${cancelledAt(5000, 0)}                    | ${["a"]}                                             | ${["success"]}
    ${"sees itself in progress and cannot cancel itself"}         | ${scheduled("seeItself")}                  | ${["inProgress", "a mutation cannot cancel itself"]} | ${["success"]}
    ${"fails and writes nothing if it throws"}                    | ${scheduled("workAndThrow")}               | ${[]}                                                | ${["failed"]}
  `("$claim", async ({ calls, done, states }: Case) => {
    const ran = await run(calls);
    expect(names(ran)).toEqual(done);
    expect(ran.states).toEqual(states);
    const isFailed = states.includes("failed");
    expect(ran.scheduledErrors).toEqual(isFailed ? [new Error("no")] : []);
  });

  test("starts again after any number of conflicts, which are counted apart", async () => {
    const writers = Array.from({ length: 4000 }, (_, i) => ({
      time: 100 + i * 5,
      name: "work",
    }));
    const args = { fn: "workAlone" };
    const ran = await run([{ time: 100, name: "schedule", args }, ...writers]);
    expect(names(ran)).toContain("alone");
    expect(ran.scheduled.conflicts).toBeGreaterThan(5);
    expect(ran.totals.conflicts).toBe(0);
    expect(ran.answers.map(({ kind }) => kind)).not.toContain("gave up");
  });
});

describe("faults", () => {
  /** Schedules 200 mutations. Returns how many were done, how many ran, and when the first was done. */
  async function with200(faults?: FaultRates) {
    const { done, scheduled } = await run(many, faults && { faults });
    const firstAt = Math.min(...done.map(({ time }) => time));
    return { done: done.length, runs: scheduled.runs, firstAt };
  }

  type Case = { faults: FaultRates | undefined; outcome: object };

  test.each`
    claim                                                             | faults                                 | outcome
    ${"do not occur by default"}                                      | ${undefined}                           | ${{ done: 200, runs: 200 }}
    ${"dropped: 1 drops all mutations"}                               | ${{ dropped: 1 }}                      | ${{ done: 0, runs: 0 }}
    ${"doubled: 1 runs each mutation twice"}                          | ${{ doubled: 1 }}                      | ${{ done: 400 }}
    ${"killed: 1 kills every run half way"}                           | ${{ killed: 1 }}                       | ${{ done: 0 }}
    ${"schedulerDeadSeconds: 30 stops the scheduler for 30 s"}        | ${{ schedulerDeadSeconds: 30 }}        | ${{ done: 200, firstAt: 30_000 }}
    ${'schedulerDeadSeconds: "forever" stops the scheduler for ever'} | ${{ schedulerDeadSeconds: "forever" }} | ${{ done: 0, runs: 0 }}
  `("$claim", async ({ faults, outcome }: Case) => {
    expect(await with200(faults)).toMatchObject(outcome);
  });

  test("delayed: 1 delays each mutation by delayMs, by default 10 s", async () => {
    const all = await with200({ delayed: 1 });
    expect(all.done).toBe(200);
    expect(all.firstAt).toBeGreaterThan(10_100);
    expect(await with200({ delayed: 1, delayMs: 2000 })).toMatchObject({
      firstAt: all.firstAt - 8000,
    });
  });

  test("killed: 0.5 kills about half of the runs, which start again", async () => {
    const { done, runs } = await with200({ killed: 0.5 });
    expect(done).toBe(200);
    expect(runs).toBeGreaterThan(320);
  });

  test("long: 0.1 makes about a tenth of the transactions take 40 times as long", async () => {
    const latencies = async (long: number) => {
      const { answers } = await run(many, { faults: { long } });
      return answers.map((answer) =>
        answer.kind === "answered" ? answer.latencyMs : NaN,
      );
    };
    // 6 to 14 ms, and 5 ms until others see it.
    const usual = await latencies(0);
    expect(Math.max(...usual)).toBeLessThan(19.1);
    const long = await latencies(1);
    expect(Math.min(...long)).toBeGreaterThan(244.9);
    expect(Math.max(...long)).toBeLessThan(565.1);
    const share = (await latencies(0.1)).filter((ms) => ms > 200).length / 200;
    expect(share).toBeGreaterThan(0.04);
    expect(share).toBeLessThan(0.18);
  });
});

describe("crons", () => {
  test("do not run by default", async () => {
    expect((await run([], { untilMs: 5500 })).done).toEqual([]);
  });

  test("run once a period with crons: true", async () => {
    const { done } = await run([], { untilMs: 3500, crons: true });
    expect(done.map(({ time }) => time)).toEqual([1050, 2050, 3050]);
  });
});
