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
import { api } from "../app/convex/_generated/api.js";
import { analysePush } from "./analyse.js";
import { runCrons, startPush } from "./backend.js";

const name = "made up";
const bucket = { kind: "token bucket", rate: 10, period: 60_000 } as const;
const asynchronous = { ...bucket, applyUpdates: "asynchronously" } as const;
const counted = { ...bucket, stats: true } as const;
const paginationOpts = { numItems: 10, cursor: null };
const places = { kind: "concurrency", capacity: 1, lease: 1_000 } as const;
const calendar = {
  kind: "fixed window",
  rate: 1,
  period: "day",
  timeZone: "Europe/Berlin",
} as const;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  vi.useRealTimers();
});

const start = () => startPush(inject("app"));

describe("the pushed app", () => {
  test("grants three messages at once, and denies the fourth with its exact wait", async () => {
    const t = await start();
    const sender = "Ada";
    const send = () => t.mutation(api.messages.send, { sender });
    for (let i = 0; i < 3; i++) await send();
    const error: unknown = await send().catch((e: unknown) => e);
    expect(isRateLimitError(error) && error.data).toEqual({
      kind: "RateLimited",
      name: "sendMessage",
      key: sender,
      retryAfter: 6_000,
    });
    vi.advanceTimersByTime(5_999);
    await expect(send()).rejects.toThrow();
    vi.advanceTimersByTime(1);
    await send();
  });

  test("runs a reserved job when its token exists, and cancels another", async () => {
    const t = await start();
    const owner = "Ada";
    const add = (label: string) => t.mutation(api.jobs.add, { owner, label });
    for (const label of ["first", "second"]) await add(label);
    const { scheduledId, dueAt } = await add("third");
    expect(dueAt).toBe(Date.now() + 4_000);
    expect(await t.mutation(api.jobs.cancel, { scheduledId })).toEqual({
      cancelled: true,
    });
    const begin = Date.now();
    for (const wait of [0, 2_000, 2_000]) {
      vi.advanceTimersByTime(wait);
      await t.finishInProgressScheduledFunctions();
    }
    const jobs = await t.query(api.jobs.list, { owner });
    expect(
      jobs.map(({ label, ranAt }) => [label, ranAt && ranAt - begin]),
    ).toEqual([
      ["first", 0],
      ["second", 2_000],
      ["third", undefined],
    ]);
  });

  test("settles, renews and releases by the ids that holds were given", async () => {
    const t = await start();
    const target = { name, config: bucket };
    const held = await t.mutation(api.verbs.hold, { ...target, count: 8 });
    const place = await t.mutation(api.verbs.occupy, { name, config: places });
    if (!held.ok || !place.ok) throw new Error("Nothing was held.");
    const used = { id: held.id, count: 3 };
    expect(await t.mutation(api.verbs.settle, used)).toEqual({ settled: true });
    const { value } = await t.query(api.verbs.getValue, target);
    expect(value).toBe(7);
    const { id } = place;
    expect(await t.mutation(api.verbs.renew, { id })).toEqual({
      renewed: true,
    });
    expect(await t.mutation(api.verbs.release, { id })).toEqual({
      settled: true,
    });
    expect(await t.mutation(api.verbs.renew, { id })).toEqual({
      renewed: false,
    });
  });

  test("keeps the place of work in an action for longer than its lease", async () => {
    const t = await start();
    const { lease } = places;
    const target = { name, config: places };
    const isVacant = () => t.query(api.verbs.isVacant, target);
    const working = t.action(api.verbs.work, { ...target, ms: 3 * lease });
    for (let passed = 0; passed < 2.5 * lease; passed += 50) {
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(await isVacant()).toBe(false);
    await vi.advanceTimersByTimeAsync(lease);
    expect(await working).toEqual({ ok: true, result: "done" });
    expect(await isVacant()).toBe(true);
  });

  test.for<["query" | "mutation", verb: string, args: object, answer: object]>([
    ["mutation", "limit", { count: 2 }, { ok: true }],
    ["mutation", "limit", { config: asynchronous, count: 2 }, { ok: true }],
    ["mutation", "limitWithDetails", {}, { ok: true, remaining: 9 }],
    // Midnight in Berlin is at 23:00.
    [
      "mutation",
      "limitWithDetails",
      { config: calendar },
      { ok: true, resetAfter: 23 * 3_600_000 },
    ],
    ["mutation", "limitUpTo", { count: 20 }, { ok: true, taken: 10 }],
    ["mutation", "check", { count: 10 }, { ok: true }],
    [
      "query",
      "checkTwice",
      { count: 6 },
      { ok: false, blockedBy: { index: 1 } },
    ],
    ["mutation", "credit", {}, { credited: 0 }],
    ["mutation", "charge", { count: 11 }, { retryAfter: 6_000 }],
    ["query", "getValue", {}, { value: 10 }],
    ["query", "stats", { config: counted }, { keys: [] }],
    ["query", "list", { order: "depleted", paginationOpts }, { page: [] }],
    ["query", "list", { order: "key", paginationOpts }, { page: [] }],
  ])(
    "answers %s %s of %o in its isolate",
    async ([kind, verb, args, answer]) => {
      const t = await start();
      const given = { name, config: bucket, ...args };
      const said: unknown =
        kind === "query"
          ? await t.query(
              makeFunctionReference<"query">(`verbs:${verb}`),
              given,
            )
          : await t.mutation(
              makeFunctionReference<"mutation">(`verbs:${verb}`),
              given,
            );
      expect(said).toMatchObject(answer);
    },
  );

  test("bans, and lifts the ban", async () => {
    const t = await start();
    const key = "Ada";
    const target = { name: "sendMessage", key };
    const send = () => t.mutation(api.messages.send, { sender: key });
    await t.mutation(api.verbs.penalize, target);
    await expect(send()).rejects.toThrow();
    await t.mutation(api.verbs.clearOverride, target);
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

  test("serves the dashboard's page, and what that asks for", async () => {
    const secret = "a secret for the tests alone";
    const t = await startPush(inject("app"), { RATE_LIMITS_SECRET: secret });
    const page = await t.fetch("/rate-limits/");
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("<title>Rate limits</title>");
    const ask = (token: string) =>
      t.fetch("/rate-limits/", {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Authorization: `Bearer ${token}`,
        },
        body: JSON.stringify({ ask: "limits" }),
      });
    expect((await ask("a wrong secret, as long")).status).toBe(401);
    const { limits } = (await (await ask(secret)).json()) as {
      limits: { name: string }[];
    };
    expect(limits.map(({ name }) => name)).toContain("sendMessage");
  });

  test("answers 503 where the dashboard's secret is not set, and goes on with its other routes", async () => {
    const t = (await start()).withRequestMetadata({ ip: "192.0.2.1" });
    expect((await t.fetch("/rate-limits/")).status).toBe(503);
    expect((await t.fetch("/quote")).status).toBe(200);
  });

  test("forgets by its crons an override that has expired, and not one in force", async () => {
    const t = await start();
    const list = async () =>
      (await t.query(api.verbs.listOverrides, { name, paginationOpts })).page;
    const now = Date.now();
    for (const override of [
      { key: "banned", deny: true, expiresAt: now + 60_000 } as const,
      { key: "raised", config: { rate: 100 } },
    ]) {
      await t.mutation(api.verbs.setOverride, { name, override });
    }
    expect(await list()).toHaveLength(2);
    vi.setSystemTime(now + 86_400_000);
    await runCrons(t, await analysePush(inject("app")));
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
