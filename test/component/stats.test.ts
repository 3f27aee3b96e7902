import { DAY, HOUR, MINUTE, type LimitConfig } from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";
import { optional, rarely, step } from "../support/arbitraries.js";
import { bucket as tokens, startApp, type App } from "../support/startApp.js";
import { truncateKey } from "../../src/core/stats.js";
import {
  components,
  freezeClock,
  inComponent,
  MIDNIGHT,
  useStillClock,
  type Host,
  type HostCtx,
  stored,
  scheduledJobs,
  runInternal,
} from "../support/host.js";
import { runs } from "../support/seed.js";

useStillClock();

const fold = (t: Host, args: { name?: string } = {}) =>
  runInternal(t, "stats:fold", args);
const vacuum = (t: Host) => runInternal(t, "vacuum:vacuum");

/** The same limits, with stats and without. */
function limitsWith(stats: boolean) {
  const bucket = { ...tokens(4), period: HOUR, stats };
  return {
    bucket: { ...bucket, overrides: true },
    window: {
      kind: "fixed window",
      rate: 4,
      period: 10 * MINUTE,
      start: 0,
      stats,
    },
    asynchronous: { ...bucket, applyUpdates: "asynchronously" },
    dryRun: { ...bucket, rate: 2, enforce: false },
    held: { kind: "concurrency", capacity: 3, lease: 20 * MINUTE, stats },
  } satisfies Record<string, LimitConfig>;
}
const counting = limitsWith(true);
type Limits = typeof counting;
const USED_UP = ["bucket", "window", "asynchronous", "dryRun"] as const;
const NAMES = [...USED_UP, "held"] as const;
type Name = (typeof NAMES)[number];

/** The rows and ranges that a transaction has read. */
async function read(ctx: HostCtx): Promise<[number, number]> {
  const { documentsRead, databaseQueries } =
    await ctx.meta.getTransactionMetrics();
  return [documentsRead.used, databaseQueries.used];
}

/** The outcome of a call, as its caller knows it. */
type Logged = {
  name: Name;
  key: string | undefined;
  time: number;
  granted: number;
  denied: number;
  wouldDeny: number;
  tokens: number;
};

type Item = { name: (typeof USED_UP)[number]; key?: string; count: number };
type Call =
  | ({ verb: "limit" | "reset" | "credit" | "charge" } & Item)
  | { verb: "hold"; key?: string; count: number }
  | { verb: "limitAll"; items: Item[] };
type Step =
  | { verb: "mutation"; calls: Call[]; throws: boolean }
  | { verb: "pass"; ms: number }
  | { verb: "ban"; key: string }
  | { verb: "fold"; name?: Name | undefined }
  | { verb: "vacuum" };

const aKey = fc.constantFrom(undefined, "a", "b");
const anItem = fc.record({
  name: fc.constantFrom(...USED_UP),
  key: aKey,
  // All of them are exact as floats.
  count: fc.constantFrom(0, 0.5, 1, 2),
});
const someItems = fc.uniqueArray(anItem, {
  minLength: 1,
  maxLength: 3,
  selector: ({ name, key }) => `${name} ${key}`,
});
const aCall: fc.Arbitrary<Call> = fc.oneof(
  {
    weight: 6,
    arbitrary: anItem.map((item) => ({ verb: "limit" as const, ...item })),
  },
  step("hold", 2, { key: aKey, count: fc.constantFrom(1, 2) }),
  step("limitAll", 2, { items: someItems }),
  fc
    .tuple(fc.constantFrom("reset", "credit", "charge"), anItem)
    .map(([verb, item]) => ({ verb, ...item, count: item.count || 1 })),
);
const aStep: fc.Arbitrary<Step> = fc.oneof(
  step("mutation", 8, {
    calls: fc.array(aCall, { minLength: 1, maxLength: 4 }),
    throws: rarely(4),
  }),
  step("pass", 4, {
    ms: fc.constantFrom(
      ...[1, MINUTE - 1, MINUTE, 7 * MINUTE, HOUR, 9 * HOUR],
      ...[-MINUTE, -30 * MINUTE],
    ),
  }),
  step("fold", 3, { name: optional(fc.constantFrom(...NAMES)) }),
  step("vacuum", 1),
  step("ban", 1, { key: fc.constantFrom("a", "b") }),
);

