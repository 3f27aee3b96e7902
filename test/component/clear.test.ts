import { HOUR, MINUTE } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import { hotRow, RULE, storeHotRows, TREE } from "../support/splitting.js";
import { bucket, startApp, type App } from "../support/startApp.js";
import {
  components,
  freezeClock,
  MIDNIGHT,
  scheduledJobs,
  storedRows,
  useNoHousekeeping,
  useStillClock,
} from "../support/host.js";

// The rows below row 0 are numbered from 1.

useStillClock();
useNoHousekeeping();

const hourly = { ...bucket(10), period: HOUR };
const start = (options?: Parameters<typeof startApp>[1]) =>
  startApp(
    {
      rows: hourly,
      held: { kind: "concurrency", capacity: 3, lease: HOUR },
    },
    options,
  );

const { clearAll } = components.rateLimiter.lib;

const keys = Array.from({ length: 110 }, (_, i) => `key ${i}`);

/** Uses up the limit for each key, one call a ms. */
async function useUp({ limit }: App): Promise<void> {
  for (const key of keys) {
    vi.setSystemTime(Date.now() + 1);
    await limit("rows", { key, count: 10 });
  }
}

const startClear = ({ mutate }: App, before?: number) =>
  mutate((ctx) => ctx.runMutation(clearAll, { before }));
const finish = ({ t }: App) =>
  t.finishAllScheduledFunctions(vi.runOnlyPendingTimers, 20);

async function clear(app: App, before?: number): Promise<void> {
  vi.useFakeTimers({ now: Date.now() });
  await startClear(app, before);
  await finish(app);
  freezeClock(Date.now());
}

const holdAll = ({ mutate, limiter }: App, of: readonly string[]) =>
  mutate(async (ctx) => {
    for (const key of of) {
      const { ok } = await limiter.hold(ctx, "held", { key, count: 3 });
      expect(ok).toBe(true);
    }
  });

test("clearAll clears rows that its own mutation stored", async () => {
  const { t, mutate, limiter } = start();
  await mutate(async (ctx) => {
    await limiter.limit(ctx, "rows", { key: "a" });
    await limiter.limit(ctx, "rows", { key: "b" });
    await ctx.runMutation(clearAll, {});
  });
  expect(await storedRows(t)).toEqual([]);
});

test("clearAll keeps what is from after the time up to which it clears, also over several transactions", async () => {
  const app = start();
  await useUp(app);
  const id = await app.held("held");
  await clear(app, MIDNIGHT + 105);
  const left = (await storedRows(app.t)).map(({ key }) => key);
  expect(left.toSorted()).toEqual(keys.slice(105).toSorted());
  expect(await app.renew(id)).toEqual({ renewed: true });
});

test("clearAll schedules nothing when nothing is left to clear", async () => {
  const app = start();
  await app.limit("rows", { key: "a" });
  vi.useFakeTimers({ now: Date.now() + MINUTE });
  await startClear(app, MIDNIGHT);
  expect(await scheduledJobs(app.t)).toEqual([]);
});

test("clearAll ends leases and other holds", async () => {
  const app = start();
  const id = await app.held("rows", { count: 4 });
  await holdAll(app, keys);
  await clear(app);
  await holdAll(app, [keys[0]!, keys[109]!]);
  expect(await app.release(id)).toEqual({ settled: false });
});

test.each([[["row", "lease"]], [["lease", "row"]]] as const)(
  "clearAll clears what a clock ahead has stored: %j",
  async (kinds) => {
    const app = start();
    vi.setSystemTime(MIDNIGHT + HOUR);
    for (const kind of kinds) {
      if (kind === "lease") await holdAll(app, ["a"]);
      else await app.limit("rows", { key: "a", count: 10 });
    }
    vi.setSystemTime(MIDNIGHT);
    await clear(app);
    expect(await storedRows(app.t)).toEqual([]);
    await holdAll(app, ["a"]);
  },
);

test.each([
  ["rows younger than row 0, if row 0 is old enough", TREE.slice(0, 2)],
  ["a row older than row 0, and only once", [hotRow(2, 3), ...TREE]],
  [
    "all 123 rows of a key in one transaction",
    [
      hotRow(0, 80, { into: 2, rule: RULE }),
      hotRow(1, 40, { into: 60 }),
      hotRow(2, 40, { into: 60 }),
      ...Array.from({ length: 120 }, (_, i) => hotRow(1 + i, 1)),
    ],
  ],
])("clearAll deletes %s", async (_claim, rows) => {
  const app = start();
  await storeHotRows(app.t, rows);
  const stored = await storedRows(app.t);
  const root = stored.find(({ shard }) => shard === 0)!;
  await startClear(app, root._creationTime + 0.0001);
  expect(await storedRows(app.t)).toEqual([]);
});
