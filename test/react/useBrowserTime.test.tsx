import { act, cleanup, renderHook } from "@testing-library/react";
import { ConvexProvider } from "convex/react";
import { makeFunctionReference } from "convex/server";
import type { ReactNode } from "react";
import { renderToString } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeClient } from "./fakeClient.js";
import {
  useBrowserTime,
  useRetryCountdown,
  type GetServerTimeMutation,
} from "../../src/react/index.js";

const NOON = 1_700_000_000_000;
const HOUR = 3_600_000;

const getServerTimeMutation: GetServerTimeMutation =
  makeFunctionReference("mail:getServerTime");

let server: FakeClient;

beforeEach(() => {
  vi.useFakeTimers({ now: NOON });
  server = new FakeClient();
});

afterEach(() => {
  cleanup();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

const Provider = ({ children }: { children: ReactNode }) => (
  <ConvexProvider client={server.client}>{children}</ConvexProvider>
);

/** The seconds until a time that the server has stored. */
function useSeconds(dueAt: number): number {
  const retryAt = useBrowserTime(dueAt, { getServerTimeMutation });
  return useRetryCountdown({ ok: false, retryAt });
}

const pass = (ms: number) =>
  act(async () => void (await vi.advanceTimersByTimeAsync(ms)));

test.each([0, HOUR, -HOUR])(
  "a time of a server that is %d ms ahead is counted down to as the server does",
  async (ahead) => {
    server.ahead = ahead;
    const dueAt = server.now() + 9000;
    const { result } = renderHook(() => useSeconds(dueAt), {
      wrapper: Provider,
    });
    await pass(0);
    expect(result.current).toBe(9);
    vi.setSystemTime(Date.now() + HOUR);
    server.ahead -= HOUR;
    await pass(1000);
    expect(result.current).toBe(8);
    await pass(8000);
    expect(result.current).toBe(0);
  },
);

test("on the server the time is as it was given", () => {
  const Time = () => <p>{useBrowserTime(NOON, { getServerTimeMutation })}</p>;
  server.ahead = HOUR;
  const html = renderToString(
    <Provider>
      <Time />
    </Provider>,
  );
  expect(html).toBe(`<p>${NOON}</p>`);
  expect(server.asked).toBe(0);
});
