import {
  calculateRateLimit,
  DAY,
  HOUR,
  limitHttp,
  MINUTE,
  RateLimiter,
  type GetValueReturns,
  type LimitConfig,
} from "convex-rate-limiter";
import { rateLimited } from "convex-rate-limiter/helpers";
import {
  customMutation,
  customQuery,
} from "convex-helpers/server/customFunctions";
import {
  httpActionGeneric,
  httpRouter,
  makeFunctionReference,
  mutationGeneric,
  queryGeneric,
} from "convex/server";
import { v } from "convex/values";
import { describe, expect, test } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillClock,
} from "../support/host.js";

useStillClock();

const plans: Record<string, LimitConfig> = {
  free: { kind: "fixed window", rate: 3, period: "day" },
  pro: { kind: "fixed window", rate: 10, period: "day" },
  bucket: { kind: "token bucket", rate: 5, period: HOUR, shards: 2 },
  asynchronous: {
    kind: "token bucket",
    rate: 7,
    period: HOUR,
    applyUpdates: "asynchronously",
  },
  places: { kind: "concurrency", capacity: 2, lease: MINUTE },
};
const limiter = new RateLimiter(components.rateLimiter);
const named = new RateLimiter(components.rateLimiter, {
  exports: { kind: "fixed window", rate: 3, period: "day" },
});

/** What a function without types may return. */
const anything = (found: unknown) => () =>
  found as { kind: "token bucket" } & LimitConfig;

/** An app whose hook shows the limit of the key that the browser sends. */
function withHook(of: RateLimiter, config: (key: string) => unknown) {
  const api = of.hookAPI("exports", {
    key: (_ctx, sent) => sent ?? null,
    config: async (_ctx, key) => anything(config(key ?? "nobody"))(),
  });
  const t = startHost({ modules: { "./limits.ts": async () => api } });
  const getRateLimit = makeFunctionReference<
    "query",
    { key?: string; config?: unknown },
    GetValueReturns
  >("limits:getRateLimit");
  return { t, ask: (args = {}) => t.query(getRateLimit, args) };
}

describe("the config function of a hook", () => {
  test.each(Object.keys(plans))(
    "gives the plan of the key: %s",
    async (plan) => {
      const { t, ask } = withHook(limiter, (key) => plans[key]);
      const config = plans[plan]!;
      const use = (ctx: Parameters<typeof limiter.limit>[0]) =>
        limiter.hold(ctx, "exports", { key: plan, config });
      await t.mutation(use);
      const shown = await ask({ key: plan });
      const value = await t.query((ctx) =>
        limiter.getValue(ctx, "exports", { key: plan, config }),
      );
      expect(shown).toEqual(value);
      const capacity =
        config.kind === "concurrency" ? config.capacity : config.rate;
      const { value: left } = calculateRateLimit(shown, shown.config, MIDNIGHT);
      expect(left).toBe(capacity - 1);
    },
  );

  test("gets undefined if the key function returns null", async () => {
    const keys: string[] = [];
    const { ask } = withHook(limiter, (key) => {
      keys.push(key);
      return plans.free;
    });
    await ask();
    expect(keys).toEqual(["nobody"]);
  });

  test("leaves the limiter's config if it returns undefined", async () => {
    const { ask } = withHook(named, (key) =>
      key === "paying" ? plans.pro : undefined,
    );
    expect(await ask({ key: "ada" })).toMatchObject({ value: 3 });
    expect(await ask({ key: "paying" })).toMatchObject({ value: 10 });
  });
});

