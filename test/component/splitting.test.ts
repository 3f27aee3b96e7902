import {
  calculateRateLimit,
  DAY,
  HOUR,
  SECOND,
  type LimitConfig,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { getDocumentSize } from "convex/values";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { ours } from "../../bench/limiters.js";
import { Deployment, type Answered } from "../../sim/deployment.js";
import { seededRandom } from "../../sim/random.js";
import type { Document } from "../../sim/ranges.js";
import type { Write } from "../../sim/store.js";
import { toStored, type StoredConfig } from "../../src/core/config.js";
import { HEAT } from "../../src/core/heat.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import { allBalances, type Row, total } from "../../src/core/rows.js";
import { sum } from "../../src/core/sum.js";
import { childShard } from "../../src/core/tree.js";
import { aKind, optional, rarely } from "../support/arbitraries.js";
import {
  balanceOf,
  deployed,
  startApp,
  storeRows,
  type Request,
} from "../support/startApp.js";
import {
  components,
  inComponent,
  MIDNIGHT,
  runInternal,
  scheduledJobs,
  storedRows,
  useStillClock,
  type Host,
  type HostCtx,
} from "../support/host.js";
import { runs } from "../support/seed.js";
import { callAll, value, type Called } from "../support/simulatedCalls.js";

useStillClock();

/** So many tokens a day: too slow to refill during a test. */
const tokens = (rate: number) =>
  ({ kind: "token bucket", rate, period: DAY }) as const;

const window = { kind: "fixed window", start: 0 } as const;

/** As it is stored. What it says in the log draws random numbers. */
const quiet = (config: LimitConfig): StoredConfig =>
  config.kind === "concurrency"
    ? config
    : { ...toStored(config), advice: false };

const take = (time: number, config: LimitConfig, count = 1): Called => ({
  time,
  name: config.kind === "concurrency" ? "holds:hold" : "lib:rateLimit",
  args: { name: "hot", count, config: quiet(config) },
});

/** Calls that come faster than one row bears. */
const heat = (config: LimitConfig, count?: number): Called[] =>
  Array.from({ length: 60 }, (_, i) => take(i * 4, config, count));

/** The rows of a run, as they are stored by now. */
function rowsByNow() {
  const byId = new Map<string, Document>();
  const fields = new Set<string>();
  return {
    watch: (writes: readonly Write[]) => {
      for (const { table, before, after } of writes) {
        if (table !== "rateLimits") continue;
        if (after === undefined) byId.delete(before!._id);
        else byId.set(after._id, after);
        for (const field in after) fields.add(field);
      }
    },
    rows: () =>
      [...byId.values()].sort(
        (a, b) => Number(a.shard) - Number(b.shard),
      ) as unknown as Row[],
    fields: () => [...fields].filter((field) => !field.startsWith("_")).sort(),
  };
}

const hundred = { ...tokens(100), shards: "auto" } as const;

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
  ruleOf(toLimit("hot", { ...hundred, rate }));

const RULE = ruleOfRate(100);

/** Four rows, of which two are stored, and one of these is split once more: 60 tokens. */
const TREE = [
  row(0, 80, { into: 4, rule: RULE }),
  row(1, 5),
  row(3, 15, { into: 3 }),
  row(childShard(3, 2), 5),
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

describe.each<[string, RateLimitConfig]>([
  ["bucket", tokens(20)],
  ["window", { ...window, rate: 20, period: DAY }],
])("while a %s is calm", (_kind, config) => {
  /** What a call reads and writes, and how many bytes its row then has. */
  async function cost(
    verb: Verb,
    shards: RateLimitConfig["shards"],
    isUsed: boolean,
  ) {
    vi.setSystemTime(MIDNIGHT);
    const { t, mutate, take, verbs } = start({ ...config, shards });
    for (const count of isUsed ? [10, 1] : []) {
      await take(count);
      vi.setSystemTime(Date.now() + SECOND);
    }
    const metrics = await mutate(async (ctx) => {
      await verbs[verb](ctx, "hot");
      return ctx.meta.getTransactionMetrics();
    });
    const rows = await storedRows(t);
    const { documentsRead, databaseQueries, documentsWritten } = metrics;
    return {
      calls: [documentsRead, databaseQueries, documentsWritten].map(
        ({ used }) => used,
      ),
      sizes: rows.map((row) => getDocumentSize(row)),
    };
  }

  describe.each([
    ["of a key in use", true, 26],
    ["of a new key", false, 12],
  ])("%s", (_claim, isUsed, more) => {
    test.each(VERBS)(
      "%s costs what it does on one row, which is a few bytes longer",
      async (verb) => {
        const one = await cost(verb, 1, isUsed);
        const sizes = one.sizes.map((size) => size + more);
        for (const shards of ["auto", undefined] as const) {
          const { calls } = one;
          expect(await cost(verb, shards, isUsed)).toEqual({ calls, sizes });
        }
      },
    );
  });
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

describe("a hot limit splits, and each row keeps ten counts", () => {
  test.each([
    [100, 1, 10],
    [1000, 1, 64],
    [39, 1, 3],
    [20, 1, 2],
    [90, 3, 3],
    [100, 10, 1],
    [1000, 10, 10],
  ])("of capacity %i, by counts of %i: %i rows", async (n, count, rows) => {
    const { watch, rows: stored } = rowsByNow();
    await callAll(ours, heat(tokens(n), count), { watch });
    const held = allBalances(toLimit("hot", tokens(n)), stored(), MIDNIGHT);
    expect(held).toHaveLength(rows);
    const least = Math.min(...held.map(({ parts }) => n / parts));
    expect(least).toBeGreaterThanOrEqual(Math.min(n, 10 * count));
  });
});

const ROW = ["fullAt", "name", "shard", "ts", "value"];

describe("its row, however hot, stores what it always did, and is the only one:", () => {
  test.each<[string, LimitConfig, string[]]>([
    ["of less than 20 tokens", tokens(19.9), ROW],
    ["with one row", { ...tokens(100), shards: 1 }, ROW],
    ["that warns", { ...tokens(100), warnAt: 0.5 }, ROW],
    [
      "a small window",
      { ...window, rate: 19, period: DAY },
      [...ROW, "usedAt"],
    ],
    [
      "a small window of the calendar",
      { kind: "fixed window", rate: 19, period: "day" },
      [...ROW, "nextAt", "usedAt"],
    ],
    [
      "one of asynchronous updates: none",
      { ...tokens(100), applyUpdates: "asynchronously" },
      [],
    ],
    [
      "what runs at once: none",
      { kind: "concurrency", capacity: 100, lease: DAY },
      [],
    ],
  ])("%s", async (_claim, config, fields) => {
    const { watch, rows, fields: stored } = rowsByNow();
    await callAll(ours, heat(config), { watch });
    expect(stored()).toEqual([...fields].sort());
    expect(rows()).toHaveLength(Math.min(1, fields.length));
  });
});

test("calls that collide split it, and no token is lost", async () => {
  const config = { ...hundred, rate: 1000, period: DAY };
  const args = { name: "hot", count: 1, config };
  const calls = Array.from({ length: 60 }, (_, i) => ({
    time: i * 4,
    name: "lib:rateLimit",
    args,
  }));
  const look = {
    time: 60_000,
    name: "lib:getValue",
    args: { name: "hot", config },
  };
  const { answers } = await callAll(ours, [...calls, look]);
  const told = answers.slice(0, 60).filter(({ kind }) => kind === "answered");
  const { phases, ...shown } = value<{
    phases: { shards: number }[];
    value: number;
  }>(answers[60]);
  expect(phases[0]!.shards).toBeGreaterThanOrEqual(32);
  const grown = calculateRateLimit(
    { ...shown, ts: 0, phases } as never,
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

test.each<[string, Called[]]>([
  ["it finds too little", []],
  [
    "a ban is set",
    [
      {
        time: 30_000,
        name: "overrides:setOverride",
        args: { name: "hot", override: { deny: true } },
      },
    ],
  ],
])(
  "a call that is denied since %s has looked at all rows, and depends on few",
  async (_claim, changes) => {
    const config = { ...hundred, rate: 1000, overrides: true };
    const call = (time: number, count = 1): Called => ({
      time,
      name: "lib:rateLimit",
      args: { name: "hot", count, config },
    });
    const calls = Array.from({ length: 60 }, (_, i) => call(i * 4));
    const before = await callAll(ours, [...calls, ...changes]);
    const { answers, deployment } = await callAll(ours, [
      ...calls,
      ...changes,
      call(60_000, 1000),
    ]);
    expect(value(answers.at(-1))).toMatchObject({ ok: false });
    const counted = (what: "rowsPeeked" | "rowsRead") =>
      deployment.totals[what] - before.deployment.totals[what];
    expect(counted("rowsPeeked")).toBeGreaterThan(20);
    expect(counted("rowsRead")).toBeLessThan(5);
  },
);

const more = fc.constantFrom(
  ...[{}, {}, {}, { reserve: true }, { upTo: true }, { leave: 3 }],
);
const aCount = fc.constantFrom(1, 1, 1, 2, 3, 15, 40, 61);

type Of<Arbitrary> = Arbitrary extends fc.Arbitrary<infer T> ? T : never;

/** The arguments of each function, besides the limit. */
const ARGS = {
  rateLimit: (count: number, more: object) => ({ count, ...more }),
  checkRateLimit: (count: number, more: object) => ({
    ...{ count, details: true, ...more },
  }),
  charge: (count: number) => ({ count }),
  credit: (count: number) => ({ count }),
  getValue: () => ({}),
};

const aCall = fc.record({
  time: fc.integer({ min: 0, max: 300 }),
  verb: fc.constantFrom(
    ...(Object.keys(ARGS) as (keyof typeof ARGS)[]),
    "rateLimit" as const,
  ),
  args: fc.tuple(aCount, more),
});

test("on a clock that stands still no row is split, and all that is said is said of one row", async () => {
  const play = async (calls: readonly Of<typeof aCall>[], shards?: 1) => {
    const config = {
      ...tokens(60),
      maxReserved: 20,
      ...(shards && { shards }),
    };
    const called = calls.map(({ time, verb, args }) => ({
      time,
      name: `lib:${verb}`,
      args: { name: "hot", config, ...ARGS[verb](...args) },
    }));
    const { watch, rows } = rowsByNow();
    const clockErrorMs = (atMs: number) => -atMs;
    const { answers } = await callAll(ours, called, { watch, clockErrorMs });
    return { answers, rows: rows().map(({ shard, value }) => [shard, value]) };
  };
  const said = ({ answers }: Awaited<ReturnType<typeof play>>) =>
    answers.map((answer) => {
      if (answer.kind === "gave up") return answer.kind;
      const { conflicts, returned } = answer;
      const { config: _, ...rest } = {
        config: 0,
        ...("value" in returned ? (returned.value as object) : { returned }),
      };
      return { conflicts, ...rest };
    });
  await fc.assert(
    fc.asyncProperty(
      fc.array(aCall, { minLength: 30, maxLength: 90 }),
      async (calls) => {
        const byDefault = await play(calls);
        const one = await play(calls, 1);
        expect(byDefault.rows).toEqual(one.rows);
        expect(said(byDefault)).toEqual(said(one));
      },
    ),
    runs(15),
  );
});

/** A limit that refills so many tokens a second, and holds so many. */
const perSecond = (
  kind: "token bucket" | "fixed window",
  rate: number,
  capacity: number,
) => ({
  ...(kind === "fixed window" ? window : { kind }),
  rate,
  capacity,
  period: SECOND,
});

/**
 * A limit that many have split, and that one caller then uses alone, one call after the other: how many rows
 * there are, what each of its calls was told, and how many tokens there were.
 */
async function useAlone(
  config: StoredConfig,
  setting: { executionMs: number; count: number; seed: number },
) {
  const { executionMs, count, seed } = setting;
  const { watch, rows } = rowsByNow();
  const deployment = new Deployment({ ...ours, executionMs, seed, watch });
  const random = seededRandom(seed, "keys");
  const limit = toLimit("hot", config);
  const balance = (now: number) => total(allBalances(limit, rows(), now));
  const answers: { ok: boolean; before: number }[] = [];
  const call = (
    time: number,
    onAnswer: (answer: Answered) => void,
    counts = count,
  ) => {
    const { name, args } = take(time, config, counts);
    deployment.call(time, name, args!, (answer) => {
      if (answer.kind === "answered") onAnswer(answer);
    });
  };
  for (let i = 0; i < 150; i++) call(i * 4, () => {}, 1);
  const next = (time: number) => {
    call(time, (answer) => {
      // Only this call has changed the rows since it began.
      const { ok } = value<{ ok: boolean }>(answer);
      answers.push({ ok, before: balance(answer.now) + (ok ? count : 0) });
      const rest = random() < 0.5 ? 0 : random() * 2 * executionMs;
      if (answers.length < 150) next(answer.visibleAt - MIDNIGHT + rest);
    });
  };
  // By then all is calm that was retried, and full of tokens.
  call(
    100_000,
    ({ visibleAt }) => next(visibleAt - MIDNIGHT),
    limit.whole.capacity - 10,
  );
  await deployment.run();
  return { answers, rows: rows().length };
}

test.each(["auto", undefined] as const)(
  "a caller alone gets every token of a limit that has split: shards %s",
  async (shards) => {
    let denials = 0;
    await fc.assert(
      fc.asyncProperty(
        aKind,
        fc.constantFrom(4, 8, 20, 60, 200),
        fc.constantFrom(200, 800),
        fc.record({
          executionMs: fc.integer({ min: 5, max: 200 }),
          count: fc.constantFrom(1, 1, 3),
          seed: fc.nat(1000),
        }),
        async (kind, rate, capacity, setting) => {
          const { answers, rows } = await useAlone(
            { ...perSecond(kind, rate, capacity), ...(shards && { shards }) },
            setting,
          );
          expect(rows).toBeGreaterThan(1);
          for (const { ok, before } of answers) {
            expect(ok).toBe(before >= setting.count - 1e-6);
            if (!ok) denials++;
          }
        },
      ),
      runs(8),
    );
    expect(denials).toBeGreaterThan(50);
  },
);

describe("used below its rate it denies no call", () => {
  // The last tokens of a busy window are left to who meets them.
  test.each([
    ["a bucket, at 99% of it", "token bucket", 198],
    ["a window, at 90% of it", "fixed window", 180],
  ] as const)("%s", async (_claim, kind, load) => {
    const config = perSecond(kind, 200, 200);
    for (let seed = 1; seed <= 5; seed++) {
      const random = seededRandom(seed, "arrivals");
      const calls = Array.from({ length: 800 }, (_, i) =>
        take(((i + random()) * SECOND) / load, config),
      );
      const { watch, rows } = rowsByNow();
      const { answers } = await callAll(ours, calls, { watch, seed });
      const told = answers.filter(({ kind }) => kind === "answered");
      expect(told.length).toBeGreaterThan(790);
      const isDenied = told.map((one) => !value<{ ok: boolean }>(one).ok);
      expect(isDenied).not.toContain(true);
      expect(rows().length).toBeGreaterThan(1);
    }
  });
});

test.each([
  ["no shards", undefined, undefined],
  ["auto", "auto", "auto"],
  ["as many as it has", 8, 8],
  ["one row", 1, 1],
] as const)(
  "getValue shows shards as they are given: %s",
  async (_claim, shards, shown) => {
    const hot = { ...tokens(100), ...(shards && { shards }) };
    const { config } = await startApp({ hot }).getValue("hot");
    expect(config.kind !== "concurrency" && config.shards).toBe(shown);
  },
);

const LIMITS = {
  bucket: tokens(60),
  window: { ...window, rate: 60, period: 60 * SECOND },
};

/** The rows below row 0: what each holds, or the two that it has been split into. */
const aTree = fc.array(
  fc.oneof(fc.tuple(fc.nat(15)), fc.tuple(fc.nat(7), fc.nat(7))),
  { minLength: 4, maxLength: 4 },
);

/** The rows of a limit of 60 that has split itself. */
function treeOf(config: StoredConfig, tree: Of<typeof aTree>) {
  const rule = ruleOf(toLimit("hot", config));
  const state = { ts: MIDNIGHT, usedAt: MIDNIGHT, fullAt: MIDNIGHT + DAY };
  const below = tree.flatMap((leaves: readonly number[], nth) => {
    const shard = childShard(0, nth);
    if (leaves.length === 1) return [{ ...state, shard, value: leaves[0]! }];
    const split = { ...state, shard, value: 15, into: leaves.length };
    const rows = leaves.map((value, i) => ({
      ...state,
      shard: childShard(shard, i),
      value,
    }));
    return [split, ...rows];
  });
  return [{ ...state, shard: 0, value: 60, into: tree.length, rule }, ...below];
}

/** A row of @convex-dev/rate-limiter, which stores no row that was never used. */
const anOldRow = optional(
  fc.record({
    value: fc.integer({ min: -5, max: 15 }),
    ts: fc.constantFrom(MIDNIGHT, MIDNIGHT - SECOND),
  }),
);

const aStep = fc.record({
  verb: fc.constantFrom("limit", "limit", "check", "charge", "credit"),
  count: aCount,
  more,
  passes: fc.constantFrom<number[]>(0, 0, 0, 7, 900, 45_000),
});
const life = fc.array(aStep, { minLength: 5, maxLength: 20 });

/** What a limit with these rows says, one call after the other, and what it then holds. */
async function live(
  config: LimitConfig,
  rows: readonly { value: number; ts: number }[],
  steps: readonly Of<typeof aStep>[],
  isOneMutation = false,
) {
  vi.setSystemTime(MIDNIGHT);
  const app = startApp({ hot: config });
  const { limiter, mutate } = app;
  await storeRows(app, "hot", rows);
  const play = async (
    { verb, count, more, passes }: Of<typeof aStep>,
    ctx: HostCtx,
  ) => {
    vi.setSystemTime(Date.now() + passes);
    const request = { count, ...more };
    const ask = {
      limit: () => limiter.limit(ctx, "hot", request),
      check: () => limiter.check(ctx, "hot", { ...request, details: true }),
      charge: () => limiter.charge(ctx, "hot", { count }),
      credit: () => limiter.credit(ctx, "hot", { count }),
    }[verb];
    const answer = await ask().catch(({ data }: { data: object }) => data);
    const told = await limiter.getValue(ctx, "hot");
    const now = calculateRateLimit(told, told.config, Date.now());
    const { credited } = answer as { credited?: number };
    return {
      ...answer,
      ...(credited !== undefined && { credited: rounded(credited) }),
      balance: rounded(now.value),
    };
  };
  const said: Record<string, unknown>[] = [];
  const playAll = async (steps: readonly Of<typeof aStep>[], ctx: HostCtx) => {
    for (const step of steps) said.push(await play(step, ctx));
  };
  const mutations = isOneMutation ? [steps] : steps.map((step) => [step]);
  for (const steps of mutations) await mutate((ctx) => playAll(steps, ctx));
  return said;
}

const rounded = (value: number) => Math.round(value * 1e6) / 1e6 + 0;

describe("one call after the other, it answers as one row does", () => {
  test("where it has split, but for when a bucket of rows that are full has more", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("bucket", "window"),
        fc.constantFrom("auto" as const, undefined),
        aTree,
        life,
        fc.record({
          enforce: rarely(3).map((isDry) => !isDry),
          isOne: rarely(3),
        }),
        async (kind, shards, tree, steps, { enforce, isOne }) => {
          const config = { ...LIMITS[kind], enforce };
          const split = { ...config, ...(shards && { shards }) };
          const isBucket = kind === "bucket";
          // Rows of a bucket that are full gain nothing, while the others do not gain more.
          const still = isBucket
            ? steps.map((one) => ({ ...one, passes: 0 }))
            : steps;
          const told = await live(split, treeOf(config, tree), still, isOne);
          const row = {
            value: sum(tree.flat()),
            ts: MIDNIGHT,
            fullAt: MIDNIGHT + DAY,
          };
          const alone = { ...config, shards: 1 };
          const ofOne = await live(alone, [row], still, isOne);
          const timeless = (answers: typeof told) =>
            answers.map((one) =>
              isBucket ? { ...one, resetAfter: 0, retryAfter: 0 } : one,
            );
          expect(timeless(told)).toEqual(timeless(ofOne));
        },
      ),
      runs(20),
    );
  });

  test("on rows of @convex-dev/rate-limiter", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("bucket", "window"),
        fc.constantFrom("auto" as const, undefined),
        fc.array(anOldRow, { minLength: 1, maxLength: 6 }),
        life,
        async (kind, shards, olds, steps) => {
          const config = LIMITS[kind];
          const split = { ...config, ...(shards && { shards }) };
          const rows = olds.flatMap((old, shard) =>
            old ? [{ shard, ...old }] : [],
          );
          // Calls that come within few ms of each other split it.
          const apart = steps.map((one) => ({
            ...one,
            passes: one.passes === 7 ? 0 : one.passes,
          }));
          const told = await live(split, rows, apart);
          expect(told).toEqual(
            await live({ ...config, shards: 1 }, rows, apart),
          );
        },
      ),
      runs(25),
    );
  });
});

test("it holds the same after each change of shards", async () => {
  const aDeploy = fc.record({
    shards: fc.constantFrom(undefined, undefined, 1, "auto" as const, 8),
    verb: fc.constantFrom("limit", "charge", "credit"),
    count: fc.integer({ min: 1, max: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("bucket", "window"),
      aTree,
      fc.array(aDeploy, { minLength: 2, maxLength: 12 }),
      async (kind, tree, deploys) => {
        const config = LIMITS[kind];
        const empty = startApp({});
        await storeRows(empty, "hot", treeOf(config, tree));
        let expected = sum(tree.flat());
        for (const { shards, verb, count } of deploys) {
          const app = deployed(empty.t, {
            hot: { ...config, ...(shards && { shards }) },
          });
          expect(await balanceOf(app, "hot")).toBeCloseTo(expected, 9);
          const answer = await app[verb]("hot", { count });
          const isTaken = !("ok" in answer) || answer.ok;
          if (verb === "limit") expect(isTaken).toBe(expected >= count);
          const sign = verb === "credit" ? 1 : -1;
          if (isTaken) expected = Math.min(60, expected + sign * count);
          expect(await balanceOf(app, "hot")).toBeCloseTo(expected, 9);
        }
        const { limit } = deployed(empty.t, {
          hot: { ...config, applyUpdates: "asynchronously" },
        });
        const left = Math.max(0, Math.floor(expected));
        if (left < 60) {
          expect((await limit("hot", { count: left + 1 })).ok).toBe(false);
        }
        expect((await limit("hot", { count: left })).ok).toBe(expected >= 0);
      },
    ),
    runs(25),
  );
});

describe("split over six rows that hold 60 of 100", () => {
  test("list tells what each row holds, also if it does not know the config", async () => {
    const { t } = await startSplit();
    for (const app of [deployed(t, { hot: hundred }), deployed(t, {})]) {
      expect(await app.listed("hot")).toMatchObject({
        balance: 60,
        shards: [5, 20, 5, 5, 5, 20],
      });
    }
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

  test("to the last token, and not one more", async () => {
    const { take } = await startSplit();
    for (let i = 0; i < 60; i++) expect(await take()).toEqual({ ok: true });
    expect(await take()).toEqual({ ok: false, retryAfter: DAY / 100 });
    vi.setSystemTime(MIDNIGHT + DAY / 100 - 1);
    expect(await take()).toEqual({ ok: false, retryAfter: 1 });
    vi.setSystemTime(MIDNIGHT + DAY / 100);
    expect(await take()).toEqual({ ok: true });
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
});

test.each([
  ["rows that are younger than row 0, by its age", TREE.slice(0, 2)],
  ["a row that is older than row 0, once", [row(2, 3), ...TREE]],
  [
    "all rows of a key in one transaction, however many",
    [
      row(0, 80, { into: 2, rule: RULE }),
      row(1, 40, { into: 60 }),
      row(2, 40, { into: 60 }),
      ...Array.from({ length: 120 }, (_, i) =>
        row(childShard(1 + (i % 2), i >> 1), 1),
      ),
    ],
  ],
])("clearAll deletes %s", async (_claim, rows) => {
  const { t } = start();
  await store(t, rows);
  const stored = await storedRows(t);
  const root = stored.find(({ shard }) => shard === 0)!;
  await clearAll(t, root._creationTime + 0.0001);
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
  for (let i = 0; i < 60; i++) await storeOfEach(row(childShard(0, i), 1));
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
      shard = childShard(shard, 0);
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
