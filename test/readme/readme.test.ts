import type { RateLimitConfig } from "convex-rate-limiter";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { compile } from "./compile.js";
import { appsOf, fragmentPath, hostApp, README } from "./hostApp.js";
import {
  action,
  finishScheduled,
  mutation,
  Page,
  query,
  repeat,
  type PageApp,
} from "./page.js";
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

  test("the files around the blocks compile", () => {
    const theirs = wrong.map((snippet) => at(WRONG, pathOf(snippet)));
    const others = [...messages].filter(([file]) => !theirs.includes(file));
    expect(others.flatMap(([, errors]) => errors)).toEqual([]);
  });

  test("a block that misspells a limit, a field or an import does not compile", () => {
    const errors = (snippet: Snippet) => messagesOf(WRONG, snippet);
    expect(errors(wrongName)).toEqual([expect.stringContaining("line 1")]);
    expect(errors(wrongField)).toEqual([expect.stringContaining("'retryAt'")]);
    expect(errors(wrongFile)).toEqual([
      expect.stringContaining("'rateLimiter'"),
    ]);
  });
});

const call = mutation<unknown>;

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

const ada = { subject: "ada" };

describe("the host apps do what their pages say", () => {
  test("the README's user can send three messages, then has to wait", async () => {
    const t = new Page(README).start().withIdentity(ada);
    const send = () => t.mutation(call("messages:send"), { text: "Hello" });
    for (let i = 0; i < 3; i++) expect(await send()).toEqual({ sent: true });
    expect(await send()).toEqual({ sent: false, retryAfter: 6_000 });
    const again = { ...ada, tokenIdentifier: "another session" };
    const sendAgain = t.withIdentity(again).mutation(call("messages:send"), {
      text: "Hello",
    });
    expect(await sendAgain).toEqual({ sent: false, retryAfter: 6_000 });
  });

  test("webhooks run at their reserved times unless they are cancelled", async () => {
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

  test("of 253 webhooks at once, at most 28 run in any minute", async () => {
    const at: number[] = [];
    vi.stubGlobal("fetch", async () => at.push(Date.now()));
    const t = new Page("docs/reservations.md").start();
    const notify = () =>
      t.mutation(call("webhooks:notify"), { url: "a", body: "{}" });
    const all = await repeat(253, notify);
    expect(all).toMatchObject(Array(253).fill({ ok: true }));
    expect(await notify()).toMatchObject({ ok: false });
    await finishScheduled(t);
    expect(at).toHaveLength(253);
    const within = at.map(
      (from) => at.filter((t) => t >= from && t <= from + 60_000).length,
    );
    expect(Math.max(...within)).toBe(28);
  });

  test("a browser sees only the limit of its user", async () => {
    const page = new Page("docs/react.md");
    const t = page.start().withIdentity(ada);
    await t.run((ctx) =>
      page.limits<"sendMessage">().limit(ctx, "sendMessage", { key: "ada" }),
    );
    const ask = (args: Record<string, unknown>) =>
      t.query(query("limits:getRateLimit"), args);
    expect(await ask({})).toMatchObject({ value: 2 });
    await expect(ask({ name: "signUp" })).rejects.toThrow(
      "for the rate limit sendMessage",
    );
    await expect(
      ask({ config: { kind: "token bucket", rate: 1, period: 1 } }),
    ).rejects.toThrow("the server's to choose");
  });

  test("only people who are not signed in are limited by address", async () => {
    const t = new Page("docs/keys.md").start();
    const ask = (from: Pick<PageApp, "mutation">) =>
      from.mutation(call("questions:ask"), { text: "Why?" });
    const anyone = t.withRequestMetadata({ ip: "2001:db8::1" });
    for (let i = 0; i < 3; i++) expect(await ask(anyone)).toEqual({ ok: true });
    const neighbour = t.withRequestMetadata({ ip: "2001:db8::2" });
    expect(await ask(neighbour)).toMatchObject({ ok: false });
    const stranger = t.withRequestMetadata({ ip: "2001:db9::2" });
    expect(await ask(stranger)).toEqual({ ok: true });
    expect(await ask(anyone.withIdentity(ada))).toEqual({ ok: true });
  });

  test("a mutation that fails open is granted if the component is missing", async () => {
    const page = new Page("docs/protection.md");
    const logged = vi.spyOn(console, "error").mockReturnValue();
    const send = (t: Pick<PageApp, "mutation">) =>
      t.mutation(call("failOpen:send"), { text: "Hello" });
    const t = page.start().withIdentity(ada);
    for (let i = 0; i < 3; i++) await send(t);
    expect(await send(t)).toMatchObject({ ok: false });
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
  const page = new Page(SKILL);
  const start = () => page.start();

  test.for<[path: string, args: Record<string, unknown>, answer: unknown]>([
    ["messages:send", { text: "Hello" }, { sent: true }],
    [
      "mail:queue",
      { to: "a@example.com" },
      expect.objectContaining({ ok: true }),
    ],
  ])("%s answers", async ([path, args, answer]) => {
    const t = start().withIdentity(ada);
    expect(await t.mutation(call(path), args)).toEqual(answer);
  });

  test("gives back the tokens that a model did not use", async () => {
    const t = start();
    const left = () =>
      t.run(async (ctx) => {
        const limits = page.limits<"modelTokens">();
        return (await limits.getValue(ctx, "modelTokens", { key: "ada" }))
          .value;
      });
    const answer = () =>
      t.action(action("answers:answer"), { userId: "ada", prompt: "Why?" });
    vi.stubGlobal("fetch", async () =>
      Response.json({ text: "42", tokens: 300 }),
    );
    expect(await answer()).toBe("42");
    expect(await left()).toBe(19_700);
    vi.stubGlobal("fetch", async () => new Response(null, { status: 500 }));
    await expect(answer()).rejects.toThrow("The model answered 500.");
    expect(await left()).toBe(19_700);
  });

  test("shows the README's mutation", () => {
    const [own, other] = [SKILL, README].map((page) =>
      readSnippets(page).find(({ path }) => path === "convex/messages.ts"),
    );
    expect(own!.code).toBe(other!.code);
  });

  test("runs at most three renders of a user at once", async () => {
    const t = start();
    const render = (userId: string) =>
      t.action(action("renders:render"), { userId });
    const hold = (count: number) =>
      t.run((ctx) =>
        page.limits<"renders">().hold(ctx, "renders", { key: "ada", count }),
      );
    await hold(2);
    expect(await repeat(2, () => render("ada"))).toEqual([true, true]);
    await hold(1);
    expect(await render("ada")).toBe(false);
    expect(await render("bob")).toBe(true);
  });

  test("requires a key for every limit but signUp and mail", () => {
    const { limits } = page.limits();
    const shared = Object.entries<RateLimitConfig>(limits!).filter(
      ([, { requireKey }]) => requireKey !== true,
    );
    expect(shared.map(([name]) => name)).toEqual(["signUp", "mail"]);
  });
});

describe("the tests that docs/testing.md shows pass", () => {
  new Page("docs/testing.md").loader.load("convex/messages.test.ts");
});

function pathOf(snippet: Snippet): string {
  return snippet.path ?? fragmentPath(snippet);
}
