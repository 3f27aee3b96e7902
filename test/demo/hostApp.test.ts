import { register } from "convex-rate-limiter/test";
import { isRateLimitError } from "convex-rate-limiter";
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

describe("messages", () => {
  const send = (t: ReturnType<typeof start>, text: string) =>
    t.mutation(api.messages.send, { session, text });

  test("the fourth message of a burst is denied and not stored", async () => {
    const t = start();
    for (const text of ["a", "b", "c"]) await send(t, text);
    const error: unknown = await send(t, "d").catch((e: unknown) => e);
    expect(isRateLimitError(error) && error.data).toEqual({
      kind: "RateLimited",
      name: "sendMessage",
      key: session,
      retryAfter: 6000,
    });
    const listed = await t.query(api.messages.list, { session });
    expect(listed.map(({ text }) => text)).toEqual(["c", "b", "a"]);
  });

  test("the browser can choose neither limit nor config, and no odd key", async () => {
    const t = start();
    const get = (args: Parameters<typeof t.query>[1]) =>
      t.query(api.messages.getRateLimit, args as { key: string });
    expect((await get({ key: session })).value).toBe(3);
    await expect(get({ key: session, name: "signUp" })).rejects.toThrow(
      "not for signUp",
    );
    await expect(
      get({
        key: session,
        config: { kind: "token bucket", rate: 1e9, period: 1 },
      }),
    ).rejects.toThrow("server's to choose");
    await expect(get({ key: "../" })).rejects.toThrow("A session is");
    await expect(get({})).rejects.toThrow("A session is");
  });
});

