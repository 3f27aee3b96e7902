import { expectTypeOf, test } from "vitest";
import type { MutationCtx } from "../../src/client/types.js";
import { rateLimitHeaders, tooManyRequests } from "../../src/client/http.js";
import { MINUTE } from "../../src/core/periods.js";
import type { RateLimiter } from "../../src/client/RateLimiter.js";

declare const ctx: MutationCtx;
declare const rateLimiter: RateLimiter<{
  api: { kind: "token bucket"; rate: 100; period: typeof MINUTE };
}>;
const options = { name: "api", config: { rate: 100, period: MINUTE } };

test("the headers need the details", async () => {
  const bare = await rateLimiter.limit(ctx, "api");
  // @ts-expect-error Only `details: true` tells the balance.
  rateLimitHeaders(bare, options);
  const status = await rateLimiter.limit(ctx, "api", { details: true });
  const headers = rateLimitHeaders(status, options);
  expectTypeOf(headers).toExtend<HeadersInit>();
  const all = await rateLimiter.limitAll(ctx, [{ name: "api" }], {
    details: true,
  });
  rateLimitHeaders(all, options);
  const checked = await rateLimiter.check(ctx, "api", { details: true });
  rateLimitHeaders(checked, options);
});

test("only a denial becomes a 429", async () => {
  const status = await rateLimiter.limit(ctx, "api", { details: true });
  // @ts-expect-error It may have been granted.
  tooManyRequests(status, options);
  if (status.ok) return;
  tooManyRequests(status, options);
  // @ts-expect-error The headers need a name.
  tooManyRequests(status);
});
