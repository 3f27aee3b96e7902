import { register } from "convex-rate-limiter/test";
import { convexTest } from "convex-test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "../../demo/convex/_generated/api.js";
import schema from "../../demo/convex/schema.js";

const modules = import.meta.glob("../../demo/convex/**/*.{ts,js}");
const session = "session-0001";

function start() {
  const t = convexTest({ schema, modules });
  register(t);
  return t;
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(new Date("2026-01-01T00:00:00Z"));
});
afterEach(() => {
  vi.useRealTimers();
});

describe("jobs", () => {
  test("jobs that wait are listed by time, before those that have run", async () => {
    const t = start();
    for (let i = 1; i <= 5; i++) {
      await t.mutation(api.jobs.add, { session, label: `Job ${i}` });
    }
    for (const ms of [0, 2000]) {
      vi.advanceTimersByTime(ms);
      await t.finishInProgressScheduledFunctions();
    }
    const jobs = await t.query(api.jobs.list, { session });
    expect(jobs.map(({ label }) => label)).toEqual(
      [3, 4, 5, 2, 1].map((number) => `Job ${number}`),
    );
  });

  test("a stranger cannot cancel a job", async () => {
    const t = start();
    await t.mutation(api.jobs.add, { session, label: "first" });
    const job = await t.mutation(api.jobs.add, { session, label: "second" });
    if (!job.ok) throw new Error("The job was refused.");
    expect(
      await t.mutation(api.jobs.cancel, {
        session: "session-0002",
        id: job.id,
      }),
    ).toEqual({ cancelled: false });
  });

  test("the twelfth job at once is refused and not stored", async () => {
    const t = start();
    const add = () => t.mutation(api.jobs.add, { session, label: "job" });
    for (let i = 0; i < 11; i++)
      expect(await add()).toMatchObject({ ok: true });
    expect(await add()).toEqual({ ok: false, retryAfter: 2000 });
    expect(await t.query(api.jobs.list, { session })).toHaveLength(11);
  });
});

describe("answers", () => {
  const HELD = 300;
  const ask = (t: ReturnType<typeof start>, crashes = false) =>
    t.mutation(api.answers.ask, { session, crashes });
  const list = (t: ReturnType<typeof start>) =>
    t.query(api.answers.list, { session });
  const left = async (t: ReturnType<typeof start>) =>
    (await list(t)).balance.value;

  test("an answer costs what was written, until it is done or its owner stops it", async () => {
    const t = start();
    for (const _ of ["stopped", "done"]) {
      expect(await ask(t)).toEqual({ ok: true, held: HELD });
    }
    expect(await left(t)).toBe(1000 - 2 * HELD);
    const [stopped] = (await list(t)).answers;
    vi.advanceTimersByTime(500);
    const stop = (by: string) =>
      t.mutation(api.answers.stop, { session: by, id: stopped!.id });
    expect(await stop("session-0002")).toEqual({ settled: false });
    expect(await stop(session)).toEqual({ settled: true });
    expect(await stop(session)).toEqual({ settled: false });
    vi.advanceTimersByTime(4000);
    await t.finishInProgressScheduledFunctions();
    const { answers } = await list(t);
    const done = answers.find(({ id }) => id !== stopped!.id)!;
    expect(answers.find(({ id }) => id === stopped!.id)!.used).toBe(30);
    expect(done.used).toBeGreaterThanOrEqual(120);
    expect(done.used).toBeLessThan(240);
    expect(await left(t)).toBe(1000 - 30 - done.used!);
  });

  test("an answer that lacks tokens holds no place", async () => {
    const t = start();
    for (let i = 0; i < 3; i++) await ask(t, true);
    vi.advanceTimersByTime(6000);
    for (let i = 0; i < 4; i++) {
      expect(await ask(t)).toMatchObject({ ok: false, lacks: "tokens" });
    }
  });

  test("an answer takes the first place that is free", async () => {
    const t = start();
    for (let i = 0; i < 3; i++) await ask(t);
    const second = (await list(t)).answers[1]!;
    await t.mutation(api.answers.stop, { session, id: second.id });
    await ask(t);
    const { answers } = await list(t);
    expect(answers.map(({ place }) => place)).toEqual([0, 2, 1]);
  });
});
