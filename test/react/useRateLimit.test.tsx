import { act, render, renderHook } from "@testing-library/react";
import { ConvexProvider, ConvexReactClient } from "convex/react";
import { makeFunctionReference } from "convex/server";
import { StrictMode, version } from "react";
import { version as domVersion } from "react-dom";
import { hydrateRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { NOON, pass, Provider, server, useFakeServer } from "./harness.js";
import type { RateLimitConfig } from "../../src/core/config.js";
import {
  useRateLimit,
  type GetRateLimitValueQuery,
  type GetServerTimeMutation,
  type UseRateLimitOptions,
} from "../../src/react/index.js";

const SECOND = 1000;
const HOUR = 3_600_000;

useFakeServer();

/** A new reference at each access, as those of Convex's `api` are. */
const api = {
  get getRateLimit(): GetRateLimitValueQuery {
    return makeFunctionReference("limits:getRateLimit");
  },
  get getServerTime(): GetServerTimeMutation {
    return makeFunctionReference("limits:getServerTime");
  },
};

const bucket: RateLimitConfig = {
  kind: "token bucket",
  rate: 10,
  period: 60 * SECOND,
};

/** The balance of `value` tokens, as of the server's now. */
const balance = (value: number, config: RateLimitConfig = bucket) => ({
  value,
  ts: server.now(),
  shard: 0,
  config,
});

/** `renders` counts those after mounting, when Convex's `useQuery` renders twice. */
function mount(options: UseRateLimitOptions = {}) {
  let renders = 0;
  const hook = renderHook(
    (props: UseRateLimitOptions) => {
      renders += 1;
      return useRateLimit(api.getRateLimit, { ...props });
    },
    { wrapper: Provider, initialProps: options },
  );
  const mounting = renders;
  return { ...hook, renders: () => renders - mounting };
}

const mountSynced = (options: UseRateLimitOptions = {}) =>
  mount({ ...options, getServerTimeMutation: api.getServerTime });

test("these tests run on the intended version of React", () => {
  expect(version.split(".")[0]).toBe(process.env["REACT_MAJOR"]);
  expect(domVersion).toBe(version);
});

test("status, remaining and the result of check are undefined while loading", () => {
  const { result } = mount();
  const { check, ...rest } = result.current;
  expect(rest).toEqual({ status: undefined, remaining: undefined });
  expect(check()).toBeUndefined();
});

test("a denied request is granted at retryAt, by one timer and one render", async () => {
  server.answer(balance(0));
  const { result, renders } = mount();
  const retryAt = NOON + 6 * SECOND;
  expect(result.current.status).toEqual({ ok: false, retryAt });
  expect(vi.getTimerCount()).toBe(1);
  await pass(6 * SECOND - 1);
  expect(result.current.status?.ok).toBe(false);
  expect(renders()).toBe(0);
  await pass(1);
  expect(result.current.status).toEqual({ ok: true, retryAt: undefined });
  expect(renders()).toBe(1);
});

test("a request is granted when the server would, off by half of what the two ways differ", async () => {
  Object.assign(server, { ahead: HOUR, up: 300, down: 100 });
  server.answer(balance(0));
  const { result } = mountSynced();
  await pass(400);
  const retryAt = NOON + 6 * SECOND - 100;
  expect(result.current.status).toEqual({ ok: false, retryAt });
  expect(result.current.check()).toMatchObject({
    value: expect.closeTo(500 / 6000, 6) as number,
    ts: NOON + 400,
  });
  await pass(retryAt - 1 - Date.now());
  expect(result.current.status?.ok).toBe(false);
  await pass(1);
  expect(result.current.status?.ok).toBe(true);
});

test.each([
  {
    ahead: HOUR,
    status: { ok: false, retryAt: NOON + HOUR + 6 * SECOND },
  },
  { ahead: -HOUR, status: { ok: true, retryAt: undefined } },
])(
  "without getServerTimeMutation, a page is off by the $ahead ms of the server",
  ({ ahead, status }) => {
    server.ahead = ahead;
    server.answer(balance(0));
    expect(mount().result.current.status).toEqual(status);
  },
);

test("a page that wakes shows what has changed, and measures the time again", async () => {
  server.answer(balance(0));
  const { result } = mountSynced();
  await pass(0);
  vi.setSystemTime(Date.now() + 2 * HOUR);
  server.ahead = 5 * SECOND;
  expect(result.current.status?.ok).toBe(false);
  await act(
    async () => void document.dispatchEvent(new Event("visibilitychange")),
  );
  expect(result.current.status?.ok).toBe(true);
  expect(server.asked).toBe(2);
});

test.each([30 * SECOND, -HOUR])(
  "after the clock is set by %d ms beside a full limit, the next answer is shown by the server's time",
  async (ms) => {
    server.answer(balance(10));
    const { result } = mountSynced();
    await pass(0);
    vi.setSystemTime(Date.now() + ms);
    server.ahead -= ms;
    await pass(SECOND);
    expect(server.asked).toBe(1);
    await act(async () => server.answer(balance(0)));
    const retryAt = Date.now() + 6 * SECOND;
    expect(result.current.status).toEqual({ ok: false, retryAt });
    expect(result.current.remaining).toBe(0);
    expect(server.asked).toBe(2);
  },
);

test("a render by the parent changes no identity, and measures nothing", async () => {
  server.answer(balance(0));
  const { result, rerender } = mountSynced({ count: 2 });
  await pass(0);
  const before = result.current;
  rerender({ count: 2, getServerTimeMutation: api.getServerTime });
  expect(result.current).toBe(before);
  expect(server.asked).toBe(1);
  expect(vi.getTimerCount()).toBe(1);
});

test("another count gives another status, with the same check", () => {
  server.answer(balance(2));
  const { result, rerender } = mount();
  const { check } = result.current;
  expect(result.current.status?.ok).toBe(true);
  rerender({ count: 5 });
  expect(result.current.status?.retryAt).toBe(NOON + 18 * SECOND);
  expect(result.current.check).toBe(check);
  rerender({ count: 11 });
  expect(result.current.status).toEqual({ ok: false, retryAt: Infinity });
  rerender({ count: 0 });
  expect(result.current.status?.ok).toBe(true);
});

test("another key is loaded anew", async () => {
  server.answer(balance(0), { key: "a" });
  const { result, rerender } = mount({ key: "a" });
  expect(result.current.status?.ok).toBe(false);
  rerender({ key: "b" });
  expect(result.current.status).toBeUndefined();
  expect(vi.getTimerCount()).toBe(0);
  await act(async () => server.answer(balance(7), { key: "b" }));
  expect(result.current).toMatchObject({ status: { ok: true }, remaining: 7 });
});

test("name, key, sampleShards and config are sent, count is not", () => {
  const args = { config: bucket, key: "k", name: "n", sampleShards: 2 };
  const { name, key, sampleShards, config } = args;
  server.answer(balance(3), { name, key, sampleShards, config });
  const { result } = mount({ ...args, count: 2 });
  expect(result.current.remaining).toBe(3);
});

test("remaining is live: a render for each whole token, until the limit is full", async () => {
  server.answer(balance(7.5));
  const { result, renders } = mount();
  const seen: unknown[] = [];
  for (let second = 0; second < 60; second += 3) {
    seen.push(result.current.remaining);
    await pass(3 * SECOND);
  }
  expect(seen.slice(0, 7)).toEqual([7, 8, 8, 9, 9, 10, 10]);
  expect(renders()).toBe(3);
  expect(vi.getTimerCount()).toBe(0);
});

test("components share one measurement of the server's clock", async () => {
  server.answer(balance(0));
  const hooks = [mountSynced(), mountSynced(), mountSynced()];
  await pass(0);
  expect(server.asked).toBe(1);
  hooks[0]!.unmount();
  await act(async () => server.reconnect());
  expect(server.asked).toBe(2);
});

test("in StrictMode there is one timer and one measurement, and nothing is left behind", async () => {
  server.answer(balance(0));
  const { result, unmount } = renderHook(
    () =>
      useRateLimit(api.getRateLimit, {
        getServerTimeMutation: api.getServerTime,
      }),
    {
      wrapper: ({ children }) => (
        <StrictMode>
          <Provider>{children}</Provider>
        </StrictMode>
      ),
    },
  );
  await pass(0);
  expect(vi.getTimerCount()).toBe(1);
  expect(server.asked).toBe(1);
  await pass(6 * SECOND);
  expect(result.current.status?.ok).toBe(true);
  unmount();
});

function Shown() {
  const { status, remaining } = useRateLimit(api.getRateLimit, {
    getServerTimeMutation: api.getServerTime,
  });
  if (status === undefined) return <p>loading</p>;
  return <p>{status.ok ? `${remaining} left` : "wait"}</p>;
}

test("useRateLimit renders as loading on the server, and connects to nothing", () => {
  const connect = vi.fn();
  const client = new ConvexReactClient("https://happy-otter-123.convex.cloud", {
    webSocketConstructor: connect as unknown as typeof WebSocket,
  });
  const html = renderToString(
    <ConvexProvider client={client}>
      <Shown />
    </ConvexProvider>,
  );
  expect(html).toBe("<p>loading</p>");
  expect(connect).not.toHaveBeenCalled();
});

test("a page that has the answer already hydrates without a mismatch", async () => {
  const errors = vi.spyOn(console, "error").mockImplementation(() => {});
  const page = (
    <Provider>
      <Shown />
    </Provider>
  );
  const container = document.createElement("div");
  container.innerHTML = renderToString(page);
  expect(container.innerHTML).toBe("<p>loading</p>");
  server.answer(balance(4));
  const onRecoverableError = vi.fn();
  const root = await act(async () =>
    hydrateRoot(container, page, { onRecoverableError }),
  );
  expect(container.innerHTML).toBe("<p>4 left</p>");
  expect(onRecoverableError).not.toHaveBeenCalled();
  expect(errors).not.toHaveBeenCalled();
  act(() => root.unmount());
});

test("an error of the query is thrown by the hook", () => {
  vi.spyOn(console, "error").mockImplementation(() => {});
  vi.spyOn(server, "watchQuery").mockReturnValue({
    onUpdate: () => () => {},
    localQueryResult: () => {
      throw new Error("not signed in");
    },
    journal: () => undefined,
  });
  expect(() =>
    render(
      <Provider>
        <Shown />
      </Provider>,
    ),
  ).toThrow("not signed in");
});
