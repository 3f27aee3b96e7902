import type { RateLimitConfig } from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { compile } from "./compile.js";
import { appsOf, fragmentPath, hostApp, README } from "./hostApp.js";
import { finishScheduled, Page, type App } from "./page.js";
import {
  pages,
  parseSnippets,
  readSnippets,
  SKILL,
  type Snippet,
} from "./snippets.js";

const [wrongName, wrongField, wrongFile] = parseSnippets(
  "wrong",
  `
\`\`\`ts
await rateLimiter.limit(ctx, "sendMesage", { key: userId });
\`\`\`

\`\`\`ts
const { ok, retryAt } = await rateLimiter.limit(ctx, "sendMessage", { key: userId });
console.log(ok, retryAt);
\`\`\`

\`\`\`ts
// convex/wrong.ts
export const limits = rateLimiter.limits;
\`\`\`
`,
) as [Snippet, Snippet, Snippet];

const WRONG = "wrong";
const apps = pages.flatMap((page) => appsOf(page));
const wrong = [wrongName, wrongField, wrongFile];
const files = new Map([
  ...apps.map(({ name, files }) => [name, files] as const),
  [WRONG, hostApp(wrong, readSnippets(README))],
]);

const at = (app: string, file: string) => `${app.replace(/\W/g, "_")}/${file}`;

describe("every block compiles in the host app of its page", () => {
  const messages = compile(
    new Map(
      [...files].flatMap(([app, texts]) =>
        [...texts].map(([file, text]) => [at(app, file), text] as const),
      ),
    ),
  );
  const messagesOf = (app: string, snippet: Snippet) =>
    messages.get(at(app, pathOf(snippet)));
  const all = apps.flatMap(({ name, snippets }) =>
    snippets.map((snippet) => ({ name, snippet, where: snippet.where })),
  );

  test.for(all)("$where", ({ name, snippet }) => {
    expect(messagesOf(name, snippet)).toEqual([]);
  });

  test("what surrounds the blocks compiles too", () => {
    const theirs = wrong.map((snippet) => at(WRONG, pathOf(snippet)));
    const others = [...messages].filter(([file]) => !theirs.includes(file));
    expect(others.flatMap(([, errors]) => errors)).toEqual([]);
  });

  test("a block that misspells a limit, a field or an import does not", () => {
    const errors = (snippet: Snippet) => messagesOf(WRONG, snippet);
    expect(errors(wrongName)).toEqual([expect.stringContaining("line 1")]);
    expect(errors(wrongField)).toEqual([expect.stringContaining("'retryAt'")]);
    expect(errors(wrongFile)).toEqual([
      expect.stringContaining("'rateLimiter'"),
    ]);
  });
});

const call = (path: string) =>
  makeFunctionReference<"mutation", Record<string, unknown>, unknown>(path);

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "log").mockReturnValue();
  vi.spyOn(console, "warn").mockReturnValue();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

describe("every fragment runs in a mutation", () => {
  const runs = apps
    .map(({ name }) => new Page(name))
    .flatMap((page) =>
      page.fragments.map((snippet, i) => ({ page, i, where: snippet.where })),
    );

  test.for(runs)("$where", async ({ page, i }) => {
    await page.start().mutation(call(`fragments:fragment${i}`), {});
  });
});

const ada = { tokenIdentifier: "ada" };

