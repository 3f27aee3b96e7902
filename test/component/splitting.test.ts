import {
  calculateRateLimit,
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  type LimitConfig,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { getDocumentSize } from "convex/values";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ours } from "../../bench/limiters.js";

import {
  MIDNIGHT,
  storedRows,
  useStillClock,
  type HostCtx,
} from "../support/host.js";
import { callAll, value, type Called } from "../support/simulatedCalls.js";
import {
  hotRow,
  hundredADay,
  rowsByNow,
  RULE,
  startHot,
  storeHotRows,
  takeAt,
  TREE,
  dailyBucket,
} from "../support/splitting.js";
import { agreedBalance, deployed, startApp } from "../support/startApp.js";

useStillClock();
afterEach(() => void vi.restoreAllMocks());

/** Calls that come faster than one row can bear. */
const heat = (config: LimitConfig, count?: number): Called[] =>
  Array.from({ length: 60 }, (_, i) => takeAt(i * 4, config, count));

const VERBS = ["limit", "check", "getValue", "credit", "charge"] as const;
type Verb = (typeof VERBS)[number];

type Call = (
  ctx: HostCtx,
  name: string,
  options?: { key?: string; count?: number },
) => Promise<unknown>;

describe.each<[string, RateLimitConfig]>([
  ["bucket", dailyBucket(40)],
  ["window", { kind: "fixed window", start: 0, rate: 40, period: DAY }],
])("a calm %s", (_kind, config) => {
  /** What a call reads and writes, and the size of each row it leaves, in bytes. */
  async function cost(
    verb: Verb,
    shards: RateLimitConfig["shards"],
    isUsed: boolean,
  ) {
    vi.setSystemTime(MIDNIGHT);
    const { t, mutate, take, limiter } = startHot({ ...config, shards });
    const verbs: Record<Verb, Call> = limiter;
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
    ["in use", true],
    ["that is new", false],
  ])("on a key %s", (_claim, isUsed) => {
    test.each(VERBS)(
      `%s costs what it costs on one row, and stores 12 more bytes`,
      async (verb) => {
        const one = await cost(verb, 1, isUsed);
        const sizes = one.sizes.map((size) => size + 12);
        for (const shards of ["auto", undefined] as const) {
          const { calls } = one;
          expect(await cost(verb, shards, isUsed)).toEqual({ calls, sizes });
        }
      },
    );
  });
});

// What the first hold had taken came from all rows, so all were written.
test.each([1, 10])(
  "what a first hold of %d gives back goes to one row",
  async (count) => {
    const many = { ...dailyBucket(10_000), shards: 500 };
    const app = startApp({ many });
    const held = await app.hold("many", { count });
    if (!held.ok) throw new Error("A hold was denied.");
    await app.release(held.id);
    expect(await storedRows(app.t)).toHaveLength(2);
    expect(await agreedBalance(app, "many")).toBe(10_000);
  },
);

test.each([undefined, 4])(
  "a clock that steps back by a minute does not split a calm limit of %s shards",
  async (shards) => {
    const calm = { ...dailyBucket(4000), shards };
    const { t, limit } = startApp({ calm });
    const callOnceASecond = async (from: number) => {
      for (let i = 0; i < 20; i++) {
        vi.setSystemTime(from + i * SECOND);
        await limit("calm");
      }
    };
    await callOnceASecond(MIDNIGHT);
    await callOnceASecond(MIDNIGHT - MINUTE);
    const split = (await storedRows(t)).filter(({ into }) => into);
    expect(split).toMatchObject(shards ? [{ shard: 0, into: 4 }] : []);
  },
);

test("twenty calls in one mutation do not split a row", async () => {
  const { t, mutate, limiter } = startHot();
  await mutate(async (ctx) => {
    for (let i = 0; i < 20; i++) await limiter.limit(ctx, "hot");
  });
  const rows = await storedRows(t);
  expect(rows).toMatchObject([{ shard: 0, value: 80 }]);
  expect(rows[0]).not.toHaveProperty("into");
});

const ROW = ["fullAt", "name", "shard", "ts", "value"];

