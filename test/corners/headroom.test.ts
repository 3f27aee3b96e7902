import { expect, test } from "vitest";
import { useStillClock } from "../host.js";
import { balanceOf, startApp } from "./app.js";

useStillClock();

test.each([
  ["a ban", { deny: true } as const, 0],
  ["a capacity below it", { config: { capacity: 0.5 } }, 0.5],
])(
  "what getValue tells of a limit with headroom can be projected under %s",
  async (_, override, balance) => {
    const app = startApp({
      message: {
        kind: "token bucket",
        rate: 10,
        period: 1000,
        applyUpdates: "asynchronously",
        headroom: 1,
        overrides: true,
      },
    });
    const key = "k";
    await app.mutate((ctx) =>
      app.limiter.setOverride(ctx, "message", { key, ...override }),
    );
    expect(await balanceOf(app, "message", { key })).toBe(balance);
  },
);
