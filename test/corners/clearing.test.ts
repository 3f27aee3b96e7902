import { HOUR, MINUTE } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import {
  components,
  freezeClock,
  MIDNIGHT,
  storedRows,
  useStillClock,
} from "../host.js";
import { bucket, startApp, type App } from "./app.js";

useStillClock();

const start = () =>
  startApp({
    api: { ...bucket(10), period: HOUR },
    split: { ...bucket(40, 4), period: HOUR },
  });

const { clearAll } = components.rateLimiter.lib;

async function take({ limit }: App, keys: number): Promise<void> {
  for (let i = 0; i < keys; i++) await limit("api", { key: `key ${i}` });
}

/** The keys that have rows after `clearAll`, and what it schedules. */
async function keysLeft({ t, mutate }: App, before?: number) {
  const now = Date.now();
  vi.useFakeTimers({ now });
  await mutate((ctx) => ctx.runMutation(clearAll, { before }));
  await t.finishAllScheduledFunctions(vi.runOnlyPendingTimers);
  freezeClock(now);
  return (await storedRows(t)).map(({ key }) => key);
}

test.each<[string, (app: App) => Promise<unknown>]>([
  ["101 keys that were taken in this very ms", (app) => take(app, 101)],
  [
    "each row of a split limit, beside another limit",
    async (app) => {
      await app.limit("split", { count: 40 });
      await app.limit("api");
      await app.charge("split", { key: "k", count: 100 });
    },
  ],
])("clearAll clears %s", async (_, use) => {
  const app = start();
  await use(app);
  expect(await keysLeft(app)).toEqual([]);
});

test("up to a time: rows that were created later stay", async () => {
  const app = start();
  await take(app, 3);
  vi.setSystemTime(MIDNIGHT + MINUTE);
  await app.limit("api", { key: "later" });
  expect(await keysLeft(app, MIDNIGHT + 1)).toEqual(["later"]);
});

test("it clears what its own mutation took", async () => {
  const { t, mutate, limiter } = start();
  await mutate(async (ctx) => {
    await limiter.limit(ctx, "api", { key: "a" });
    await limiter.limit(ctx, "api", { key: "b" });
    await ctx.runMutation(clearAll, {});
  });
  expect(await storedRows(t)).toEqual([]);
});
