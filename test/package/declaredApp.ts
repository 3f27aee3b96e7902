/*
 * An app that exports everything it gets, so that each type which TypeScript infers has to be
 * written into its declaration files. Compiled by package.test.ts.
 */
/* eslint-disable @typescript-eslint/unbound-method -- It declares the methods, and calls none. */
import {
  anyApi,
  httpRouter,
  componentsGeneric,
  type GenericActionCtx,
  type GenericDataModel,
  type GenericMutationCtx,
  type GenericQueryCtx,
  type FunctionReference,
} from "convex/server";
import {
  calculateRateLimit,
  ipKey,
  isExceedsCapacityError,
  isRateLimitError,
  isWriteConflictError,
  limitHttp,
  MINUTE,
  RateLimiter,
  rateLimitHeaders,
  tooManyRequests,
} from "convex-rate-limiter";
import { rateLimited } from "convex-rate-limiter/helpers";
import { rateLimitStorage } from "convex-rate-limiter/better-auth";
import { registerDashboard } from "convex-rate-limiter/dashboard";
import {
  useBrowserTime,
  useRateLimit,
  useRetryCountdown,
} from "convex-rate-limiter/react";
import type { ComponentApi } from "convex-rate-limiter/_generated/component.js";

const components = componentsGeneric() as unknown as {
  rateLimiter: ComponentApi;
};
type Ctx = GenericMutationCtx<GenericDataModel>;
type Query = GenericQueryCtx<GenericDataModel>;
type Action = GenericActionCtx<GenericDataModel>;
declare const jobId: Parameters<typeof rateLimiter.cancelScheduled>[1];
declare const job: FunctionReference<"mutation", "internal", { text: string }>;

export const config = {
  kind: "token bucket",
  rate: 1,
  period: MINUTE,
} as const;
export const rateLimiter = new RateLimiter(components.rateLimiter, {
  message: {
    kind: "token bucket",
    rate: 10,
    period: MINUTE,
    overrides: true,
    stats: true,
  },
  user: {
    kind: "fixed window",
    rate: 10,
    period: "day",
    timeZone: "UTC",
    requireKey: true,
  },
  render: { kind: "concurrency", capacity: 3, lease: MINUTE },
});
export const unnamed = new RateLimiter(components.rateLimiter);
export const another = new RateLimiter(components.rateLimiter, {
  message: { kind: "token bucket", rate: 100, period: MINUTE },
});
export const component = rateLimiter.component;
export const limits = rateLimiter.limits;

// What the calls answer.
export const limited = (ctx: Ctx) => rateLimiter.limit(ctx, "message");
export const detailed = (ctx: Ctx) =>
  rateLimiter.limit(ctx, "message", { details: true, upTo: true });
export const granted = (ctx: Ctx) =>
  rateLimiter.limit(ctx, "user", { key: "k", throws: true });
export const either = Math.random() > 0.5 ? rateLimiter : another;
export const chosen = (ctx: Ctx) =>
  either.limit(ctx, "message", { details: true });
export const inline = (ctx: Ctx) => unnamed.limit(ctx, "other", { config });
export const checked = (ctx: Query) =>
  rateLimiter.check(ctx, "message", { details: true });
export const all = (ctx: Ctx) =>
  rateLimiter.limitAll(ctx, [{ name: "message" }, { name: "other", config }], {
    details: true,
  });
export const allThrown = (ctx: Ctx) =>
  rateLimiter.limitAll(ctx, [{ name: "message" }], { throws: true });
export const checkedAll = (ctx: Query) =>
  rateLimiter.checkAll(ctx, [{ name: "message" }]);
export const reset = (ctx: Ctx) => rateLimiter.reset(ctx, "message");
export const value = (ctx: Query) => rateLimiter.getValue(ctx, "message");
export const leases = (ctx: Query) => rateLimiter.getValue(ctx, "render");
export const inlineValue = (ctx: Query) =>
  unnamed.getValue(ctx, "other", { config });
export const credit = (ctx: Ctx) => rateLimiter.credit(ctx, "message");
export const charge = (ctx: Ctx) => rateLimiter.charge(ctx, "message");
export const held = (ctx: Ctx) =>
  rateLimiter.hold(ctx, "message", { throws: true });
export const lease = (ctx: Ctx) => rateLimiter.hold(ctx, "render");
export const heldAll = (ctx: Ctx) =>
  rateLimiter.holdAll(ctx, [{ name: "message" }, { name: "render" }]);
export const settled = (ctx: Ctx) =>
  rateLimiter.settle(ctx, "id", { count: 1 });
export const settledAll = (ctx: Ctx) =>
  rateLimiter.settleAll(ctx, [{ id: "id" }]);
export const released = (ctx: Ctx) => rateLimiter.release(ctx, "id");
export const renewed = (ctx: Ctx) => rateLimiter.renew(ctx, "id");
export const whileHeld = (ctx: Action) =>
  rateLimiter.whileHolding(ctx, "render", {}, ({ id }) => id);
