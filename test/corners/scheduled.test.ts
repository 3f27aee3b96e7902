import type { GenericId } from "convex/values";
import {
  DAY,
  RateLimiter,
  type RateLimitConfig,
  type RefillingConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { components, MIDNIGHT, storedRows, useStillTimers } from "../host.js";
import {
  agreedBalance,
  balanceOf,
  bucket,
  startApp,
  window,
  type App,
  type Request,
} from "./app.js";
import { note, noteModules } from "../notes.js";

useStillTimers();

const limits: Record<string, RateLimitConfig> = {
  work: { ...bucket(10), overrides: true },
  split: bucket(10, 5),
  window: window(10),
  dry: { ...bucket(10), maxReserved: 0, enforce: false },
  slow: { ...bucket(1), period: DAY },
};

const start = () => startApp(limits, { modules: noteModules });

const schedule = async (
  { mutate, limiter }: App,
  name: string,
  request: Request = {},
) => {
  const scheduled = await mutate((ctx) =>
    limiter.schedule(ctx, name, { ...request, fn: note, args: { text: "a" } }),
  );
  if (!scheduled.ok) throw new Error("It was refused.");
  return scheduled;
};

const cancel = (
  { mutate, limiter }: App,
  id: GenericId<"_scheduled_functions">,
) => mutate((ctx) => limiter.cancelScheduled(ctx, id));

/** Runs what is scheduled; the number of jobs that ran, ever. */
async function jobsRun({ t }: App): Promise<number> {
  await t.finishAllScheduledFunctions(vi.runAllTimers);
  return t.run(async ({ db }) => (await db.query("notes").collect()).length);
}

describe("cancelScheduled gives back what was taken", () => {
  test.each([
    ["work", 3, 6],
    ["work", 20, 6],
    ["split", 20, 6],
    ["window", 20, 6],
  ])("%s, %d", async (name, count, left) => {
    const app = start();
    await app.limit(name, { count: 4 });
    const { scheduledId } = await schedule(app, name, { count });
    expect(await agreedBalance(app, name)).toBeCloseTo(left - count, 9);
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: true });
    expect(await agreedBalance(app, name)).toBeCloseTo(left, 9);
    expect(await jobsRun(app)).toBe(0);
  });

  test("of the key and the inline config that it was taken by", async () => {
    const app = start();
    const config = bucket(8) as RefillingConfig;
    const request = { key: "k", config };
    await app.limit("inline", { ...request, count: 8 });
    await app.limit("inline", { key: "other", config, count: 8 });
    const { scheduledId } = await schedule(app, "inline", {
      ...request,
      count: 3,
    });
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: true });
    expect(await balanceOf(app, "inline", request)).toBeCloseTo(0, 9);
    expect(
      await balanceOf(app, "inline", { key: "other", config }),
    ).toBeCloseTo(0, 9);
  });

  test("to a limiter that knows nothing but the id", async () => {
    const app = start();
    await app.limit("work", { count: 10 });
    const { scheduledId } = await schedule(app, "work", { count: 5 });
    const other = new RateLimiter(components.rateLimiter);
    await app.mutate((ctx) => other.cancelScheduled(ctx, scheduledId));
    expect(await balanceOf(app, "work")).toBeCloseTo(0, 9);
  });
});

describe("cancelScheduled gives back nothing", () => {
  test("of what an override that has ended did not take", async () => {
    const app = start();
    const { limiter, mutate } = app;
    await app.limit("work", { count: 10 });
    const expiresAt = MIDNIGHT + 1;
    await app.setOverride("work", { unlimited: true, expiresAt });
    const job = { fn: note, args: { text: "a" }, jitter: 1000, count: 5 };
    Math.random = () => 0.5;
    const { scheduledId } = await mutate((ctx) =>
      limiter.schedule(ctx, "work", job),
    );
    vi.setSystemTime(expiresAt);
    expect(await cancel(app, scheduledId!)).toEqual({ cancelled: true });
    expect(await balanceOf(app, "work")).toBeLessThan(0.01);
  });

  test("of what a dry run could not take", async () => {
    const app = start();
    await app.limit("dry", { count: 8 });
    const { scheduledId } = await schedule(app, "dry", { count: 5 });
    expect(await balanceOf(app, "dry")).toBeCloseTo(2, 9);
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: true });
    expect(await balanceOf(app, "dry")).toBeCloseTo(2, 9);
  });

  test("the second time", async () => {
    const app = start();
    await app.limit("work", { count: 10 });
    const { scheduledId } = await schedule(app, "work", { count: 5 });
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: true });
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: false });
    expect(await balanceOf(app, "work")).toBeCloseTo(0, 9);
  });

  test("after the job has run", async () => {
    const app = start();
    await app.limit("work", { count: 10 });
    const { scheduledId } = await schedule(app, "work", { count: 5 });
    expect(await jobsRun(app)).toBe(1);
    const before = await storedRows(app.t);
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: false });
    expect(await storedRows(app.t)).toEqual(before);
  });

  test("if the host throws afterwards, and the job runs", async () => {
    const app = start();
    const { limiter, mutate } = app;
    await app.limit("work", { count: 10 });
    const { scheduledId } = await schedule(app, "work", { count: 5 });
    const thrown = mutate(async (ctx) => {
      await limiter.cancelScheduled(ctx, scheduledId);
      throw new Error("changed my mind");
    });
    await expect(thrown).rejects.toThrow("changed my mind");
    expect(await balanceOf(app, "work")).toBeCloseTo(-5, 9);
    expect(await jobsRun(app)).toBe(1);
  });
});

describe("a job that costs nothing", () => {
  test("is scheduled for now, cancelled once, and moves no token", async () => {
    const app = start();
    await app.limit("work", { count: 4 });
    const before = await storedRows(app.t);
    const { retryAfter, scheduledId } = await schedule(app, "work", {
      count: 0,
    });
    expect(retryAfter).toBe(0);
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: true });
    expect(await cancel(app, scheduledId)).toEqual({ cancelled: false });
    expect(await storedRows(app.t)).toEqual(before);
    expect(await jobsRun(app)).toBe(0);
  });
});

test("a wait that the scheduler refuses is an error, and takes nothing", async () => {
  const app = start();
  await app.limit("slow");
  const before = await storedRows(app.t);
  const refused = schedule(app, "slow", { count: 6 * 365 });
  await expect(refused).rejects.toThrow(/Rate limit slow/);
  expect(await storedRows(app.t)).toEqual(before);
  expect(await schedule(app, "slow", { count: 4 * 365 })).toMatchObject({
    retryAfter: 4 * 365 * DAY,
  });
});
