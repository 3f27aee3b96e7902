import {
  calculateRateLimit,
  DAY,
  HOUR,
  RateLimiter,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { makeFunctionReference, mutationGeneric } from "convex/server";
import { describe, expect, test, vi } from "vitest";
import { ours } from "../../bench/limiters.js";
import { HEAT } from "../../src/core/heat.js";
import { parseLimit, ruleOf } from "../../src/core/limit.js";
import { childOf } from "../../src/core/tree.js";
import {
  components,
  inComponent,
  MIDNIGHT,
  runInternal,
  scheduledJobs,
  startHost,
  storedRows,
  useStillClock,
  type Host,
  type HostCtx,
} from "../host.js";
import { balanceOf, deployed, startApp, type Request } from "../corners/app.js";
import { callAll, value } from "../simulated.js";

useStillClock();

const hundred = {
  kind: "token bucket",
  rate: 100,
  period: DAY,
  shards: "auto",
} as const;

const VERBS = ["limit", "check", "getValue", "credit", "charge"] as const;
type Verb = (typeof VERBS)[number];

type Call = (
  ctx: HostCtx,
  name: string,
  options?: { key?: string; count?: number },
) => Promise<unknown>;

function start(config: RateLimitConfig = hundred) {
  const app = startApp({ hot: config });
  const verbs: Record<Verb, Call> = app.limiter;
  return {
    ...app,
    verbs,
    take: (count = 1, more: Request = {}) =>
      app.limit("hot", { count, ...more }),
    credit: (count?: number) => app.credit("hot", { count }),
    charge: (count?: number) => app.charge("hot", { count }),
    balance: () => balanceOf(app, "hot"),
  };
}

const row = (shard: number, held: number, more: object = {}) => ({
  name: "hot",
  shard,
  value: held,
  ts: MIDNIGHT,
  fullAt: MIDNIGHT + DAY,
  ...more,
});

const ruleOfRate = (rate: number) =>
  ruleOf(parseLimit("hot", { ...hundred, rate }));

const RULE = ruleOfRate(100);

/** Four rows, of which two are stored, and one of these is split once more: 60 tokens. */
const TREE = [
  row(0, 80, { into: 4, rule: RULE }),
  row(1, 5),
  row(3, 15, { into: 3 }),
  row(childOf(3, 2), 5),
];

const store = (t: Host, rows: readonly ReturnType<typeof row>[]) =>
  inComponent(t, async (ctx) => {
    for (const one of rows) await ctx.db.insert("rateLimits", one);
  });

async function startSplit(config?: RateLimitConfig) {
  const app = start(config);
  await store(app.t, TREE);
  return app;
}

const clearAll = (t: Host, before?: number) =>
  t.mutation((ctx) =>
    ctx.runMutation(components.rateLimiter.lib.clearAll, { before }),
  );

describe("while it is calm", () => {
  /** What a call reads, and how many bytes it writes. */
  async function cost(verb: Verb, config: RateLimitConfig, isUsed = true) {
    const { mutate, take, verbs } = start(config);
    if (isUsed) await take(50);
    vi.setSystemTime(MIDNIGHT + HOUR);
    return mutate(async (ctx) => {
      await verbs[verb](ctx, "hot");
      const { documentsRead, databaseQueries, bytesWritten } =
        await ctx.meta.getTransactionMetrics();
      return {
        rows: documentsRead.used,
        queries: databaseQueries.used,
        bytes: bytesWritten.used,
      };
    });
  }

  describe.each([
    ["of a key in use", true],
    ["of a new key", false],
  ])("%s", (_claim, isUsed) => {
    test.each(VERBS)(
      "%s reads what it reads of one row, and writes 175 bytes at most",
      async (verb) => {
        const auto = await cost(verb, hundred, isUsed);
        const one = await cost(verb, { ...hundred, shards: 1 }, isUsed);
        expect(auto.rows).toBe(one.rows);
        expect(auto.queries).toBe(one.queries);
        expect(auto.bytes).toBeLessThanOrEqual(175);
      },
    );
  });

  test("two calls in one mutation do not count as two callers", async () => {
    const { t, mutate, limiter } = start();
    await mutate(async (ctx) => {
      for (let i = 0; i < 20; i++) await limiter.limit(ctx, "hot");
    });
    const rows = await storedRows(t);
    expect(rows).toMatchObject([{ shard: 0, value: 80 }]);
    expect(rows[0]).not.toHaveProperty("into");
  });
});

test("calls that collide split it, and no token is lost", async () => {
  const config = { ...hundred, rate: 1000, period: DAY };
  const args = { name: "hot", count: 1, config };
  const calls = Array.from({ length: 60 }, (_, i) => ({
    at: i * 4,
    name: "lib:rateLimit",
    args,
  }));
  const look = {
    at: 60_000,
    name: "lib:getValue",
    args: { name: "hot", config },
  };
  const { answers } = await callAll(ours, [...calls, look]);
  const told = answers.slice(0, 60).filter(({ kind }) => kind === "answered");
  const { segments, ...shown } = value<{
    segments: { shards: number }[];
    value: number;
  }>(answers[60]);
  expect(segments[0]!.shards).toBeGreaterThanOrEqual(32);
  const grown = calculateRateLimit(
    { ...shown, ts: 0, segments } as never,
    { ...config, shards: 1 },
    Date.UTC(2026, 0, 1) + 60_000,
  ).value;
  expect(grown).toBeLessThan(1000 - told.length + 2);
  expect(grown).toBeGreaterThanOrEqual(1000 - told.length);
});

test.each<[string, number, "limit" | "credit" | "charge", number, number?]>([
  ["by a call that takes one token", 80, "limit", 1, 50],
  ["by one that takes the last token", 1, "limit", 1, 50],
  ["less far by one that takes more", 80, "limit", 2, 25],
  ["by what is given back", 80, "credit", 5, 50],
  ["not by what leads into debt", 1, "charge", 2],
])("a hot row is split %s", async (_claim, held, verb, count, into) => {
  const { t, verbs, mutate } = start();
  const at = BigInt(MIDNIGHT - 5) * 1_000_000n;
  await store(t, [row(0, held, { ts: MIDNIGHT - 15, at, calm: 0.1 })]);
  await mutate((ctx) => verbs[verb](ctx, "hot", { count }));
  const [stored] = await storedRows(t);
  expect(stored!.into).toBe(into);
});

test.each([
  ["it finds too little", []],
  [
    "a ban is set",
    [
      {
        at: 30_000,
        name: "overrides:setOverride",
        args: { name: "hot", override: { deny: true } },
      },
    ],
  ],
])(
  "a call that is denied since %s has looked at all rows, and depends on few",
  async (_claim, changes) => {
    const config = { ...hundred, rate: 1000, overrides: true };
    const call = (at: number, count = 1) => ({
      at,
      name: "lib:rateLimit",
      args: { name: "hot", count, config },
    });
    const calls = Array.from({ length: 60 }, (_, i) => call(i * 4));
    const { answers, deployment } = await callAll(ours, [
      ...calls,
      call(60_000, 1000),
      ...changes,
    ]);
    expect(value(answers[60])).toMatchObject({ ok: false });
    expect(deployment.totals.rowsPeeked).toBeGreaterThan(20);
  },
);

const reference = (name: string) =>
  makeFunctionReference<"mutation">(`functions:${name}`);

const nestedLimiter = new RateLimiter(components.rateLimiter, { hot: hundred });

/** Functions of a host that call each other. */
const nested = {
  take: mutationGeneric(
    async (ctx, { count }: { count: number }) =>
      (await nestedLimiter.limit(ctx, "hot", { count })).ok,
  ),
  takeAndThrow: mutationGeneric(async (ctx) => {
    await nestedLimiter.limit(ctx, "hot", { count: 30 });
    await nestedLimiter.charge(ctx, "hot", { count: 90 });
    throw new Error("no");
  }),
  outer: mutationGeneric(async (ctx) => {
    await nestedLimiter.limit(ctx, "hot", { count: 5 });
    await ctx.runMutation(reference("takeAndThrow"), {}).catch(() => {});
    await ctx.runMutation(reference("take"), { count: 20 });
    return (await nestedLimiter.getValue(ctx, "hot")).value;
  }),
};

describe("split over six rows that hold 60 of 100", () => {
  test("getValue, list, details and check tell 60", async () => {
    const app = await startSplit();
    const { value } = await app.getValue("hot");
    expect([value, await app.balance()]).toEqual([60, 60]);
    expect(await app.listed("hot")).toMatchObject({
      capacity: 100,
      balance: 60,
      shards: [5, 20, 5, 5, 5, 20],
    });
    const asked = (count: number) => app.details("hot", { count });
    expect(await asked(60)).toMatchObject({ ok: true, remaining: 0 });
    expect(await asked(61)).toMatchObject({
      ok: false,
      remaining: 60,
      limit: 100,
      resetAfter: 0.8 * DAY,
    });
  });

  // Of 25 tokens, two rows hold 20 and one holds 5; of 25 thirds, three hold 5.
  test.each([
    [0, 60],
    [1, 60 + 100 / 24],
    [12, 17.5 + 25 + 25 + 25],
    [20, 100],
  ])(
    "a page projects what it was told %i hours ago as the server does",
    async (hours, expected) => {
      const { getValue, balance } = await startSplit();
      const told = await getValue("hot");
      vi.setSystemTime(MIDNIGHT + hours * HOUR);
      const { value } = calculateRateLimit(told, told.config, Date.now());
      expect(value).toBeCloseTo(expected, 6);
      expect(await balance()).toBeCloseTo(expected, 6);
    },
  );

  test("without its config, list adds up what the rows hold", async () => {
    const { t } = await startSplit();
    const listed = await deployed(t, {}).listed("hot");
    expect(listed).toMatchObject({ balance: 60 });
  });

  test.each([1, 15, 21, 60])("a count of %i is granted", async (count) => {
    const { take, balance } = await startSplit();
    expect(await take(count)).toEqual({ ok: true });
    expect(await balance()).toBeCloseTo(60 - count, 9);
  });

  test("to the last token, and not one more", async () => {
    const { take } = await startSplit();
    for (let i = 0; i < 60; i++) expect(await take()).toEqual({ ok: true });
    expect(await take()).toEqual({ ok: false, retryAfter: DAY / 100 });
    vi.setSystemTime(MIDNIGHT + DAY / 100 - 1);
    expect(await take()).toEqual({ ok: false, retryAfter: 1 });
    vi.setSystemTime(MIDNIGHT + DAY / 100);
    expect(await take()).toEqual({ ok: true });
  });

  test("upTo takes what there is, and leave leaves it", async () => {
    const { take } = await startSplit();
    expect(await take(60, { leave: 1 })).toMatchObject({ ok: false });
    expect(await take(90, { upTo: true })).toEqual({ ok: true, taken: 60 });
  });

  test("a debt is stored in row 0 alone, and nothing is granted until it is paid", async () => {
    const { t, take, balance } = await startSplit();
    const retryAfter = (20 * DAY) / 100;
    expect(await take(80, { reserve: true })).toEqual({ ok: true, retryAfter });
    expect(await storedRows(t)).toMatchObject([
      { shard: 0, value: -20, into: 6, calm: 20 },
    ]);
    expect(await take()).toMatchObject({ ok: false });
    vi.setSystemTime(MIDNIGHT + retryAfter);
    expect(await balance()).toBeCloseTo(0, 9);
  });

  test("charge makes a debt, and credit pays it", async () => {
    const { charge, credit, balance } = await startSplit();
    expect(await charge(70)).toEqual({ retryAfter: DAY / 10 });
    await credit(4);
    expect(await balance()).toBeCloseTo(-6, 9);
    expect(await credit(200)).toEqual({ credited: 106 });
    expect(await balance()).toBeCloseTo(100, 9);
  });

  test.each([1, 30, 200])(
    "credit of %i fills up to the capacity",
    async (count) => {
      const { credit, balance } = await startSplit();
      const { credited } = await credit(count);
      expect(credited).toBeCloseTo(Math.min(40, count), 9);
      expect(await balance()).toBeCloseTo(60 + credited, 9);
    },
  );

  test("a dry run that finds too little changes nothing", async () => {
    const { t, take } = await startSplit({ ...hundred, enforce: false });
    const before = await storedRows(t);
    expect(await take(61)).toEqual({ ok: true, wouldDeny: true });
    expect(await storedRows(t)).toEqual(before);
    expect(await take(60)).toEqual({ ok: true });
    expect(await storedRows(t)).not.toEqual(before);
  });

  test("what a mutation took that threw is there, for the one that called it, too", async () => {
    const t = startHost({ modules: { "./functions.ts": async () => nested } });
    await store(t, TREE);
    expect(await t.mutation(reference("outer"), {})).toBeCloseTo(35, 9);
    expect(await t.mutation(reference("take"), { count: 35 })).toBe(true);
    expect(await t.mutation(reference("take"), { count: 1 })).toBe(false);
  });

  test("reset deletes all rows", async () => {
    const { t, reset } = await startSplit();
    await reset("hot");
    expect(await storedRows(t)).toEqual([]);
  });

  test("reset deletes what a call before the deploy has stored beside row 0", async () => {
    const { t, reset } = start();
    await store(t, [row(0, -3), row(1, 3)]);
    await reset("hot");
    expect(await storedRows(t)).toEqual([]);
  });

  test("a credit goes where there is room, although smaller rows are full of less", async () => {
    const { t, credit, balance } = start();
    await store(t, [
      row(0, 80, { into: 4, rule: RULE }),
      row(3, 25, { into: 3 }),
    ]);
    for (const draw of [0, 0.3, 0.6, 0.9]) {
      vi.spyOn(Math, "random").mockReturnValue(draw);
      expect(await credit(1)).toEqual({ credited: 1 });
    }
    expect(await balance()).toBe(89);
  });

  test("a sample is an estimate by few rows", async () => {
    const { t, limiter } = await startSplit();
    const { read, told } = await t.query(async (ctx) => {
      const told = await limiter.getValue(ctx, "hot", { sampleShards: 1 });
      const { documentsRead } = await ctx.meta.getTransactionMetrics();
      return { told, read: documentsRead.used };
    });
    expect(read).toBeLessThanOrEqual(3);
    expect([20, 60, 80]).toContain(Math.round(told.value));
  });

  test("several calls in one mutation see each other", async () => {
    const { mutate, limiter, balance } = await startSplit();
    const answers = await mutate(async (ctx) => [
      await limiter.limit(ctx, "hot", { count: 40 }),
      await limiter.limit(ctx, "hot", { count: 40 }),
      await limiter.limit(ctx, "hot", { count: 20 }),
      await limiter.credit(ctx, "hot", { count: 7 }),
      await limiter.limit(ctx, "hot", { count: 7, reserve: true }),
      await limiter.charge(ctx, "hot", { count: 3 }),
    ]);
    expect(answers).toMatchObject([
      { ok: true },
      { ok: false },
      { ok: true },
      { credited: 7 },
      { ok: true },
      { retryAfter: (3 * DAY) / 100 },
    ]);
    expect(await balance()).toBeCloseTo(-3, 9);
  });

  test.each([1, 2, 5, 50])(
    "deployed to %i shards and back it holds the same",
    async (shards) => {
      const { t, take, balance } = start();
      const root = row(0, 80, { into: 4, calm: 20, rule: RULE });
      await store(t, [root, ...TREE.slice(1)]);
      const fixed = deployed(t, { hot: { ...hundred, shards } });
      expect(await fixed.limit("hot", { count: 2 })).toEqual({ ok: true });
      expect((await fixed.getValue("hot")).value).toBeCloseTo(58, 9);
      const rows = await storedRows(t);
      expect(rows[0]!.into).toBe(shards === 1 ? undefined : shards);
      for (const one of rows) {
        expect(one).not.toHaveProperty("calm");
      }
      expect(await take(3)).toEqual({ ok: true });
      expect(await balance()).toBeCloseTo(55, 9);
      const [after] = await storedRows(t);
      expect(after!.into).toBe(shards === 1 ? undefined : shards);
    },
  );
});

test("deployed to the asynchronous mode it holds the same", async () => {
  const { t } = await startSplit();
  const { shards: _, ...rest } = hundred;
  const { limit } = deployed(t, {
    hot: { ...rest, applyUpdates: "asynchronously" },
  });
  const take = (count: number) => limit("hot", { count });
  expect(await take(61)).toMatchObject({ ok: false });
  expect(await take(60)).toEqual({ ok: true });
  expect(await take(1)).toMatchObject({ ok: false });
});

test("rows of @convex-dev/rate-limiter become one, with what they have gained, and with those that were full", async () => {
  const { t, take } = start();
  const fullAt = undefined;
  const older = row(0, 20, { ts: MIDNIGHT - DAY / 10, fullAt });
  await store(t, [older, row(3, 15, { fullAt })]);
  // Four of 25: one has gained 2.5, and two are full.
  expect(await take(88)).toMatchObject({ ok: false });
  expect(await take(10)).toEqual({ ok: true });
  expect(await storedRows(t)).toMatchObject([{ shard: 0, value: 77.5 }]);
});

describe("the vacuum", () => {
  const vacuum = (t: Host) => runInternal(t, "vacuum:vacuum");

  test("takes all rows when all are idle", async () => {
    const { t } = await startSplit();
    vi.setSystemTime(MIDNIGHT + DAY + HOUR + 1);
    await vacuum(t);
    expect(await storedRows(t)).toEqual([]);
  });

  test("or none", async () => {
    const { t } = start();
    const inUse = row(1, 5, { fullAt: MIDNIGHT + 2 * DAY });
    await store(t, [TREE[0]!, inUse, ...TREE.slice(2)]);
    vi.setSystemTime(MIDNIGHT + DAY + HOUR + 1);
    await vacuum(t);
    expect(await storedRows(t)).toHaveLength(4);
  });
});

test("clearAll takes row 0 and all below it", async () => {
  const { t } = start();
  await store(t, TREE.slice(0, 2));
  const rows = await storedRows(t);
  const before = rows[1]!._creationTime - 0.0001;
  await clearAll(t, before);
  expect(await storedRows(t)).toEqual([]);
});

test("clearAll deletes a row once, though it is older than row 0", async () => {
  const { t } = start();
  await store(t, [row(2, 3), ...TREE]);
  await clearAll(t);
  expect(await storedRows(t)).toEqual([]);
});

test("clearAll deletes the rows of a key in one transaction, however many", async () => {
  const { t } = start();
  const below = Array.from({ length: 120 }, (_, i) =>
    row(childOf(1 + (i % 2), i >> 1), 1),
  );
  const rows = [row(0, 80, { into: 2, rule: RULE }), row(1, 40, { into: 60 })];
  await store(t, [...rows, row(2, 40, { into: 60 }), ...below]);
  await clearAll(t);
  expect(await storedRows(t)).toEqual([]);
});

test("clearAll goes on in another transaction where trees are more than one deletes", async () => {
  const { t } = startApp({}, { transactionLimits: { documentsWritten: 150 } });
  const names = ["a", "b", "c"];
  const storeOfEach = (one: ReturnType<typeof row>) =>
    store(
      t,
      names.map((name) => ({ ...one, name })),
    );
  await storeOfEach(row(0, 80, { into: 60, rule: RULE }));
  for (let i = 0; i < 60; i++) await storeOfEach(row(childOf(0, i), 1));
  vi.setSystemTime(MIDNIGHT + HOUR);
  await clearAll(t);
  await t.finishAllScheduledFunctions(vi.runOnlyPendingTimers, 20);
  expect(await storedRows(t)).toEqual([]);
});

describe("when it has been calm for long", () => {
  const shrink = (t: Host) =>
    runInternal(t, "compact:shrink", { name: "hot", config: hundred });

  test("its rows are gathered in one", async () => {
    const { t, balance } = await startSplit();
    vi.setSystemTime(MIDNIGHT + HOUR);
    const before = await balance();
    await shrink(t);
    expect(await balance()).toBeCloseTo(before, 9);
    const rows = await storedRows(t);
    expect(rows).toMatchObject([{ shard: 0 }]);
    expect(rows[0]).not.toHaveProperty("into");
  });

  test("rows that are gathered begin calm, and those of a hot row do not", async () => {
    const { t, take } = start();
    const at = BigInt(MIDNIGHT - 5) * 1_000_000n;
    await store(t, [row(0, 80, { into: 2, rule: RULE, calm: HEAT.longest })]);
    await take();
    const calm = async () => (await storedRows(t)).map(({ calm }) => calm);
    expect(await calm()).toEqual([HEAT.longest, HEAT.longest]);
    await clearAll(t);
    await store(t, [row(0, 80, { at, calm: 0.1 })]);
    await take();
    vi.setSystemTime(MIDNIGHT + 1);
    await take();
    expect(await calm()).toEqual([undefined, expect.closeTo(4 / 3)]);
  });

  test("a limit that is not split any more is left alone", async () => {
    const { t } = start();
    await store(t, [row(0, 7)]);
    const before = await storedRows(t);
    await shrink(t);
    expect(await storedRows(t)).toEqual(before);
  });

  /** How many jobs a call asks for by writing a calm row below others, which split into so many. */
  async function jobsAskedFor({
    calm = 8.1,
    splitAgoMs = 600_001,
    splits = [2],
    random = 0,
  }) {
    const rate = 10_000;
    const { t, take } = start({ ...hundred, rate });
    const rule = ruleOfRate(rate);
    const ts = MIDNIGHT - splitAgoMs;
    let shard = 0;
    for (const into of splits) {
      const ofRoot = shard === 0 ? { rule } : {};
      await store(t, [row(shard, 80, { into, ts, ...ofRoot })]);
      shard = childOf(shard, 0);
    }
    const at = BigInt(MIDNIGHT - HOUR) * 1_000_000n;
    await store(t, [row(shard, 20, { at, calm, ts: MIDNIGHT - HOUR })]);
    vi.spyOn(Math, "random").mockReturnValue(random);
    await take();
    vi.restoreAllMocks();
    return (await scheduledJobs(t)).length;
  }

  test.each([
    ["a call on a calm row asks for it", {}, 1],
    ["not if it was split ten minutes ago", { splitAgoMs: 600_000 }, 0],
    ["not if it was never split", { splits: [] }, 0],
    ["not if it is a little less calm", { calm: 8 }, 0],
    ["of such calls one in 64", { splits: [16, 8], random: 1 / 64 - 1e-6 }, 1],
    ["and no other", { splits: [16, 8], random: 1 / 64 }, 0],
    ["fewer where rows are few", { random: 2 / 64 / 64 - 1e-6 }, 1],
    ["by as much as they are fewer", { random: 2 / 64 / 64 }, 0],
  ])("%s", async (_claim, scene, jobs) => {
    expect(await jobsAskedFor(scene)).toBe(jobs);
  });
});

test("an override of the capacity adds no tokens, and forgives no debt", async () => {
  const app = await startSplit({ ...hundred, overrides: true });
  await app.setOverride("hot", { config: { capacity: 400 } });
  expect(await app.balance()).toBeCloseTo(60, 9);
  await app.take(20);
  expect(await app.balance()).toBeCloseTo(40, 9);
  const [root] = await storedRows(app.t);
  expect(root).toMatchObject({ into: 6, rule: RULE.replace(/100\]/, "400]") });
  await app.clearOverride("hot");
  expect(await app.balance()).toBeCloseTo(40, 9);
  await app.setOverride("hot", { deny: true });
  expect(await app.take()).toMatchObject({ ok: false });
});

