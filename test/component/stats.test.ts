import { DAY, HOUR } from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { afterEach, describe, expect, test, vi } from "vitest";
import { bucket, startApp, type App } from "../support/startApp.js";
import { truncateKey } from "../../src/core/stats.js";
import {
  freezeClock,
  inComponent,
  MIDNIGHT,
  useStillClock,
  type Host,
  type HostCtx,
  stored,
  scheduledJobs,
  runVacuum,
  fold,
} from "../support/host.js";
import { deniedHours, counting } from "../support/stats.js";

useStillClock();

/** The rows and ranges that a transaction has read. */
async function read(ctx: HostCtx): Promise<[number, number]> {
  const { documentsRead, databaseQueries } =
    await ctx.meta.getTransactionMetrics();
  return [documentsRead.used, databaseQueries.used];
}

/** Takes all of a key, and is denied one more. */
async function useUp(
  { limit }: App,
  name: keyof typeof counting,
  key = "k",
): Promise<void> {
  await limit(name, { key, count: 4 });
  await limit(name, { key });
}

describe("an event", () => {
  const sampled = { ...bucket(1), period: HOUR, stats: 0.25 };
  const limits = {
    ...counting,
    sampled,
    sampledDry: { ...sampled, enforce: false },
    whole: { ...sampled, stats: true },
  };
  const events = (t: Host) =>
    stored(t, "events").then((all) =>
      all.map(({ name, granted, denied, tokens, wouldDeny, closeCalls }) => [
        name,
        { granted, denied, tokens, wouldDeny, closeCalls },
      ]),
    );
  const jobs = async (t: Host) =>
    (await scheduledJobs(t)).map(({ name, args }): unknown[] => [
      name,
      args[0],
    ]);
  const drawing = (random: number) => {
    vi.spyOn(Math, "random").mockReturnValue(random);
    return startApp(limits, { transactionLimits: true });
  };
  afterEach(() => void vi.restoreAllMocks());

  test.each([
    [1 / 64 - 1e-9, [["jobs:fold", { name: "whole" }]]],
    [1 / 64, []],
  ])("schedules a fold if it draws less than 1/64: %d", async (n, folds) => {
    const { t, limit } = drawing(n);
    await limit("whole");
    expect(await jobs(t)).toEqual(folds);
  });

  test("counts for all calls of which it is a sample", async () => {
    const { t, limit } = drawing(0.25 - 1e-9);
    for (const name of ["sampled", "sampledDry"]) {
      await limit(name);
      await limit(name);
    }
    const granted = { granted: 4, denied: 0, tokens: 4 };
    expect(await events(t)).toEqual([
      ["sampled", granted],
      ["sampled", { granted: 0, denied: 4, tokens: 0 }],
      ["sampledDry", granted],
      ["sampledDry", { granted: 4, denied: 0, tokens: 0, wouldDeny: 4 }],
    ]);
  });

  test("is not stored for a call that draws more than the share", async () => {
    const { t, limitAll } = drawing(0.25);
    await limitAll([{ name: "sampled" }, { name: "whole" }]);
    expect(await events(t)).toEqual([
      ["whole", { granted: 1, denied: 0, tokens: 1 }],
    ]);
  });

  test("costs the later of a hundred calls of one mutation no more than the second", async () => {
    const { limit, limiter, mutate } = drawing(0.99);
    const key = "a";
    await limit("bucket", { key, count: 4 });
    const costs = await mutate(async (ctx) => {
      const costs: unknown[] = [];
      let before = await read(ctx);
      for (let i = 0; i < 100; i++) {
        const { ok } = await limiter.limit(ctx, "bucket", { key });
        expect(ok).toBe(false);
        const after = await read(ctx);
        costs.push(after.map((used, j) => used - before[j]!));
        before = after;
      }
      return costs;
    });
    expect(costs.slice(2)).toEqual(costs.slice(2).map(() => costs[1]));
  });

  test("is folded once, even after one that another fold has deleted", async () => {
    const { t, limit } = drawing(0.5);
    await limit("window", { key: "k" });
    await limit("window", { key: "k", count: 2 });
    const reference = makeFunctionReference<"mutation">("jobs:fold");
    await inComponent(t, async (ctx) => {
      const [first] = await ctx.db.query("events").collect();
      await ctx.db.delete("events", first!._id);
      // Neither sees what is deleted before.
      await ctx.runMutation(reference as never, {});
      await ctx.runMutation(reference as never, {});
    });
    expect(await stored(t, "events")).toEqual([]);
    const counts = { granted: 1, tokens: 2 };
    expect(await stored(t, "stats")).toMatchObject([counts, counts]);
  });

  test("after a thousand others is left to the next fold of its limit", async () => {
    const { t } = drawing(0.5);
    await inComponent(t, async (ctx) => {
      const event = { name: "whole", time: MIDNIGHT, granted: 1, denied: 0 };
      for (let i = 0; i < 1001; i++) {
        const at = ctx.db.vars.commitTs;
        await ctx.db.insert("events", { ...event, tokens: 1, at });
      }
    });
    await fold(t, { name: "whole" });
    expect(await events(t)).toHaveLength(1);
    const folds = [["jobs:fold", { name: "whole" }]];
    expect(await jobs(t)).toEqual(folds);
    await fold(t, { name: "whole" });
    expect(await events(t)).toEqual([]);
    expect(await jobs(t)).toEqual(folds);
  });
});

