import { DAY, HOUR, MINUTE } from "convex-rate-limiter";
import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  action,
  finishScheduled,
  mutation,
  Page,
  repeat,
  type PageApp,
} from "./page.js";
import { root } from "../support/root.js";
import { table } from "../support/table.js";
import { pages } from "./snippets.js";

// What a reader wants to do, and the page and heading that answer it with code that runs.
const tasks = table(`
  a limit per user and per team at once                      | docs/calls.md            | Several limits at once
  settle LLM tokens                                          | docs/holds.md            | Settle what an LLM call used
  100 a day by the user's zone, and unlimited for pro        | docs/recipes.md          | A day in the user's time zone
  ban an address for longer each time                        | docs/overrides.md        | Ban for longer each time
  five transcriptions at once, from an action that may crash | docs/holds.md            | Limit what runs at once
  mails at 10 a second for hours                             | docs/reservations.md     | Mails at 10 a second, for hours
  a countdown on a button                                    | docs/react.md            | A countdown on a button
  429 with headers                                           | docs/http.md             | An HTTP action with headers
  1,000 a second on one limit                                | docs/scaling.md          | How a limit splits
  an alert when denials rise                                 | docs/operators.md        | Alert when denials rise
  a trial of 10 messages ever                                | docs/recipes.md          | Ten free answers, ever
  plans in my table, with an upgrade                         | docs/recipes.md          | Plans in my users table
  anonymous visitors                                         | docs/recipes.md          | Anonymous visitors
  a refund when a job failed                                 | docs/recipes.md          | A refund when a job fails
  a usage page                                               | docs/recipes.md          | A usage page
  migrate, and back                                          | docs/migrating.md        | Back to \`@convex-dev/rate-limiter\`
  test that the fourth is refused                            | docs/testing.md          | Testing
  bill by streamed tokens                                    | docs/holds.md            | Stream an answer
  an app behind its own server                               | docs/recipes.md          | You call Convex from your own server
  log in by e-mail and address                               | docs/recipes.md          | Failed logins
  Monday 9:00 in New York                                    | docs/limits.md           | Calendar windows
  which limit is too hot                                     | docs/scaling.md          | Which limit is hot
  a floor for each tenant, and the idle rest for all         | docs/sharing.md          | A floor for each class
  a provider's tokens, shared fairly among tenants           | docs/sharing.md          | A fair share for each tenant
  password resets by e-mail and address                      | docs/recipes.md          | Password resets, codes and invitations by email
  come from Upstash or express-rate-limit                    | docs/migrating-others.md | Migrating from Upstash or express-rate-limit
  a component that depends on the incumbent                  | docs/migrating.md        | Under the name of \`@convex-dev/rate-limiter\`
`);

