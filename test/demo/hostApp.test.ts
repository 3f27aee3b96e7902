import { register } from "convex-rate-limiter/test";
import { convexTest } from "convex-test";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { api } from "../../demo/convex/_generated/api.js";
import type { Outcome } from "../../demo/convex/rollout.js";
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
  test("five jobs run in order, each when its token exists", async () => {
    const t = start();
    const begin = Date.now();
    for (let i = 1; i <= 5; i++) {
      await t.mutation(api.jobs.add, { session, label: `Job ${i}` });
    }
    const labels = async () =>
      (await t.query(api.jobs.list, { session })).map(({ label }) => label);
    for (let i = 0; i < 5; i++) {
      vi.advanceTimersByTime(i === 0 ? 0 : 2000);
      await t.finishInProgressScheduledFunctions();
      // The soonest of those that wait is the first; what has run comes after them.
      if (i === 1) {
        expect(await labels()).toEqual(
          [3, 4, 5, 2, 1].map((number) => `Job ${number}`),
        );
      }
    }
    const jobs = await t.query(api.jobs.list, { session });
    expect(
      jobs.reverse().map(({ label, ranAt }) => [label, ranAt! - begin]),
    ).toEqual([
      ["Job 1", 0],
      ["Job 2", 2000],
      ["Job 3", 4000],
      ["Job 4", 6000],
      ["Job 5", 8000],
    ]);
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

  test("what an answer did not cost comes back when it is done", async () => {
    const t = start();
    expect(await ask(t)).toEqual({ ok: true, held: HELD });
    expect(await left(t)).toBe(1000 - HELD);
    vi.advanceTimersByTime(4000);
    await t.finishInProgressScheduledFunctions();
    const { answers } = await list(t);
    const used = answers[0]?.used;
    expect(used).toBeGreaterThanOrEqual(120);
    expect(used).toBeLessThan(240);
    expect(await left(t)).toBe(1000 - used!);
  });

  test("an answer that its owner stops costs what was written, and its end changes nothing", async () => {
    const t = start();
    await ask(t);
    const [answer] = (await list(t)).answers;
    vi.advanceTimersByTime(500);
    const stop = (by: string) =>
      t.mutation(api.answers.stop, { session: by, id: answer!.id });
    expect(await stop("session-0002")).toEqual({ settled: false });
    expect(await stop(session)).toEqual({ settled: true });
    expect(await stop(session)).toEqual({ settled: false });
    vi.advanceTimersByTime(4000);
    await t.finishInProgressScheduledFunctions();
    expect((await list(t)).answers[0]?.used).toBe(30);
    expect(await left(t)).toBe(970);
  });

  test("of a crash the place is free when its lease ends, and what it held stays taken", async () => {
    const t = start();
    for (let i = 0; i < 3; i++) await ask(t, true);
    expect(await ask(t)).toEqual({
      ok: false,
      lacks: "place",
      retryAfter: 6000,
    });
    const { id } = (await list(t)).answers[0]!;
    vi.advanceTimersByTime(6000);
    expect(await t.mutation(api.answers.stop, { session, id })).toEqual({
      settled: false,
    });
    expect(await ask(t)).toMatchObject({ ok: false, lacks: "tokens" });
    expect(await left(t)).toBe(1000 - 3 * HELD);
    await t.mutation(api.answers.startOver, { session });
    // No place is held by an answer that was denied.
    for (let i = 0; i < 3; i++)
      expect(await ask(t)).toMatchObject({ ok: true });
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

test("a limit that is rolled out denies the share that is enforced, and only reports the others", async () => {
  const t = start();
  const enforce = (share: number) =>
    t.mutation(api.rollout.enforce, { session, share });
  const comment = () => t.mutation(api.rollout.comment, { session });
  const enforced = async () => {
    const { enforced } = await t.query(api.rollout.state, { session });
    return enforced.flatMap((isEnforced, i) => (isEnforced ? [i] : []));
  };
  const all = (outcome: Outcome) => Array<Outcome>(60).fill(outcome);
  expect(await comment()).toEqual(all("granted"));
  expect(await comment()).toEqual(all("wouldDeny"));
  expect(await enforced()).toEqual([]);
  await enforce(0.1);
  const first = await enforced();
  await enforce(0.5);
  const half = await enforced();
  expect(half.length).toBeGreaterThan(20);
  expect(half.length).toBeLessThan(40);
  expect(half).toEqual(expect.arrayContaining(first));
  expect(await comment()).toEqual(
    all("wouldDeny").map((it, i) => (half.includes(i) ? "denied" : it)),
  );
  await enforce(1);
  expect(await comment()).toEqual(all("denied"));
  await t.mutation(api.rollout.startOver, { session });
  expect(await comment()).toEqual(all("granted"));
});

test("of the users to look at, one wants more than is granted", async () => {
  const t = start();
  expect(await t.mutation(api.messages.simulateUsers, { session })).toEqual({
    granted: 9,
    denied: 2,
  });
});

describe("kinds", () => {
  test("visitors do not share tokens", async () => {
    const t = start();
    const config = { kind: "token bucket" as const, rate: 3, period: 60_000 };
    const take = (session: string) =>
      t.mutation(api.kinds.limit, { session, config, count: 3 });
    expect(await take(session)).toEqual({ ok: true });
    expect(await take(session)).toEqual({ ok: false, retryAfter: 60_000 });
    expect(await take("session-0002")).toEqual({ ok: true });
  });
});
