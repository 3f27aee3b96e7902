import {
  httpActionGeneric,
  type GenericActionCtx,
  type GenericDataModel,
} from "convex/server";
import { expectTypeOf, test } from "vitest";
import { limitHttp } from "../../src/client/limitHttp.js";
import type {
  ActionCtx,
  MutationCtx,
  SchedulingCtx,
} from "../../src/client/types.js";
import { rateLimitHeaders, tooManyRequests } from "../../src/client/http.js";
import { MINUTE } from "../../src/core/periods.js";
import { RateLimiter } from "../../src/client/RateLimiter.js";

declare const ctx: MutationCtx;
declare const action: ActionCtx;
declare const scheduling: SchedulingCtx;
declare const rateLimiter: RateLimiter<{
  api: { kind: "token bucket"; rate: 100; period: typeof MINUTE };
}>;
const options = { name: "api", config: { rate: 100, period: MINUTE } };

test("rateLimitHeaders needs an answer with details", async () => {
  const bare = await rateLimiter.limit(ctx, "api");
  // @ts-expect-error Only `details: true` tells the balance.
  rateLimitHeaders(bare, options);
  // @ts-expect-error The parameter's type does not ask for details.
  rateLimitHeaders(await rateLimiter.limit(ctx, "api"), options);
  const list = [{ name: "api" }] as const;
  // @ts-expect-error It does not for limitAll.
  rateLimitHeaders(await rateLimiter.limitAll(ctx, list), options);
  const status = await rateLimiter.limit(ctx, "api", { details: true });
  const headers = rateLimitHeaders(status, options);
  expectTypeOf(headers).toExtend<HeadersInit>();
  const details = { details: true } as const;
  rateLimitHeaders(await rateLimiter.limitAll(ctx, list, details), [options]);
});

test("tooManyRequests takes only a denial", async () => {
  const status = await rateLimiter.limit(ctx, "api", { details: true });
  // @ts-expect-error It may have been granted.
  tooManyRequests(status, options);
  if (status.ok) return;
  tooManyRequests(status, options);
  // @ts-expect-error The headers need a name.
  tooManyRequests(status);
});

test("tooManyRequests takes the denial of every call", async () => {
  const list = [{ name: "api" }] as const;
  const bare = await rateLimiter.limit(ctx, "api");
  if (!bare.ok) tooManyRequests(bare, options);
  const all = await rateLimiter.limitAll(ctx, list);
  if (!all.ok) tooManyRequests(all, options);
  const held = await rateLimiter.hold(ctx, "api");
  if (!held.ok) tooManyRequests(held, { name: "api" });
  const heldAll = await rateLimiter.holdAll(ctx, list);
  if (!heldAll.ok) tooManyRequests(heldAll, options);
  const work = await rateLimiter.whileHolding(action, "api", {}, () => 1);
  if (!work.ok) tooManyRequests(work, options);
  const job = await rateLimiter.schedule(scheduling, "api", {
    fn: rateLimiter.component.lib.clearAll,
    args: {},
  });
  if (!job.ok) tooManyRequests(job, options);
  // @ts-expect-error It may have been granted.
  tooManyRequests(held, options);
});

test("limitHttp gives its handler the app's ctx and a granted status", () => {
  const limiter = new RateLimiter(rateLimiter.component, {
    api: { kind: "token bucket", rate: 1, period: 1 },
  });
  httpActionGeneric(
    limitHttp(
      limiter,
      "api",
      { key: async ({ auth }) => (await auth.getUserIdentity())!.subject },
      async (ctx, _request, status) => {
        expectTypeOf(ctx).toEqualTypeOf<GenericActionCtx<GenericDataModel>>();
        expectTypeOf(status.ok).toEqualTypeOf<true>();
        expectTypeOf(status.remaining).toEqualTypeOf<number>();
        return new Response();
      },
    ),
  );
  const handler = async () => new Response();
  const config = { kind: "fixed window", rate: 1, period: 1 } as const;
  limitHttp(limiter, "other", { config }, handler);
  // @ts-expect-error clients see the limit's name
  limitHttp(limiter, "api", { name: "x" }, handler);
});
