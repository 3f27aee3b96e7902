import { betterAuth, type BetterAuthOptions } from "better-auth";
import { betterAuth as betterAuth16 } from "better-auth-1.6";
import { memoryAdapter as memoryAdapter16 } from "better-auth-1.6/adapters/memory";
import { memoryAdapter } from "better-auth/adapters/memory";
import {
  MINUTE,
  RateLimiter,
  type MutationCtx,
  type QueryCtx,
} from "convex-rate-limiter";
import {
  rateLimitStorage,
  type RateLimitStorage,
  type RateLimitStorageOptions,
} from "convex-rate-limiter/better-auth";
import { httpActionGeneric, httpRouter } from "convex/server";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { HOUR } from "convex-rate-limiter";
import {
  components,
  startHost,
  storedRows,
  useStillClock,
} from "../support/host.js";
import { runs } from "../support/seed.js";

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

const settings = {
  baseURL: "https://app.example",
  secret: "only-for-tests-and-long-enough-for-them",
  emailAndPassword: { enabled: true },
  logger: { disabled: true },
  telemetry: { enabled: false },
};

type Rules = Record<string, () => typeof rule>;

/** The versions that call `consume`, with a custom storage for the limits. */
const versions = {
  "1.7": (customStorage: RateLimitStorage, customRules?: Rules) =>
    betterAuth({
      ...settings,
      database: memoryAdapter({ user: [], account: [], verification: [] }),
      rateLimit: { enabled: true, customStorage, customRules },
    }),
  "1.6": (customStorage: RateLimitStorage, customRules?: Rules) =>
    betterAuth16({
      ...settings,
      database: memoryAdapter16({ user: [], account: [], verification: [] }),
      rateLimit: { enabled: true, customStorage, customRules },
    }),
};

