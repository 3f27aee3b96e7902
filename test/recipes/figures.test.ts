import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { makeFunctionReference, type Crons } from "convex/server";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { components, useStillClock } from "../host.js";
import { Page, type App } from "../readme/page.js";

const MIDNIGHT = Date.UTC(2026, 0, 1);
const page = new Page("docs/figures.md");
const start = () => page.start();

useStillClock();
afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
});

test("an hour by the minute, and who was denied most in a day", async () => {
  const t = start();
  const limits = page.limits<"sendMessage">();
  const send = (key: string, count: number) =>
    t.run((ctx) => limits.limit(ctx, "sendMessage", { key, count }));
  vi.setSystemTime(MIDNIGHT - 5 * HOUR);
  await send("ann", 10);
  await send("ann", 1);
  vi.setSystemTime(MIDNIGHT - 2 * MINUTE);
  await send("bob", 8);
  for (let i = 0; i < 2; i++) await send("bob", 3);
  vi.setSystemTime(MIDNIGHT);
  const ask = (path: string) =>
    t.query(makeFunctionReference<"query">(`figures:${path}`), {});
  const minutes = (await ask("lastHour")) as { granted: number }[];
  expect(minutes).toHaveLength(60);
  expect(minutes.filter(({ granted }) => granted > 0)).toEqual([
    {
      from: MIDNIGHT - 2 * MINUTE,
      to: MIDNIGHT - MINUTE,
      granted: 1,
      denied: 2,
      tokens: 8,
    },
  ]);
  expect(await ask("mostDenied")).toEqual([
    { key: "bob", denied: 2 },
    { key: "ann", denied: 1 },
  ]);
});

describe("alerts", () => {
  const sent: string[] = [];
  let status = 200;
  beforeEach(() => {
    vi.setSystemTime(MIDNIGHT + MINUTE / 2);
    sent.length = 0;
    status = 200;
    vi.stubGlobal("fetch", async (_: string, { body }: { body: string }) => {
      sent.push((JSON.parse(body) as { text: string }).text);
      return new Response(null, { status });
    });
  });
  const watch = (t: App) =>
    t.action(makeFunctionReference<"action">("alerts:watch"), {});
  async function upload(t: App, subject: string, calls: number) {
    const user = t.withIdentity({ subject, tokenIdentifier: subject });
    for (let i = 0; i < calls; i++) {
      const upload = makeFunctionReference<"mutation">("alerts:upload");
      await user.mutation(upload, { text: "a" });
    }
  }

  test("the cron runs what watches", () => {
    const crons = page.loader.load("convex/crons.ts").default as Crons;
    expect(Object.values(crons.crons)).toMatchObject([
      { name: "alerts:watch", schedule: { type: "interval", minutes: 5 } },
    ]);
  });

  test("a fifth of the calls may be denied, and no more", async () => {
    const t = start();
    for (let i = 0; i < 9; i++) await upload(t, `user-${i}`, 10);
    await upload(t, "heavy", 32);
    await watch(t);
    expect(sent).toEqual([]);
    await upload(t, "heavy", 4);
    await upload(t, "other", 12);
    await watch(t);
    expect(sent).toEqual([
      "28 of 138 uploads were denied, most of heavy (26), other (2).",
    ]);
  });

  test("nothing is told of few calls, nor twice within an hour", async () => {
    const t = start();
    await upload(t, "heavy", 99);
    await watch(t);
    expect(sent).toEqual([]);
    await upload(t, "heavy", 1);
    await watch(t);
    await watch(t);
    expect(sent).toEqual([
      "90 of 100 uploads were denied, most of heavy (90).",
    ]);
    vi.setSystemTime(MIDNIGHT + 11 * MINUTE);
    await watch(t);
    vi.setSystemTime(MIDNIGHT + 2 * HOUR + 1);
    await upload(t, "heavy", 100);
    await watch(t);
    expect(sent).toHaveLength(2);
  });

  test("what could not be told is told the next time", async () => {
    const t = start();
    await upload(t, "heavy", 100);
    status = 500;
    await watch(t);
    status = 200;
    await watch(t);
    await watch(t);
    expect(sent).toHaveLength(2);
  });

  test("twenty users who have next to nothing left are told", async () => {
    const t = start();
    for (let i = 0; i < 19; i++) await upload(t, `user-${i}`, 10);
    await watch(t);
    expect(sent).toEqual([]);
    await upload(t, "user-19", 10);
    await watch(t);
    expect(sent).toEqual(["20 users have less than a tenth left."]);
  });
});

describe("metrics", () => {
  const limiter = new RateLimiter(components.rateLimiter, {
    report: { kind: "fixed window", rate: 20, period: MINUTE, stats: true },
  });
  const report = (t: App) => t.run((ctx) => limiter.limit(ctx, "report"));
  const scrape = (t: App, token = "secret") =>
    t.fetch("/metrics", { headers: { Authorization: `Bearer ${token}` } });

  test("are the calls since midnight, as OpenMetrics text", async () => {
    vi.stubEnv("METRICS_TOKEN", "secret");
    vi.setSystemTime(MIDNIGHT - 1);
    const t = start();
    await report(t);
    vi.setSystemTime(MIDNIGHT + 5 * HOUR);
    for (let i = 0; i < 23; i++) {
      await report(t);
    }
    const response = await scrape(t);
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toBe(
      "application/openmetrics-text; version=1.0.0; charset=utf-8",
    );
    expect(await response.text()).toBe(`# TYPE rate_limit_allowed counter
# HELP rate_limit_allowed Calls of rate limits that were allowed.
rate_limit_allowed_total{limit="search"} 0
rate_limit_allowed_created{limit="search"} 1767225600
rate_limit_allowed_total{limit="report"} 20
rate_limit_allowed_created{limit="report"} 1767225600
# TYPE rate_limit_denied counter
# HELP rate_limit_denied Calls of rate limits that were denied.
rate_limit_denied_total{limit="search"} 0
rate_limit_denied_created{limit="search"} 1767225600
rate_limit_denied_total{limit="report"} 3
rate_limit_denied_created{limit="report"} 1767225600
# EOF
`);
  });

  test.each([
    ["another token", "secret", "guess"],
    ["no token, where none is set", undefined, "undefined"],
  ])("are not for who has %s", async (_, set, given) => {
    vi.stubEnv("METRICS_TOKEN", set);
    const response = await scrape(start(), given);
    expect(response.status).toBe(401);
  });

  test("escape what a label cannot hold", () => {
    const limit = 'a "b" \\ c\nd';
    const { toOpenMetrics } = page.loader.load("convex/http.ts") as {
      toOpenMetrics: (counted: object[], since: number) => string;
    };
    expect(toOpenMetrics([{ limit, allowed: 1, denied: 2 }], 0)).toContain(
      'rate_limit_denied_total{limit="a \\"b\\" \\\\ c\\nd"} 2\n',
    );
  });
});
