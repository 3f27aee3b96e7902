import {
  DAY,
  HOUR,
  isExceedsCapacityError,
  isRateLimitError,
  MINUTE,
} from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Page } from "../readme/page.js";

const page = new Page("docs/recipes.md");
const start = () => page.start();

/** What the recipes answer, as far as the tests look. */
type Answer = { ok: boolean; retryAfter?: number };

const mutation = <Returns = Answer>(path: string) =>
  makeFunctionReference<"mutation", Record<string, unknown>, Returns>(path);
const action = (path: string) =>
  makeFunctionReference<"action", Record<string, unknown>, Answer>(path);

/** What the recipes fetched, and when, and how they are answered. */
let fetched: { at: number; url: string; body: unknown }[];
let answer: () => Response;

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
  fetched = [];
  answer = () => new Response();
  vi.stubGlobal("fetch", async (url: string, init?: RequestInit) => {
    fetched.push({ at: Date.now(), url, body: init?.body });
    return answer();
  });
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function denialOf(call: Promise<unknown>) {
  const error: unknown = await call.then(
    () => expect.fail("It was not denied."),
    (e: unknown) => e,
  );
  if (!isRateLimitError(error)) throw error;
  return error.data;
}

async function times<T>(n: number, call: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let i = 0; i < n; i++) results.push(await call());
  return results;
}

/** Runs what is scheduled, each at its own time. */
async function finishScheduled(t: ReturnType<typeof start>): Promise<void> {
  while (vi.getTimerCount() > 0) {
    vi.advanceTimersToNextTimer();
    await t.finishInProgressScheduledFunctions();
  }
}

/** The most of these times that lie within a window, its two ends included. */
function mostWithin(window: number, at: number[]): number {
  return Math.max(
    ...at.map(
      (from) => at.filter((t) => t >= from && t <= from + window).length,
    ),
  );
}

describe("failed logins", () => {
  const email = "ann@example.com";
  const withLogin = async () => {
    const t = start();
    await t.run((ctx) =>
      ctx.db.insert("loginCodes", { email, code: "123456" }),
    );
    const logIn = (code: string) =>
      t.mutation(mutation("logins:logIn"), { email, code });
    return { t, logIn };
  };

  test("five wrong codes count, and then even the right one is refused", async () => {
    const { t, logIn } = await withLogin();
    const wrong = await times(5, () => logIn("000000"));
    expect(wrong).toEqual(Array(5).fill({ ok: false }));
    expect(await logIn("123456")).toEqual({ ok: false, retryAfter: HOUR / 5 });
    const shouted = { email: "ANN@example.com", code: "123456" };
    expect(await t.mutation(mutation("logins:logIn"), shouted)).toMatchObject({
      ok: false,
    });
    vi.advanceTimersByTime(HOUR / 5);
    expect(await logIn("123456")).toEqual({ ok: true });
  });

  test("logins that succeed cost nothing", async () => {
    const { logIn } = await withLogin();
    const right = await times(20, () => logIn("123456"));
    expect(right).toEqual(Array(20).fill({ ok: true }));
    const wrong = await times(5, () => logIn("000000"));
    expect(wrong).toEqual(Array(5).fill({ ok: false }));
  });
});

test("sign-ups by IP: three a day for each address", async () => {
  const t = start();
  const signUpFrom = (ip: string) =>
    t
      .withRequestMetadata({ ip })
      .mutation(mutation("signUps:signUp"), { email: "ann@example.com" });
  await times(3, () => signUpFrom("192.0.2.1"));
  const denial = await denialOf(signUpFrom("192.0.2.1"));
  expect(denial).toMatchObject({ name: "signUp", key: "192.0.2.1" });
  expect(Math.round(denial.retryAfter / HOUR)).toBe(8);
  await signUpFrom("192.0.2.2");
  for (const n of [1, 2, 3]) await signUpFrom(`2001:db8::${n}`);
  expect(await denialOf(signUpFrom("2001:db8::4"))).toMatchObject({
    key: "2001:db8::/64",
  });
  const users = await t.run((ctx) => ctx.db.query("users").collect());
  expect(users).toHaveLength(7);
});

test("per-plan limits: an upgrade holds from the next call", async () => {
  const t = start();
  const accountId = await t.run((ctx) =>
    ctx.db.insert("accounts", { plan: "free" }),
  );
  const startExport = () =>
    t.mutation(mutation("plans:startExport"), { accountId });
  await times(2, startExport);
  expect((await denialOf(startExport())).retryAfter).toBe(MINUTE / 2);
  await t.run((ctx) => ctx.db.patch("accounts", accountId, { plan: "pro" }));
  expect((await denialOf(startExport())).retryAfter).toBe(MINUTE / 60);
  vi.advanceTimersByTime(MINUTE);
  await times(60, startExport);
  await denialOf(startExport());
});

