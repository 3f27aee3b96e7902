import {
  calculateRateLimit,
  isRateLimitError,
  MINUTE,
  RateLimiter,
  type ActionCtx,
  type ListItem,
  type MutationCtx,
  type QueryCtx,
  type RateLimitConfig,
  type RateLimitError,
  type RateLimitReturns,
} from "convex-rate-limiter";
import type * as peer from "@convex-dev/rate-limiter";
import type {
  GenericActionCtx,
  GenericDataModel,
  GenericMutationCtx,
  GenericQueryCtx,
  RegisteredMutation,
  RegisteredQuery,
} from "convex/server";
import { describe, expectTypeOf, test } from "vitest";
import type { ComponentApi } from "../component/_generated/component.js";

declare const component: ComponentApi;
declare const query: GenericQueryCtx<GenericDataModel>;
declare const mutation: GenericMutationCtx<GenericDataModel>;
declare const action: GenericActionCtx<GenericDataModel>;

const limiter = new RateLimiter(component, {
  message: { kind: "token bucket", rate: 10, period: MINUTE },
  signUp: { kind: "fixed window", rate: 100, period: MINUTE },
});
const config = { kind: "fixed window", rate: 1, period: MINUTE } as const;

describe("names", () => {
  test("those of the constructor need no config", () => {
    void limiter.limit(mutation, "message");
    void limiter.check(query, "signUp", { key: "k", count: 2 });
    void limiter.getValue(query, "message", { sampleShards: 2 });
    void limiter.credit(mutation, "message");
    void limiter.charge(mutation, "message", { count: 3 });
    void limiter.reset(mutation, "message");
    void limiter.limitAll(mutation, [{ name: "message" }, { name: "signUp" }]);
    limiter.hookAPI("message");
  });

  test("others do, so that a misspelt one does not compile", () => {
    // @ts-expect-error no such limit, and no config
    void limiter.limit(mutation, "mesage");
    // @ts-expect-error no such limit, and no config
    void limiter.limit(mutation, "mesage", { key: "k" });
    // @ts-expect-error no such limit, and no config
    void limiter.check(query, "mesage");
    // @ts-expect-error no such limit, and no config
    void limiter.getValue(query, "mesage");
    // @ts-expect-error no such limit, and no config
    void limiter.credit(mutation, "mesage");
    // @ts-expect-error no such limit, and no config
    void limiter.charge(mutation, "mesage");
    // @ts-expect-error no such limit, and no config
    void limiter.limitAll(mutation, [{ name: "mesage" }]);
    // @ts-expect-error no such limit, and no config
    limiter.hookAPI("mesage");
    // @ts-expect-error no such limit
    void limiter.setOverride(mutation, "mesage", { deny: true });

    void limiter.limit(mutation, "another", { config });
    void limiter.check(query, "another", { config });
    void limiter.getValue(query, "another", { config });
    void limiter.credit(mutation, "another", { config });
    void limiter.charge(mutation, "another", { config });
    void limiter.limitAll(mutation, [
      { name: "message" },
      { name: "another", config },
    ]);
    limiter.hookAPI("another", { config });
  });

  test("a limiter without names takes any name with a config", () => {
    const unnamed = new RateLimiter(component);
    void unnamed.limit(mutation, "any", { config });
    // @ts-expect-error no config
    void unnamed.limit(mutation, "any");
  });

  test("a list takes what limit takes", () => {
    type Item = ListItem<{ known: RateLimitConfig }>;
    expectTypeOf<{ name: "known" }>().toExtend<Item>();
    expectTypeOf<{
      name: string;
      config: RateLimitConfig;
      key: string;
      count: number;
      reserve: boolean;
    }>().toExtend<Item>();
    expectTypeOf<{ name: string }>().not.toExtend<Item>();
  });
});

