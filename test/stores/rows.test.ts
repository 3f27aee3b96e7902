import { describe, expect, test } from "vitest";
import {
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../support/host.js";
import { DAY, HOUR } from "../../src/core/periods.js";
import { phasesOf } from "../../src/core/phases.js";
import { ruleOf, toLimit } from "../../src/core/limit.js";
import { allBalances, total, type Row } from "../../src/core/rows.js";
import { demandFor } from "../support/demands.js";
import { RowLedger } from "../../src/stores/rows/ledger.js";
import {
  parseRow,
  parseRows,
  queryRows,
} from "../../src/stores/rows/stored.js";

useStillClock();

type Ctx = Parameters<Parameters<typeof inComponent>[1]>[0];

const named = (shards: number | "auto") => ({
  name: "api",
  key: "k",
  config: {
    kind: "token bucket" as const,
    rate: 100,
    period: DAY,
    shards,
  },
});

const phasesBy = (shards: number | "auto") =>
  phasesOf("api", "k", named(shards).config, [], MIDNIGHT);
const limitOf = (shards: number | "auto") => phasesBy(shards)[0].limit;

const row = (shard: number, value: number, more: Partial<Row> = {}): Row => ({
  shard,
  value,
  ts: MIDNIGHT,
  fullAt: MIDNIGHT + DAY,
  ...more,
});

/** Row 0 of a limit that was full when it was split `into` rows, and the rows below it. */
const tree = (into: number, ...below: Row[]) => [
  row(0, 100, { into, rule: ruleOf(limitOf(into)), usedAt: 0, calm: 20 }),
  ...below,
];

/** The rows of @convex-dev/rate-limiter. */
const foreign = (...values: number[]) =>
  values.map((value, shard) => row(shard, value, { fullAt: undefined }));

/** Runs a transaction with a RowLedger. Returns the rows that are stored after it. */
async function withRows(
  shards: number | "auto",
  stored: readonly Row[],
  run: (rows: RowLedger, ctx: Ctx) => Promise<void>,
) {
  const t = startHost();
  const { name, key } = named(shards);
  await inComponent(t, async ({ db }) => {
    for (const one of stored)
      await db.insert("rateLimits", { name, key, ...one });
    await db.insert("rateLimits", { name, key: "other", ...row(0, 99) });
  });
  await inComponent(t, (ctx) =>
    run(new RowLedger(ctx, named(shards), phasesBy(shards), MIDNIGHT), ctx),
  );
  const after = await storedRows(t);
  expect(after.filter((one) => one.key === "other")).toHaveLength(1);
  return after
    .filter((one) => one.key === key)
    .sort((a, b) => a.shard - b.shard);
}

/** What each row holds, by its number. */
const held = (rows: readonly Pick<Row, "shard" | "value">[]) =>
  Object.fromEntries(rows.map(({ shard, value }) => [shard, value]));

/** The number of queries, and the number of rows that they read. */
const read = async (ctx: Ctx) => {
  const metrics = await ctx.meta.getTransactionMetrics();
  return [metrics.databaseQueries.used, metrics.documentsRead.used];
};

const written = async (ctx: Ctx) =>
  (await ctx.meta.getTransactionMetrics()).documentsWritten.used;

const five = tree(5, row(1, 1), row(2, 2), row(3, 3), row(5, 5));

describe("a ledger reads", () => {
  test("each row once, even absent ones", async () => {
    await withRows(5, five, async (rows, ctx) => {
      for (let i = 0; i < 3; i++) {
        expect(await rows.read(3)).toEqual([five[3]]);
        expect(await rows.read(4)).toEqual([]);
        expect(await rows.read(0)).toEqual([five[0]]);
      }
      expect(await read(ctx)).toEqual([3, 2]);
    });
  });

  test("no single row again after all rows", async () => {
    await withRows(5, five, async (rows, ctx) => {
      expect(held(await rows.read())).toEqual(held(five));
      expect(held(await rows.look())).toEqual(held(five));
      expect(await rows.read(2)).toEqual([five[2]]);
      expect(await rows.read(4)).toEqual([]);
      expect(await read(ctx)).toEqual([2, five.length]);
    });
  });

  test.each<[string, number | "auto", Row[]]>([
    ["the only row", 1, [row(0, 7)]],
    ["the only row of a limit that splits itself", "auto", [row(0, 7)]],
    ["no row of an unused key", 1, []],
    ["no row of an unused key that is split", 5, []],
  ])("%s with one query", async (_claim, shards, stored) => {
    await withRows(shards, stored, async (rows, ctx) => {
      for (const shard of [0, undefined]) await rows.read(shard);
      await rows.look();
      expect(await read(ctx)).toEqual([1, stored.length]);
    });
  });
});

describe("a look at a split limit", () => {
  test.each([
    ["shows all rows", undefined, [0, 1, 2, 3, 5]],
    ["shows some rows", { first: 2, size: 3 }, [2, 3]],
    ["shows the last row", { first: 5, size: 1 }, [5]],
  ])("%s without a dependency", async (_claim, range, shards) => {
    await withRows(5, five, async (rows, ctx) => {
      const looked = await rows.look(range);
      expect(looked.map(({ shard }) => shard)).toEqual(shards);
      expect(await rows.read(2)).toEqual([five[2]]);
      // Row 0, what this transaction has written, the look, and the row that was read after it.
      expect((await read(ctx))[0]).toBe(4);
    });
  });

  test("shows what the transaction has written before", async () => {
    await withRows(5, five, async (rows, ctx) => {
      const { name, key } = named(5);
      const own = { name, key, ...row(4, 7), at: ctx.db.vars.commitTs };
      await ctx.db.insert("rateLimits", own);
      const looked = held(await rows.look());
      expect(looked).toEqual({ 0: 100, 1: 1, 2: 2, 3: 3, 4: 7, 5: 5 });
      expect((await read(ctx))[1]).toBe(2 + five.length);
    });
  });

  test("reads all rows once the transaction has replaced them", async () => {
    await withRows(5, five, async (rows, ctx) => {
      const { name, key } = named(5);
      const [root] = await queryRows(ctx, { name, key }).collect();
      const { _id, _creationTime: _, ...rest } = root!;
      const at = ctx.db.vars.commitTs;
      await ctx.db.replace("rateLimits", _id, { ...rest, at });
      expect(held(await rows.look({ first: 1, size: 2 }))).toEqual(held(five));
    });
  });

  test("shows unsaved changes and deletions", async () => {
    await withRows(5, five, async (rows) => {
      rows.set([row(1, 11), row(4, 14)]);
      expect(held(await rows.look())).toEqual({
        ...held(five),
        1: 11,
        4: 14,
      });
      rows.set([row(0, -7, { into: 5 })]);
      expect(held(await rows.look({ first: 1, size: 5 }))).toMatchObject({
        0: -7,
      });
      expect(await rows.read(1)).toEqual([]);
    });
  });

  test("skips a row whose value is not a number", async () => {
    const stored = tree(2, row(1, NaN), row(2, 5));
    await withRows(2, stored, async (rows) => {
      expect(held(await rows.look())).toEqual({ 0: 100, 2: 5 });
      expect(await rows.read(1)).toEqual([]);
      expect(held(await rows.read())).toEqual({ 0: 100, 2: 5 });
    });
  });
});

describe("setting rows", () => {
  test("shows at once, and is stored by save", async () => {
    const kept = await withRows(5, five, async (rows, ctx) => {
      await rows.read(1);
      await rows.read(4);
      rows.set([row(1, 11), row(4, 14)]);
      expect(await rows.read(1)).toEqual([row(1, 11)]);
      expect(held(await rows.read())).toEqual({ ...held(five), 1: 11, 4: 14 });
      expect(await written(ctx)).toBe(0);
      await rows.save(ctx);
      await rows.save(ctx);
      expect(await written(ctx)).toBe(2);
    });
    expect(held(kept)).toEqual({ ...held(five), 1: 11, 4: 14 });
  });

  test("to a row 0 alone deletes the rows below it", async () => {
    const kept = await withRows(5, five, async (rows, ctx) => {
      await rows.read();
      rows.set([row(0, -7, { into: 5 })]);
      expect(held(await rows.read())).toEqual({ 0: -7 });
      await rows.save(ctx);
    });
    expect(kept).toMatchObject([{ shard: 0, value: -7, into: 5 }]);
  });

  test("to none writes nothing", async () => {
    await withRows(2, five, async (rows, ctx) => {
      await rows.read();
      rows.set([]);
      await rows.save(ctx);
      expect(await written(ctx)).toBe(0);
    });
  });

  test("drops fields that a row no longer has", async () => {
    const more = { usedAt: MIDNIGHT, at: 7n, calm: 3 };
    const [root] = tree(5);
    const kept = await withRows(
      1,
      [{ ...root!, ...more }],
      async (rows, ctx) => {
        await rows.read();
        rows.set([row(0, 4)]);
        await rows.save(ctx);
      },
    );
    const { _id, _creationTime, ...stored } = kept[0]!;
    const { name, key } = named(1);
    expect(stored).toEqual({ name, key, ...row(0, 4) });
  });
});

describe("rows that do not fit the limit show as one row 0", () => {
  const slow = ruleOf(
    toLimit("api", { ...named(5).config, rate: 50, capacity: 100 }),
  );
  const [ofSlow] = tree(5).map((one) => ({ ...one, rule: slow }));

  test.each<[string, number | "auto", Row[], value: number, into?: number]>([
    ["of another rule", 4, [ofSlow!, row(2, 3)], 83, 5],
    ["of a split, for one row", 1, five, 31],
    [
      "of a split into rows that hold too little",
      "auto",
      [ofSlow!, row(2, 3)],
      83,
      5,
    ],
    [
      "of @convex-dev/rate-limiter, without row 0",
      4,
      foreign(50, 3).slice(1),
      78,
      4,
    ],
    ["of @convex-dev/rate-limiter, for one row", 1, foreign(40, 30), 70],
    ["with a value that is not a number", 1, [row(0, NaN)], 100],
  ])("%s", async (_claim, shards, stored, value, into) => {
    const expected = { shard: 0, value, into };
    // This is so whatever is read first, and reading writes nothing.
    for (const shard of [0, 2, undefined]) {
      const kept = await withRows(shards, stored, async (rows, ctx) => {
        await rows.read(shard);
        const shown = await rows.read(0);
        const isShown = into !== undefined || value < 100;
        expect(
          shown.map(({ shard, value, into }) => ({ shard, value, into })),
        ).toEqual(isShown ? [expected] : []);
        // All rows show as they are stored, since later rules may count them otherwise.
        const numbers = stored.filter((row) => !Number.isNaN(row.value));
        expect(held(await rows.read())).toEqual(held(numbers));
        expect(held(await rows.look())).toEqual(held(numbers));
        await rows.save(ctx);
      });
      expect(kept).toHaveLength(stored.length);
    }
    // Row 0 is written with the first change, and the others are deleted.
    const child = into === undefined ? 0 : 2;
    const kept = await withRows(shards, stored, async (rows, ctx) => {
      await rows.read(child);
      rows.set([row(child, 5)]);
      await rows.save(ctx);
    });
    const left = into === undefined ? { 0: 5 } : { 0: value, 2: 5 };
    expect(held(kept)).toEqual(left);
    const rule = into && ruleOf(limitOf(shards));
    expect([kept[0]!.into, kept[0]!.rule]).toEqual([into, rule]);
  });

  test("with the time of their last use", async () => {
    const at = { ts: MIDNIGHT - HOUR, usedAt: MIDNIGHT - HOUR };
    const stored = [ofSlow!, row(1, 5)].map((one) => ({ ...one, ...at }));
    const kept = await withRows(4, stored, async (rows, ctx) => {
      await rows.read(1);
      rows.set([row(1, 5)]);
      await rows.save(ctx);
    });
    expect(kept[0]).toMatchObject({ ts: MIDNIGHT, usedAt: MIDNIGHT - HOUR });
  });
});

test.each([2, 5, "auto"] as const)(
  "a key that was split into five, and is idle, is full and loses what is taken: shards %s",
  async (shards) => {
    const idle = { fullAt: MIDNIGHT - 2 * HOUR, ts: MIDNIGHT - 3 * HOUR };
    const rule = ruleOf(limitOf(shards));
    const stored = [row(0, 40, { into: 5, rule, ...idle }), row(2, 3, idle)];
    const demand = demandFor(60);
    const kept = await withRows(shards, stored, async (rows, ctx) => {
      const decision = await rows.decide([demand], Math.random);
      if (!decision.ok) throw new Error("It was denied.");
      rows.set(decision.writes);
      await rows.save(ctx);
    });
    const left = allBalances(limitOf(shards), parseRows(kept), MIDNIGHT);
    expect(total(left)).toBe(40);
  },
);

test.each([
  [0, 0, "counts"],
  [NaN, 0, "is ignored"],
  [0, NaN, "is ignored"],
  [-Infinity, 0, "is ignored"],
])("a stored row with value %d and ts %d %s", (value, ts, outcome) => {
  const stored = { shard: 0, value, ts };
  expect(parseRow(stored)).toEqual(outcome === "counts" ? stored : undefined);
});