describe("LLM requests and tokens", () => {
  beforeEach(() => {
    answer = () => Response.json({ text: "42", tokens: 10 });
  });
  const asking = (t = start()) => ({
    ask: (subject: string, letters: number) =>
      t
        .withIdentity({ subject })
        .action(action("llm:ask"), { prompt: "x".repeat(letters) }),
  });

  test("what one user is denied leaves the shared limits alone", async () => {
    const { ask } = asking();
    await times(10, () => ask("ann", 4));
    expect(await ask("ann", 4)).toEqual({
      ok: false,
      blockedBy: "llmRequestsPerUser",
      retryAfter: MINUTE / 10,
    });
    expect(fetched).toHaveLength(10);
    // 10 * 10 of the 40,000 tokens are gone: 39,900 are left, for 4 * 39,400 letters.
    expect(await ask("bob", 4 * 39_400)).toEqual({ ok: true, text: "42" });
  });

  test("tokens run out before requests do, and then no request is taken", async () => {
    const { ask } = asking();
    answer = () => Response.json({ text: "42", tokens: 39_500 });
    await ask("ann", 4 * 39_000);
    const denied = await ask("ann", 4 * 1000);
    expect(denied).toMatchObject({ ok: false, blockedBy: "llmTokens" });
    const small = await times(9, () => ask("ann", 0));
    expect(small.map(({ ok }) => ok)).toEqual([
      true,
      ...Array<boolean>(8).fill(false),
    ]);
    expect(fetched).toHaveLength(2);
  });

  test("a prompt that no minute could hold is an error", async () => {
    const { ask } = asking();
    const error: unknown = await ask("ann", 4 * 40_000).catch(
      (e: unknown) => e,
    );
    expect(isExceedsCapacityError(error)).toBe(true);
  });
});

describe("webhooks to a third party", () => {
  const notify = (t: ReturnType<typeof start>) =>
    t.mutation(mutation("webhooks:notify"), {
      url: "https://hooks.example.com/in",
      body: "{}",
    });

  test("however many come at once, no minute sees more than 30", async () => {
    const t = start();
    expect(await times(90, () => notify(t))).toEqual(Array(90).fill(true));
    await finishScheduled(t);
    const at = fetched.map((call) => call.at);
    expect(at).toHaveLength(90);
    expect(mostWithin(MINUTE, at)).toBe(28);
  });

  test("when ten minutes' worth wait already, one more is refused", async () => {
    vi.spyOn(console, "warn").mockReturnValueOnce();
    const t = start();
    await times(253, () => notify(t));
    expect(await notify(t)).toBe(false);
    const jobs = await t.run((ctx) =>
      ctx.db.system.query("_scheduled_functions").collect(),
    );
    expect(jobs).toHaveLength(253);
  });
});

describe("anonymous users", () => {
  const asking = () => {
    const t = start().withRequestMetadata({ ip: "192.0.2.1" });
    return {
      t,
      ask: (visitorId: string) =>
        t.mutation(mutation("anonymous:ask"), { visitorId, text: "Why?" }),
    };
  };

  test("a visitor has three a minute", async () => {
    const { ask } = asking();
    await times(3, () => ask("a"));
    expect((await denialOf(ask("a"))).name).toBe("askAsVisitor");
    await ask("b");
  });

  test("new visitor ids do not help against the limit of the address", async () => {
    const { ask } = asking();
    for (let i = 0; i < 30; i++) await ask(`visitor ${i}`);
    expect(await denialOf(ask("visitor 30"))).toMatchObject({
      name: "askFromAddress",
      key: "192.0.2.1",
    });
  });

  test("a user who has signed in has a limit of their own", async () => {
    const { t } = asking();
    const ann = t.withIdentity({ subject: "ann" });
    const ask = () =>
      ann.mutation(mutation("anonymous:ask"), { visitorId: "a", text: "Why?" });
    await times(20, ask);
    expect((await denialOf(ask())).name).toBe("askAsUser");
  });
});

