import type { App } from "convex-embedded";
import {
  HOUR,
  MINUTE,
  RateLimiter,
  SECOND,
  type LimitConfig,
} from "convex-rate-limiter";
import { registerDashboard } from "convex-rate-limiter/dashboard";
import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";
import { register } from "convex-rate-limiter/test";
import {
  componentsGeneric,
  defineSchema,
  httpRouter,
  mutationGeneric,
  type GenericMutationCtx,
} from "convex/server";
import { v } from "convex/values";
import type { DataModel as ComponentDataModel } from "../../src/component/_generated/dataModel.js";

export const SECRET = "a secret for the tests alone";
export const OTHER_SECRET = "another secret for the tests";

/** The label of the secret at `/admin`. */
export const LABEL = `Admin's <b>"token"</b> & $& more`;
/** The operators at `/admin`, by their tokens. */
const OPERATORS: Record<string, string> = {
  "Bearer ada/1+1=2 & more": "Ada",
  "Bearer bob": "Bob",
};

const components = componentsGeneric() as unknown as {
  rateLimiter: ComponentApi;
};

/** A key that has a name. */
export const ADA = "https://clerk.example.com|user_2ada";

const limits = {
  sendMessage: {
    kind: "token bucket",
    rate: 10,
    period: MINUTE,
    capacity: 3,
    overrides: true,
    stats: true,
  },
  api: {
    kind: "fixed window",
    rate: 1000,
    period: MINUTE,
    start: 0,
    overrides: true,
    stats: true,
  },
  monthlyExports: {
    kind: "fixed window",
    rate: 100,
    period: "month",
    timeZone: "Europe/Berlin",
    overrides: true,
  },
  llmTokens: {
    kind: "token bucket",
    rate: 40_000,
    period: MINUTE,
    stats: true,
  },
  render: {
    kind: "concurrency",
    capacity: 3,
    lease: 5 * MINUTE,
    overrides: true,
  },
  search: {
    kind: "token bucket",
    rate: 5,
    period: 10 * SECOND,
    enforce: false,
    stats: true,
  },
  signUp: { kind: "fixed window", rate: 100, period: HOUR },
  invite: {
    kind: "fixed window",
    rate: 100,
    period: HOUR,
    overrides: true,
    requireKey: true,
  },
  chat: {
    kind: "token bucket",
    rate: 10,
    period: HOUR,
    overrides: true,
    stats: true,
  },
  billing: {
    kind: "fixed window",
    rate: 100,
    period: "month",
    timeZone: "America/New_York",
    start: Date.UTC(2026, 2, 17, 18, 3),
  },
  "": { kind: "token bucket", rate: 5, period: MINUTE, overrides: true },
} as const satisfies Record<string, LimitConfig>;

const rateLimiter = new RateLimiter(components.rateLimiter, limits);

const http = httpRouter();
registerDashboard(http, rateLimiter, {
  secret: SECRET,
  keyName: (_ctx, key) => (key === ADA ? "Ada Lovelace" : undefined),
});
registerDashboard(http, rateLimiter, { secret: OTHER_SECRET, path: "/ops" });
registerDashboard(http, rateLimiter, {
  path: "/admin",
  label: LABEL,
  authorize: (_ctx, request) =>
    OPERATORS[request.headers.get("Authorization") ?? ""] ?? false,
});

const vName = v.union(
  v.literal("sendMessage"),
  v.literal("api"),
  v.literal("monthlyExports"),
  v.literal("llmTokens"),
  v.literal("search"),
  v.literal("signUp"),
  v.literal("invite"),
  v.literal("chat"),
  v.literal(""),
);

const vKeyed = { key: v.optional(v.string()) };

/** Functions that the app's users call. */
const calls = {
  take: mutationGeneric({
    args: { ...vKeyed, name: vName, count: v.optional(v.number()) },
    handler: async (ctx, { name, key, count }) =>
      rateLimiter.limit(ctx, name, { key, count }),
  }),
  /** On limits that only the call names. */
  takeOfPlan: mutationGeneric({
    args: { ...vKeyed, name: v.string(), count: v.optional(v.number()) },
    handler: async (ctx, { name, key, count }) =>
      rateLimiter.limit(ctx, name, {
        key,
        count,
        config: { kind: "token bucket", rate: 500, period: HOUR },
      }),
  }),
  holdOfPlan: mutationGeneric({
    args: vKeyed,
    handler: async (ctx, { key }) =>
      rateLimiter.hold(ctx, "runsOfPlan", {
        key,
        config: { kind: "concurrency", capacity: 5, lease: MINUTE },
      }),
  }),
  hold: mutationGeneric({
    args: vKeyed,
    handler: async (ctx, { key }) => rateLimiter.hold(ctx, "render", { key }),
  }),
};

type Backend = Parameters<NonNullable<App["components"]>[number]>[0];

/** Stores keys as used at once, since a call for each would take long. Null is no key. */
export type UseKeys = (
  keys: (string | null)[],
  name?: "signUp" | "invite",
) => Promise<void>;

/** Stores denials of a key `hoursAgo`, as stats. */
export type Deny = (
  denials: { key: string; denied: number; hoursAgo: number; others?: number }[],
) => Promise<void>;

export function newApp(): { app: App; useKeys: UseKeys; deny: Deny } {
  let backend: Backend;
  const app: App = {
    schema: defineSchema({}),
    modules: {
      "./_generated/api.ts": async () => ({}),
      "./http.ts": async () => ({ default: http }),
      "./calls.ts": async () => calls,
    },
    components: [
      (t) => {
        backend = t;
        register(t);
      },
    ],
  };
  const inComponent = (
    handler: (ctx: GenericMutationCtx<ComponentDataModel>) => Promise<void>,
  ) => {
    // convex-test has this, but does not declare it.
    const { runInComponent } = backend as unknown as {
      runInComponent: (path: string, run: typeof handler) => Promise<void>;
    };
    return runInComponent("rateLimiter", handler);
  };
  const deny: Deny = (denials) =>
    inComponent(async ({ db }) => {
      const hour = Math.floor(Date.now() / HOUR) * HOUR;
      for (const { key, denied, hoursAgo, others = 0 } of denials) {
        const keys = [{ key, denied }];
        for (let i = 0; i < others; i++) keys.push({ key: `k${i}`, denied: 1 });
        const from = hour - hoursAgo * HOUR;
        const all = denied + others;
        const name = "chat";
        const counted = { granted: 9, denied: all, tokens: 9 };
        await db.insert("deniedKeys", { name, from, keys });
        await db.insert("stats", { name, by: "hour", from, ...counted });
      }
    });
  const useKeys: UseKeys = async (keys, name = "signUp") => {
    const now = Date.now();
    const { period } = limits[name];
    await inComponent(async ({ db }) => {
      for (const [i, key] of keys.entries()) {
        await db.insert("rateLimits", {
          name,
          ...(key !== null && { key }),
          shard: 0,
          value: i % 100,
          ts: now,
          fullAt: now + period,
        });
      }
    });
  };
  return { app, useKeys, deny };
}
