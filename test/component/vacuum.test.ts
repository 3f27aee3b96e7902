import { DAY, HOUR, MINUTE } from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { expect, test, vi } from "vitest";
import {
  freezeClock,
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
  type Host,
  stored,
  runInternal,
  scheduledJobs,
  runVacuum,
} from "../support/host.js";
import type { MutationCtx } from "../../src/component/_generated/server.js";
import crons from "../../src/component/crons.js";
import { END_CURSOR } from "../../src/state/pages.js";
import { findIdleKeys } from "../../src/state/spread/housekeeping.js";

useStillClock();

/** Runs the vacuum until nothing is left to do. */
async function runVacuumToEnd(t: Host) {
  vi.useFakeTimers({ now: Date.now() });
  await runVacuum(t);
  await t.finishAllScheduledFunctions(vi.runOnlyPendingTimers, 1000);
  freezeClock(Date.now());
}

const row = (value: number, ts: number, fullAt?: number) => ({
  name: "limit",
  shard: 0,
  value,
  ts,
  ...(fullAt !== undefined && { fullAt }),
});

test("the vacuum runs every hour", () => {
  expect(crons.crons).toMatchObject({
    vacuum: { name: "jobs:vacuum", schedule: { type: "interval", hours: 1 } },
  });
});

test.each([
  ["full for an hour", "is deleted", row(1, 0, MIDNIGHT - HOUR)],
  ["full for almost an hour", "stays", row(1, 0, MIDNIGHT - HOUR + 1)],
  ["in use", "stays", row(1, MIDNIGHT, MIDNIGHT + MINUTE)],
  ["without fullAt, of @convex-dev/rate-limiter,", "stays", row(1, 0)],
])("a row that is %s %s", async (_, outcome, stored) => {
  const t = startHost();
  await inComponent(t, (ctx) => ctx.db.insert("rateLimits", stored));
  const before = await storedRows(t);
  await runVacuumToEnd(t);
  expect(await storedRows(t)).toEqual(outcome === "stays" ? before : []);
});

/** One of the rows of a key that is split. */
const part = (shard: number, ts: number, fullAt: number | undefined) => ({
  ...row(1, ts, fullAt),
  shard,
  ...(shard === 0 && { into: 1024, rule: RULE }),
});

const RULE = JSON.stringify(["token bucket", 4096, HOUR, 4096]);

const FULL_AT = MIDNIGHT - 2 * HOUR;

/** A row beside row 0, and which of the two stay. */
const besides: [
  claim: string,
  ts: number,
  fullAt: number | undefined,
  left: number[],
  more?: object,
][] = [
  ["stays above one that is not full", FULL_AT - 1, MIDNIGHT + DAY, [0, 1]],
  ["stays above one full for almost an hour", 0, MIDNIGHT - HOUR + 1, [0, 1]],
  ["goes above one full for an hour", FULL_AT - 1, MIDNIGHT - HOUR, []],
  ["stays above one without fullAt", FULL_AT - 1, undefined, [0, 1]],
  ["stays above one without a finite time", NaN, undefined, [0, 1]],
  ["goes above another key's", FULL_AT - 1, MIDNIGHT + DAY, [1], { key: "b" }],
];

// To read the rows of a key in use would conflict with its calls.
test.each(besides)(
  "a split key's row 0, full for two hours, %s, and if it stays the vacuum's look passes over it",
  async (_, ts, fullAt, left, more) => {
    const t = startHost();
    await inComponent(t, async ({ db }) => {
      await db.insert("rateLimits", part(0, 0, FULL_AT));
      await db.insert("rateLimits", { ...part(1, ts, fullAt), ...more });
    });
    const { found } = await inComponent(t, (ctx) =>
      findIdleKeys(ctx, MIDNIGHT, ""),
    );
    expect(found).toHaveLength(left.includes(0) ? 0 : 1);
    await runVacuumToEnd(t);
    const shards = (await storedRows(t)).map(({ shard }) => shard);
    expect(shards).toEqual(left);
  },
);

test("the vacuum deletes all rows of a key in one transaction", async () => {
  const t = startHost({ transactionLimits: { documentsRead: 800 } });
  await inComponent(t, async ({ db }) => {
    for (const key of ["a", "b", "c"]) {
      for (let shard = 0; shard < 100; shard++) {
        await db.insert("rateLimits", { ...part(shard, 0, FULL_AT), key });
      }
    }
  });
  await runVacuum(t);
  const left = new Map<string, number>();
  for (const { key } of await storedRows(t)) {
    left.set(key!, (left.get(key!) ?? 0) + 1);
  }
  expect(Object.fromEntries(left)).toEqual({ b: 100, c: 100 });
  await t.finishAllScheduledFunctions(() => {});
  expect(await storedRows(t)).toEqual([]);
});