test("a ban after denials: the fifth within an hour bans for ten minutes, five more for an hour", async () => {
  const t = start();
  const send = (subject: string) =>
    t.withIdentity({ subject }).mutation(mutation("bans:send"), { text: "Hi" });
  const sent = await times(10, () => send("ann"));
  expect(sent).toEqual(Array(10).fill({ ok: true }));
  const forgiven = await times(4, () => send("ann"));
  expect(forgiven).toEqual(
    Array(4).fill({ ok: false, retryAfter: MINUTE / 10 }),
  );
  const ban = 10 * MINUTE;
  expect(await send("ann")).toEqual({ ok: false, retryAfter: ban });
  expect(await send("bob")).toEqual({ ok: true });

  vi.advanceTimersByTime(ban - 1);
  expect(await send("ann")).toEqual({ ok: false, retryAfter: 1 });
  vi.advanceTimersByTime(1);
  expect(await send("ann")).toEqual({ ok: true });

  await times(9, () => send("ann"));
  const [, , , , again] = await times(5, () => send("ann"));
  expect(again).toEqual({ ok: false, retryAfter: HOUR });
  await times(4, () => send("ann"));
  expect(await send("ann")).toEqual({ ok: false, retryAfter: DAY });
});

test("an HTTP endpoint tells its limit, and answers 429 beyond it", async () => {
  const t = start().withRequestMetadata({ ip: "192.0.2.1" });
  const get = () => t.fetch("/quote", { method: "GET" });
  const [first] = await times(60, get);
  expect(first!.status).toBe(200);
  expect(first!.headers.get("RateLimit-Policy")).toBe('"quotes";q=60;w=60');
  expect(first!.headers.get("RateLimit")).toBe('"quotes";r=59;t=1');
  expect(first!.headers.has("Retry-After")).toBe(false);

  const denied = await get();
  expect(denied.status).toBe(429);
  expect(denied.headers.get("RateLimit")).toBe('"quotes";r=0;t=1');
  expect(denied.headers.get("Retry-After")).toBe("1");
  expect(denied.headers.get("Content-Type")).toBe("application/problem+json");
  expect(await denied.json()).toMatchObject({
    status: 429,
    "violated-policies": ["quotes"],
  });
  vi.advanceTimersByTime(1000);
  expect((await get()).status).toBe(200);
});

test("background jobs run one every 100 ms, over batches too", async () => {
  const t = start();
  const begin = Date.now();
  const sendAll = (n: number) =>
    t.mutation(mutation("emails:sendAll"), {
      addresses: Array.from({ length: n }, (_, i) => `${i}@example.com`),
      text: "Hi",
    });
  await sendAll(20);
  await sendAll(10);
  await finishScheduled(t);
  expect(fetched.map(({ at }) => at - begin)).toEqual(
    Array.from({ length: 30 }, (_, i) => i * 100),
  );
});

describe("settling a call's real cost", () => {
  const summarizing = (t = start()) => ({
    summarize: () =>
      t
        .withIdentity({ subject: "ann" })
        .action(action("costs:summarize"), { text: "Long" }),
  });
  const costing = (tokens: number) => () =>
    Response.json({ text: "Short", tokens });

  test("cheap calls are given back what they did not use", async () => {
    const { summarize } = summarizing();
    answer = costing(100);
    // 95 calls leave 500 of 10,000: one more may start, and 5 after it may not.
    expect(await times(96, summarize)).toEqual(
      Array(96).fill({ ok: true, text: "Short" }),
    );
    expect(await summarize()).toMatchObject({ ok: false });
  });

  test("a dear call is charged the rest, into debt if need be", async () => {
    const { summarize } = summarizing();
    answer = costing(11_000);
    expect(await summarize()).toEqual({ ok: true, text: "Short" });
    // 1,000 tokens of debt and 500 for the next call, at 10,000 a day.
    expect(await summarize()).toEqual({
      ok: false,
      retryAfter: (DAY * 1500) / 10_000,
    });
  });

  test("a call that costs what was estimated needs no settling", async () => {
    const { summarize } = summarizing();
    answer = costing(500);
    await times(20, summarize);
    expect(await summarize()).toMatchObject({ ok: false });
  });

  test("a call that fails keeps its estimate", async () => {
    const { summarize } = summarizing();
    answer = () => new Response(null, { status: 500 });
    for (let i = 0; i < 20; i++) {
      await expect(summarize()).rejects.toThrow("The model answered 500.");
    }
    expect(await summarize()).toMatchObject({ ok: false });
  });
});