test.each(tasks)("%s: %s shows code under “%s”", (_, page, heading) => {
  const sections = readFileSync(root + page, "utf8").split(/^##? /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`));
  expect(section).toMatch(/^```(tsx?|sh)$/m);
});

/** How many words a page has. The lines of a table are none. */
const words = (page: string) =>
  readFileSync(root + page, "utf8").split(/[\s|]+(?:-{3,}[\s|]+)*/).length;

const wordsOf = (these: string[]) =>
  these.map(words).reduce((sum, count) => sum + count);

test.each([
  ["pages", 17_500, pages.filter((page) => page.startsWith("docs/"))],
  [
    "internals",
    3_500,
    ["algebra", "verified"].map((p) => `docs/internals/${p}.md`),
  ],
  ["README", 1_200, ["README.md"]],
] as const)("the %s have at most %i words", (_, most, these) => {
  expect(wordsOf([...these])).toBeLessThanOrEqual(most);
});

test("the page on scaling has less than 800 words", () => {
  expect(words("docs/scaling.md")).toBeLessThan(800);
});

const MIDNIGHT = Date.UTC(2026, 0, 1);

/** Each fetch with its time. `answer` makes the response. */
let fetched: { time: number; body: unknown }[];
let answer: () => Response;

beforeEach(() => {
  vi.useFakeTimers({ now: MIDNIGHT });
  vi.spyOn(console, "log").mockReturnValue();
  vi.spyOn(console, "warn").mockReturnValue();
  fetched = [];
  answer = () => new Response();
  vi.stubGlobal("fetch", async (_url: string, init?: RequestInit) => {
    fetched.push({ time: Date.now(), body: init?.body });
    return answer();
  });
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

const ann = { subject: "ann" };

describe("settle LLM tokens", () => {
  const asking = () => {
    const page = new Page("docs/holds.md");
    const t = page.start();
    const ask = (letters = 0) =>
      t
        .withIdentity(ann)
        .action(action("llm:ask"), { prompt: "x".repeat(letters) });
    const left = () =>
      t.run(async (ctx) => {
        const limits = page.limits<"llmTokens">();
        return (await limits.getValue(ctx, "llmTokens", { key: "ann" })).value;
      });
    return { ask, left };
  };
  const costing = (tokens: number) => () =>
    Response.json({ text: "42", tokens });

  test.for([100, 500, 2_000])(
    "a call that used %i tokens costs as many",
    async (used) => {
      const { ask, left } = asking();
      answer = costing(used);
      expect(await ask(400)).toEqual({ ok: true, text: "42" });
      expect(await left()).toBe(10_000 - used);
    },
  );

  test("a call above the limit leaves a debt, which the next call waits for", async () => {
    const { ask } = asking();
    answer = costing(11_000);
    await ask();
    // 1,000 tokens of debt and 500 for the next call, at 10,000 a day.
    expect(await ask()).toEqual({
      ok: false,
      retryAfter: (DAY * 1_500) / 10_000,
    });
  });

  test("a call that fails gives its estimate back", async () => {
    const { ask, left } = asking();
    answer = () => new Response(null, { status: 500 });
    await expect(ask()).rejects.toThrow("The model answered 500.");
    expect(await left()).toBe(10_000);
  });
});

describe("stream an answer", () => {
  const PARTS = ["Less ", "is ", "more."];

  /** A model that sends a part each time that more is wanted, and perhaps breaks off. */
  const streaming = ({ breaksOff = false } = {}) => {
    const page = new Page("docs/holds.md");
    const t = page.start().withIdentity(ann);
    const left = PARTS.map((part) => new TextEncoder().encode(part));
    const cancelled = vi.fn();
    answer = () =>
      new Response(
        new ReadableStream<Uint8Array>(
          {
            pull: (reader) => {
              const part = left.shift();
              if (part !== undefined) return reader.enqueue(part);
              if (breaksOff) return reader.error(new Error("It broke off."));
              reader.close();
            },
            cancel: cancelled,
          },
          { highWaterMark: 0 },
        ),
      );
    const ask = () =>
      t.fetch("/answer", { method: "POST", body: "x".repeat(400) });
    const used = () =>
      t.run(async (ctx) => {
        const limits = page.limits<"llmTokens">();
        const stored = await limits.getValue(ctx, "llmTokens", { key: "ann" });
        return 10_000 - stored.value;
      });
    // An HTTP action goes on in its own context, which convex-test ends with its response.
    const reading = <T>(read: () => Promise<T>) => t.action(read);
    return { ask, used, cancelled, reading };
  };

  test("an answer that is read to its end costs what was sent", async () => {
    const { ask, used, reading } = streaming();
    const response = await ask();
    expect(await used()).toBe(600);
    const text = await reading(() => response.text());
    expect(text).toBe(PARTS.join(""));
    expect(await used()).toBe(130);
  });

  test("a reader who goes away stops the model, and pays for what was sent", async () => {
    const { ask, used, cancelled, reading } = streaming();
    const reader = (await ask()).body!.getReader();
    await reading(async () => {
      await reader.read();
      await reader.cancel();
    });
    const cost = await used();
    expect(cost).toBeGreaterThanOrEqual(110);
    expect(cost).toBeLessThan(130);
    expect(cancelled).toHaveBeenCalledOnce();
  });

  test("a model that breaks off costs what was sent", async () => {
    const { ask, used, reading } = streaming({ breaksOff: true });
    const response = await ask();
    const text = reading(() => response.text());
    await expect(text).rejects.toThrow("It broke off.");
    expect(await used()).toBe(130);
  });
});

test("a free account gets 100 a day of its time zone, and a pro account any number", async () => {
  // Noon in New York, on the day before its clocks change.
  vi.setSystemTime(Date.parse("2026-03-07T17:00:00Z"));
  const t = new Page("docs/recipes.md#A day in the user's time zone").start();
  const timeZone = "America/New_York";
  const [free, pro] = await t.run(async (ctx) => [
    await ctx.db.insert("accounts", { plan: "free", timeZone }),
    await ctx.db.insert("accounts", { plan: "pro", timeZone }),
  ]);
  const start = (accountId: string) =>
    t.mutation(mutation("exports:start"), { accountId });
  await repeat(100, () => start(free));
  const opensAt = Date.parse("2026-03-08T05:00:00Z");
  expect(await start(free)).toEqual({ ok: false, opensAt });
  expect(await start(pro)).toEqual({ ok: true });

  vi.setSystemTime(opensAt);
  await repeat(100, () => start(free));
  const next = Date.parse("2026-03-09T04:00:00Z");
  expect(await start(free)).toEqual({ ok: false, opensAt: next });
});

test("an address is banned for longer each time", async () => {
  const t = new Page("docs/overrides.md").start();
  const send = (ip = "192.0.2.1") =>
    t.withRequestMetadata({ ip }).mutation(mutation("messages:send"), {
      text: "Hi",
    });
  await repeat(10, send);
  const forgiven = await repeat(4, send);
  expect(forgiven).toEqual(
    Array(4).fill({ ok: false, retryAfter: MINUTE / 10 }),
  );
  const ban = 10 * MINUTE;
  expect(await send()).toEqual({ ok: false, retryAfter: ban });
  expect(await send("192.0.2.2")).toEqual({ ok: true });

  vi.advanceTimersByTime(ban - 1);
  expect(await send()).toEqual({ ok: false, retryAfter: 1 });
  vi.advanceTimersByTime(1);
  await repeat(10, send);
  const [, , , , again] = await repeat(5, send);
  expect(again).toEqual({ ok: false, retryAfter: HOUR });
  await repeat(4, send);
  expect(await send()).toEqual({ ok: false, retryAfter: DAY });
});

test("five transcriptions of a user run at once, in actions that may crash", async () => {
  const page = new Page("docs/holds.md");
  const t = page.start();
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal(
    "fetch",
    () => new Promise<Response>((resolve) => answers.push(resolve)),
  );
  const transcribe = () =>
    t
      .withIdentity(ann)
      .action(action("transcriptions:transcribe"), { recording: "a.mp3" });
  const running = await repeat(4, async () => ({ done: transcribe() }));
  await vi.waitFor(() => expect(answers).toHaveLength(4));
  // One that crashed: held, and never renewed or released.
  const crashed = () =>
    t.run((ctx) =>
      page
        .limits<"transcriptions">()
        .hold(ctx, "transcriptions", { key: "ann" }),
    );
  expect((await crashed()).ok).toBe(true);

  expect(await transcribe()).toMatchObject({ ok: false });
  answers[0]!(new Response(null, { status: 500 }));
  await expect(running[0]!.done).rejects.toThrow("The model answered 500.");
  running.push({ done: transcribe() });
  await vi.waitFor(() => expect(answers).toHaveLength(5));
  expect(await transcribe()).toMatchObject({ ok: false });
  for (const each of answers.slice(1)) {
    each(Response.json({ text: "la la", tokens: 1 }));
  }
  await Promise.all(running.slice(1).map(({ done }) => done));

  // The lease of the crashed one ends by itself.
  expect(
    (await Promise.all(Array.from({ length: 4 }, crashed))).every(
      ({ ok }) => ok,
    ),
  ).toBe(true);
  expect((await crashed()).ok).toBe(false);
  vi.advanceTimersByTime(2 * MINUTE);
  expect((await crashed()).ok).toBe(true);
});

test("550 mails are sent at 10 a second", async () => {
  const t = new Page("docs/reservations.md").start();
  // More than one batch.
  const MAILS = 550;
  await t.run(async (ctx) => {
    for (let i = 0; i < MAILS; i++) {
      await ctx.db.insert("users", { email: `${i}@example.com` });
    }
  });
  const start = { text: "Hello", cursor: null };
  const sendAll = () => t.mutation(mutation("emails:sendAll"), start);
  const waits = (n: number) => Array.from({ length: n }, (_, i) => i * 100);
  const sentSince = (time: number) => fetched.map((sent) => sent.time - time);
  await sendAll();
  await finishScheduled(t);
  expect(sentSince(MIDNIGHT)).toEqual(waits(MAILS));

  // Another day, two mailings at once.
  fetched = [];
  vi.setSystemTime(MIDNIGHT + DAY);
  await Promise.all([sendAll(), sendAll()]);
  await finishScheduled(t);
  expect(sentSince(MIDNIGHT + DAY)).toEqual(waits(2 * MAILS));
});

test("an HTTP action sends RateLimit headers, and denies with 429", async () => {
  const t = new Page("docs/http.md")
    .start()
    .withRequestMetadata({ ip: "192.0.2.1" });
  const get = () => t.fetch("/quotes", { method: "GET" });
  const [first] = await repeat(60, get);
  expect(first!.status).toBe(200);
  expect(first!.headers.get("RateLimit-Policy")).toBe('"quotes";q=60;w=60');
  expect(first!.headers.get("RateLimit")).toBe('"quotes";r=59;t=1');
  expect(first!.headers.has("Retry-After")).toBe(false);

  const denied = await get();
  expect(denied.status).toBe(429);
  expect(denied.headers.get("RateLimit")).toBe('"quotes";r=0;t=1');
  expect(denied.headers.get("Retry-After")).toBe("1");
  expect(denied.headers.get("Content-Type")).toBe("application/problem+json");
  const origin = "https://app.example.com";
  for (const { headers } of [first!, denied]) {
    expect(headers.get("Access-Control-Allow-Origin")).toBe(origin);
  }
  vi.advanceTimersByTime(1_000);
  expect((await get()).status).toBe(200);
});

test("a caller alone on a limit of 1,000 a second gets all of them", async () => {
  const page = new Page("docs/scaling.md");
  const t = page.start();
  const take = (count: number) =>
    t.run((ctx) => page.limits<"search">().limit(ctx, "search", { count }));
  expect(await take(1_000)).toEqual({ ok: true });
  expect(await take(1)).toEqual({ ok: false, retryAfter: 1 });
});

describe("an alert when denials rise", () => {
  const page = new Page("docs/operators.md");
  const app = () => page.start();
  const watch = (t: PageApp) => t.action(action("alerts:watch"), {});
  const sent = () =>
    fetched.map(
      ({ body }) => (JSON.parse(body as string) as { text: string }).text,
    );
  async function upload(t: PageApp, subject: string, calls: number) {
    const limits = page.limits<"upload">();
    await repeat(calls, () =>
      t.mutation((ctx) => limits.limit(ctx, "upload", { key: subject })),
    );
  }
  beforeEach(() => {
    vi.setSystemTime(MIDNIGHT + MINUTE / 2);
  });

  test("is sent when more than a fifth of the calls are denied", async () => {
    const t = app();
    for (let i = 0; i < 9; i++) await upload(t, `user-${i}`, 10);
    await upload(t, "heavy", 32);
    await watch(t);
    expect(sent()).toEqual([]);
    await upload(t, "heavy", 4);
    await upload(t, "other", 12);
    await watch(t);
    expect(sent()).toEqual([
      "28 of 138 uploads denied, most: heavy (26), other (2)",
    ]);
  });

  test("is sent for at least 100 calls, and at most once an hour", async () => {
    const t = app();
    await upload(t, "heavy", 99);
    await watch(t);
    expect(sent()).toEqual([]);
    await upload(t, "heavy", 1);
    await repeat(2, () => watch(t));
    expect(sent()).toHaveLength(1);
    vi.setSystemTime(MIDNIGHT + 2 * HOUR + 1);
    await upload(t, "heavy", 100);
    await watch(t);
    expect(sent()).toHaveLength(2);
  });

  test("is sent at the next check if it could not be sent", async () => {
    const t = app();
    await upload(t, "heavy", 100);
    answer = () => new Response(null, { status: 500 });
    await watch(t);
    answer = () => new Response();
    await repeat(2, () => watch(t));
    expect(sent()).toHaveLength(2);
  });
});