describe("the vacuum", () => {
  /** The numbers of stats by minute and by hour, of hours of denied keys, and of events. */
  const rows = async (t: Host) => {
    const counts = await stored(t, "stats");
    const of = (by: "minute" | "hour") =>
      counts.filter((row) => row.by === by).length;
    const keys = await stored(t, "deniedKeys");
    const events = await stored(t, "events");
    return [of("minute"), of("hour"), keys.length, events.length];
  };

  test.each<[string, age: number, left: number[]]>([
    ["keeps recent stats", HOUR, [2, 2, 2, 0]],
    ["keeps minutes for a day and an hour", 25 * HOUR, [2, 2, 2, 0]],
    ["drops minutes after a day and an hour", 25 * HOUR + 1, [0, 2, 2, 0]],
    [
      "keeps hours and denied keys for 30 days and an hour",
      30 * DAY + HOUR,
      [0, 2, 2, 0],
    ],
    ["drops all after 30 days and an hour", 30 * DAY + HOUR + 1, [0, 0, 0, 0]],
  ])("%s", async (_, age, left) => {
    const app = startApp(counting);
    const { t } = app;
    await useUp(app, "window");
    await useUp(app, "dryRun");
    await fold(t);
    expect(await rows(t)).toEqual([2, 2, 2, 0]);
    freezeClock(MIDNIGHT + age);
    await runVacuum(t);
    expect(await rows(t)).toEqual(left);
  });

  test("schedules no fold when there are no events", async () => {
    const { t } = startApp(counting);
    await runVacuum(t);
    expect(await scheduledJobs(t)).toEqual([]);
  });

  test("schedules a fold of the events of all limits", async () => {
    vi.useFakeTimers({ now: MIDNIGHT });
    const { t, limit } = startApp(counting);
    await limit("window");
    await limit("bucket");
    expect(await rows(t)).toEqual([0, 0, 0, 2]);
    await runVacuum(t);
    await t.finishAllScheduledFunctions(vi.runOnlyPendingTimers);
    expect(await rows(t)).toEqual([2, 2, 0, 0]);
  });
});

test("topDenied adds up 30 days with a hundred long keys in each hour", async () => {
  const { t, limiter } = startApp(counting, { transactionLimits: true });
  const keys = Array.from({ length: 100 }, (_, i) => ({
    key: truncateKey(`${i}${"限".repeat(300)}`),
    denied: 1,
  }));
  const hours = 30 * 24 + 1;
  for (let i = 0; i < hours; i += 100) {
    await inComponent(t, async (ctx) => {
      for (let j = i; j < Math.min(i + 100, hours); j++) {
        const from = MIDNIGHT - j * HOUR;
        await ctx.db.insert("deniedKeys", { name: "window", from, keys });
      }
    });
  }
  const range = { from: MIDNIGHT - 30 * DAY + 1, to: MIDNIGHT + 1, numKeys: 1 };
  const top = await t.query((ctx) => limiter.topDenied(ctx, "window", range));
  expect(top).toMatchObject([{ denied: hours }]);
});

