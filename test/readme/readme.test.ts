import { register } from "convex-rate-limiter/test";
import type { RateLimitConfig, RateLimiter } from "convex-rate-limiter";
import { convexTest, type TestConvex } from "convex-test";
import {
  anyApi,
  componentsGeneric,
  makeFunctionReference,
  mutationGeneric,
  type GenericSchema,
  type SchemaDefinition,
} from "convex/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { compile } from "./compile.js";
import { fragmentPath, hostApp } from "./hostApp.js";
import { Loader } from "./load.js";
import { parseSnippets, readSnippets, type Snippet } from "./snippets.js";

const readme = readSnippets("README.md");
const snippets = [...readme, ...readSnippets("docs/migrating.md")];

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

const files = hostApp([...snippets, wrongName, wrongField, wrongFile]);

describe("every block compiles in a host app", () => {
  const messages = compile(files);

  test.for(snippets)("$where", (snippet) => {
    expect(messages.get(pathOf(snippet))).toEqual([]);
  });

  test("what surrounds the blocks compiles too", () => {
    const own = [...snippets, wrongName, wrongField, wrongFile].map(pathOf);
    const others = [...messages].filter(([file]) => !own.includes(file));
    expect(others.flatMap(([, errors]) => errors)).toEqual([]);
  });

  test("a block that misspells a limit, a field or an import does not", () => {
    const errors = (snippet: Snippet) => messages.get(pathOf(snippet));
    expect(errors(wrongName)).toEqual([expect.stringContaining("line 1")]);
    expect(errors(wrongField)).toEqual([expect.stringContaining("'retryAt'")]);
    expect(errors(wrongFile)).toEqual([
      expect.stringContaining("'rateLimiter'"),
    ]);
  });
});

const loader = new Loader(files);

type App = TestConvex<SchemaDefinition<GenericSchema, boolean>>;

function startApp(): App {
  const t = convexTest(
    loader.load("convex/schema.ts").default as SchemaDefinition<
      GenericSchema,
      boolean
    >,
    { ...loader.modules(), "./fragments.ts": async () => fragmentFunctions },
  );
  register(t);
  return t;
}

const fragments = readme.filter(
  ({ path, language }) => path === undefined && language === "ts",
);

/** Each fragment as the body of a mutation of the host app. */
const fragmentFunctions = Object.fromEntries(
  fragments.map((snippet, i) => [
    `fragment${i}`,
    mutationGeneric({
      args: {},
      handler: async (ctx): Promise<void> =>
        loader.runFragment(fragmentPath(snippet), {
          ctx,
          api: anyApi,
          internal: anyApi,
          components: componentsGeneric(),
          rateLimiter: limits(),
          userId: "ada",
          organisationId: "analytical",
        }),
    }),
  ]),
);

const limits = () =>
  loader.load("convex/rateLimiter.ts").rateLimiter as RateLimiter<{
    llmTokens: RateLimitConfig;
    sendMessage: RateLimitConfig;
  }>;

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

describe("every fragment of the README runs in a mutation", () => {
  test.for(fragments.map((snippet, i) => ({ ...snippet, i })))(
    "$where",
    async ({ i }) => {
      await startApp().mutation(call(`fragments:fragment${i}`), {});
    },
  );
});

describe("the host app of the README does what its text says", () => {
  test("failed logins count although the mutation denies, and success resets", async () => {
    const t = startApp();
    await t.run(async (ctx) => {
      await ctx.db.insert("users", { email: "ada@example.com" });
    });
    const signIn = (password: string) =>
      t.mutation(call("auth:signIn"), { email: "ada@example.com", password });

    for (let i = 0; i < 9; i++) {
      expect(await signIn("wrong")).toEqual({ ok: false });
    }
    expect(await signIn("right")).toEqual({ ok: true });
    for (let i = 0; i < 10; i++) {
      expect(await signIn("wrong")).toEqual({ ok: false });
    }
    expect(await signIn("right")).toEqual({ ok: false, retryAfter: 360_000 });
  });

  test.for([
    // estimate = 100 + length, cost = 4 * length
    { prompt: "a".repeat(10), cost: 40 },
    { prompt: "a".repeat(100), cost: 400 },
  ])("a model's call costs $cost tokens in the end", async (row) => {
    const t = startApp();
    await t.action(
      makeFunctionReference<"action", { prompt: string }>("llm:complete"),
      { prompt: row.prompt },
    );
    const { value } = await t.run((ctx) => limits().getValue(ctx, "llmTokens"));
    expect(value).toBe(40_000 - row.cost);
  });

  test("webhooks run at their reserved times, and a cancelled one does not", async () => {
    const fetched: string[] = [];
    vi.stubGlobal("fetch", async (url: string) => fetched.push(url));
    vi.spyOn(Math, "random").mockReturnValue(0);
    const t = startApp();
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
    const t = startApp();
    const ada = t.withIdentity({ subject: "ada" });
    await ada.mutation(call("messages:send"), { body: "Hello" });
    const ask = (args: Record<string, unknown>) =>
      ada.query(
        makeFunctionReference<"query", Record<string, unknown>, unknown>(
          "limits:getRateLimit",
        ),
        args,
      );
    expect(await ask({})).toMatchObject({ value: 2 });
    await expect(ask({ name: "search" })).rejects.toThrow(
      "for the rate limit sendMessage",
    );
    await expect(
      ask({ config: { kind: "token bucket", rate: 1, period: 1 } }),
    ).rejects.toThrow("the server's to choose");
  });

  test("an HTTP endpoint tells its limit, and denies with 429", async () => {
    const t = startApp().withRequestMetadata({ ip: "192.0.2.1" });
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
    const ada = startApp().withIdentity({ subject: "ada" });
    const add = () => ada.mutation(call("notes:add"), { body: "Hello" });
    for (let i = 0; i < 3; i++) await add();
    await expect(add()).rejects.toMatchObject({
      data: { kind: "RateLimited", name: "sendMessage", key: "ada" },
    });
  });

  test("denials are logged", async () => {
    const { guarded } = loader.load("convex/guarded.ts") as {
      guarded: RateLimiter<{ invite: RateLimitConfig }>;
    };
    const { ok } = await startApp().run(async (ctx) => {
      await guarded.limit(ctx, "invite", { key: "ada", count: 5 });
      return guarded.limit(ctx, "invite", { key: "ada" });
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
    const t = startApp();
    const send = () =>
      t
        .withIdentity({ subject: "ada" })
        .mutation(call("messages:send"), { body: "Hello" });
    for (let i = 0; i < 3; i++) await send();
    const page: unknown = await t.query(
      makeFunctionReference<"query">("operators:busiest"),
      { paginationOpts: { numItems: 10, cursor: null } },
    );
    expect(page).toMatchObject({
      page: [{ name: "sendMessage", key: "ada", balance: 0, limited: true }],
    });
  });
});

test("balances of convex-helpers' limits are carried over, debts too", async () => {
  const t = startApp();
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
  const balance = async (key: string) =>
    t.run(async (ctx) => {
      const { value } = await limits().getValue(ctx, "sendMessage", { key });
      return value;
    });
  expect(await balance("ada")).toBe(1);
  expect(await balance("bob")).toBe(-2);
  expect(await balance("eve")).toBe(3);
});

describe("the tests of the README pass", () => {
  loader.load("convex/messages.test.ts");
});

function pathOf(snippet: Snippet): string {
  return snippet.path ?? fragmentPath(snippet);
}
