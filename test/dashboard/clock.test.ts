import { HOUR, MINUTE, SECOND } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock } from "../support/host.js";

useStillClock();

/** A page that has just been loaded, and a server whose clock does not step. */
async function startPage() {
  vi.resetModules();
  const { askServer, serverNow } =
    await import("../../dashboard/page/server.js");
  let server = MIDNIGHT;
  const pass = (ms: number) => {
    server += ms;
    vi.setSystemTime(Date.now() + ms);
  };
  /** Asks, and gets an answer after `took` ms, half of them on the way back. */
  const ask = async (took: number) => {
    vi.stubGlobal("location", { pathname: "/rate-limits" });
    vi.stubGlobal("fetch", async () => {
      pass(took / 2);
      const body = JSON.stringify({ now: server });
      pass(took / 2);
      return new Response(body);
    });
    await askServer("", { ask: "limits" });
    vi.unstubAllGlobals();
  };
  const error = () => serverNow() - server;
  return { ask, pass, error };
}

test.each([HOUR, -HOUR, 3 * SECOND])(
  "after the operator's clock jumps by %d ms, the next answer corrects the time",
  async (jump) => {
    const { ask, pass, error } = await startPage();
    await ask(10);
    expect(error()).toBe(0);
    vi.setSystemTime(Date.now() + jump);
    await ask(200);
    expect(error()).toBe(0);
    pass(10 * MINUTE);
    await ask(2_000);
    expect(error()).toBe(0);
  },
);

test("a slower answer that fits changes nothing", async () => {
  const { ask, error } = await startPage();
  vi.setSystemTime(Date.now() + 400);
  await ask(100);
  expect(error()).toBe(0);
  vi.setSystemTime(Date.now() + 30);
  await ask(2_000);
  expect(error()).toBe(30);
  await ask(120);
  expect(error()).toBe(30);
  await ask(50);
  expect(error()).toBe(0);
});