describe("contexts", () => {
  test("a query can check and read, but not take", () => {
    void limiter.check(query, "message");
    void limiter.getValue(query, "message");
    // @ts-expect-error a query cannot write
    void limiter.limit(query, "message");
    // @ts-expect-error a query cannot write
    void limiter.reset(query, "message");
  });

  test("an action can do both", () => {
    void limiter.check(action, "message");
    void limiter.limit(action, "message");
  });
});

describe("configs", () => {
  test("start belongs to a fixed window", () => {
    new RateLimiter(component, { a: { ...config, start: 0 } });
    const bad = { kind: "token bucket", rate: 1, period: 1, start: 0 } as const;
    // @ts-expect-error a token bucket has no start
    new RateLimiter(component, { bad });
  });

  test("rate, period and a kind that exists are required", () => {
    // @ts-expect-error no period
    new RateLimiter(component, { bad: { kind: "token bucket", rate: 1 } });
    // @ts-expect-error no rate
    new RateLimiter(component, { bad: { kind: "token bucket", period: 1 } });
    const bad = { kind: "leaky bucket", rate: 1, period: 1 } as const;
    // @ts-expect-error no such kind
    new RateLimiter(component, { bad });
  });
});

describe("results", () => {
  test("are the peer's", async () => {
    const status = await limiter.limit(mutation, "message");
    expectTypeOf(status).toEqualTypeOf<RateLimitReturns>();
    expectTypeOf(status).toExtend<peer.RateLimitReturns>();
    expectTypeOf(status.retryAfter).toEqualTypeOf<number | undefined>();
    if (!status.ok) expectTypeOf(status.retryAfter).toEqualTypeOf<number>();
    // @ts-expect-error details were not asked for
    expectTypeOf(status.remaining);
  });

  test("have the details that were asked for", async () => {
    const status = await limiter.check(query, "message", { details: true });
    expectTypeOf(status.limit).toEqualTypeOf<number>();
    expectTypeOf(status.remaining).toEqualTypeOf<number>();
    expectTypeOf(status.resetAfter).toEqualTypeOf<number>();
  });

  test("of a list say who blocked, where it was denied", async () => {
    const status = await limiter.limitAll(mutation, [{ name: "message" }]);
    if (!status.ok) {
      expectTypeOf(status.blockedBy).toEqualTypeOf<{
        index: number;
        name: string;
      }>();
    }
    // @ts-expect-error not known to be denied
    expectTypeOf(status.blockedBy);
  });

  test("errors carry what was denied", () => {
    const error: unknown = undefined;
    if (isRateLimitError(error)) {
      expectTypeOf(error.data).toEqualTypeOf<RateLimitError>();
      expectTypeOf(error.data).toExtend<peer.RateLimitError>();
    }
  });

  test("hookAPI makes a query and a mutation", () => {
    const { getRateLimit, getServerTime } = limiter.hookAPI("message");
    expectTypeOf(getRateLimit).toExtend<
      RegisteredQuery<"public", never, unknown>
    >();
    expectTypeOf(getServerTime).toExtend<
      RegisteredMutation<"public", never, unknown>
    >();
  });

  test("calculateRateLimit needs the time", () => {
    // @ts-expect-error no time
    calculateRateLimit(null, config);
    expectTypeOf(calculateRateLimit(null, config, 0)).toEqualTypeOf<
      ReturnType<typeof peer.calculateRateLimit>
    >();
  });
});

describe("drop-in", () => {
  test("a config of the peer is a config", () => {
    expectTypeOf<peer.RateLimitConfig>().toExtend<RateLimitConfig>();
  });

  test("what the peer's types call a ctx is one", () => {
    expectTypeOf<peer.QueryCtx>().toExtend<QueryCtx>();
    expectTypeOf<peer.MutationCtx>().toExtend<MutationCtx>();
    expectTypeOf<peer.ActionCtx>().toExtend<ActionCtx>();
    expectTypeOf<ActionCtx>().toExtend<MutationCtx>();
  });

  test("arguments of the peer are arguments", () => {
    type Options = NonNullable<Parameters<typeof limiter.limit>[2]>;
    expectTypeOf<peer.RateLimitArgs>().toExtend<Options>();
  });
});