/** Makes a call. Returns its answer, and the outcomes to count. */
async function make(
  { limiter }: App,
  ctx: HostCtx,
  call: Call,
): Promise<{ answer: unknown; log: Logged[] }> {
  const time = Date.now();
  const nothing = { time, granted: 0, denied: 0, wouldDeny: 0, tokens: 0 };
  const said = (
    { name, key, count }: { name: Name; key?: string; count: number },
    { ok, wouldDeny }: { ok: boolean; wouldDeny?: boolean },
  ): Logged => ({
    ...nothing,
    name,
    key,
    ...(ok
      ? {
          granted: 1,
          wouldDeny: wouldDeny ? 1 : 0,
          tokens: wouldDeny ? 0 : count,
        }
      : { denied: 1 }),
  });
  if (call.verb === "limit") {
    const { name, key, count } = call;
    const answer = await limiter.limit(ctx, name, { key, count });
    return { answer, log: [said(call, answer)] };
  }
  if (call.verb === "hold") {
    const { key, count } = call;
    const held = await limiter.hold(ctx, "held", { key, count });
    const answer = { ...held, id: undefined };
    return { answer, log: [said({ ...call, name: "held" }, answer)] };
  }
  if (call.verb === "limitAll") {
    const { items } = call;
    // No two are for the same limit key, so each refuses exactly if it would alone.
    const alone: { ok: boolean; wouldDeny?: boolean }[] = [];
    for (const { name, key, count } of items) {
      alone.push(await limiter.check(ctx, name, { key, count }));
    }
    const answer = await limiter.limitAll(ctx, items);
    const log = items.flatMap((item, i) =>
      answer.ok || !alone[i]!.ok ? [said(item, alone[i]!)] : [],
    );
    return { answer, log };
  }
  const { verb, name, key, count } = call;
  const options = { key, count };
  const answer = {
    reset: () => limiter.reset(ctx, name, { key }),
    credit: () => limiter.credit(ctx, name, options),
    charge: () => limiter.charge(ctx, name, options),
  }[verb];
  return { answer: await answer(), log: [] };
}

/** Runs the steps. Returns the outcomes of calls that committed, and all answers. */
async function play(limits: Limits, steps: readonly Step[]) {
  freezeClock(MIDNIGHT);
  const app = startApp(limits);
  const { t, limiter } = app;
  const committed: Logged[] = [];
  const answers: unknown[] = [];
  let latest = Date.now();
  for (const step of steps) {
    if (step.verb === "pass") {
      // The vacuum allows for clocks that differ by less than an hour.
      freezeClock(Math.max(Date.now() + step.ms, latest - 30 * MINUTE));
      latest = Math.max(latest, Date.now());
    } else if (step.verb === "fold") {
      await fold(t, step.name ? { name: step.name } : {});
    } else if (step.verb === "vacuum") await vacuum(t);
    else if (step.verb === "ban") {
      await t.mutation((ctx) =>
        limiter.penalize(ctx, "bucket", {
          key: step.key,
          bans: [5 * MINUTE],
          forgetAfter: 0,
        }),
      );
    } else {
      const log: Logged[] = [];
      await t
        .mutation(async (ctx) => {
          for (const call of step.calls) {
            const made = await make(app, ctx, call);
            answers.push(made.answer);
            log.push(...made.log);
          }
          if (step.throws) throw new Error("undone");
        })
        .then(
          () => committed.push(...log),
          (error: Error) => expect(error.message).toBe("undone"),
        );
    }
  }
  return { ...app, committed, answers, latest };
}

/** Takes all of a key, and is denied one more. */
async function useUp({ limit }: App, name: Name, key = "k"): Promise<void> {
  await limit(name, { key, count: 4 });
  await limit(name, { key });
}

/** How often a key was denied, by the hour. */
const deniedHours = (
  t: Host,
  name: string,
  key: string,
  from: number,
  to: number,
) =>
  t.query((ctx) =>
    ctx.runQuery(components.rateLimiter.stats.deniedOf, {
      name,
      key,
      from,
      to,
    }),
  );

const FIELDS = ["granted", "denied", "wouldDeny", "tokens"] as const;

/** The sums of a log for each minute or hour from a time on. */
function sumsOf(logged: readonly Logged[], size: number, from: number) {
  const sums = new Map<number, number[]>();
  for (const call of logged) {
    const start = Math.floor(call.time / size) * size;
    const before = sums.get(start) ?? FIELDS.map(() => 0);
    const sum = FIELDS.map((field, i) => before[i]! + call[field]);
    sums.set(start, sum);
  }
  return Array.from(sums, ([start, sum]) => [start, ...sum])
    .filter(([start]) => start! > from - size)
    .sort((a, b) => a[0]! - b[0]!);
}

/*
 * The oracle is a log of what each committed call returned to its caller. It knows no event and no
 * fold, and gets no entry from a mutation that was undone.
 */
