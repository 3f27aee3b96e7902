import { isRateLimitError } from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import {
  afterEach,
  beforeEach,
  describe,
  expect,
  inject,
  test,
  vi,
} from "vitest";
import { api } from "../../demo/convex/_generated/api.js";
import { analysePush } from "./analyse.js";
import { runCrons, startPush } from "./backend.js";

const session = "session-0001";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

const start = () => startPush(inject("example"));

describe("the pushed example", () => {
  test("grants three messages at once, and denies the fourth with its exact wait", async () => {
    const t = await start();
    const send = (text: string) =>
      t.mutation(api.messages.send, { session, text });
    for (const text of ["a", "b", "c"]) await send(text);
    const error: unknown = await send("d").catch((e: unknown) => e);
    expect(isRateLimitError(error) && error.data).toEqual({
      kind: "RateLimited",
      name: "sendMessage",
      key: session,
      retryAfter: 6_000,
    });
    vi.advanceTimersByTime(5_999);
    await expect(send("d")).rejects.toThrow();
    vi.advanceTimersByTime(1);
    await send("d");
    const listed = await t.query(api.messages.list, { session });
    expect(listed.map(({ text }) => text)).toEqual(["d", "c", "b", "a"]);
  });

  test("gives back what a mutation took that then throws", async () => {
    const t = await start();
    const signUp = () =>
      t.mutation(api.accounts.signUp, { name: "Ada", pin: "1815" });
    await signUp();
    await expect(signUp()).rejects.toThrow("taken");
    const { value } = await t.query(api.accounts.getSignUpLimit, {});
    expect(value).toBe(99);
  });

  test("runs a reserved job when its token exists, and cancels another", async () => {
    const t = await start();
    const add = (label: string) => t.mutation(api.jobs.add, { session, label });
    for (const label of ["first", "second"]) await add(label);
    const third = await add("third");
    if (!third.ok) throw new Error("The third job was refused.");
    expect(third.dueAt).toBe(Date.now() + 4_000);
    const { id } = third;
    expect(await t.mutation(api.jobs.cancel, { session, id })).toEqual({
      cancelled: true,
    });
    const begin = Date.now();
    for (const wait of [0, 2_000, 2_000]) {
      vi.advanceTimersByTime(wait);
      await t.finishInProgressScheduledFunctions();
    }
    const jobs = await t.query(api.jobs.list, { session });
    expect(
      jobs.map(({ label, ranAt }) => [label, ranAt && ranAt - begin]),
    ).toEqual([
      ["third", undefined],
      ["second", 2_000],
      ["first", 0],
    ]);
  });

  test("estimates and settles in an action, over a split limit", async () => {
    const t = await start();
    const prompt = "a".repeat(400);
    expect(await t.action(api.llm.ask, { prompt })).toMatchObject({
      ok: true,
      estimated: 200,
      used: 2,
    });
    const { value } = await t.query(api.llm.getTokens, {});
    expect(value).toBe(40_000 - 2);
  });

  test("settles a hold once, to what was used", async () => {
    const t = await start();
    const config = { kind: "token bucket", rate: 10, period: 60_000 } as const;
    const target = { session, config };
    const held = await t.mutation(api.holds.hold, { ...target, count: 8 });
    if (!held.ok) throw new Error("Nothing was held.");
    const settle = () =>
      t.mutation(api.holds.settle, { id: held.id, count: 3 });
    const balance = async () =>
      (await t.query(api.playground.getValue, target)).value;
    expect(await balance()).toBe(2);
    expect(await settle()).toEqual({ settled: true });
    expect(await balance()).toBe(7);
    expect(await settle()).toEqual({ settled: false });
    expect(await balance()).toBe(7);
  });

  test("frees a place when its lease ends, unless it is renewed", async () => {
    const t = await start();
    const lease = 30_000;
    const config = { kind: "concurrency", capacity: 2, lease } as const;
    const occupy = () => t.mutation(api.holds.occupy, { session, config });
    const renew = (id: string) => t.mutation(api.holds.renew, { id });
    const [first, second] = [await occupy(), await occupy()];
    if (!first.ok || !second.ok) throw new Error("A place is missing.");
    expect(await occupy()).toEqual({ ok: false, retryAfter: lease });
    vi.advanceTimersByTime(lease - 1);
    expect(await renew(first.id)).toEqual({ renewed: true });
    expect(await occupy()).toEqual({ ok: false, retryAfter: 1 });
    vi.advanceTimersByTime(1);
    expect(await renew(second.id)).toEqual({ renewed: false });
    expect(await occupy()).toMatchObject({ ok: true });
    expect(await occupy()).toEqual({ ok: false, retryAfter: lease - 1 });
    await t.mutation(api.holds.release, { id: first.id });
    expect(await occupy()).toMatchObject({ ok: true });
  });

  test("keeps the place of work in an action for longer than its lease", async () => {
    const t = await start();
    const lease = 1_000;
    const config = { kind: "concurrency", capacity: 1, lease } as const;
    const target = { session, config };
    const isVacant = () => t.query(api.holds.isVacant, target);
    const working = t.action(api.holds.work, { ...target, ms: 3 * lease });
    for (let passed = 0; passed < 2.5 * lease; passed += 50) {
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(await isVacant()).toBe(false);
    await vi.advanceTimersByTimeAsync(lease);
    expect(await working).toEqual({ ok: true, result: "done" });
    expect(await isVacant()).toBe(true);
  });

  test("appends what is taken with asynchronous updates", async () => {
    const t = await start();
    const config = {
      kind: "token bucket",
      rate: 2,
      period: 60_000,
      applyUpdates: "asynchronously",
    } as const;
    const take = () => t.mutation(api.playground.limit, { session, config });
    expect(await take()).toEqual({ ok: true });
    expect(await take()).toEqual({ ok: true });
    expect(await take()).toEqual({ ok: false, retryAfter: 30_000 });
  });

  test("takes from several limits or from none", async () => {
    const t = await start();
    const upload = () =>
      t.mutation(api.organisations.perform, {
        session,
        user: "Ada",
        operation: "upload",
      });
    await upload();
    await upload();
    expect(await upload()).toMatchObject({ ok: false, blockedBy: "user" });
  });

  test("opens a window at midnight in its time zone, also when clocks change", async () => {
    const t = await start();
    const config = {
      kind: "fixed window",
      rate: 1,
      period: "day",
      timeZone: "Europe/Berlin",
    } as const;
    const take = () => t.mutation(api.requests.limit, { session, config });
    // At the start of the day that has 23 hours.
    vi.setSystemTime("2026-03-28T23:00:00Z");
    expect(await take()).toMatchObject({ ok: true });
    expect(await take()).toMatchObject({ ok: false, retryAfter: 82_800_000 });
    vi.advanceTimersByTime(82_800_000 - 1);
    expect(await take()).toMatchObject({ ok: false, retryAfter: 1 });
    vi.advanceTimersByTime(1);
    expect(await take()).toMatchObject({ ok: true });
    expect(await take()).toMatchObject({ ok: false, retryAfter: 86_400_000 });
  });

  test("lists keys a page at a time, within the component", async () => {
    const t = await start();
    await t.mutation(api.operators.simulateUsers, { session });
    const list = (cursor: string | null) =>
      t.query(api.operators.list, {
        name: "sendMessage",
        order: "depleted",
        paginationOpts: { numItems: 2, cursor },
      });
    const first = await list(null);
    const second = await list(first.continueCursor);
    expect(
      [...first.page, ...second.page].map(({ key, balance }) => [key, balance]),
    ).toEqual([
      [`${session}/Hedy`, 0],
      [`${session}/Katherine`, 0],
      [`${session}/Grace`, 1],
      [`${session}/Ada`, 2],
    ]);
  });

  test("bans, and lifts the ban", async () => {
    const t = await start();
    const send = () => t.mutation(api.messages.send, { session, text: "a" });
    await t.mutation(api.operators.ban, { key: session, minutes: 10 });
    await expect(send()).rejects.toThrow();
    await t.mutation(api.operators.clear, { key: session });
    await send();
  });

  test("answers HTTP with its limit in the headers, and refuses with 429", async () => {
    const t = (await start()).withRequestMetadata({ ip: "192.0.2.1" });
    for (let i = 0; i < 5; i++) {
      expect((await t.fetch("/quote")).status).toBe(200);
    }
    const refused = await t.fetch("/quote");
    expect(refused.status).toBe(429);
    expect(refused.headers.get("RateLimit-Policy")).toBe('"quotes";q=5;w=10');
    expect(Number(refused.headers.get("Retry-After"))).toBeGreaterThan(0);
  });

  test("forgets by its crons an override that has expired, and not one in force", async () => {
    const t = await start();
    const list = () =>
      t.query(api.operators.listOverrides, { name: "sendMessage" });
    await t.mutation(api.operators.ban, { key: "banned", minutes: 1 });
    await t.mutation(api.operators.raise, { key: "raised" });
    expect(await list()).toHaveLength(2);
    const now = Date.now();
    vi.setSystemTime(now + 86_400_000);
    await runCrons(t, await analysePush(inject("example")));
    // What has expired is not listed; it would be at the time of the ban.
    vi.setSystemTime(now);
    expect((await list()).map(({ key }) => key)).toEqual(["raised"]);
  });
});

test("an app that mounts the package twice has two limits of one name", async () => {
  const t = await startPush(inject("packed"));
  const send = (by: string) =>
    t.mutation(makeFunctionReference<"mutation">("limits:send"), { by });
  expect(await send("rateLimiter")).toBe(true);
  expect(await send("rateLimiter")).toBe(true);
  expect(await send("rateLimiter")).toBe(false);
  expect(await send("another")).toBe(true);
});
