import { act, renderHook } from "@testing-library/react";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { NOON, useFakeServer } from "./harness.js";
import {
  useRetryCountdown,
  type RateLimitStatus,
} from "../../src/react/index.js";

const HOUR = 3_600_000;
const OK: RateLimitStatus = { ok: true, retryAt: undefined };

useFakeServer();

const deniedFor = (ms: number): RateLimitStatus => ({
  ok: false,
  retryAt: NOON + ms,
});

function mount(initial: RateLimitStatus | undefined) {
  let renders = 0;
  const hook = renderHook(
    ({ status }) => {
      renders += 1;
      return useRetryCountdown(status);
    },
    { initialProps: { status: initial } },
  );
  return { ...hook, renders: () => renders };
}

const pass = (ms: number) => act(() => void vi.advanceTimersByTime(ms));

test.each([
  { name: "loading", status: undefined, seconds: 0 },
  { name: "granted", status: OK, seconds: 0 },
  { name: "denied for 1 ms", status: deniedFor(1), seconds: 1 },
  { name: "denied for 1,000 ms", status: deniedFor(1000), seconds: 1 },
  { name: "denied for 1,001 ms", status: deniedFor(1001), seconds: 2 },
  {
    name: "denied for 30 days",
    status: deniedFor(720 * HOUR),
    seconds: 2_592_000,
  },
  { name: "denied until now", status: deniedFor(0), seconds: 0 },
  { name: "denied until an hour ago", status: deniedFor(-HOUR), seconds: 0 },
  { name: "denied for ever", status: deniedFor(Infinity), seconds: Infinity },
])("useRetryCountdown is $seconds if $name", ({ status, seconds }) => {
  const { result } = mount(status);
  expect(result.current).toBe(seconds);
  expect(vi.getTimerCount()).toBe(
    Number.isFinite(seconds) && seconds > 0 ? 1 : 0,
  );
});

test("useRetryCountdown is in step with retryAt, with one render a second", () => {
  const { result, renders } = mount(deniedFor(2500));
  const seen = [0, 499, 1, 999, 1, 999, 1, 500].map((ms) => {
    pass(ms);
    return result.current;
  });
  expect(seen).toEqual([3, 3, 2, 2, 1, 1, 0, 0]);
  expect(renders()).toBe(4);
});

test("another status starts another countdown, or ends it if it is granted", () => {
  const { result, rerender } = mount(deniedFor(2500));
  rerender({ status: deniedFor(9500) });
  expect(result.current).toBe(10);
  expect(vi.getTimerCount()).toBe(1);
  rerender({ status: OK });
  expect(result.current).toBe(0);
  expect(vi.getTimerCount()).toBe(0);
});

test("useRetryCountdown renders 0 on the server", () => {
  const Seconds = () => <p>{useRetryCountdown(deniedFor(5000))}</p>;
  expect(renderToString(<Seconds />)).toBe("<p>0</p>");
});
