import { afterEach, expect, test, vi } from "vitest";
import { useStillClock } from "../support/host.js";
import { ask, rateLimiter, SECRET, startDashboard } from "./dashboard.js";

useStillClock();
afterEach(() => {
  vi.restoreAllMocks();
});

const ADA = "https://clerk.example.com|user_2abcdefghijklmnopqrstuvwxyz";
const named: Record<string, string> = { [ADA]: "Ada", empty: "" };

/** A dashboard on which two keys were limited, and how often names were asked for. */
async function start() {
  const keyName = vi.fn((_ctx: unknown, key: string) => {
    if (key === "broken") throw new Error("There is no such user.");
    return named[key];
  });
  const t = startDashboard({ secret: SECRET, keyName });
  for (const key of [ADA, "empty", "broken", "nobody"]) {
    await t.mutation((ctx) => rateLimiter.limit(ctx, "message", { key }));
  }
  return { t, keyName };
}

const KEYS = { ask: "keys", limit: "message", order: "key", cursor: null };

test("each key of a list is told with the name that the app gives it", async () => {
  vi.spyOn(console, "error").mockReturnValue();
  const { t, keyName } = await start();
  expect(await ask(t, KEYS)).toMatchObject({ names: [[ADA, "Ada"]] });
  expect(keyName).toHaveBeenCalledTimes(4);
});

test("a name that fails is logged, and the rest is shown", async () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  const { t } = await start();
  const { keys } = await ask<{ keys: object[] }>(t, KEYS);
  expect(keys).toHaveLength(4);
  expect(logged).toHaveBeenCalledOnce();
});

test.each([
  { ask: "key", limit: "message", key: ADA },
  { ask: "find", key: ADA },
])("$ask tells the name of its key", async (asked) => {
  const { t } = await start();
  expect(await ask(t, asked)).toMatchObject({ names: [[ADA, "Ada"]] });
});

test("an action asks for no name, so that none can make it fail", async () => {
  const { t, keyName } = await start();
  await ask(t, { ask: "reset", limit: "message", key: "broken" });
  expect(keyName).not.toHaveBeenCalled();
});

test("without keyName, no answer has names", async () => {
  const t = startDashboard();
  expect(await ask(t, KEYS)).not.toHaveProperty("names");
});