describe("the host apps do what their pages say", () => {
  test("the README's user sends three messages, and is told to wait", async () => {
    const t = new Page(README).start().withIdentity(ada);
    const send = () => t.mutation(call("messages:send"), { text: "Hello" });
    for (let i = 0; i < 3; i++) expect(await send()).toEqual({ sent: true });
    expect(await send()).toEqual({ sent: false, retryAfter: 6_000 });
  });

  test("webhooks run at their reserved times, and a cancelled one does not", async () => {
    const fetched: string[] = [];
    vi.stubGlobal("fetch", async (url: string) => fetched.push(url));
    const t = new Page("docs/reservations.md").start();
    const notify = (url: string) =>
      t.mutation(call("webhooks:notify"), { url, body: "{}" });
    const pass = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      await t.finishInProgressScheduledFunctions();
    };

    const first = await Promise.all([notify("a"), notify("a"), notify("a")]);
    expect(first).toMatchObject(Array(3).fill({ ok: true, retryAfter: 0 }));
    expect(await notify("b")).toMatchObject({ ok: true, retryAfter: 2_400 });
    const c = (await notify("c")) as {
      retryAfter: number;
      scheduledId: string;
    };
    expect(c.retryAfter).toBe(4_800);
    const cancel = () =>
      t.mutation(call("webhooks:cancel"), { scheduledId: c.scheduledId });
    expect(await cancel()).toEqual({ cancelled: true });
    expect(await cancel()).toEqual({ cancelled: false });

    await pass(2_399);
    expect(fetched).toEqual(["a", "a", "a"]);
    await pass(1);
    expect(fetched).toEqual(["a", "a", "a", "b"]);
    await pass(60_000);
    expect(fetched).toEqual(["a", "a", "a", "b"]);
  });

  test("however many webhooks come at once, no minute sees more than 28, and 250 wait", async () => {
    const at: number[] = [];
    vi.stubGlobal("fetch", async () => at.push(Date.now()));
    const t = new Page("docs/reservations.md").start();
    const notify = () =>
      t.mutation(call("webhooks:notify"), { url: "a", body: "{}" });
    for (let i = 0; i < 253; i++) {
      expect(await notify()).toMatchObject({ ok: true });
    }
    expect(await notify()).toMatchObject({ ok: false });
    await finishScheduled(t);
    expect(at).toHaveLength(253);
    const within = at.map(
      (from) => at.filter((t) => t >= from && t <= from + 60_000).length,
    );
    expect(Math.max(...within)).toBe(28);
  });

  test("the browser is shown the limit of who is signed in, and may not choose", async () => {
    const page = new Page("docs/react.md");
    const t = page.start().withIdentity(ada);
    await t.run((ctx) =>
      page.limits<"sendMessage">().limit(ctx, "sendMessage", { key: "ada" }),
    );
    const ask = (args: Record<string, unknown>) =>
      t.query(
        makeFunctionReference<"query", Record<string, unknown>, unknown>(
          "limits:getRateLimit",
        ),
        args,
      );
    expect(await ask({})).toMatchObject({ value: 2 });
    await expect(ask({ name: "signUp" })).rejects.toThrow(
      "for the rate limit sendMessage",
    );
    await expect(
      ask({ config: { kind: "token bucket", rate: 1, period: 1 } }),
    ).rejects.toThrow("the server's to choose");
  });

  test("a guarded function throws when its limit denies", async () => {
    const t = new Page("docs/calls.md").start().withIdentity(ada);
    const add = () => t.mutation(call("notes:add"), { text: "Hello" });
    for (let i = 0; i < 3; i++) await add();
    await expect(add()).rejects.toMatchObject({
      data: { kind: "RateLimited", name: "sendMessage", key: "ada" },
    });
  });

  test("people who are not signed in are limited by address, and users are not", async () => {
    const t = new Page("docs/keys.md").start();
    const ask = (from: Pick<App, "mutation">) =>
      from.mutation(call("questions:ask"), { text: "Why?" });
    const anyone = t.withRequestMetadata({ ip: "2001:db8::1" });
    for (let i = 0; i < 3; i++) await ask(anyone);
    await expect(
      ask(t.withRequestMetadata({ ip: "2001:db8::2" })),
    ).rejects.toMatchObject({
      data: { name: "askAnonymously", key: "2001:db8::/64" },
    });
    await ask(anyone.withIdentity(ada));
  });

  test("a limiter that is missing lets calls through where that is wanted", async () => {
    const page = new Page("docs/protection.md");
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const send = (t: Pick<App, "mutation">) =>
      t.mutation(call("failOpen:send"), { text: "Hello" });
    const t = page.start().withIdentity(ada);
    for (let i = 0; i < 3; i++) await send(t);
    await expect(send(t)).rejects.toMatchObject({
      data: { kind: "RateLimited" },
    });
    expect(logged).not.toHaveBeenCalled();

    const broken = page.start({ mounted: false }).withIdentity(ada);
    for (let i = 0; i < 4; i++) await send(broken);
    expect(logged).toHaveBeenCalledTimes(4);
  });

  test("limits that are switched off deny nothing", async () => {
    vi.stubEnv("RATE_LIMITS", "off");
    const t = new Page("docs/testing.md").start().withIdentity(ada);
    const send = () => t.mutation(call("messages:send"), { text: "Hello" });
    for (let i = 0; i < 9; i++) expect(await send()).toEqual({ sent: true });
  });
});

