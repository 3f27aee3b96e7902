import {
  isRateLimitError,
  MINUTE,
  RateLimiter,
  rateLimitHeaders,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { ConvexError } from "convex/values";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillClock,
  type HostCtx,
} from "../host.js";
import { startApp } from "./app.js";

useStillClock();

const api: RateLimitConfig = {
  kind: "token bucket",
  rate: 10,
  period: MINUTE,
};

const messageOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};

describe("a string where a number belongs is quoted", () => {
  test.each([
    ["rate", "10"],
    ["period", "60000"],
    ["capacity", "5"],
    ["capacity", ""],
    ["maxReserved", "0"],
    ["shards", "2"],
  ])("%s: %j", (field, value) => {
    // As a config that was read from JSON may hold it.
    const config = JSON.parse(
      JSON.stringify({ ...api, [field]: value }),
    ) as RateLimitConfig;
    const message = messageOf(
      () => new RateLimiter(components.rateLimiter, { api: config }),
    );
    expect(message).toContain(`Rate limit api: ${field}`);
    expect(message).toContain(JSON.stringify(value));
  });

  test("a number is not", () => {
    const message = messageOf(
      () =>
        new RateLimiter(components.rateLimiter, { api: { ...api, rate: -1 } }),
    );
    expect(message).toContain("Rate limit api: rate");
    expect(message).toMatch(/is -1/);
  });
});

describe("a denial that is thrown", () => {
  const denials: [
    string,
    (
      limiter: RateLimiter<{ api: RateLimitConfig }>,
      ctx: HostCtx,
    ) => Promise<unknown>,
  ][] = [
    ["limit", (l, ctx) => l.limit(ctx, "api", { key: "anna", throws: true })],
    ["check", (l, ctx) => l.check(ctx, "api", { key: "anna", throws: true })],
    [
      "limitAll",
      (l, ctx) =>
        l.limitAll(ctx, [{ name: "api", key: "anna" }], { throws: true }),
    ],
    [
      "checkAll",
      (l, ctx) =>
        l.checkAll(ctx, [{ name: "api", key: "anna" }], { throws: true }),
    ],
  ];

  test.each(denials)(
    "by %s says which limit, which key and how long, and its data are as ever",
    async (_, deny) => {
      const t = startHost();
      const limiter = new RateLimiter(components.rateLimiter, { api });
      await t.mutation((ctx) =>
        limiter.limit(ctx, "api", { key: "anna", count: 10 }),
      );
      const thrown = await t.mutation(async (ctx) => {
        try {
          await deny(limiter, ctx);
        } catch (error) {
          if (!isRateLimitError(error)) throw error;
          const { message, data } = error;
          return { message, data };
        }
        throw new Error("It was granted.");
      });
      expect(thrown.data).toEqual({
        kind: "RateLimited",
        name: "api",
        key: "anna",
        retryAfter: 6000,
      });
      expect(thrown.message).toContain("Rate limit api");
      expect(thrown.message).toContain("anna");
      expect(thrown.message).not.toContain("{");
      expect(thrown.message).toMatch(/\b6,?000\b|\b6 s/);
    },
  );

  test("of a limit without a key names none", async () => {
    const app = startApp({ api });
    await app.limit("api", { count: 10 });
    const thrown: unknown = await app
      .mutate((ctx) => app.limiter.limit(ctx, "api", { throws: true }))
      .catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(ConvexError);
    expect(thrown).toMatchObject({
      data: { kind: "RateLimited", name: "api", retryAfter: 6000 },
    });
    expect((thrown as Error).message).toContain("Rate limit api");
    expect((thrown as Error).message).not.toMatch(/undefined|\{/);
  });
});

describe("what a JavaScript app may have left out", () => {
  test("a component that is not mounted is said to be missing", async () => {
    const t = startHost();
    const { rateLimiter } = {} as typeof components;
    const use = async () => {
      const limiter = new RateLimiter(rateLimiter, { api });
      return t.mutation((ctx) => limiter.limit(ctx, "api"));
    };
    await expect(use()).rejects.toThrow(/component/i);
  });

  test("a config that is undefined is said to be", () => {
    const limits = {} as Record<"api", RateLimitConfig>;
    const message = messageOf(
      () => new RateLimiter(components.rateLimiter, { api: limits.api }),
    );
    expect(message).toMatch(/Rate limit api.*config/);
    expect(message).not.toContain("destructure");
  });

  test.each([
    ["limitAll", "mesage"],
    ["checkAll", "mesage"],
  ] as const)("%s of a misspelt name says so", async (verb, name) => {
    const t = startHost();
    const limiter = new RateLimiter<Record<string, RateLimitConfig>>(
      components.rateLimiter,
      { message: api },
    );
    const call = t.mutation((ctx) =>
      limiter[verb](ctx, [{ name: "message" }, { name }]),
    );
    await expect(call).rejects.toThrow(`Rate limit ${name} is not defined`);
  });

  test("a ban and no limit in one override are refused", async () => {
    const app = startApp({ api: { ...api, overrides: true } });
    const both = { deny: true, unlimited: true } as const;
    const set = app.mutate((ctx) =>
      // @ts-expect-error one or the other
      app.limiter.setOverride(ctx, "api", both),
    );
    await expect(set).rejects.toThrow();
    expect(await app.limit("api")).toEqual({ ok: true });
  });
});

test("a backend that knows no stale looks is named as the reason, with the least version", async () => {
  const app = startApp({ split: { ...api, shards: 5 } });
  await app.limit("split", { count: 10 });
  type Syscall = (op: string, args: string) => Promise<string>;
  const { Convex } = globalThis as unknown as {
    Convex: { readonly asyncSyscall: Syscall };
  };
  const known = Object.getOwnPropertyDescriptor(Convex, "asyncSyscall")!;
  const knownSyscall = () =>
    (known.get?.call(Convex) ?? known.value) as Syscall;
  const asyncSyscall: Syscall = async (op, args) => {
    if (op === "1.0/runUdf" && args.includes('"udfType":"snapshotQuery"')) {
      throw new Error("Invalid udfType snapshotQuery");
    }
    return knownSyscall()(op, args);
  };
  Object.defineProperty(Convex, "asyncSyscall", {
    configurable: true,
    get: () => asyncSyscall,
  });
  onTestFinished(() => {
    Object.defineProperty(Convex, "asyncSyscall", known);
  });
  await expect(app.limit("split")).rejects.toThrow(/backend.*2026-07-24/s);
});

test("no header ever says NaN", async () => {
  const app = startApp({
    api,
    window: { ...api, kind: "fixed window", start: MIDNIGHT },
  });
  const list = [{ name: "api" }, { name: "window" }];
  const details = true;
  const answers = await app.mutate(async (ctx) => [
    await app.limiter.limit(ctx, "api", { details }),
    await app.limiter.limitAll(ctx, list, { details }),
  ]);
  for (const answer of answers) {
    const headers = rateLimitHeaders(answer, { name: "api", config: api });
    expect(JSON.stringify(headers)).not.toMatch(/NaN|undefined|Infinity/);
  }
});
