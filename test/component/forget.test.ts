import {
  DAY,
  HOUR,
  MINUTE,
  RateLimiter,
  WEEK,
  type LimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import schema from "../../src/component/schema.js";
import type { TableNames } from "../../src/component/_generated/dataModel.js";
import {
  components,
  inComponent,
  MIDNIGHT,
  scheduledJobs,
  startHost,
  stored,
  useNoHousekeeping,
  useStillTimers,
  type Host,
  fold,
} from "../support/host.js";
import { deployed, startApp } from "../support/startApp.js";

useStillTimers();
useNoHousekeeping();

const hourly = {
  kind: "token bucket",
  rate: 4,
  period: HOUR,
  overrides: true,
  stats: true,
} as const;
const limits = {
  rows: hourly,
  split: { ...hourly, shards: 2 },
  trial: { ...hourly, enforce: false },
  places: { kind: "concurrency", capacity: 2, lease: HOUR, stats: true },
} as const satisfies Record<string, LimitConfig>;
const limiter = new RateLimiter(components.rateLimiter, limits, {
  advice: false,
});
const refilling = ["rows", "split", "trial"] as const;

/** All that an app may do with a key. */
async function use(t: Host, key: string): Promise<void> {
  const app = deployed(t, limits);
  for (const name of refilling) {
    for (let i = 0; i < 6; i++) await app.limit(name, { key });
    await app.hold(name, { key, count: 0 });
    const note = `for ${key}`;
    await app.setOverride(name, { key, config: { rate: 5 }, note });
  }
  await app.hold("places", { key });
  const config = { ...hourly, overrides: false };
  await app.limit("plan", { key, config });
}

/** The tables that hold a text. */
async function tablesWith(t: Host, text: string): Promise<TableNames[]> {
  const tables = Object.keys(schema.tables) as TableNames[];
  const found: TableNames[] = [];
  for (const table of tables) {
    const rows = JSON.stringify(await stored(t, table), (_, value: unknown) =>
      typeof value === "bigint" ? String(value) : value,
    );
    if (rows.includes(text)) found.push(table);
  }
  return found;
}

const finish = (t: Host) =>
  t.finishAllScheduledFunctions(vi.runOnlyPendingTimers, 500);
const forget = (t: Host, key: string, options?: { bans: boolean }) =>
  t.mutation((ctx) => limiter.forget(ctx, key, options));
const isForgetting = (t: Host, key: string) =>
  t.query((ctx) => limiter.isForgetting(ctx, key));
const stats = (t: Host, name: "rows" | "trial") =>
  t.query((ctx) =>
    limiter.stats(ctx, name, { from: MIDNIGHT, to: MIDNIGHT + 1, by: "hour" }),
  );
const topDenied = (t: Host) =>
  t.query((ctx) =>
    limiter.topDenied(ctx, "rows", { from: MIDNIGHT, to: MIDNIGHT + 1 }),
  );

const long = `${"ü".repeat(80)}@example.com`;

describe.each([
  ["an address", "ada@example.com"],
  ["a key that the stats of denied keys cut", long],
])("forgetting %s", (_, key) => {
  // What remains of the key where it is cut.
  const traces = key === long ? [key, `${"ü".repeat(60)}`] : [key];

  test("leaves nothing of it in any table, and other keys as they were", async () => {
    const t = startHost();
    await use(t, "bob");
    await use(t, key);
    await fold(t);
    const tables = ["rateLimits", "overrides", "holds", "deniedKeys"];
    expect(await tablesWith(t, traces.at(-1)!)).toEqual(tables);
    // Now there are also events that are not folded yet.
    await use(t, key);
    expect(await tablesWith(t, key)).toContain("events");

    expect(await forget(t, key)).toEqual({ isDone: true, bans: [] });
    for (const trace of traces) expect(await tablesWith(t, trace)).toEqual([]);
    await fold(t);
    for (const trace of traces) expect(await tablesWith(t, trace)).toEqual([]);
    expect(await tablesWith(t, "bob")).toEqual(tables);
    const asked = { key: "bob", count: 2 };
    expect((await deployed(t, limits).limit("rows", asked)).ok).toBe(false);
  });

  test.each(["folded", "unfolded"])(
    "keeps the %s sums of a limit",
    async (sums) => {
      const t = startHost();
      await use(t, "bob");
      await use(t, key);
      if (sums === "folded") await fold(t);
      const before = [await stats(t, "rows"), await stats(t, "trial")];
      expect((await topDenied(t)).map(({ denied }) => denied)).toEqual([2, 2]);
      await forget(t, key);
      expect([await stats(t, "rows"), await stats(t, "trial")]).toEqual(before);
      expect(await topDenied(t)).toEqual([{ key: "bob", denied: 2 }]);
    },
  );

  test("leaves what one transaction cannot delete to jobs without the key in their arguments", async () => {
    const t = startHost({ transactionLimits: { documentsRead: 160 } });
    const config = { ...hourly, overrides: false };
    for (let i = 0; i < 60; i++) {
      vi.setSystemTime(MIDNIGHT + i * MINUTE);
      await deployed(t, limits).limit(`plan ${i}`, { key, config });
    }
    await fold(t);
    await finish(t);
    await use(t, key);
    expect(await forget(t, key)).toEqual({ isDone: false, bans: [] });
    expect(await isForgetting(t, key)).toBe(true);
    expect(await isForgetting(t, "bob")).toBe(false);
    await finish(t);
    expect(await isForgetting(t, key)).toBe(false);
    for (const trace of traces) expect(await tablesWith(t, trace)).toEqual([]);
    const jobs = await scheduledJobs(t);
    expect(jobs.length).toBeGreaterThan(3);
    expect(JSON.stringify(jobs)).not.toContain(key);
    expect(await forget(t, "nobody")).toMatchObject({ isDone: true });
  });
});

test("forget searches more events and hours than one transaction reads", async () => {
  const t = startHost();
  const keyOf = (i: number) => (i % 700 === 699 ? "ada" : `k${i}`);
  const counts = { granted: 0, denied: 1, tokens: 0 };
  await inComponent(t, async ({ db }) => {
    for (let i = 0; i < 2100; i++) {
      const at = db.vars.commitTs;
      const event = { name: "rows", key: keyOf(i), at, time: MIDNIGHT };
      await db.insert("events", { ...event, ...counts });
      const denied = { key: keyOf(i), denied: 1 };
      const from = MIDNIGHT - i * HOUR;
      await db.insert("deniedKeys", { name: "rows", from, keys: [denied] });
    }
  });
  expect(await tablesWith(t, "ada")).toEqual(["events", "deniedKeys"]);
  expect(await forget(t, "ada")).toMatchObject({ isDone: true });
  expect(await tablesWith(t, "ada")).toEqual([]);
  const events = await stored(t, "events");
  expect(events.filter(({ key }) => key === undefined)).toHaveLength(3);
  expect(events).toHaveLength(2100);
});

describe("bans of a forgotten key", () => {
  const key = "ada";
  const ban = { key, deny: true, note: "spam" } as const;
  const start = async () => {
    const { t, setOverride, mutate } = startApp(limits);
    await setOverride("rows", { key, config: { rate: 9 } });
    await setOverride("rows", { ...ban, expiresAt: MIDNIGHT + HOUR });
    await setOverride("split", { ...ban, startsAt: MIDNIGHT + DAY });
    const penalty = { key, bans: [MINUTE], forgetAfter: WEEK, note: "flood" };
    await mutate((ctx) => limiter.penalize(ctx, "trial", penalty));
    await setOverride("trial", { ...ban, key: "bob" });
    await setOverride("trial", { deny: true });
    return t;
  };
  const of = { key, override: { deny: true }, note: "spam" };
  const rows = { ...of, name: "rows", expiresAt: MIDNIGHT + HOUR };
  const split = { ...of, name: "split", startsAt: MIDNIGHT + DAY };
  const trial = {
    ...{ ...of, name: "trial", note: "flood", bans: 1, startsAt: MIDNIGHT },
    expiresAt: MIDNIGHT + MINUTE,
    forgetAt: MIDNIGHT + MINUTE + WEEK,
  };

  test("stay and are returned if in force, to come or remembered by penalize", async () => {
    const t = await start();
    const { bans } = await forget(t, key);
    expect(new Set(bans)).toEqual(new Set([rows, split, trial]));
    expect(await stored(t, "overrides")).toHaveLength(5);
  });

  test("that have ended go, except those that penalize still counts", async () => {
    const t = await start();
    vi.setSystemTime(MIDNIGHT + HOUR);
    const { bans } = await forget(t, key);
    expect(bans.map(({ name }) => name).sort()).toEqual(["split", "trial"]);
    vi.setSystemTime(MIDNIGHT + MINUTE + WEEK);
    expect((await forget(t, key)).bans).toMatchObject([{ name: "split" }]);
  });

  const rate = { config: { rate: 9 }, note: "private" };
  const deny = { deny: true } as const;

  test.each([
    ["the one before it", rate, deny],
    ["the one after it", deny, rate],
  ])("stay without %s in the same row", async (_, present, coming) => {
    const { t, setOverride } = startApp(limits);
    const startsAt = MIDNIGHT + HOUR;
    await setOverride("rows", { key, ...present });
    await setOverride("rows", { key, ...coming, startsAt });
    const { bans } = await forget(t, key);
    expect(bans).toMatchObject([{ override: { deny: true } }]);
    const left = JSON.stringify(await stored(t, "overrides"));
    expect(left).not.toContain("private");
    vi.setSystemTime(startsAt);
    expect((await forget(t, key)).bans).toEqual(bans);
  });

  test("go with bans: true, except those of other keys and of the whole limit", async () => {
    const t = await start();
    expect(await forget(t, key, { bans: true })).toMatchObject({ bans: [] });
    const left = await stored(t, "overrides");
    expect(left.map((row) => row.key)).toEqual(["bob", undefined]);
  });

  test("go with a second call, while the first is not done", async () => {
    const t = await start();
    await t.mutation(async (ctx) => {
      await ctx.db.insert("notes", { text: "The account is deleted." });
      expect(await limiter.forget(ctx, key)).toMatchObject({ isDone: false });
    });
    const second = await forget(t, key, { bans: true });
    expect(second).toEqual({ isDone: false, bans: [] });
    expect(await scheduledJobs(t)).toHaveLength(1);
    await finish(t);
    expect(await tablesWith(t, key)).toEqual([]);
  });
});

test("a job forgets what the same mutation used before", async () => {
  const t = startHost();
  await t.mutation(async (ctx) => {
    for (let i = 0; i < 6; i++) {
      await limiter.limit(ctx, "rows", { key: "ada" });
      await limiter.limit(ctx, "trial", { key: "ada" });
    }
    const { isDone } = await limiter.forget(ctx, "ada");
    expect(isDone).toBe(false);
    expect(await limiter.isForgetting(ctx, "ada")).toBe(true);
  });
  await finish(t);
  expect(await isForgetting(t, "ada")).toBe(false);
  expect(await tablesWith(t, "ada")).toEqual([]);
});

test("the next call of forget starts a lost job again", async () => {
  const t = startHost();
  const key = "ada";
  await use(t, key);
  await t.mutation(async (ctx) => {
    await ctx.db.insert("notes", { text: "The account is deleted." });
    await limiter.forget(ctx, key);
  });
  await inComponent(t, async (ctx) => {
    const [job] = await ctx.db.system.query("_scheduled_functions").collect();
    await ctx.scheduler.cancel(job!._id);
  });
  await finish(t);
  expect(await isForgetting(t, key)).toBe(true);
  expect(await forget(t, key)).toMatchObject({ isDone: false });
  await finish(t);
  expect(await isForgetting(t, key)).toBe(false);
  expect(await tablesWith(t, key)).toEqual([]);
});

test.each([
  ["that only @convex-dev/rate-limiter could use", "k".repeat(2000), 1, 120],
  ["of several limits", "ada", 5, 40],
])(
  "a key %s is forgotten in batches of its rows",
  async (_claim, key, names, shards) => {
    const t = startHost({ transactionLimits: { documentsRead: 200 } });
    await inComponent(t, async ({ db }) => {
      for (let i = 0; i < names; i++) {
        for (let shard = 0; shard < shards; shard++) {
          const row = { name: `old ${i}`, key, shard, value: 1, ts: MIDNIGHT };
          await db.insert("rateLimits", row);
        }
      }
    });
    expect(await forget(t, key)).toMatchObject({ isDone: false });
    await finish(t);
    expect(await tablesWith(t, key)).toEqual([]);
  },
);

test("forget takes an empty string as a key like any other", async () => {
  const { t, limit } = startApp(limits);
  for (const key of ["", undefined, "ada"]) await limit("rows", { key });
  expect(await forget(t, "")).toEqual({ isDone: true, bans: [] });
  const rows = await stored(t, "rateLimits");
  expect(rows.map(({ key }) => key)).toEqual([undefined, "ada"]);
});

test.each([
  ["undefined", undefined],
  ["null", null],
  ["object", { key: "ada" }],
])("a key to forget must be a string, not %s", async (what, key) => {
  const t = startHost();
  await t.mutation((ctx) => limiter.limit(ctx, "rows"));
  const bad = key as unknown as string;
  const words = `the key must be a string, but is of type ${what}.`;
  await expect(forget(t, bad)).rejects.toThrow(`forget: ${words}`);
  await expect(isForgetting(t, bad)).rejects.toThrow(`isForgetting: ${words}`);
  expect(await stored(t, "rateLimits")).toHaveLength(1);
});

test("forget refuses an unknown option", async () => {
  const option = { ban: true } as unknown as { bans: boolean };
  await expect(forget(startHost(), "ada", option)).rejects.toThrow("ban");
});
