import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  components,
  freezeClock,
  MIDNIGHT,
  startHost,
} from "../../test/host.js";

beforeEach(() => freezeClock(MIDNIGHT));
afterEach(() => void vi.useRealTimers());

const limiter = new RateLimiter(components.rateLimiter, {
  message: { kind: "token bucket", rate: 3, period: HOUR, stats: true },
});

test("granted and denied", async () => {
  const t = startHost();
  for (let i = 0; i < 5; i++)
    await t.mutation((ctx) => limiter.limit(ctx, "message", { key: "a" }));
  expect(
    await t.query((ctx) =>
      limiter.stats(ctx, "message", {
        from: MIDNIGHT,
        to: MIDNIGHT + MINUTE,
        by: "minute",
      }),
    ),
  ).toEqual([
    { from: MIDNIGHT, to: MIDNIGHT + MINUTE, granted: 3, denied: 2, tokens: 3 },
  ]);
  expect(
    await t.query((ctx) =>
      limiter.topDenied(ctx, "message", { from: MIDNIGHT, to: MIDNIGHT + 1 }),
    ),
  ).toEqual([{ key: "a", denied: 2 }]);
});
