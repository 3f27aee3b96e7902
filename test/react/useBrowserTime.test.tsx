import { renderHook } from "@testing-library/react";
import { makeFunctionReference } from "convex/server";
import { renderToString } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { NOON, pass, Provider, server, useFakeServer } from "./harness.js";
import {
  useBrowserTime,
  useRetryCountdown,
  type GetServerTimeMutation,
} from "../../src/react/index.js";

const HOUR = 3_600_000;

useFakeServer();

const getServerTimeMutation: GetServerTimeMutation =
  makeFunctionReference("mail:getServerTime");

/** The seconds until a time that the server has stored. */
function useSeconds(dueAt: number): number {
  const retryAt = useBrowserTime(dueAt, { getServerTimeMutation });
  return useRetryCountdown({ ok: false, retryAt });
}

test.each([0, HOUR, -HOUR])(
  "the countdown to a time of a server that is %d ms ahead goes by its clock",
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

test("useBrowserTime leaves the time as it is when rendered on the server", () => {
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
