import { describe, expect, test } from "vitest";
import {
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../../host.js";
import { parseLimit } from "../../../src/core/limit.js";
import type { Row } from "../../../src/core/row.js";
import { RowLedger } from "../../../src/component/stores/rows/ledger.js";
import { parseRow } from "../../../src/component/stores/rows/stored.js";

useStillClock();

const row = (shard: number, value: number, more: Partial<Row> = {}): Row => ({
  shard,
  value,
  ts: MIDNIGHT,
  ...more,
});

type Ctx = Parameters<Parameters<typeof inComponent>[1]>[0];

/** RowLedger of a limit over so many shards, in a transaction of its own. */
async function withRows<T>(
  shards: number,
  stored: readonly Row[],
  run: (rows: RowLedger, ctx: Ctx) => Promise<T>,
) {
  const t = startHost();
  const of = { name: "api", key: "k" };
  const config = {
    kind: "token bucket",
    rate: 100,
    period: 1000,
    shards,
  } as const;
  const limit = parseLimit("api", config, "k");
  await inComponent(t, async ({ db }) => {
    for (const row of stored) {
      await db.insert("rateLimits", { name: "api", key: "k", ...row });
    }
    await db.insert("rateLimits", { name: "api", key: "other", ...row(0, 99) });
  });
  const result = await inComponent(t, (ctx) =>
    run(new RowLedger(ctx, { ...of, config }, limit, MIDNIGHT), ctx),
  );
  const after = (await storedRows(t)).filter(({ key }) => key === "k");
  const kept = Object.fromEntries(
    after.map(({ shard, value }) => [shard, value]),
  );
  return { result, kept };
}

const read = async (ctx: Ctx) => {
  const metrics = await ctx.meta.getTransactionMetrics();
  return [metrics.databaseQueries.used, metrics.documentsRead.used];
};

const shardsOf = (rows: readonly Row[]) => rows.map(({ shard }) => shard);

const five = [0, 1, 2, 3, 4].map((shard) => row(shard, shard, { of: 5 }));

describe("rows are read once", () => {
  test("one by one, absent ones too", async () => {
    await withRows(5, five.slice(1), async (rows, ctx) => {
      for (let i = 0; i < 3; i++) {
        expect(await rows.read(3)).toEqual([five[3]]);
        expect(await rows.read(0)).toEqual([]);
      }
      expect(await read(ctx)).toEqual([2, 1]);
    });
  });

  test("all of them, after which none is read by itself", async () => {
    await withRows(5, five.slice(1), async (rows, ctx) => {
      expect(shardsOf(await rows.read())).toEqual([1, 2, 3, 4]);
      expect(await rows.read()).toHaveLength(4);
      expect(await rows.look()).toHaveLength(4);
      expect(await rows.read(2)).toEqual([five[2]]);
      expect(await rows.read(0)).toEqual([]);
      expect(await read(ctx)).toEqual([1, 4]);
    });
  });
});

describe("a look at a split limit", () => {
  test.each([
    ["shows all", undefined, undefined, [0, 1, 2, 3, 4]],
    ["shows some", 1, 3, [1, 2, 3]],
    ["goes on with the first after the last", 3, 3, [3, 4, 0]],
    ["shows the last", 4, 1, [4]],
    ["shows all, from any on", 3, 5, [0, 1, 2, 3, 4]],
  ])("%s", async (_claim, first, count, shards) => {
    await withRows(5, five, async (rows) => {
      expect(shardsOf(await rows.look(first, count))).toEqual(shards);
    });
  });

  test("of another split before shows those beyond it, if it shows all", async () => {
    await withRows(3, five, async (rows) => {
      expect(shardsOf(await rows.look())).toEqual([0, 1, 2, 3, 4]);
      expect(shardsOf(await rows.look(2, 2))).toEqual([2, 0]);
    });
  });

  test("reads the rows, once the transaction has written", async () => {
    await withRows(5, five, async (rows, ctx) => {
      await ctx.db.insert("rateLimits", { name: "x", ...row(0, 1) });
      expect(shardsOf(await rows.look(1, 2))).toEqual([0, 1, 2, 3, 4]);
      expect((await read(ctx))[1]).toBe(5);
    });
  });

  test("shows what has been noted, and not what is to be deleted", async () => {
    await withRows(4, five, async (rows) => {
      await rows.read();
      rows.set([row(0, 10), row(1, 11), row(2, 12), row(3, 13)]);
      expect((await rows.look()).map(({ value }) => value)).toEqual([
        10, 11, 12, 13,
      ]);
    });
    await withRows(5, five, async (rows) => {
      rows.set([row(1, 11)]);
      const looked = await rows.look();
      expect(looked).toHaveLength(5);
      expect(Object.fromEntries(looked.map((r) => [r.shard, r.value]))).toEqual(
        { 0: 0, 1: 11, 2: 2, 3: 3, 4: 4 },
      );
    });
  });

  test("passes over numbers that are none", async () => {
    await withRows(2, [row(0, NaN), row(1, 5)], async (rows) => {
      expect(shardsOf(await rows.look())).toEqual([1]);
      expect(await rows.read(0)).toEqual([]);
      expect(shardsOf(await rows.read())).toEqual([1]);
    });
  });
});

test("a look at a limit that is not split reads all rows of when it was", async () => {
  const stored = [row(0, 5, { of: 2 }), row(1, 5, { of: 2 })];
  await withRows(1, stored, async (rows) => {
    expect(shardsOf(await rows.look())).toEqual([0, 1]);
  });
});

describe("what is noted", () => {
  test("shows at once, and is stored when it is saved: new rows and old ones", async () => {
    const { kept } = await withRows(5, five.slice(0, 2), async (rows, ctx) => {
      await rows.read(0);
      await rows.read(4);
      rows.set([row(0, 10), row(4, 14)]);
      expect([...(await rows.read(0)), ...(await rows.read(4))]).toEqual([
        row(0, 10),
        row(4, 14),
      ]);
      expect((await rows.read()).map(({ value }) => value)).toEqual([
        10, 14, 1,
      ]);
      const { documentsWritten } = await ctx.meta.getTransactionMetrics();
      expect(documentsWritten.used).toBe(0);
      await rows.save(ctx);
    });
    expect(kept).toEqual({ 0: 10, 1: 1, 4: 14 });
  });

  test("is saved once", async () => {
    const { result } = await withRows(5, five, async (rows, ctx) => {
      await rows.read(0);
      rows.set([row(0, 10)]);
      await rows.save(ctx);
      await rows.save(ctx);
      return (await ctx.meta.getTransactionMetrics()).documentsWritten.used;
    });
    expect(result).toBe(1);
  });

  test.each([
    [
      "of all rows, those beyond the split are deleted",
      3,
      [0, 1, 2],
      [0, 1, 2],
    ],
    ["of some rows, those beyond it stay", 3, [0, 1], [0, 1, 2, 3, 4]],
    [
      "of as many rows as there are, all stay",
      5,
      [0, 1, 2, 3, 4],
      [0, 1, 2, 3, 4],
    ],
  ])("%s", async (_claim, shards, set, left) => {
    const { kept } = await withRows(shards, five, async (rows, ctx) => {
      await rows.read();
      rows.set(set.map((shard) => row(shard, 10)));
      await rows.save(ctx);
    });
    const expected = left.map((shard) => [
      shard,
      set.includes(shard) ? 10 : shard,
    ]);
    expect(kept).toEqual(Object.fromEntries(expected));
  });

  test("a reset deletes each row, and what was set before", async () => {
    const { kept } = await withRows(1, five.slice(0, 3), async (rows, ctx) => {
      rows.set([row(4, 14)]);
      await rows.reset(ctx);
      expect(await rows.read(0)).toEqual([]);
    });
    expect(kept).toEqual({});
  });
});

test.each([
  [0, 0, true],
  [NaN, 0, false],
  [0, NaN, false],
  [-Infinity, 0, false],
])("a stored row of %d at %d says something: %s", (value, ts, isRow) => {
  const stored = { shard: 0, value, ts };
  expect(parseRow(stored)).toEqual(isRow ? stored : undefined);
});
