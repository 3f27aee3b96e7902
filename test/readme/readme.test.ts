import { makeFunctionReference } from "convex/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { compile } from "./compile.js";
import { fragmentPath, hostApp } from "./hostApp.js";
import { appOf, Page, README, type App } from "./page.js";
import {
  pages,
  parseSnippets,
  readSnippets,
  type Snippet,
} from "./snippets.js";

const shown = new Map(pages.map((page) => [page, readSnippets(page)]));

const [wrongName, wrongField, wrongFile] = parseSnippets(
  "wrong",
  `
\`\`\`ts
await rateLimiter.limit(ctx, "sendMesage", { key: userId });
\`\`\`

\`\`\`ts
const { ok, retryAt } = await rateLimiter.limit(ctx, "sendMessage");
console.log(ok, retryAt);
\`\`\`

\`\`\`ts
// convex/wrong.ts
export const limits = rateLimiter.limits;
\`\`\`
`,
) as [Snippet, Snippet, Snippet];

const WRONG = "wrong";
const apps = new Map([
  ...pages.map((page) => [page, appOf(page)] as const),
  [WRONG, hostApp([wrongName, wrongField, wrongFile], readSnippets(README))],
]);

const at = (page: string, file: string) =>
  `${page.replace(/\W/g, "_")}/${file}`;

describe("every block compiles in the host app of its page", () => {
  const messages = compile(
    new Map(
      [...apps].flatMap(([page, files]) =>
        [...files].map(([file, text]) => [at(page, file), text] as const),
      ),
    ),
  );
  const messagesOf = (page: string, snippet: Snippet) =>
    messages.get(at(page, pathOf(snippet)));
  const all = [...shown].flatMap(([page, own]) =>
    own.map((snippet) => ({ page, snippet, where: snippet.where })),
  );

  test.for(all)("$where", ({ page, snippet }) => {
    expect(messagesOf(page, snippet)).toEqual([]);
  });

  test("what surrounds the blocks compiles too", () => {
    const wrong = [wrongName, wrongField, wrongFile].map((snippet) =>
      at(WRONG, pathOf(snippet)),
    );
    const others = [...messages].filter(([file]) => !wrong.includes(file));
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
});

describe("every fragment runs in a mutation", () => {
  const runs = pages
    .map((name) => new Page(name))
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

  test.for([
    // What is held is 100 + length.
    { prompt: "a".repeat(10), tokens: 40 },
    { prompt: "a".repeat(100), tokens: 400 },
  ])("a model's call costs $tokens tokens in the end", async (row) => {
    const answer = { text: "42", tokens: row.tokens };
    vi.stubGlobal("fetch", async () => Response.json(answer));
    const page = new Page("docs/holds.md");
    const t = page.start();
    await t.action(
      makeFunctionReference<"action", { prompt: string }>("llm:complete"),
      { prompt: row.prompt },
    );
    const { value } = await t.run((ctx) =>
      page.limits<"llmTokens">().getValue(ctx, "llmTokens"),
    );
    expect(value).toBe(40_000 - row.tokens);
  });

  test("webhooks run at their reserved times, and a cancelled one does not", async () => {
    const fetched: string[] = [];
    vi.stubGlobal("fetch", async (url: string) => fetched.push(url));
    vi.spyOn(Math, "random").mockReturnValue(0);
    const t = new Page("docs/reservations.md").start();
    const enqueue = (url: string) =>
      t.mutation(call("webhooks:enqueue"), { url });
    const pass = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      await t.finishInProgressScheduledFunctions();
    };

    expect(await enqueue("a")).toMatchObject({ ok: true, retryAfter: 0 });
    expect(await enqueue("b")).toMatchObject({ ok: true, retryAfter: 100 });
    const c = (await enqueue("c")) as {
      retryAfter: number;
      scheduledId: string;
    };
    expect(c.retryAfter).toBe(200);
    const cancel = () =>
      t.mutation(call("webhooks:cancel"), { scheduledId: c.scheduledId });
    expect(await cancel()).toEqual({ cancelled: true });
    expect(await cancel()).toEqual({ cancelled: false });

    await pass(0);
    expect(fetched).toEqual(["a"]);
    await pass(99);
    expect(fetched).toEqual(["a"]);
    await pass(1);
    expect(fetched).toEqual(["a", "b"]);
    await pass(60_000);
    expect(fetched).toEqual(["a", "b"]);
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

  test("an HTTP endpoint tells its limit, and denies with 429", async () => {
    const t = new Page("docs/http.md")
      .start()
      .withRequestMetadata({ ip: "192.0.2.1" });
    const get = () => t.fetch("/search", { method: "GET" });
    const first = await get();
    expect(first.status).toBe(200);
    expect(first.headers.get("RateLimit")).toBe('"search";r=99;t=1');
    expect(first.headers.get("Retry-After")).toBeNull();
    for (let i = 0; i < 99; i++) await get();

    const denied = await get();
    expect(denied.status).toBe(429);
    expect(denied.headers.get("Retry-After")).toBe("1");
    expect(denied.headers.get("Content-Type")).toBe("application/problem+json");
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
      from.mutation(call("asks:ask"), { text: "Why?" });
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
    vi.unstubAllEnvs();
  });

  test("denials are logged", async () => {
    const page = new Page("docs/operators.md");
    const { ok } = await page.start().run(async (ctx) => {
      const limits = page.limits<"invite">();
      await limits.limit(ctx, "invite", { key: "ada", count: 5 });
      return limits.limit(ctx, "invite", { key: "ada" });
    });
    expect(ok).toBe(false);
    expect(console.warn).toHaveBeenCalledExactlyOnceWith("denied", {
      name: "invite",
      key: "ada",
      count: 1,
      retryAfter: 12_000,
    });
  });

  test("operators see who is limited", async () => {
    const page = new Page("docs/operators.md");
    const t = page.start();
    await t.run((ctx) =>
      page
        .limits<"sendMessage">()
        .limit(ctx, "sendMessage", { key: "ada", count: 3 }),
    );
    const listed: unknown = await t.query(
      makeFunctionReference<"query">("operators:busiest"),
      { paginationOpts: { numItems: 10, cursor: null } },
    );
    expect(listed).toMatchObject({
      page: [{ name: "sendMessage", key: "ada", balance: 0, limited: true }],
    });
  });

  test("balances of convex-helpers' limits are carried over, debts too", async () => {
    const page = new Page("docs/migrating.md");
    const t = page.start();
    const ts = Date.now();
    await t.run(async (ctx) => {
      const rows = [
        { key: "ada", value: 1, ts },
        { key: "bob", value: -2, ts },
        { key: "eve", value: 0, ts: ts - 60_000 },
      ];
      for (const row of rows) {
        await ctx.db.insert("rateLimits", { name: "sendMessage", ...row });
      }
    });
    await t.mutation(call("carryOver:sendMessage"), {});
    const balance = (key: string) =>
      t.run(async (ctx) => {
        const limits = page.limits<"sendMessage">();
        return (await limits.getValue(ctx, "sendMessage", { key })).value;
      });
    expect(await balance("ada")).toBe(1);
    expect(await balance("bob")).toBe(-2);
    expect(await balance("eve")).toBe(3);
  });
});

describe("the tests of the page about testing pass", () => {
  new Page("docs/testing.md").loader.load("convex/messages.test.ts");
});

function pathOf(snippet: Snippet): string {
  return snippet.path ?? fragmentPath(snippet);
}