test("one row keeps what an override lets it hold when the limit gets shards", async () => {
  const config = { ...hundred, overrides: true };
  const app = start(config);
  await app.setOverride("hot", { config: { capacity: 200 } });
  await app.take(10);
  const sharded = deployed(app.t, { hot: { ...config, shards: 4 } });
  expect(await balanceOf(sharded, "hot")).toBeCloseTo(190, 9);
});

test("it gives no advice about rows that it splits itself", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  vi.spyOn(Math, "random").mockReturnValue(0);
  const { take } = start();
  await take();
  vi.setSystemTime(MIDNIGHT + 5);
  await take();
  expect(warn).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});

describe("it is refused", () => {
  const limiterOf = (config: object) => () =>
    new RateLimiter(components.rateLimiter, {
      hot: { ...hundred, ...config } as RateLimitConfig,
    });

  test.each([
    [
      { shards: "Auto" },
      'shards must be "auto" or a whole number from 1 to 1024, but is "Auto"',
    ],
    [
      { applyUpdates: "asynchronously" },
      'shards: "auto" does not go with applyUpdates: "asynchronously"',
    ],
    [{ warnAt: 0.8 }, 'warnAt needs one row, and shards is "auto"'],
    [
      {
        kind: "concurrency",
        capacity: 3,
        lease: 1000,
        rate: undefined,
        period: undefined,
      },
      'there is no shards in a limit of kind "concurrency"',
    ],
  ])("as %o", (config, message) => {
    expect(limiterOf(config)).toThrow(message);
  });
});
