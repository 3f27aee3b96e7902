import { HOUR, MINUTE, RateLimiter, SECOND } from "convex-rate-limiter";
import { afterEach, describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillTimers,
  type Host,
} from "../host.js";
import { note, noteModules } from "../notes.js";

useStillTimers();
afterEach(() => void vi.restoreAllMocks());

const limiter = new RateLimiter(components.rateLimiter, {
  work: { kind: "token bucket", rate: 60, period: MINUTE, capacity: 1 },
  bounded: {
    kind: "token bucket",
    rate: 60,
    period: MINUTE,
    capacity: 1,
    maxReserved: 2,
  },
});

const start = () => startHost({ modules: noteModules });

/** The jobs that ran, with the time that each was scheduled for. */
async function jobsRun(t: Host) {
  await t.finishAllScheduledFunctions(vi.runAllTimers);
  return t.run(async (ctx) => {
    const scheduled = await ctx.db.system
      .query("_scheduled_functions")
      .collect();
    const notes = await ctx.db.query("notes").collect();
    const ran = scheduled.filter(({ state }) => state.kind === "success");
    expect(notes).toHaveLength(ran.length);
    return ran.map(({ args, scheduledTime }) => {
      const [{ text }] = args as [{ text: string }];
      return `${text} at ${scheduledTime - MIDNIGHT}`;
    });
  });
}

const schedule = (t: Host, text: string, jitter?: number) =>
  t.mutation((ctx) =>
    limiter.schedule(ctx, "work", { fn: note, args: { text }, jitter }),
  );

test("runs each job at its reserved time, and no job asks again", async () => {
  const t = start();
  const waits: number[] = [];
  for (const text of ["a", "b", "c"]) {
    const { ok, retryAfter } = await schedule(t, text);
    expect(ok).toBe(true);
    waits.push(retryAfter);
  }
  expect(waits).toEqual([0, SECOND, 2 * SECOND]);
  expect(await jobsRun(t)).toEqual(["a at 0", "b at 1000", "c at 2000"]);
});

test("refused, it schedules nothing and takes nothing", async () => {
  const t = start();
  const status = await t.mutation(async (ctx) => {
    const bounded = (text: string) =>
      limiter.schedule(ctx, "bounded", { fn: note, args: { text } });
    await bounded("x");
    await limiter.charge(ctx, "bounded", { count: 2 });
    return bounded("y");
  });
  expect(status).toEqual({ ok: false, retryAfter: SECOND });
  expect(await jobsRun(t)).toEqual(["x at 0"]);
});

test("jitter is added after the reserved time", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0.999999);
  const t = start();
  expect(await schedule(t, "a", 500)).toMatchObject({ retryAfter: 499 });
  expect(await schedule(t, "b", 500)).toMatchObject({ retryAfter: 1499 });
  expect(await jobsRun(t)).toEqual(["a at 499", "b at 1499"]);
});

describe("cancelScheduled", () => {
  const cancel = (
    t: Host,
    id: Parameters<typeof limiter.cancelScheduled>[1] | undefined,
  ) => t.mutation((ctx) => limiter.cancelScheduled(ctx, id!));

  test("leaves a function alone that the app has scheduled by itself", async () => {
    const t = start();
    const id = await t.mutation((ctx) =>
      ctx.scheduler.runAfter(SECOND, note, { text: "own" }),
    );
    expect(await cancel(t, id)).toEqual({ cancelled: false });
    expect(await jobsRun(t)).toEqual(["own at 1000"]);
  });

  test("gives back what was taken for a job that jitter delays by days", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999999);
    const t = start();
    const { scheduledId } = await schedule(t, "a", 100 * HOUR);
    vi.setSystemTime(MIDNIGHT + 99 * HOUR);
    await t.mutation((ctx) => limiter.limit(ctx, "work", { count: 1 }));
    expect(await cancel(t, scheduledId)).toEqual({ cancelled: true });
    const next = await t.mutation((ctx) => limiter.limit(ctx, "work"));
    expect(next).toEqual({ ok: true });
  });
});

test("with throws, a job that cannot be scheduled is an error, and one that can is not", async () => {
  const t = start();
  const fill = (count: number) =>
    t.mutation((ctx) =>
      limiter.schedule(ctx, "bounded", {
        fn: note,
        args: { text: "x" },
        count,
        throws: true,
      }),
    );
  expect((await fill(3)).retryAfter).toBe(2 * SECOND);
  await expect(fill(1)).rejects.toMatchObject({
    data: { kind: "RateLimited", name: "bounded", retryAfter: SECOND },
  });
  expect(await jobsRun(t)).toEqual(["x at 2000"]);
});