describe("the keys that a dry run would have denied", () => {
  const all = { from: MIDNIGHT - DAY, to: MIDNIGHT + 1 };
  const ask = ({ t, limiter }: App, wouldDeny?: boolean) =>
    t.query((ctx) => limiter.topDenied(ctx, "bucket", { ...all, wouldDeny }));

  test("are counted apart from those that were denied, folded or not", async () => {
    const app = startApp(counting);
    const { t, limiter } = app;
    for (let i = 0; i < 2; i++) await useUp(app, "bucket", "denied");
    await t.mutation((ctx) =>
      limiter.setOverride(ctx, "bucket", { config: { enforce: false } }),
    );
    for (let i = 0; i < 2; i++) await useUp(app, "bucket", "denied");
    await useUp(app, "bucket", "lenient");
    for (const isFolded of [false, true, true]) {
      if (isFolded) await fold(t);
      const denied = [{ key: "denied", denied: 3 }];
      expect(await ask(app)).toEqual(denied);
      expect(await ask(app, false)).toEqual(denied);
      expect(await ask(app, true)).toEqual([
        { key: "denied", denied: 4 },
        { key: "lenient", denied: 1 },
      ]);
    }
    const hours = await deniedHours(t, "bucket", "lenient", all.from, all.to);
    expect(hours.at(-1)).toMatchObject({ denied: 0, isLowerBound: false });
  });
});

describe("how often one key was denied in an hour", () => {
  /** Stores how often keys were denied, and folds that. */
  const deny = async (t: Host, denials: [key: string, times: number][]) => {
    await inComponent(t, async ({ db }) => {
      const event = { name: "bucket", time: Date.now(), granted: 0, tokens: 0 };
      const at = db.vars.commitTs;
      for (const [key, denied] of denials) {
        await db.insert("events", {
          ...event,
          key: truncateKey(key),
          denied,
          at,
        });
      }
    });
    await fold(t);
  };
  const users = (count: number, times = 1) =>
    Array.from({ length: count }, (_, i): [string, number] => [
      `user ${i}`,
      times,
    ]);
  const thisHour = async (t: Host, key: string) =>
    (await deniedHours(t, "bucket", key, MIDNIGHT - DAY, MIDNIGHT + 1)).at(-1);
  const from = MIDNIGHT;

  test.for([
    ["99 others", users(99), { denied: 3, isLowerBound: true }],
    ["98 others", users(98), { denied: 3, isLowerBound: false }],
    ["100 others", users(100), { denied: 2, isLowerBound: true }],
    ["100 others as often", users(100, 3), { denied: 0, isLowerBound: true }],
  ] as const)(
    "is exact unless 100 keys fill the hour: beside %s",
    async ([, others, expected]) => {
      const { t, limit } = startApp(counting);
      await deny(t, [["ada", 3], ...others]);
      expect(await thisHour(t, "ada")).toEqual({ from, ...expected });
      // Events that are not folded yet count for each key.
      const ask = () => limit("bucket", { key: "ada", count: 4 });
      await ask();
      expect((await ask()).ok).toBe(false);
      const { denied } = expected;
      expect(await thisHour(t, "ada")).toMatchObject({ denied: denied + 1 });
    },
  );

  test("is a lower bound if more events are to be folded than one transaction reads", async () => {
    const few = { documentsRead: 20 };
    const { t, limit } = startApp(counting, { transactionLimits: few });
    for (let i = 0; i < 20; i++)
      await limit("bucket", { key: "ada", count: 4 });
    const told = await thisHour(t, "ada");
    expect(told).toMatchObject({ isLowerBound: true });
    expect(told!.denied).toBeGreaterThan(10);
  });

  test("counts long keys that begin alike as one, folded or not", async () => {
    const app = startApp(counting);
    const { t } = app;
    const keys = ["a", "b"].map((end) => `${"k".repeat(200)}${end}`);
    for (const key of keys) await useUp(app, "bucket", key);
    for (const folds of [false, true]) {
      if (folds) await fold(t);
      for (const key of keys) {
        expect(await thisHour(t, key)).toMatchObject({ denied: 2 });
      }
    }
  });
});