describe("a hot limit that never splits stores at most one row, with the usual fields", () => {
  test.each<[string, LimitConfig, string[]]>([
    ["a bucket of 20 tokens", dailyBucket(20), ROW],
    ["shards: 1", { ...dailyBucket(100), shards: 1 }, ROW],
    ["warnAt", { ...dailyBucket(100), warnAt: 0.5 }, ROW],
    [
      "a small window",
      { kind: "fixed window", start: 0, rate: 20, period: DAY },
      [...ROW, "usedAt"],
    ],
    [
      "a small calendar window",
      { kind: "fixed window", rate: 20, period: "day" },
      [...ROW, "nextAt", "usedAt"],
    ],
    [
      "a concurrency limit: no row",
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

test.each<[string, Called[]]>([
  ["too few tokens", []],
  [
    "a ban",
    [
      {
        time: 30_000,
        name: "verbs:setOverride",
        args: { name: "hot", override: { deny: true } },
      },
    ],
  ],
])(
  "a denial looks at many rows but depends on few: %s",
  async (_claim, changes) => {
    const config = { ...hundredADay, rate: 1000, overrides: true };
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
    expect(counted("rowsPeeked")).toBeGreaterThan(10);
    // The overrides, row 0, and two ways of two rows down.
    expect(counted("rowsRead")).toBeLessThanOrEqual(6);
  },
);

test("after a deploy that moves the windows, calls gather the rows once an hour and look at none", async () => {
  const window = { kind: "fixed window" as const, rate: 1000, period: 10_000 };
  const minute = 60_000;
  const call = (time: number, start: number): Called => ({
    time,
    name: "lib:rateLimit",
    args: { name: "hot", config: { ...window, start } },
  });
  const hot = Array.from({ length: 60 }, (_, i) => call(i * 4, 0));
  // In use all the time, so that the windows stay where they are.
  const upTo = (minutes: number) =>
    Array.from({ length: minutes / 10 }, (_, i) =>
      call((i + 1) * 10 * minute, 5000),
    );
  const [before, after] = [
    await callAll(ours, [...hot, ...upTo(120)]),
    await callAll(ours, [...hot, ...upTo(170)]),
  ].map(({ deployment }) => deployment.totals);
  expect(after!.rowsPeeked - before!.rowsPeeked).toBe(0);
  expect(after!.rowsRead - before!.rowsRead).toBeLessThan(20);
});

test.each([undefined, "auto", 8, 1] as const)(
  "getValue returns the shards of the config: %s",
  async (shards) => {
    const hot = { ...dailyBucket(100), ...(shards && { shards }) };
    const { config } = await startApp({ hot }).getValue("hot");
    expect(config.kind !== "concurrency" && config.shards).toBe(shards);
  },
);

/** A limit with the rows of a tree. */
async function startTree() {
  const app = startHot();
  await storeHotRows(app.t, TREE);
  return app;
}

describe("a limit of 100 that is split over six rows, which hold 60", () => {
  test("is listed with the tokens of each row, whether or not list knows its config", async () => {
    const { t } = await startTree();
    for (const app of [deployed(t, { hot: hundredADay }), deployed(t, {})]) {
      expect(await app.listed("hot")).toMatchObject({
        balance: 60,
        shards: [5, 20, 5, 5, 5, 20],
      });
    }
  });

  // Of 25 tokens, two rows hold 20 and one holds 5; of 25 thirds, three hold 5.
  test.each<[hours: number, expected: number]>([
    [0, 60],
    [1, 60 + 100 / 24],
    [12, 17.5 + 25 + 25 + 25],
    [20, 100],
  ])(
    "has the balance that a client projects from a getValue of %i hours ago",
    async (hours, expected) => {
      const { getValue, balance } = await startTree();
      const shown = await getValue("hot");
      vi.setSystemTime(MIDNIGHT + hours * HOUR);
      const { value } = calculateRateLimit(shown, shown.config, Date.now());
      expect(value).toBeCloseTo(expected, 6);
      expect(await balance()).toBeCloseTo(expected, 6);
    },
  );
});

test("row 0 shows later calls of a mutation that it was written, whatever wrote it", async () => {
  const config = {
    ...hundredADay,
    rate: 50,
    period: 1000,
    shards: "auto",
  } as const;
  const { t, limiter, mutate } = startHot(config);
  const at = BigInt(MIDNIGHT - 5) * 1_000_000n;
  const used = {
    ts: MIDNIGHT - 15,
    usedAt: MIDNIGHT - 15,
    at,
  };
  // By another rule, so that the first call gathers the rows.
  await storeHotRows(t, [
    hotRow(0, 0, { ...used, into: 4, rule: RULE }),
    ...[1, 2, 3, 4].map((shard) => hotRow(shard, 0.25, used)),
  ]);
  await mutate(async (ctx) => {
    await limiter.limit(ctx, "hot", { count: 0.2 });
    await limiter.limit(ctx, "hot", { reserve: true });
  });
  const rows = await storedRows(t);
  for (const row of rows) expect(row.at).toBeTypeOf("bigint");
});