export const whileAllHeld = (ctx: Action) =>
  rateLimiter.whileHoldingAll(
    ctx,
    [{ name: "render" }, { name: "message" }],
    ({ ids }) => ids,
  );
export const scheduled = (ctx: Ctx) =>
  rateLimiter.schedule(ctx, "message", { fn: job, args: { text: "" } });
export const cancelled = (ctx: Ctx) => rateLimiter.cancelScheduled(ctx, jobId);
export const overridden = (ctx: Ctx) =>
  rateLimiter.setOverride(ctx, "message", { deny: true });
export const credited = (ctx: Ctx) =>
  rateLimiter.setOverride(ctx, "message", {
    key: "k",
    config: { rate: 5 },
    credit: true,
  });
export const penalized = (ctx: Ctx) =>
  rateLimiter.penalize(ctx, "message", { key: "k", bans: [1], forgetAfter: 1 });
export const cleared = (ctx: Ctx) => rateLimiter.clearOverride(ctx, "message");
const paginationOpts = { numItems: 10, cursor: null };
export const overrides = (ctx: Query) =>
  rateLimiter.listOverrides(ctx, { paginationOpts });
export const list = (ctx: Query) => rateLimiter.list(ctx, { paginationOpts });
export const forgotten = (ctx: Ctx) => rateLimiter.forget(ctx, "k");
export const isForgetting = (ctx: Query) => rateLimiter.isForgetting(ctx, "k");
export const stats = (ctx: Query) =>
  rateLimiter.stats(ctx, "message", { from: 0, to: 1, by: "hour" });
export const topDenied = (ctx: Query) =>
  rateLimiter.topDenied(ctx, "message", { from: 0, to: 1 });

// The methods themselves, as types.
export const bound = rateLimiter.limit.bind(rateLimiter);
export const {
  limit,
  check,
  limitAll,
  checkAll,
  reset: resetIt,
  getValue,
  credit: creditIt,
  charge: chargeIt,
  hold,
  holdAll,
  settle,
  settleAll,
  release,
  renew,
  whileHolding,
  whileHoldingAll,
  schedule,
  cancelScheduled,
  setOverride,
  penalize,
  clearOverride,
  listOverrides,
  list: listIt,
  forget,
  stats: statsIt,
  topDenied: topDeniedIt,
  hookAPI,
  isForgetting: isForgettingIt,
} = rateLimiter;
export const unnamedLimit = unnamed.limit;
export const unnamedReset = unnamed.reset;
export function wrap(name: Parameters<typeof rateLimiter.limit>[1]) {
  return (
    ctx: Ctx,
    ...[options]: [Parameters<typeof rateLimiter.limit>[2]?]
  ) => ({ ctx, name, options });
}
export class Service {
  limiter = rateLimiter;
  limit = (ctx: Ctx) => this.limiter.limit(ctx, "message", { upTo: true });
  whileHolding = this.limiter.whileHolding;
}

// The functions.
export const { getRateLimit, getServerTime } = rateLimiter.hookAPI("message");
export const hooks = rateLimiter.hookAPI("user", { key: (_ctx: Query) => "k" });
export const leaseHooks = rateLimiter.hookAPI("render");
export const planHooks = unnamed.hookAPI("plan", {
  key: () => "k",
  config: () => config,
});
export const guard = rateLimited(rateLimiter, "message");
export const keyedGuard = rateLimited(rateLimiter, "user", {
  key: (_ctx: Query) => "k",
});
export const http = limitHttp(
  rateLimiter,
  "message",
  {},
  async () => new Response(),
);
export const router = httpRouter();
export const dashboard = registerDashboard(router, rateLimiter, {
  secret: "s",
});
export const storage = (ctx: Ctx) =>
  rateLimitStorage(ctx, rateLimiter, { name: "message" });
export const functions = {
  calculateRateLimit,
  ipKey,
  isExceedsCapacityError,
  isRateLimitError,
  isWriteConflictError,
  limitHttp,
  RateLimiter,
  rateLimitHeaders,
  tooManyRequests,
  rateLimited,
  rateLimitStorage,
  registerDashboard,
  useBrowserTime,
  useRateLimit,
  useRetryCountdown,
};
export const projected = calculateRateLimit(null, config, 0);
export const caught = (error: unknown) =>
  isRateLimitError(error)
    ? error.data
    : isExceedsCapacityError(error)
      ? error
      : undefined;
export const useMessage = () =>
  useRateLimit(anyApi.a!.getRateLimit as never, {
    getServerTimeMutation: anyApi.a!.b as never,
  });
export const useStatus = () => useMessage().status;
export const useCheck = () => useMessage().check;
export const useConfig = () => useMessage().check(0)?.config;
export const shownConfig = async (ctx: Query, name: "message" | "render") =>
  (await rateLimiter.getValue(ctx, name)).config;