describe("the app of the skill", () => {
  const start = () => new Page(SKILL).start();
  test("answers 429 to the 61st request of an address in a minute", async () => {
    const t = start();
    const get = (ip: string) =>
      t.withRequestMetadata({ ip }).fetch("/quotes", { method: "GET" });
    for (let i = 0; i < 60; i++) {
      expect((await get("192.0.2.1")).status).toBe(200);
    }
    const denied = await get("192.0.2.1");
    expect(denied.status).toBe(429);
    expect(denied.headers.get("Retry-After")).toBe("1");
    expect((await get("192.0.2.2")).status).toBe(200);
  });

  test("limits people who are not signed in by their network", async () => {
    const t = start();
    const ask = (ip: string) =>
      t
        .withRequestMetadata({ ip })
        .mutation(call("questions:ask"), { text: "Why?" });
    for (let i = 0; i < 3; i++) await ask(`2001:db8::${i}`);
    await expect(ask("2001:db8::3")).rejects.toMatchObject({
      data: { name: "ask", key: "2001:db8::/64" },
    });
    await ask("2001:db9::1");
  });

  test("shows the button the limit of who is signed in", async () => {
    const t = start().withIdentity(ada);
    await t.mutation(call("messages:send"), { text: "Hello" });
    const shown = makeFunctionReference<"query", Record<never, never>, unknown>(
      "limits:getRateLimit",
    );
    expect(await t.query(shown, {})).toMatchObject({ value: 2 });
  });

  test("counts wrong codes, and no right one", async () => {
    const t = start();
    await t.run((ctx) =>
      ctx.db.insert("loginCodes", { email: "ada@example.com", code: "right" }),
    );
    const enter = (code: string) =>
      t.mutation(call("logins:enter"), { email: "Ada@example.com", code });
    for (let i = 0; i < 9; i++) {
      expect(await enter("right")).toEqual({ entered: true });
    }
    for (let i = 0; i < 5; i++) await enter("wrong");
    expect(await enter("right")).toEqual({ entered: false });
  });

  test("gives back what a model did not use, and all of it if the call fails", async () => {
    const page = new Page(SKILL);
    const t = page.start();
    const left = () =>
      t.run(async (ctx) => {
        const limits = page.limits<"modelTokens">();
        return (await limits.getValue(ctx, "modelTokens", { key: "ada" }))
          .value;
      });
    const answer = () =>
      t.action(
        makeFunctionReference<"action", Record<string, string>, string | null>(
          "answers:answer",
        ),
        { userId: "ada", prompt: "Why?" },
      );
    vi.stubGlobal("fetch", async () =>
      Response.json({ text: "42", tokens: 300 }),
    );
    expect(await answer()).toBe("42");
    expect(await left()).toBe(19_700);
    vi.stubGlobal("fetch", async () => new Response(null, { status: 500 }));
    await expect(answer()).rejects.toThrow("The model answered 500.");
    expect(await left()).toBe(19_700);
  });

  test("sends one mail a second", async () => {
    const t = start();
    const queue = () => t.mutation(call("mail:queue"), { to: "a@example.com" });
    expect(await queue()).toMatchObject({ ok: true, retryAfter: 0 });
    expect(await queue()).toMatchObject({ ok: true, retryAfter: 1_000 });
    await finishScheduled(t);
  });

  test("renders three at a time for a user", async () => {
    const page = new Page(SKILL);
    const t = page.start();
    const render = (userId: string) =>
      t.action(
        makeFunctionReference<"action", { userId: string }, boolean>(
          "renders:render",
        ),
        { userId },
      );
    await t.run((ctx) =>
      page.limits<"renders">().hold(ctx, "renders", { key: "ada", count: 2 }),
    );
    for (let i = 0; i < 2; i++) expect(await render("ada")).toBe(true);
    await t.run((ctx) =>
      page.limits<"renders">().hold(ctx, "renders", { key: "ada" }),
    );
    expect(await render("ada")).toBe(false);
    expect(await render("bob")).toBe(true);
  });

  test("requires a key for every limit that is not for all", () => {
    const { limits } = new Page(SKILL).limits();
    const shared = Object.entries<RateLimitConfig>(limits!).filter(
      ([, { requireKey }]) => requireKey !== true,
    );
    expect(shared.map(([name]) => name)).toEqual(["signUp", "mail"]);
  });
});

describe.for(["docs/testing.md", SKILL])(
  "the tests that %s shows pass",
  (page) => {
    new Page(page).loader.load("convex/messages.test.ts");
  },
);

function pathOf(snippet: Snippet): string {
  return snippet.path ?? fragmentPath(snippet);
}
