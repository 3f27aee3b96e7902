// @vitest-environment happy-dom
import { act, cleanup, renderHook } from "@testing-library/react";
import type { LimitConfig } from "convex-rate-limiter";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useBalance } from "../../demo/page/useBalance.js";

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(100_000);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

test.each<[LimitConfig, number[], renders: number]>([
  // A tenth every second.
  [{ kind: "token bucket", rate: 1, period: 10_000 }, [0.1, 0.5, 1, 1], 1 + 20],
  [
    { kind: "fixed window", rate: 1, period: 5000, capacity: 2 },
    [0, 1, 2, 2],
    1 + 2,
  ],
])(
  "a balance goes on as tokens arrive, and rests between and when it is full: %o",
  (config, expected, renders) => {
    const stored = { value: 0, ts: 100_000, config };
    const render = vi.fn(() => useBalance(stored));
    const { result } = renderHook(render);
    const seen = [1000, 4000, 5000, 60_000].map((ms) => {
      act(() => {
        vi.advanceTimersByTime(ms);
      });
      return Math.round(result.current * 100) / 100;
    });
    expect(seen).toEqual(expected);
    expect(vi.getTimerCount()).toBe(0);
    expect(render.mock.calls.length).toBeLessThanOrEqual(renders);
  },
);