describe("a config function that returns a bad config", () => {
  /** Each calls a config function that returns `found`. */
  const blamers: Record<string, (found: unknown) => Promise<unknown>> = {
    "the hook": (found) => withHook(limiter, () => found).ask({ key: "ada" }),
    "a guarded function": (found) => {
      const config = anything(found) as never;
      const guard = rateLimited(limiter, "exports", { config });
      const guarded = customMutation(mutationGeneric, guard);
      const send = guarded({ args: {}, handler: () => expect.fail("It ran.") });
      const t = startHost({ modules: { "./m.ts": async () => ({ send }) } });
      return t.mutation(makeFunctionReference<"mutation">("m:send"), {});
    },
    limitHttp: (found) => {
      const config = anything(found) as never;
      const handler = limitHttp(limiter, "exports", { config }, () =>
        expect.fail("It ran."),
      );
      const request = new Request("https://example.com/");
      const meta = { getRequestMetadata: async () => ({ ip: null }) };
      return startHost().run(async (ctx) => {
        await handler({ ...ctx, meta } as never, request);
      });
    },
  };
  const mistakes: [found: unknown, words: string][] = [
    [{ ...plans.free, rate: 0 }, "rate must be"],
    [{ ...plans.free, timezone: "UTC" }, "timezone"],
    [null, "its config must be an object, but is null"],
    [undefined, "the config function returned undefined"],
  ];

  test.each(Object.entries(blamers))("makes %s throw", async (who, ask) => {
    const held = [plans.places, "are only held"] as const;
    for (const [found, words] of [
      ...mistakes,
      ...(who === "the hook" ? [] : [held]),
    ]) {
      const asked = ask(found);
      await expect(asked).rejects.toThrow("Rate limit exports: ");
      await expect(asked).rejects.toThrow(words);
    }
  });
});

test("limitHttp uses the config that a function gives, also in its headers", async () => {
  const http = httpRouter();
  http.route({
    path: "/",
    method: "GET",
    handler: httpActionGeneric(
      limitHttp(
        limiter,
        "api",
        {
          key: (_ctx, request) => request.headers.get("X-Key") ?? "none",
          config: async (_ctx, key, request) => ({
            kind: "fixed window",
            rate: key === "paying" ? 2 : 1,
            period: request.method === "GET" ? DAY : HOUR,
            start: 0,
          }),
        },
        async () => new Response(),
      ),
    ),
  });
  const t = startHost({
    modules: { "./http.ts": async () => ({ default: http }) },
  });
  const get = async (key: string) => {
    const { status, headers } = await t.fetch("/", {
      headers: { "X-Key": key },
    });
    return [status, headers.get("RateLimit-Policy")];
  };
  expect(await get("ada")).toEqual([200, '"api";q=1;w=86400']);
  expect(await get("ada")).toEqual([429, '"api";q=1;w=86400']);
  expect(await get("paying")).toEqual([200, '"api";q=2;w=86400']);
  expect(await get("paying")).toEqual([200, '"api";q=2;w=86400']);
  expect((await get("paying"))[0]).toBe(429);
});

test("rateLimited uses the config that a function gives, in mutations and queries", async () => {
  const guard = rateLimited(limiter, "exports", {
    args: { userId: v.string() },
    key: (_ctx, { userId }) => userId,
    config: (ctx, key, { userId }) => {
      expect([key, "auth" in ctx]).toEqual([userId, true]);
      return {
        kind: "fixed window",
        rate: key === "paying" ? 2 : 1,
        period: DAY,
      };
    },
  });
  const send = customMutation(
    mutationGeneric,
    guard,
  )({
    args: {},
    handler: () => "sent",
  });
  const ask = customQuery(
    queryGeneric,
    guard,
  )({ args: {}, handler: () => "asked" });
  const t = startHost({ modules: { "./m.ts": async () => ({ send, ask }) } });
  const sending = (userId: string) =>
    t.mutation(makeFunctionReference<"mutation">("m:send"), { userId });
  const asking = (userId: string) =>
    t.query(makeFunctionReference<"query">("m:ask"), { userId });
  expect(await sending("ada")).toBe("sent");
  await expect(sending("ada")).rejects.toThrow("RateLimited");
  await expect(asking("ada")).rejects.toThrow("RateLimited");
  expect(await sending("paying")).toBe("sent");
  expect(await asking("paying")).toBe("asked");
  expect(await sending("paying")).toBe("sent");
  await expect(sending("paying")).rejects.toThrow("RateLimited");
});