test("stats and topDenied match a log of the calls, whatever was folded, vacuumed or undone", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(aStep, { minLength: 5, maxLength: 40 }),
      async (steps) => {
        const { t, limiter, committed, latest } = await play(counting, steps);
        const to = latest + 1;
        const month = { from: to - 30 * DAY, to };
        for (const name of NAMES) {
          const logged = committed.filter((call) => call.name === name);
          for (const [by, size, kept] of [
            ["minute", MINUTE, DAY],
            ["hour", HOUR, 30 * DAY],
          ] as const) {
            const from = to - kept;
            const intervals = await t.query((ctx) =>
              limiter.stats(ctx, name, { from, to, by }),
            );
            const told = intervals
              .map((one) => [one.from, ...FIELDS.map((f) => one[f] ?? 0)])
              .filter(([, ...sum]) => sum.some((n) => n > 0));
            expect(told).toEqual(sumsOf(logged, size, from));
          }
          for (const what of ["denied", "wouldDeny"] as const) {
            const denials = new Map<string, number>();
            for (const { key, [what]: denied } of logged) {
              if (key === undefined || denied === 0) continue;
              denials.set(key, (denials.get(key) ?? 0) + 1);
            }
            const wouldDeny = what === "wouldDeny";
            const top = await t.query((ctx) =>
              limiter.topDenied(ctx, name, { ...month, wouldDeny }),
            );
            const order = top.map(({ key, denied }) => [key, denied] as const);
            expect(new Map(order)).toEqual(denials);
            expect(order).toEqual(order.toSorted((a, b) => b[1] - a[1]));
          }
          const hours = await deniedHours(t, name, "a", month.from, to);
          const ofA = logged.filter((one) => one.key === "a" && one.denied > 0);
          expect(hours.filter(({ denied }) => denied > 0)).toEqual(
            sumsOf(ofA, HOUR, month.from).map(([from, , denied]) => ({
              from,
              denied,
              isLowerBound: false,
            })),
          );
        }
      },
    ),
    runs(4),
  );
}, 120_000);

test("stats change no answer", async () => {
  const plain = limitsWith(false);
  await fc.assert(
    fc.asyncProperty(
      fc.array(aStep, { minLength: 5, maxLength: 30 }),
      async (steps) => {
        const { answers } = await play(counting, steps);
        expect(answers).toEqual((await play(plain, steps)).answers);
      },
    ),
    runs(6),
  );
}, 120_000);

describe("an event", () => {
  const sampled = { ...tokens(1), period: HOUR, stats: 0.25 };
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
    [1 / 64 - 1e-9, [["stats:fold", { name: "whole" }]]],
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
    const reference = makeFunctionReference<"mutation">("stats:fold");
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

  test("of one limit is folded without those of others, into the sums that exist", async () => {
    const app = drawing(0.5);
    const { t, limiter } = app;
    const use = (name: "window" | "bucket") => useUp(app, name);
    for (let i = 0; i < 3; i++) {
      await use("window");
      await fold(t, { name: "window" });
    }
    const sum = { granted: 1, denied: 5, tokens: 4 };
    expect(await stored(t, "stats")).toMatchObject([sum, sum]);
    await use("bucket");
    await fold(t, { name: "window" });
    expect((await events(t)).map(([name]) => name)).toEqual([
      "bucket",
      "bucket",
    ]);
    const range = { from: MIDNIGHT, to: MIDNIGHT + 1, limit: 1 };
    expect(
      await t.query((ctx) => limiter.topDenied(ctx, "window", range)),
    ).toEqual([{ key: "k", denied: 5 }]);
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
    const folds = [["stats:fold", { name: "whole" }]];
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
    await vacuum(t);
    expect(await rows(t)).toEqual(left);
  });

  test("schedules no fold when there are no events", async () => {
    const { t } = startApp(counting);
    await vacuum(t);
    expect(await scheduledJobs(t)).toEqual([]);
  });

  test("schedules a fold of the events of all limits", async () => {
    vi.useFakeTimers({ now: MIDNIGHT });
    const { t, limit } = startApp(counting);
    await limit("window");
    await limit("bucket");
    expect(await rows(t)).toEqual([0, 0, 0, 2]);
    await vacuum(t);
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
  const range = { from: MIDNIGHT - 30 * DAY + 1, to: MIDNIGHT + 1, limit: 1 };
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
    await useUp(app, "bucket", "spared");
    for (const isFolded of [false, true, true]) {
      if (isFolded) await fold(t);
      const denied = [{ key: "denied", denied: 3 }];
      expect(await ask(app)).toEqual(denied);
      expect(await ask(app, false)).toEqual(denied);
      expect(await ask(app, true)).toEqual([
        { key: "denied", denied: 4 },
        { key: "spared", denied: 1 },
      ]);
    }
    const hours = await deniedHours(t, "bucket", "spared", all.from, all.to);
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

  test("is returned for each hour of the range, for this key only", async () => {
    freezeClock(MIDNIGHT - 2 * HOUR);
    const { t } = startApp(counting);
    await deny(t, [
      ["ada", 2],
      ["bob", 5],
    ]);
    freezeClock(MIDNIGHT);
    await deny(t, [["ada", 1]]);
    const told = await deniedHours(
      t,
      "bucket",
      "ada",
      MIDNIGHT - 2 * HOUR + 1,
      MIDNIGHT + 1,
    );
    expect(told).toEqual([
      { from: MIDNIGHT - 2 * HOUR, denied: 2, isLowerBound: false },
      { from: MIDNIGHT - HOUR, denied: 0, isLowerBound: false },
      { from: MIDNIGHT, denied: 1, isLowerBound: false },
    ]);
    expect(await thisHour(t, "ad")).toEqual({
      from,
      denied: 0,
      isLowerBound: false,
    });
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
