import { HOUR, MINUTE } from "convex-rate-limiter";
import { afterEach, expect, test, vi } from "vitest";
import { useStillClock } from "../support/host.js";
import { Page, query, type PageApp } from "../readme/page.js";

const MIDNIGHT = Date.UTC(2026, 0, 1);
const page = new Page("docs/operators.md");
const limits = page.limits<"upload" | "search">();

useStillClock();
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const take = (
  t: PageApp,
  name: "upload" | "search",
  key: string,
  count: number,
) => t.run((ctx) => limits.limit(ctx, name, { key, count }));
const ask = (t: PageApp, path: string, args = {}) =>
  t.query(query(`operators:${path}`), args);

test("denials are logged", async () => {
  const warned = vi.spyOn(console, "warn").mockReturnValue();
  const t = page.start();
  await take(t, "upload", "ada", 10);
  await take(t, "upload", "ada", 1);
  expect(warned).toHaveBeenCalledExactlyOnceWith("denied", {
    name: "upload",
    key: "ada",
    count: 1,
    retryAfter: HOUR / 10,
  });
});

test("operators see who is limited", async () => {
  const t = page.start();
  await take(t, "upload", "ada", 10);
  expect(
    await ask(t, "busiest", { paginationOpts: { numItems: 10, cursor: null } }),
  ).toMatchObject({
    page: [{ name: "upload", key: "ada", balance: 0, limited: true }],
  });
});

test("operators see the last hour by the minute, and who was denied most in a day", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  const t = page.start();
  vi.setSystemTime(MIDNIGHT - 5 * HOUR);
  await take(t, "upload", "ann", 10);
  await take(t, "upload", "ann", 1);
  vi.setSystemTime(MIDNIGHT - 2 * MINUTE);
  await take(t, "upload", "bob", 8);
  for (let i = 0; i < 2; i++) await take(t, "upload", "bob", 3);
  vi.setSystemTime(MIDNIGHT);
  const minutes = (await ask(t, "lastHour")) as { granted: number }[];
  // Including the minute that begins now.
  expect(minutes).toHaveLength(61);
  expect(minutes.filter(({ granted }) => granted > 0)).toEqual([
    {
      from: MIDNIGHT - 2 * MINUTE,
      to: MIDNIGHT - MINUTE,
      granted: 1,
      denied: 2,
      tokens: 8,
    },
  ]);
  expect(await ask(t, "mostDenied")).toEqual([
    { key: "bob", denied: 2 },
    { key: "ann", denied: 1 },
  ]);
});

const scrape = (t: PageApp, token = "secret") =>
  t.fetch("/metrics", { headers: { Authorization: `Bearer ${token}` } });

test("metrics are the calls since midnight, as OpenMetrics text", async () => {
  vi.spyOn(console, "warn").mockReturnValue();
  vi.stubEnv("METRICS_TOKEN", "secret");
  vi.setSystemTime(MIDNIGHT - 1);
  const t = page.start();
  await take(t, "upload", "ann", 1);
  vi.setSystemTime(MIDNIGHT + 5 * HOUR);
  for (let i = 0; i < 13; i++) await take(t, "upload", "ann", 1);
  const response = await scrape(t);
  expect(response.status).toBe(200);
  expect(response.headers.get("Content-Type")).toBe(
    "application/openmetrics-text; version=1.0.0; charset=utf-8",
  );
  expect(await response.text()).toBe(`# TYPE rate_limit_granted counter
rate_limit_granted_total{limit="upload"} 10
rate_limit_granted_total{limit="search"} 0
# TYPE rate_limit_denied counter
rate_limit_denied_total{limit="upload"} 3
rate_limit_denied_total{limit="search"} 0
# EOF
`);
});

test.each([
  ["another token", "secret", "guess"],
  ["no token, if none is set", undefined, "undefined"],
])("metrics are refused to a caller with %s", async (_, set, given) => {
  vi.stubEnv("METRICS_TOKEN", set);
  const response = await scrape(page.start(), given);
  expect(response.status).toBe(401);
});

test("the cron runs alerts:watch every five minutes", () => {
  const { default: crons } = page.loader.load("convex/crons.ts");
  expect(Object.values((crons as { crons: object }).crons)).toMatchObject([
    { name: "alerts:watch", schedule: { type: "interval", minutes: 5 } },
  ]);
});
