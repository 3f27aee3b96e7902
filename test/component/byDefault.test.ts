import { DAY, SECOND, type LimitConfig } from "convex-rate-limiter";
import fc from "fast-check";
import { getDocumentSize } from "convex/values";
import { describe, expect, test, vi } from "vitest";
import { ours } from "../../bench/limiters.js";
import { Deployment, type Answered } from "../../sim/deployment.js";
import { seededRandom } from "../../sim/random.js";
import type { Document } from "../../sim/ranges.js";
import type { Write } from "../../sim/store.js";
import { toStored, type StoredConfig } from "../../src/core/config.js";
import { parseLimit, ruleOf } from "../../src/core/limit.js";
import { holdings, type Row, sum, total } from "../../src/core/rows.js";
import { aKind } from "../arbitraries.js";
import { balanceOf, deployed, startApp, storeRows } from "../corners/app.js";
import { MIDNIGHT, storedRows, useStillClock, type HostCtx } from "../host.js";
import { runs } from "../seed.js";
import { callAll, value, type Called } from "../simulated.js";

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

const take = (at: number, config: LimitConfig, count = 1): Called => ({
  at,
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
    const held = holdings(parseLimit("hot", tokens(n)), stored(), MIDNIGHT);
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
  at: fc.integer({ min: 0, max: 300 }),
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
    const called = calls.map(({ at, verb, args }) => ({
      at,
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
  const limit = parseLimit("hot", config);
  const balance = (now: number) => total(holdings(limit, rows(), now));
  const answers: { ok: boolean; before: number }[] = [];
  const call = (
    at: number,
    onAnswer: (answer: Answered) => void,
    counts = count,
  ) => {
    const { name, args } = take(at, config, counts);
    deployment.call(at, name, args!, (answer) => {
      if (answer.kind === "answered") onAnswer(answer);
    });
  };
  for (let i = 0; i < 150; i++) call(i * 4, () => {}, 1);
  const next = (at: number) => {
    call(at, (answer) => {
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

describe("while it is calm, a call reads and writes one row, which has at most 26 bytes more than one that is never split", () => {
  const verbs = ["limit", "charge", "credit"] as const;
  const kinds = {
    bucket: tokens(20),
    window: { ...window, rate: 20, period: DAY },
  };
  test.each(
    verbs.flatMap((verb) =>
      Object.entries(kinds).map(
        ([kind, config]) => [verb, kind, config] as const,
      ),
    ),
  )("%s, of a %s", async (verb, _kind, config) => {
    const cost = async (shards?: number) => {
      const app = startApp({ hot: { ...config, ...(shards && { shards }) } });
      for (const count of [10, 1]) {
        await app.limit("hot", { count });
        vi.setSystemTime(Date.now() + SECOND);
      }
      const verbs: Record<
        typeof verb,
        (ctx: HostCtx, name: string) => unknown
      > = app.limiter;
      const metrics = await app.mutate(async (ctx) => {
        await verbs[verb](ctx, "hot");
        return ctx.meta.getTransactionMetrics();
      });
      const { documentsRead, databaseQueries, documentsWritten } = metrics;
      const [row, ...others] = await storedRows(app.t);
      expect(others).toEqual([]);
      expect([databaseQueries.used, documentsWritten.used]).toEqual([1, 1]);
      return { reads: documentsRead.used, bytes: getDocumentSize(row!) };
    };
    const [byDefault, one] = [await cost(), await cost(1)];
    expect(byDefault.reads).toBe(one.reads);
    expect(byDefault.bytes - one.bytes).toBe(26);
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

/** The rows of a limit that has split itself: row 0, and those below it, each of which holds so much. */
function treeOf(config: StoredConfig, values: readonly number[]) {
  const rule = ruleOf(parseLimit("hot", config));
  const state = { ts: MIDNIGHT, usedAt: MIDNIGHT, fullAt: MIDNIGHT + DAY };
  const below = values.map((value) => ({ ...state, value }));
  return [{ ...state, value: 60, into: values.length, rule }, ...below];
}

const fourValues = fc.array(fc.nat(15), { minLength: 4, maxLength: 4 });

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
) {
  vi.setSystemTime(MIDNIGHT);
  const app = startApp({ hot: config });
  await storeRows(app, "hot", rows);
  const said: Record<string, unknown>[] = [];
  for (const { verb, count, more, passes } of steps) {
    vi.setSystemTime(Date.now() + passes);
    const request = { count, ...more };
    const ask = {
      limit: () => app.limit("hot", request),
      check: () => app.details("hot", request),
      charge: () => app.charge("hot", { count }),
      credit: () => app.credit("hot", { count }),
    }[verb];
    const answer = await ask().catch(({ data }: { data: object }) => data);
    said.push({ ...answer, balance: rounded(await balanceOf(app, "hot")) });
  }
  return said;
}

const rounded = (value: number) => Math.round(value * 1e6) / 1e6 + 0;

describe("one call after the other, it answers as one row does", () => {
  test("where it has split, but for when a bucket of rows that are full has more", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("bucket", "window"),
        fourValues,
        life,
        async (kind, values, steps) => {
          const config = LIMITS[kind];
          const isBucket = kind === "bucket";
          // Rows of a bucket that are full gain nothing, while the others do not gain more.
          const still = isBucket
            ? steps.map((one) => ({ ...one, passes: 0 }))
            : steps;
          const told = await live(config, treeOf(config, values), still);
          const row = {
            value: sum(values),
            ts: MIDNIGHT,
            fullAt: MIDNIGHT + DAY,
          };
          const ofOne = await live({ ...config, shards: 1 }, [row], still);
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
        fc.array(fc.integer({ min: -5, max: 15 }), {
          minLength: 1,
          maxLength: 6,
        }),
        life,
        async (kind, values, steps) => {
          const config = LIMITS[kind];
          const rows = values.map((value) => ({ value, ts: MIDNIGHT }));
          // Calls that come within few ms of each other split it.
          const apart = steps.map((one) => ({
            ...one,
            passes: one.passes === 7 ? 0 : one.passes,
          }));
          const told = await live(config, rows, apart);
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
      fourValues,
      fc.array(aDeploy, { minLength: 2, maxLength: 12 }),
      async (kind, values, deploys) => {
        const config = LIMITS[kind];
        const empty = startApp({});
        await storeRows(empty, "hot", treeOf(config, values));
        let expected = sum(values);
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
      },
    ),
    runs(25),
  );
});