test("three renders at once for each user, and a failed one frees its place", async () => {
  const t = start();
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal(
    "fetch",
    () => new Promise<Response>((resolve) => answers.push(resolve)),
  );
  const render = (subject: string) =>
    t
      .withIdentity({ subject })
      .action(action("renders:render"), { scene: "A cat" });
  const running = [render("ann"), render("ann"), render("ann"), render("bob")];
  await vi.waitFor(() => expect(answers).toHaveLength(4));
  const denied = await render("ann");
  expect(denied.ok).toBe(false);
  expect(denied.retryAfter).toBeLessThanOrEqual(2 * MINUTE);
  answers[0]!(new Response(null, { status: 500 }));
  await expect(running[0]).rejects.toThrow("The model answered 500.");
  running.push(render("ann"));
  await vi.waitFor(() => expect(answers).toHaveLength(5));
  for (const answer of answers.slice(1)) {
    answer(Response.json({ text: "=^.^=", tokens: 1 }));
  }
  expect(await Promise.all(running.slice(1))).toEqual(
    Array(4).fill({ ok: true, text: "=^.^=" }),
  );
});

test("paying users first: free users leave 20 tokens, and old exports leave 50", async () => {
  const t = start();
  const [free, pro] = await t.run(async (ctx) => [
    await ctx.db.insert("accounts", { plan: "free" }),
    await ctx.db.insert("accounts", { plan: "pro" }),
  ]);
  const render = (accountId: string) =>
    t.mutation(mutation("priorities:render"), { accountId });
  const renderAgain = (n: number) =>
    t.mutation(mutation<{ left: string[] }>("priorities:renderAgain"), {
      accountIds: Array<string>(n).fill(pro),
    });
  expect((await renderAgain(30)).left).toHaveLength(0);
  expect((await renderAgain(30)).left).toHaveLength(10);
  expect((await renderAgain(30)).left).toHaveLength(30);
  await times(30, () => render(free));
  expect((await denialOf(render(free))).retryAfter).toBe(MINUTE / 100);
  await times(20, () => render(pro));
  await denialOf(render(pro));
  const rendered = await t.run((ctx) => ctx.db.query("exports").collect());
  expect(rendered).toHaveLength(100);
});

test("a new limit: it denies a twentieth of the users, then half, then all", async () => {
  vi.spyOn(console, "log").mockReturnValue();
  const t = start();
  const users = Array.from({ length: 40 }, (_, i) => `user-${i}`);
  const comment = (subject: string) =>
    t
      .withIdentity({ subject })
      .mutation(mutation("rollout:comment"), { text: "Hi" });
  for (const user of users) await times(5, () => comment(user));
  const denied: number[] = [];
  for (const enforce of [0, 0.05, 0.5, 1]) {
    await t.mutation(mutation("rollout:rollOut"), { enforce });
    const answers = await Promise.all(users.map(comment));
    denied.push(answers.filter(({ ok }) => !ok).length);
  }
  expect(denied).toEqual([0, expect.any(Number), expect.any(Number), 40]);
  expect(denied[1]).toBeGreaterThan(0);
  expect(denied[1]).toBeLessThan(8);
  expect(denied[2]).toBeGreaterThan(10);
  expect(denied[2]).toBeLessThan(30);
  vi.restoreAllMocks();
});

test("a new limit: the next share waits for the time that was set", async () => {
  vi.spyOn(console, "log").mockReturnValue();
  const t = start();
  const comment = () =>
    t
      .withIdentity({ subject: "ada" })
      .mutation(mutation("rollout:comment"), { text: "Hi" });
  const startsAt = Date.now() + HOUR;
  await t.mutation(mutation("rollout:rollOut"), { enforce: 1, startsAt });
  await times(5, comment);
  expect(await comment()).toEqual({ ok: true, wouldDeny: true });
  vi.setSystemTime(startsAt);
  await times(5, comment);
  expect(await comment()).toMatchObject({ ok: false });
  vi.restoreAllMocks();
});

test("monthly quotas: a month's exports, what was left of the last one, and the next one at midnight in Berlin", async () => {
  vi.setSystemTime(Date.parse("2026-03-31T12:00:00Z"));
  const t = start();
  const accountId = await t.run((ctx) =>
    ctx.db.insert("accounts", { plan: "pro" }),
  );
  const startExport = () =>
    t.mutation(mutation("quotas:startExport"), { accountId });
  const granted = await times(150, startExport);
  expect(granted).toEqual(Array(150).fill({ ok: true }));
  const opensAt = Date.parse("2026-03-31T22:00:00Z");
  expect(await startExport()).toEqual({ ok: false, opensAt });
  vi.setSystemTime(opensAt - 1);
  expect(await startExport()).toEqual({ ok: false, opensAt });
  vi.setSystemTime(opensAt);
  await times(100, startExport);
  expect(await startExport()).toEqual({
    ok: false,
    opensAt: Date.parse("2026-04-30T22:00:00Z"),
  });
});
