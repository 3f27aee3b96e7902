import { HOUR, MINUTE } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import { childShard } from "../../src/core/tree.js";
import { hotRow, RULE, storeHotRows, TREE } from "../support/splitting.js";
import {
  agreedBalance,
  bucket,
  startApp,
  type App,
} from "../support/startApp.js";
import {
  components,
  freezeClock,
  MIDNIGHT,
  scheduledJobs,
  stored,
  storedRows,
  useNoHousekeeping,
  useStillClock,
} from "../support/host.js";

useStillClock();
useNoHousekeeping();

const hourly = { ...bucket(10), period: HOUR };
const start = (options?: Parameters<typeof startApp>[1]) =>
  startApp(
    {
      rows: hourly,
      free: { ...hourly, applyUpdates: "asynchronously" },
      held: { kind: "concurrency", capacity: 3, lease: HOUR },
    },
    options,
  );

const { clearAll } = components.rateLimiter.lib;

const keys = Array.from({ length: 110 }, (_, i) => `key ${i}`);

/** Uses up a limit for each key, one call a ms. */
async function useUp({ limit }: App, name: "rows" | "free"): Promise<void> {
  for (const key of keys) {
    vi.setSystemTime(Date.now() + 1);
    await limit(name, { key, count: 10 });
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

/** The keys of `free` that are not full. */
async function usedUp({ check }: App): Promise<string[]> {
  const found: string[] = [];
  for (const key of keys) {
    const { ok } = await check("free", { key, count: 10 });
    if (!ok) found.push(key);
  }
  return found;
}

const holdAll = ({ mutate, limiter }: App, of: readonly string[]) =>
  mutate(async (ctx) => {
    for (const key of of) {
      const { ok } = await limiter.hold(ctx, "held", { key, count: 3 });
      expect(ok).toBe(true);
    }
  });

test.each([[["rows", "free"]], [["free", "rows"]]] as const)(
  "clearAll fills more keys than one transaction can, used in the order %j",
  async (names) => {
    const app = start();
    for (const name of names) await useUp(app, name);
    vi.setSystemTime(Date.now() + MINUTE);
    await clear(app);
    expect(await usedUp(app)).toEqual([]);
    expect(await storedRows(app.t)).toEqual([]);
  },
);

test("clearAll ends each transaction before it reads too many keys of debits", async () => {
  const app = start({ transactionLimits: { documentsRead: 190 } });
  await useUp(app, "free");
  await clear(app);
  expect(await usedUp(app)).toEqual([]);
});

test("clearAll keeps rows from after the time up to which it clears", async () => {
  const app = start();
  await app.limit("rows", { key: "a" });
  vi.setSystemTime(MIDNIGHT + MINUTE);
  await app.limit("rows", { key: "later" });
  await clear(app, MIDNIGHT + 1);
  expect(await storedRows(app.t)).toMatchObject([{ key: "later" }]);
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

test("clearAll keeps debits from after the time up to which it clears", async () => {
  const app = start();
  const [first, second, third] = keys;
  const take = (key: string | undefined, count = 10) =>
    app.limit("free", { key, count });
  await take(first);
  await take(second, 4);
  vi.setSystemTime(MIDNIGHT + MINUTE);
  // The newest debit of the second key is from after that time.
  await take(second, 6);
  await take(third);
  await clear(app, MIDNIGHT + 1);
  expect(await usedUp(app)).toEqual([second, third]);
});

test("clearAll keeps debits from after the time up to which it clears, also over several transactions", async () => {
  const app = start();
  await useUp(app, "free");
  // The keys from 90 to 99 come last, in a transaction of their own.
  await clear(app, MIDNIGHT + 96);
  expect(await usedUp(app)).toEqual(keys.slice(96));
  expect(await stored(app.t, "debits")).toHaveLength(keys.length + 96);
});

test("clearAll makes every key full, even those its own transaction used", async () => {
  const free = { ...hourly, applyUpdates: "asynchronously" } as const;
  const app = startApp({ free, other: { ...free, rate: 5 } });
  for (const key of ["a", "b"]) await app.charge("free", { key, count: 20 });
  await app.mutate(async (ctx) => {
    await app.limiter.limit(ctx, "free", { key: "a" });
    await app.limiter.limit(ctx, "other");
    await ctx.runMutation(clearAll, {});
  });
  for (const key of ["a", "b"]) {
    expect(await agreedBalance(app, "free", { key })).toBe(10);
  }
  expect(await agreedBalance(app, "other")).toBe(5);
  // Its own debits become resets; after those of others it adds one.
  const records = await stored(app.t, "debits");
  expect(records.map(({ count }) => count)).toEqual([20, 20, 0, 0, 0]);
});

test("clearing an asynchronous key adds one reset, which has seen the newest debit", async () => {
  const app = start();
  for (let i = 0; i < 3; i++) await app.limit("free", { key: "a" });
  const fullAt = MIDNIGHT + MINUTE;
  vi.setSystemTime(fullAt);
  await clear(app);
  const debits = await stored(app.t, "debits");
  expect(debits).toHaveLength(4);
  const { at: seen } = debits[2]!;
  expect(debits[3]).toMatchObject({ reset: true, count: 0, seen, fullAt });
});

test("clearAll schedules nothing when nothing is left to clear", async () => {
  const app = start();
  await app.limit("free", { key: "a" });
  vi.useFakeTimers({ now: Date.now() + MINUTE });
  await startClear(app, MIDNIGHT);
  expect(await scheduledJobs(app.t)).toEqual([]);
});

test("clearAll fills an asynchronous key that is used while it runs", async () => {
  const app = start();
  await useUp(app, "free");
  vi.useFakeTimers({ now: Date.now() + MINUTE });
  await startClear(app);
  // Before the second hundred is cleared.
  const key = keys.toSorted().at(-1)!;
  await app.charge("free", { key, count: 0.5 });
  await finish(app);
  expect(await app.getValue("free", { key })).toMatchObject({ value: 10 });
});

test("clearAll ends leases and keeps other holds", async () => {
  const app = start();
  const id = await app.held("rows", { count: 4 });
  await holdAll(app, keys);
  await clear(app);
  await holdAll(app, [keys[0]!, keys[109]!]);
  expect(await app.release(id)).toEqual({ settled: true });
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
      ...Array.from({ length: 120 }, (_, i) =>
        hotRow(childShard(1 + (i % 2), i >> 1), 1),
      ),
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

test("clearAll continues in another transaction if one cannot delete the rows of all keys", async () => {
  const app = start({ transactionLimits: { documentsWritten: 150 } });
  const names = ["a", "b", "c"];
  const storeOfEach = (one: ReturnType<typeof hotRow>) =>
    storeHotRows(
      app.t,
      names.map((name) => ({ ...one, name })),
    );
  await storeOfEach(hotRow(0, 80, { into: 60, rule: RULE }));
  for (let i = 0; i < 60; i++) await storeOfEach(hotRow(childShard(0, i), 1));
  vi.setSystemTime(MIDNIGHT + HOUR);
  await startClear(app);
  await finish(app);
  expect(await storedRows(app.t)).toEqual([]);
});
