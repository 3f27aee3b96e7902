import type { LimitConfig } from "convex-rate-limiter";
import { expect, test } from "vitest";
import { shownBalanceAt } from "../../demo/page/useBalance.js";

test.each<[LimitConfig, Record<number, number>]>([
  // A tenth every second, in halves of that.
  [
    { kind: "token bucket", rate: 1, period: 10_000, capacity: 0.2 },
    { 0: 0, 500: 0.05, 1000: 0.1, 1500: 0.15, 2000: 0.2 },
  ],
  [
    { kind: "fixed window", rate: 1, period: 5000, capacity: 2 },
    { 0: 0, 5000: 1, 10_000: 2 },
  ],
])(
  "a balance changes when tokens arrive, and at no other time: %o",
  (config, expected) => {
    const stored = { value: 0, ts: 100_000, config };
    const seen: Record<number, number> = {};
    for (let now = stored.ts; now < Infinity;) {
      const { value, until } = shownBalanceAt(stored, now);
      seen[now - stored.ts] = Math.round(value * 100) / 100;
      now = until;
    }
    expect(seen).toEqual(expected);
  },
);
