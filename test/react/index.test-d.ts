import {
  RateLimiter as PeerRateLimiter,
  type RateLimitConfig as PeerConfig,
} from "@convex-dev/rate-limiter";
import { useRateLimit as usePeerRateLimit } from "@convex-dev/rate-limiter/react";
import {
  anyApi,
  queryGeneric,
  type ApiFromModules,
  type FilterApi,
  type FunctionReference,
} from "convex/server";
import { expectTypeOf, test } from "vitest";
import type { ComponentApi } from "../../src/component/_generated/component.js";
import {
  RateLimiter,
  type LimitConfig,
  type RateLimitConfig,
} from "../../src/client/index.js";
import {
  useRateLimit,
  useRetryCountdown,
  type Check,
  type CheckResult,
  type RateLimitStatus,
  type UseRateLimitOptions,
  type UseRateLimitResult,
} from "../../src/react/index.js";

declare const component: ComponentApi;
declare const peerComponent: ConstructorParameters<typeof PeerRateLimiter>[0];

const limits = {
  sendMessage: { kind: "token bucket", rate: 10, period: 60_000 },
  quota: { kind: "fixed window", rate: 100, period: "month" },
  render: { kind: "concurrency", capacity: 3, lease: 60_000 },
} as const;
const key = { key: async () => "user" };
const _limiter = () =>
  new RateLimiter(component, limits).hookAPI("sendMessage", key);
const _peerLimiter = () =>
  new PeerRateLimiter(peerComponent, {
    sendMessage: limits.sendMessage,
  }).hookAPI("sendMessage", key);
const _hookOf = (name: keyof typeof limits, config?: LimitConfig) => {
  const rateLimiter = new RateLimiter(component, limits);
  return {
    bucket: rateLimiter.hookAPI("sendMessage").getRateLimit,
    calendar: rateLimiter.hookAPI("quota").getRateLimit,
    concurrency: rateLimiter.hookAPI("render").getRateLimit,
    either: rateLimiter.hookAPI(name).getRateLimit,
    inline: rateLimiter.hookAPI(name, { config }).getRateLimit,
  };
};

type PublicApi<Module extends Record<string, unknown>> = FilterApi<
  ApiFromModules<{ limits: Module }>,
  FunctionReference<"query" | "mutation", "public">
>;

const api = anyApi as unknown as PublicApi<ReturnType<typeof _limiter>>;
const peerApi = anyApi as unknown as PublicApi<ReturnType<typeof _peerLimiter>>;

test("the hook takes the functions of hookAPI", () => {
  expectTypeOf(api.limits.getRateLimit).not.toBeAny();
  const use = () =>
    useRateLimit(api.limits.getRateLimit, {
      key: "user",
      count: 2,
      sampleShards: 1,
      getServerTimeMutation: api.limits.getServerTime,
    });
  expectTypeOf(use).returns.toEqualTypeOf<UseRateLimitResult>();
});

test("the hook takes the query of any limit, whatever the kinds of those beside it", () => {
  const { limits } = anyApi as unknown as PublicApi<ReturnType<typeof _hookOf>>;
  expectTypeOf(limits.bucket).not.toBeAny();
  const use = () => [
    useRateLimit(limits.bucket),
    useRateLimit(limits.calendar),
    useRateLimit(limits.concurrency),
    useRateLimit(limits.either),
    useRateLimit(limits.inline),
  ];
  expectTypeOf(use).returns.toEqualTypeOf<UseRateLimitResult[]>();
});

test("the hook takes the functions of the peer's hookAPI", () => {
  expectTypeOf(peerApi.limits.getRateLimit).not.toBeAny();
  const use = () =>
    useRateLimit(peerApi.limits.getRateLimit, {
      getServerTimeMutation: peerApi.limits.getServerTime,
    });
  expectTypeOf(use).returns.toEqualTypeOf<UseRateLimitResult>();
});

test("each option of the peer's hook is one of this hook", () => {
  type PeerOptions = NonNullable<Parameters<typeof usePeerRateLimit>[1]>;
  expectTypeOf<PeerOptions>().toExtend<UseRateLimitOptions>();
  expectTypeOf<keyof UseRateLimitOptions>().toEqualTypeOf<keyof PeerOptions>();
  expectTypeOf<PeerConfig>().toExtend<RateLimitConfig>();
});

test("the hook's result can be read as the peer's", () => {
  type PeerResult = ReturnType<typeof usePeerRateLimit>;
  type PeerCheck = NonNullable<ReturnType<PeerResult["check"]>>;
  expectTypeOf<PeerResult>().not.toBeAny();
  expectTypeOf<UseRateLimitResult["status"]>().toExtend<PeerResult["status"]>();
  expectTypeOf<Parameters<Check>>().toEqualTypeOf<
    Parameters<PeerResult["check"]>
  >();
  expectTypeOf<keyof CheckResult>().toEqualTypeOf<keyof PeerCheck>();
  expectTypeOf<Omit<CheckResult, "config">>().toExtend<
    Omit<PeerCheck, "config">
  >();
});

test("remaining is a number exactly when there is a status", () => {
  type Loading = { status: undefined };
  type Loaded = Exclude<UseRateLimitResult, Loading>;
  expectTypeOf<Loaded["remaining"]>().toEqualTypeOf<number>();
  type Remaining = Extract<UseRateLimitResult, Loading>["remaining"];
  expectTypeOf<Remaining>().toEqualTypeOf<undefined>();
});

test("retryAt is a number exactly when the request is denied", () => {
  expectTypeOf<RateLimitStatus>().toEqualTypeOf<
    { ok: true; retryAt: undefined } | { ok: false; retryAt: number }
  >();
});

test("the countdown takes the status as the hook gives it", () => {
  expectTypeOf(useRetryCountdown)
    .parameter(0)
    .toEqualTypeOf<UseRateLimitResult["status"]>();
  expectTypeOf(useRetryCountdown).returns.toEqualTypeOf<number>();
});

test("a query of another shape is refused", () => {
  const api = anyApi as unknown as PublicApi<{
    list: ReturnType<typeof _listQuery>;
  }>;
  // @ts-expect-error -- it returns no balance
  const use = () => useRateLimit(api.limits.list);
  expectTypeOf(use).toBeFunction();
  // @ts-expect-error -- a mutation is no query
  const useMutation = () => useRateLimit(peerApi.limits.getServerTime);
  expectTypeOf(useMutation).toBeFunction();
});

const _listQuery = () =>
  queryGeneric({ args: {}, handler: async () => ["one", "two"] });