/** An app whose users sign in at an HTTP action. */
function startAuth(version: keyof typeof versions) {
  const http = httpRouter();
  http.route({
    pathPrefix: "/api/auth/",
    method: "POST",
    handler: httpActionGeneric((ctx, request) =>
      versions[version](rateLimitStorage(ctx, limiter)).handler(request),
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

test.each(["1.7", "1.6"] as const)(
  "sign-ins beyond the limit of Better Auth %s get its own 429, by address",
  async (version) => {
    const { t, signIn } = startAuth(version);
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
  },
);

test.each<["window" | "max", { window?: number; max?: number }]>([
  ["window", { max: 3, window: NaN }],
  ["window", { max: 3 }],
  ["window", { max: 3, window: -1 }],
  ["max", { max: NaN, window: 10 }],
  ["max", { window: 10 }],
])(
  "consume refuses a rule whose %s is no number of at least 0: %j",
  async (field, bad) => {
    const t = startHost();
    await t.run(async (ctx) => {
      const { consume } = rateLimitStorage(ctx, limiter);
      await expect(consume("k", bad as typeof rule)).rejects.toThrow(
        `rateLimitStorage: the ${field} of a rule must be a number of at least 0, but is ${bad[field]}.`,
      );
    });
    expect(await storedRows(t)).toEqual([]);
  },
);

test("a rule of customRules that would let everything pass is refused when the storage is made", () => {
  const made = (customRules: RateLimitStorageOptions["customRules"]) => () =>
    rateLimitStorage(lost, limiter, { customRules });
  expect(made({ "/ok": { window: NaN, max: 3 } })).toThrow(
    'rateLimitStorage: the window of the rule "/ok" must be a number of at least 0, but is NaN.',
  );
  expect(made({ "/a": rule, "/b/*": { window: 10 } as typeof rule })).toThrow(
    'the max of the rule "/b/*" must be a number of at least 0, but is undefined',
  );
  const rules: NonNullable<BetterAuthOptions["rateLimit"]>["customRules"] = {};
  made(rules)();
  made({ "/a": rule, "/b": false, "/c": () => ({ window: NaN, max: 3 }) })();
});

test.each(["1.7", "1.6"] as const)(
  "Better Auth %s lets no request pass under a rule whose window is not a number",
  async (version) => {
    const bad = { window: NaN, max: 3 };
    const ask = new Request("https://app.example/api/auth/ok", {
      headers: { "X-Forwarded-For": "192.0.2.1" },
    });
    await startHost().run(async (ctx) => {
      const storage = rateLimitStorage(ctx, limiter);
      const auth = versions[version](storage, { "/ok": () => bad });
      await expect(auth.handler(ask)).rejects.toThrow(
        "rateLimitStorage: the window of a rule must be a number",
      );
    });
  },
);

test("consume denies a request for whole seconds, and allows one with null", async () => {
  await startHost().run(async (ctx) => {
    const storage = rateLimitStorage(ctx, limiter);
    const allowed = { allowed: true, retryAfter: null };
    for (let i = 0; i < 3; i++) {
      expect(await storage.consume("k", rule)).toEqual(allowed);
    }
    const { allowed: again, retryAfter } = await storage.consume("k", rule);
    expect(again).toBe(false);
    expect(Number.isInteger(retryAfter)).toBe(true);
    // A rule that allows nothing.
    const none = await storage.consume("k", { window: 10, max: 0 });
    expect(none).toEqual({ allowed: false, retryAfter: 10 });
  });
});

describe("under changing rules,", () => {
  test("a key stays denied when a rule with an endless window asks", async () => {
    await startHost().run(async (ctx) => {
      const { consume } = rateLimitStorage(ctx, limiter);
      for (let i = 0; i < 3; i++) await consume("k", rule);
      const endless = await consume("k", { window: Infinity, max: 3 });
      expect(endless.allowed).toBe(false);
    });
  });

  // The oracle is Better Auth's own storage in memory.
  test("each request is answered as by Better Auth's own storage", async () => {
    const maxima = [1, 2, 3, 5, 100, 2.5, 2 ** 53, Infinity];
    const request = fc.record({
      rule: fc.record({
        window: fc.constantFrom(0, 0.5, 1, 10, 60),
        max: fc.constantFrom(...maxima),
      }),
      // Better Auth's window moves with each request that it allows. Ours begins anew once the
      // key is idle.
      after: fc.constantFrom(0, 0, 0, 61_000 + HOUR),
    });
    let addresses = 0;
    const storage = { current: undefined as RateLimitStorage | undefined };
    const current = { rule };
    const start = (customStorage?: RateLimitStorage) =>
      betterAuth({
        ...settings,
        rateLimit: {
          enabled: true,
          storage: "memory",
          customStorage,
          customRules: { "/ok": () => current.rule },
        },
      });
    const own = start();
    const ours = start({
      consume: (key, rule) => storage.current!.consume(key, rule),
    } as RateLimitStorage);
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { minLength: 5 }),
        async (requests) => {
          const ip = `192.0.2.${++addresses}`;
          const t = startHost();
          for (const { rule, after } of requests) {
            vi.setSystemTime(Date.now() + after);
            current.rule = rule;
            const ask = () =>
              new Request("https://app.example/api/auth/ok", {
                headers: { "X-Forwarded-For": ip },
              });
            const expected = await own.handler(ask());
            const status = await t.action(async (ctx) => {
              storage.current = rateLimitStorage(ctx, limiter);
              return (await ours.handler(ask())).status;
            });
            expect([rule, status]).toEqual([rule, expected.status]);
          }
        },
      ),
      runs(8),
    );
  });
});

test("get and set, which Better Auth before 1.6.17 calls, throw which version to install", async () => {
  const { get, set } = rateLimitStorage(lost, limiter);
  await expect(get("k")).rejects.toThrow("Install 1.6.17 or later");
  await expect(set("k", {})).rejects.toThrow("Install 1.6.17 or later");
});

test("a limit of the app that is named takes the place of the rules", async () => {
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

test("a key above 1,024 bytes is hashed, and has a balance of its own", async () => {
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
  expect(rows.map(({ value }) => 1e9 - value)).toEqual([2, 1, 1]);
  expect(rows.map(({ key }) => (key as string).slice(0, 8))).toEqual([
    "sha-256:",
    "sha-256:",
    "éééééééé",
  ]);
});

test("a request lost to write conflicts is denied for a second, or allowed by onConflict", async () => {
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

test("any other error fails the request", async () => {
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
