import { act, cleanup, renderHook } from "@testing-library/react";
import { ConvexProvider, type ConvexReactClient } from "convex/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useNow } from "../../demo/page/clock.js";

/** A client that never connects, so that the browser's clock is used. */
const client = {
  connectionState: () => ({ isWebSocketConnected: false, connectionCount: 0 }),
  subscribeToConnectionState: () => () => {},
} as unknown as ConvexReactClient;

const wrapper = ({ children }: { children: ReactNode }) => (
  <ConvexProvider client={client}>{children}</ConvexProvider>
);

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(100_000);
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test("useNow goes on in steps up to its end, and then stops", () => {
  const { result } = renderHook(() => useNow(100, 100_250), { wrapper });
  const seen = [100, 100, 100, 10_000].map((ms) => {
    act(() => {
      vi.advanceTimersByTime(ms);
    });
    return result.current;
  });
  expect(seen).toEqual([100_100, 100_200, 100_250, 100_250]);
  expect(vi.getTimerCount()).toBe(0);
});

test("useNow stays the same during a render, however long that takes", () => {
  let now = 100_000;
  vi.spyOn(Date, "now").mockImplementation(() => (now += 60));
  const failed = vi.spyOn(console, "error").mockReturnValue();
  renderHook(() => useNow(100), { wrapper });
  expect(failed).not.toHaveBeenCalled();
});