test.each<[string, keys: number, [inUse: number, full: number]]>([
  ["a thousand full rows of a key in use", 1, [1, 1023]],
  ["full rows of keys with a thousand in use", 5, [1000, 3]],
  ["hundreds of rows of each key, which it deletes", 4, [0, 501]],
])(
  "the vacuum goes on after %s, until its end",
  async (_, keys, [inUse, full]) => {
    const sixth = { documentsRead: 5000, documentsWritten: 2500 };
    const t = startHost({ transactionLimits: sixth });
    for (let shard = 0; shard < inUse + full; shard++) {
      const fullAt = shard < inUse ? MIDNIGHT + DAY : FULL_AT;
      await inComponent(t, async ({ db }) => {
        for (let k = 0; k < keys; k++) {
          const stored = { ...part(shard, 0, fullAt), key: `${k}` };
          await db.insert("rateLimits", stored);
        }
      });
    }
    await inComponent(t, async ({ db }) => {
      await db.insert("rateLimits", row(1, 0, 0));
      await db.insert("rateLimits", { ...row(1, 0, FULL_AT + 1), key: "last" });
    });
    await runVacuumToEnd(t);
    const left = await inComponent(t, ({ db }) =>
      db
        .query("rateLimits")
        .withIndex("fullAt", (q) => q.lt("fullAt", MIDNIGHT))
        .collect(),
    );
    expect(left).toHaveLength(inUse === 0 ? 0 : keys * full);
  },
);

test.each([
  ["ended over an hour ago", "is deleted", { expiresAt: MIDNIGHT - HOUR - 1 }],
  ["ended an hour ago", "stays", { expiresAt: MIDNIGHT - HOUR }],
  ["is about to end", "stays", { expiresAt: MIDNIGHT + 1 }],
  ["has no end", "stays", {}],
])("an override that %s %s", async (_, outcome, expiry) => {
  const t = startHost();
  await inComponent(t, ({ db }) =>
    db.insert("overrides", {
      name: "limit",
      layer: 1,
      override: { deny: true },
      ...expiry,
    }),
  );
  await runVacuumToEnd(t);
  const left = await stored(t, "overrides");
  expect(left).toHaveLength(outcome === "stays" ? 1 : 0);
});

test("the vacuum skips the tables that it has been through", async () => {
  const t = startHost();
  const idle = row(1, 0, FULL_AT);
  await inComponent(t, ({ db }) => db.insert("rateLimits", idle));
  await runInternal(t, "jobs:vacuum", { cursors: { rateLimits: END_CURSOR } });
  expect(await storedRows(t)).toMatchObject([idle]);
});

const over = { name: "limit", expiresAt: MIDNIGHT - DAY };
const ban = { layer: 1, override: { deny: true } } as const;
const lease = { kind: "concurrency", capacity: 1, lease: HOUR } as const;
const sums = { granted: 1, denied: 0, tokens: 1 };
const counts = { name: "limit", by: "minute", ...sums } as const;

const idle = row(1, 0, MIDNIGHT - DAY);
const penalty = { ...ban, forgetAt: MIDNIGHT - DAY };
const from = (i: number) => MIDNIGHT - 2 * DAY - i * MINUTE;

test.each<[string, (ctx: MutationCtx, i: number) => Promise<unknown>]>([
  ["rows", ({ db }, i) => db.insert("rateLimits", { ...idle, key: `${i}` })],
  ["holds", ({ db }) => db.insert("holds", { ...over, config: lease })],
  ["overrides", ({ db }) => db.insert("overrides", { ...over, ...ban })],
  ["bans", ({ db }) => db.insert("overrides", { ...over, ...penalty })],
  ["counts", ({ db }, i) => db.insert("stats", { ...counts, from: from(i) })],
])("the vacuum deletes a hundred %s at a time", async (_, insert) => {
  const eighth = { documentsRead: 4000, documentsWritten: 2000 };
  const t = startHost({ transactionLimits: eighth });
  await inComponent(t, async (ctx) => {
    for (let i = 0; i < 101; i++) await insert(ctx, i);
  });
  await runVacuum(t);
  const left = async () => [
    ...(await storedRows(t)),
    ...(await stored(t, "holds")),
    ...(await stored(t, "overrides")),
    ...(await stored(t, "stats")),
  ];
  expect(await scheduledJobs(t)).toMatchObject([{ name: "jobs:vacuum" }]);
  expect(await left()).toHaveLength(1);
  await t.finishAllScheduledFunctions(() => {});
  const done = { state: { kind: "success" } };
  expect(await scheduledJobs(t)).toMatchObject([done]);
  expect(await left()).toEqual([]);
});

test("the vacuum reads only the rows that it deletes, none in use", async () => {
  const t = startHost();
  await inComponent(t, async ({ db }) => {
    for (let i = 0; i < 30; i++) {
      const idle = row(1, 0, MIDNIGHT - DAY);
      await db.insert("rateLimits", { ...idle, key: `idle ${i}` });
      const inUse = row(1, MIDNIGHT, MIDNIGHT + HOUR);
      await db.insert("rateLimits", { ...inUse, key: `in use ${i}` });
      await db.insert("rateLimits", { ...row(1, 0), key: `old ${i}` });
    }
  });
  const metrics = await inComponent(t, async (ctx) => {
    const vacuum = makeFunctionReference<"mutation">("jobs:vacuum");
    await ctx.runMutation(vacuum as never, {});
    return ctx.meta.getTransactionMetrics();
  });
  // Each row is read in a range, once more by itself, and by its deletion.
  expect(metrics.documentsRead.used).toBe(90);
  expect(metrics.documentsWritten.used).toBe(30);
  // One for each kind of record that goes, one for events to fold, and one for each row.
  expect(metrics.databaseQueries.used).toBe(38);
});
