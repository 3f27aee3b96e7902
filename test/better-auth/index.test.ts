import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import {
  MINUTE,
  RateLimiter,
  type MutationCtx,
  type QueryCtx,
} from "convex-rate-limiter";
import { rateLimitStorage } from "convex-rate-limiter/better-auth";
import { httpActionGeneric, httpRouter } from "convex/server";
import { expect, test } from "vitest";
import { components, startHost, storedRows, useStillClock } from "../host.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter, {
  attempts: { kind: "token bucket", rate: 1, period: MINUTE },
});

const rule = { window: 10, max: 3 };
const conflict = new Error(
  'Documents read from or written to the "rateLimits" table changed while this mutation was being run and on every subsequent retry.',
);
const lost = {
  runMutation: () => Promise.reject(conflict),
} as unknown as MutationCtx;

/** An app whose users sign in at an HTTP action. */
function startAuth() {
  const db = { user: [], session: [], account: [], verification: [] };
  const http = httpRouter();
  http.route({
    pathPrefix: "/api/auth/",
    method: "POST",
    handler: httpActionGeneric(async (ctx, request) =>
      betterAuth({
        baseURL: "https://app.example",
        secret: "only-for-tests-and-long-enough-for-them",
        database: memoryAdapter(db),
        emailAndPassword: { enabled: true },
        logger: { disabled: true },
        telemetry: { enabled: false },
        rateLimit: {
          enabled: true,
          customStorage: rateLimitStorage(ctx, limiter),
        },
      }).handler(request),
    ),
  });
  const t = startHost({
    modules: { "./http.ts": async () => ({ default: http }) },
  });
  const signIn = (ip: string) =>
    t.fetch("/api/auth/sign-in/email", {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Origin: "https://app.example",
        "X-Forwarded-For": ip,
      },
      body: JSON.stringify({ email: "ann@app.example", password: "a guess" }),
    });
  return { t, signIn };
}

test("sign-ins beyond Better Auth's own limit get its own 429, each address for itself", async () => {
  const { t, signIn } = startAuth();
  for (let i = 0; i < 3; i++) {
    expect((await signIn("192.0.2.1")).status).toBe(401);
  }
  const denied = await signIn("192.0.2.1");
  expect(denied.status).toBe(429);
  expect(await denied.json()).toHaveProperty("message");
  expect(Number(denied.headers.get("X-Retry-After"))).toBeGreaterThan(0);
  expect(Number(denied.headers.get("X-Retry-After"))).toBeLessThanOrEqual(10);
  expect((await signIn("192.0.2.2")).status).toBe(401);
  expect((await storedRows(t)).map(({ name }) => name)).toEqual([
    "betterAuth",
    "betterAuth",
  ]);
});

test("a request is denied for whole seconds, and allowed with none", async () => {
  await startHost().run(async (ctx) => {
    const storage = rateLimitStorage(ctx, limiter);
    const allowed = { allowed: true, retryAfter: null };
    for (let i = 0; i < 3; i++) {
      expect(await storage.consume("k", rule)).toEqual(allowed);
    }
    const { allowed: again, retryAfter } = await storage.consume("k", rule);
    expect(again).toBe(false);
    expect(Number.isInteger(retryAfter)).toBe(true);
    // What a rule of none allows.
    const none = await storage.consume("k", { window: 10, max: 0 });
    expect(none).toEqual({ allowed: false, retryAfter: 10 });
  });
});

test("the app's own limit takes the place of the rules, if it is named", async () => {
  await startHost().run(async (ctx) => {
    const storage = rateLimitStorage(ctx, limiter, { name: "attempts" });
    expect((await storage.consume("k", rule)).allowed).toBe(true);
    expect(await storage.consume("k", rule)).toEqual({
      allowed: false,
      retryAfter: 60,
    });
    // @ts-expect-error no such limit
    rateLimitStorage(ctx, limiter, { name: "attempt" });
  });
});

test("a key above 1,024 bytes is hashed, and counts as itself alone", async () => {
  const t = startHost();
  await t.run(async (ctx) => {
    const storage = rateLimitStorage(ctx, limiter);
    const long = "é".repeat(513);
    await storage.consume(long, rule);
    await storage.consume(long, rule);
    await storage.consume(`${long}x`, rule);
    await storage.consume("é".repeat(512), rule);
  });
  const rows = await storedRows(t);
  expect(rows.map(({ value }) => value)).toEqual([1, 2, 2]);
  expect(rows.map(({ key }) => (key as string).slice(0, 8))).toEqual([
    "sha-256:",
    "sha-256:",
    "éééééééé",
  ]);
});

test("a request that is lost to write conflicts is denied for a second, or allowed, as the app says", async () => {
  expect(await rateLimitStorage(lost, limiter).consume("k", rule)).toEqual({
    allowed: false,
    retryAfter: 1,
  });
  const open = rateLimitStorage(lost, limiter, { onConflict: "allow" });
  expect(await open.consume("k", rule)).toEqual({
    allowed: true,
    retryAfter: null,
  });
});

test("whatever else fails, fails the request", async () => {
  const broken = {
    runMutation: () => Promise.reject(new Error("No component")),
  } as unknown as MutationCtx;
  await expect(
    rateLimitStorage(broken, limiter).consume("k", rule),
  ).rejects.toThrow("No component");
  const query = { runQuery: async () => null } as unknown as QueryCtx;
  await expect(
    rateLimitStorage(query, limiter).consume("k", rule),
  ).rejects.toThrow("a query cannot take tokens");
});
