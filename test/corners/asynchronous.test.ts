import { expect, test } from "vitest";
import { useStillClock } from "../host.js";
import { balanceOf, startApp } from "./app.js";

useStillClock();

const key = "k";

test.each(["transactionally", "asynchronously"] as const)(
  "while an override lowers the capacity, what was taken in the mutation of a reset is remembered: %s",
  async (applyUpdates) => {
    const app = startApp({
      message: {
        kind: "token bucket",
        rate: 1,
        period: 4000,
        overrides: true,
        applyUpdates,
      },
    });
    const { limiter } = app;
    await app.mutate(async (ctx) => {
      await limiter.reset(ctx, "message", { key });
      await limiter.limit(ctx, "message", { key });
      await limiter.setOverride(ctx, "message", {
        key,
        config: { capacity: 0 },
        expiresAt: Date.now() + 1000,
      });
    });
    expect(await app.limit("message", { key })).toEqual({
      ok: false,
      retryAfter: 4000,
    });
    expect(await balanceOf(app, "message", { key })).toBe(0);
  },
);
