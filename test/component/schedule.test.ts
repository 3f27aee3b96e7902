import type { GenericId } from "convex/values";
import { DAY, SECOND, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { MIDNIGHT, storedRows, useStillTimers } from "../support/host.js";
import {
  agreedBalance,
  balanceOf,
  bucket,
  startApp,
  window,
  type App,
  type RequestOptions,
} from "../support/startApp.js";
import { note, noteModules } from "../support/noteJob.js";

useStillTimers();

const limits: Record<string, RateLimitConfig> = {
  work: { ...bucket(10), overrides: true },
  split: bucket(10, 5),
  window: window(10),
  dry: { ...bucket(10), maxReserved: 0, enforce: false },
  slow: { ...bucket(1), period: DAY },
  steady: { ...bucket(60), capacity: 1 },
  bounded: { ...bucket(60), capacity: 1, maxReserved: 2 },
};

const start = () => startApp(limits, { modules: noteModules });

type Job = RequestOptions & {
  text?: string;
  jitter?: number;
  throws?: boolean;
};

const ask = ({ mutate, limiter }: App, name: string, job: Job) => {
  const { text = "a", ...request } = job;
  return mutate((ctx) =>
    limiter.schedule(ctx, name, { ...request, fn: note, args: { text } }),
  );
};

async function schedule(app: App, name: string, job: Job = {}) {
  const scheduled = await ask(app, name, job);
  if (!scheduled.ok) throw new Error("It was refused.");
  return scheduled;
}

type Id = GenericId<"_scheduled_functions">;

const cancel = ({ mutate, limiter }: App, id: Id) =>
  mutate((ctx) => limiter.cancelScheduled(ctx, id));

/** Runs all jobs. Returns what they noted and for when they were scheduled. */
async function jobsRun({ t }: App) {
  await t.finishAllScheduledFunctions(vi.runAllTimers);
  return t.run(async ({ db }) => {
    const jobs = await db.system.query("_scheduled_functions").collect();
    const ran = jobs.filter(({ state }) => state.kind === "success");
    expect(await db.query("notes").collect()).toHaveLength(ran.length);
    return ran.map(({ args, scheduledTime }) => {
      const [{ text }] = args as [{ text: string }];
      return `${text} at ${scheduledTime - MIDNIGHT}`;
    });
  });
}

test("a cancelled job gives its tokens back by the config of its own limit", async () => {
  const own = { small: bucket(10), large: bucket(100) };
  const app = startApp(own, { modules: noteModules });
  const { scheduledId } = await schedule(app, "large", { count: 50 });
  await cancel(app, scheduledId);
  expect(await balanceOf(app, "large")).toBe(100);
});

test("each job runs at its reserved time, without another request", async () => {
  const app = start();
  const waits: number[] = [];
  for (const text of ["a", "b", "c"]) {
    waits.push((await schedule(app, "steady", { text })).retryAfter);
  }
  expect(waits).toEqual([0, SECOND, 2 * SECOND]);
  expect(await jobsRun(app)).toEqual(["a at 0", "b at 1000", "c at 2000"]);
});

test("jitter is added to the reserved time", async () => {
  Math.random = () => 0.999999;
  const app = start();
  const scheduled = (text: string) =>
    schedule(app, "steady", { text, jitter: 500 });
  expect(await scheduled("a")).toMatchObject({ retryAfter: 499 });
  expect(await scheduled("b")).toMatchObject({ retryAfter: 1499 });
  expect(await jobsRun(app)).toEqual(["a at 499", "b at 1499"]);
});

test("a denied job takes nothing and is not scheduled, with and without throws", async () => {
  const app = start();
  await schedule(app, "bounded");
  await app.charge("bounded", { count: 2 });
  expect(await ask(app, "bounded", {})).toEqual({
    ok: false,
    retryAfter: SECOND,
  });
  await expect(ask(app, "bounded", { throws: true })).rejects.toMatchObject({
    data: { kind: "RateLimited", name: "bounded", retryAfter: SECOND },
  });
  expect(await jobsRun(app)).toEqual(["a at 0"]);
  vi.setSystemTime(MIDNIGHT + SECOND);
  expect(await schedule(app, "bounded", { throws: true })).toMatchObject({
    retryAfter: 2 * SECOND,
  });
});

describe("cancelScheduled gives back what was taken", () => {
  test.each([
    ["work", 3, 6],
    ["work", 20, 6],
    ["split", 20, 6],
    ["window", 20, 6],
  ])("to the limit %s, for a count of %d", async (name, count, left) => {
    const app = start();
    await app.limit(name, { count: 4 });
    const { scheduledId } = await schedule(app, name, { count });
    expect(await agreedBalance(app, name)).toBeCloseTo(left - count, 9);
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: true });
    expect(await agreedBalance(app, name)).toBeCloseTo(left, 9);
    expect(await jobsRun(app)).toEqual([]);
  });
});

describe("cancelScheduled gives back nothing", () => {
  test("for a job that jitter delays by days, if the refill has replaced it", async () => {
    Math.random = () => 0.999999;
    const app = start();
    const job = { jitter: 4 * DAY };
    const { scheduledId } = await schedule(app, "steady", job);
    vi.setSystemTime(MIDNIGHT + 3.9 * DAY);
    await app.limit("steady");
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: true });
    expect(await app.limit("steady")).toMatchObject({ ok: false });
  });

  test.each<[string, (app: App, id: Id) => Promise<unknown>]>([
    ["the second time", cancel],
    ["after the job has run", jobsRun],
  ])("%s", async (_, before) => {
    const app = start();
    await app.limit("work", { count: 10 });
    const { scheduledId } = await schedule(app, "work", { count: 5 });
    await before(app, scheduledId);
    const rows = await storedRows(app.t);
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: false });
    expect(await storedRows(app.t)).toEqual(rows);
  });
});

test("cancelScheduled does not cancel a function that the app scheduled itself", async () => {
  const app = start();
  const id = await app.mutate((ctx) =>
    ctx.scheduler.runAfter(SECOND, note, { text: "own" }),
  );
  expect(await cancel(app, id)).toEqual({ cancelled: false });
  expect(await jobsRun(app)).toEqual(["own at 1000"]);
});

test("a job with a count of 0 is scheduled for now and moves no token", async () => {
  const app = start();
  await app.limit("work", { count: 4 });
  const before = await storedRows(app.t);
  const { retryAfter, scheduledId } = await schedule(app, "work", { count: 0 });
  expect(retryAfter).toBe(0);
  expect(await cancel(app, scheduledId)).toEqual({ cancelled: true });
  expect(await storedRows(app.t)).toEqual(before);
  expect(await jobsRun(app)).toEqual([]);
});