describe("jobs", () => {
  test("five jobs run in order, each when its token exists", async () => {
    const t = start();
    const begin = Date.now();
    for (let i = 1; i <= 5; i++) {
      await t.mutation(api.jobs.add, { session, label: `Job ${i}` });
    }
    for (let i = 0; i < 5; i++) {
      vi.advanceTimersByTime(i === 0 ? 0 : 2000);
      await t.finishInProgressScheduledFunctions();
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

  test("a cancelled job does not run, and its token is there for the next", async () => {
    const t = start();
    const begin = Date.now();
    const add = (label: string) => t.mutation(api.jobs.add, { session, label });
    await add("first");
    const second = await add("second");
    if (!second.ok) throw new Error("The second job was refused.");
    expect(second.dueAt - begin).toBe(2000);
    expect(
      await t.mutation(api.jobs.cancel, { session, id: second.id }),
    ).toEqual({ cancelled: true });
    expect(await add("third")).toMatchObject({ dueAt: begin + 2000 });
    await t.finishAllScheduledFunctions(vi.runAllTimers);
    const jobs = await t.query(api.jobs.list, { session });
    expect(
      jobs.map(({ label, ranAt }) => [label, ranAt !== undefined]),
    ).toEqual([
      ["third", true],
      ["second", false],
      ["first", true],
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
    t.mutation(api.answers.ask, { session, label: "Answer", crashes });
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

  test("an answer that is stopped costs what was written, and its end changes nothing", async () => {
    const t = start();
    await ask(t);
    const [answer] = (await list(t)).answers;
    vi.advanceTimersByTime(500);
    const stop = () =>
      t.mutation(api.answers.stop, { session, id: answer!.id });
    expect(await stop()).toEqual({ settled: true });
    expect(await stop()).toEqual({ settled: false });
    vi.advanceTimersByTime(4000);
    await t.finishInProgressScheduledFunctions();
    expect((await list(t)).answers[0]?.used).toBe(30);
    expect(await left(t)).toBe(970);
  });

  test("a stranger cannot stop an answer", async () => {
    const t = start();
    await ask(t);
    const { id } = (await list(t)).answers[0]!;
    const stranger = { session: "session-0002", id };
    expect(await t.mutation(api.answers.stop, stranger)).toEqual({
      settled: false,
    });
    expect(await left(t)).toBe(1000 - HELD);
  });

  test("what a crashed one held stays taken, and is not given back too late", async () => {
    const t = start();
    await ask(t, true);
    const { id } = (await list(t)).answers[0]!;
    vi.advanceTimersByTime(6000);
    expect(await t.mutation(api.answers.stop, { session, id })).toEqual({
      settled: false,
    });
    expect(await left(t)).toBe(1000 - HELD);
  });

  test("the fourth at once is refused until the day ends; its place is kept for those that wait", async () => {
    const t = start();
    for (let i = 0; i < 3; i++) await ask(t, true);
    expect(await ask(t)).toEqual({
      ok: false,
      retryAfter: 86_400_000,
    });
    const places = async () => (await list(t)).answers.map((a) => a.place);
    expect(await places()).toEqual([0, 1, 2]);
    const second = (await list(t)).answers[1]!;
    await t.mutation(api.answers.stop, { session, id: second.id });
    await ask(t);
    expect(await places()).toEqual([0, 2, 1]);
    await t.mutation(api.answers.startOver, { session });
    expect((await list(t)).answers).toEqual([]);
    expect(await left(t)).toBe(1000);
  });
});

describe("exports", () => {
  const plan = {
    timeZone: "Europe/Berlin" as const,
    period: "month" as const,
  };
  const take = (t: ReturnType<typeof start>, who: "free" | "paying" | "job") =>
    t.mutation(api.exports.take, { session, plan, who });
  const untilFebruary = Date.UTC(2026, 0, 31, 23) - Date.UTC(2026, 0, 1);

  test("free users leave 20 for paying ones, and are told when the next month begins in their zone", async () => {
    const t = start();
    for (let i = 0; i < 4; i++) {
      expect(await take(t, "free")).toMatchObject({ ok: true, taken: 20 });
    }
    expect(await take(t, "free")).toEqual({
      ok: false,
      retryAfter: untilFebruary,
    });
    expect(await take(t, "paying")).toMatchObject({ ok: true });
    expect(await take(t, "paying")).toMatchObject({ ok: false });
    vi.advanceTimersByTime(untilFebruary - 1);
    expect(await take(t, "free")).toMatchObject({ ok: false, retryAfter: 1 });
    vi.advanceTimersByTime(1);
    expect(await take(t, "free")).toMatchObject({ ok: true });
  });

  test("the job takes as many as free users may, down to none", async () => {
    const t = start();
    expect(await take(t, "job")).toEqual({ ok: true, wanted: 50, taken: 50 });
    expect(await take(t, "job")).toEqual({ ok: true, wanted: 50, taken: 30 });
    expect(await take(t, "job")).toMatchObject({ ok: false });
    const state = () => t.query(api.exports.state, { session, plan });
    const { balance, mailed } = await state();
    expect([balance.value, mailed]).toEqual([20, 20]);
    await t.mutation(api.exports.startOver, { session, plan });
    expect((await state()).mailed).toBeUndefined();
    expect(await take(t, "job")).toMatchObject({ taken: 50 });
  });

  test("each zone and period has a quota of its own", async () => {
    const t = start();
    const plans = [
      plan,
      { ...plan, timeZone: "Asia/Tokyo" as const },
      { ...plan, period: "day" as const },
      { ...plan, period: "week" as const },
    ];
    for (const plan of plans) {
      const args = { session, plan };
      await t.mutation(api.exports.take, { ...args, who: "paying" });
      const { balance } = await t.query(api.exports.state, args);
      expect(balance.value).toBe(80);
    }
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
  expect(await comment()).toEqual({ granted: 60, wouldDeny: 0, denied: 0 });
  expect(await comment()).toEqual({ granted: 0, wouldDeny: 60, denied: 0 });
  expect(await enforced()).toEqual([]);
  await enforce(0.1);
  const first = await enforced();
  await enforce(0.5);
  const half = await enforced();
  expect(half.length).toBeGreaterThan(20);
  expect(half.length).toBeLessThan(40);
  expect(half).toEqual(expect.arrayContaining(first));
  expect(await comment()).toEqual({
    granted: 0,
    wouldDeny: 60 - half.length,
    denied: half.length,
  });
  await enforce(1);
  expect(await comment()).toEqual({ granted: 0, wouldDeny: 0, denied: 60 });
  await t.mutation(api.rollout.startOver, { session });
  expect(await comment()).toEqual({ granted: 60, wouldDeny: 0, denied: 0 });
});

test("of a render that crashes, the place is free when its lease ends", async () => {
  const t = start();
  const crash = () =>
    t.mutation(api.renders.crash, { session, label: "Render" });
  const places = async () => {
    const { renders, places } = await t.query(api.renders.list, { session });
    return [renders.map(({ place }) => place), places.value];
  };
  for (let i = 0; i < 3; i++) expect(await crash()).toEqual({ ok: true });
  expect(await crash()).toEqual({ ok: false, retryAfter: 5000 });
  expect(await places()).toEqual([[0, 1, 2], 0]);
  vi.advanceTimersByTime(5000);
  expect(await crash()).toEqual({ ok: true });
  expect(await places()).toEqual([[0], 2]);
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
