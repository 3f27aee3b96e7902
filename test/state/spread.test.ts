import { describe, expect, test } from "vitest";
import { DAY } from "../../src/core/periods.js";
import { phasesOf } from "../../src/core/phases.js";
import { ruleOf, toLimit } from "../../src/core/limit.js";
import type { Row } from "../../src/core/view.js";
import { parseRow, parseRows, queryRows } from "../../src/state/row/stored.js";
import { Spread } from "../../src/state/spread/spread.js";
import { demandFor } from "../support/demands.js";
import {
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../support/host.js";
import { commitAt, written } from "../support/splitRows.js";

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
  row(0, 100, { into, rule: ruleOf(limitOf(into)), usedAt: 0 }),
  ...below,
];

/** The rows of @convex-dev/rate-limiter. */
const foreign = (...values: number[]) =>
  values.map((value, shard) => row(shard, value, { fullAt: undefined }));

/** Runs a transaction with a key that is split. Returns the rows that are stored after it. */
async function withRows(
  shards: number | "auto",
  stored: readonly Row[],
  run: (spread: Spread, ctx: Ctx) => Promise<void>,
) {
  const t = startHost();
  const { name, key } = named(shards);
  await inComponent(t, async ({ db }) => {
    for (const one of stored)
      await db.insert("rateLimits", { name, key, ...one });
    await db.insert("rateLimits", { name, key: "other", ...row(0, 99) });
  });
  await inComponent(t, async (ctx) => {
    const first = await queryRows(ctx, { name, key }).first();
    const phases = phasesBy(shards);
    const target = named(shards);
    await run(await Spread.open(ctx, target, phases, MIDNIGHT, first!), ctx);
  });
  const after = await storedRows(t);
  expect(after.filter((one) => one.key === "other")).toHaveLength(1);
  return after
    .filter((one) => one.key === key)
    .sort((a, b) => a.shard - b.shard);
}

/** The number of queries, and the number of rows that they read. */
const read = async (ctx: Ctx) => {
  const metrics = await ctx.meta.getTransactionMetrics();
  return [metrics.databaseQueries.used, metrics.documentsRead.used];
};

const writes = async (ctx: Ctx) =>
  (await ctx.meta.getTransactionMetrics()).documentsWritten.used;

const five = tree(5, row(1, 1), row(2, 2), row(3, 3), row(5, 5));

/** What a look shows of the rows by their total. */
const glanced = async (spread: Spread) =>
  (await spread.glance()).balance(limitOf(5), MIDNIGHT);

describe("a split key reads", () => {
  // The first row was read before it was opened.
  test("one row to take from it, each once", async () => {
    await withRows(5, five, async (spread, ctx) => {
      for (const left of [4, 3]) {
        const decision = await spread.take([demandFor(1)], () => 0.99);
        if (decision.ok) spread.put(decision.writes);
        expect(decision).toMatchObject({
          ok: true,
          writes: [{ shard: 5, value: left }],
        });
        expect(await read(ctx)).toEqual([2, 2]);
      }
    });
  });

  test("no row again after all rows", async () => {
    await withRows(5, five, async (spread, ctx) => {
      expect(written(await spread.rows())).toEqual(written(five));
      await spread.take([demandFor(1)], () => 0);
      expect(await glanced(spread)).toBe(31);
      expect(await read(ctx)).toEqual([2, 1 + five.length]);
    });
  });
});

describe("a look at a split key", () => {
  test("shows all rows without a dependency", async () => {
    await withRows(5, five, async (spread, ctx) => {
      expect(await glanced(spread)).toBe(31);
      // The first row, what this transaction has written, and the look.
      expect((await read(ctx))[0]).toBe(3);
    });
  });

  test("shows what the transaction has written before", async () => {
    await withRows(5, five, async (spread, ctx) => {
      const { name, key } = named(5);
      const own = { name, key, ...row(4, 7), at: ctx.db.vars.commitTs };
      await ctx.db.insert("rateLimits", own);
      expect(await glanced(spread)).toBe(18);
      expect((await read(ctx))[1]).toBe(2 + five.length);
    });
  });

  test("reads all rows once the transaction has replaced them", async () => {
    await withRows(5, five, async (spread, ctx) => {
      const { name, key } = named(5);
      const [root, first] = await queryRows(ctx, { name, key }).collect();
      const at = ctx.db.vars.commitTs;
      await ctx.db.patch("rateLimits", root!._id, { at });
      await ctx.db.patch("rateLimits", first!._id, { value: 7 });
      expect(await glanced(spread)).toBe(37);
    });
  });

  test("shows unsaved changes and deletions", async () => {
    await withRows(5, five, async (spread) => {
      spread.put([row(1, 11), row(4, 14)]);
      expect(await glanced(spread)).toBe(35);
      await spread.rows();
      spread.put([row(0, -7, { into: 5, rule: five[0]!.rule })]);
      expect(await glanced(spread)).toBe(-7);
    });
  });

  test("takes a row whose value is not a number to be absent", async () => {
    const stored = tree(2, row(1, NaN), row(2, 5));
    await withRows(2, stored, async (spread) => {
      const look = await spread.glance();
      expect(look.balance(limitOf(2), MIDNIGHT)).toBe(55);
      expect(written(await spread.rows())).toEqual({ 0: 100, 2: 5 });
    });
  });
});

describe("putting rows", () => {
  test("shows at once, and is stored by save", async () => {
    const kept = await withRows(5, five, async (spread, ctx) => {
      await spread.rows();
      spread.put([row(1, 11), row(4, 14)]);
      const after = { ...written(five), 1: 11, 4: 14 };
      expect(written(await spread.rows())).toEqual(after);
      expect(await writes(ctx)).toBe(0);
      await spread.save(ctx);
      await spread.save(ctx);
      expect(await writes(ctx)).toBe(2);
    });
    expect(written(kept)).toEqual({ ...written(five), 1: 11, 4: 14 });
  });

  test("to a row 0 alone deletes the rows below it", async () => {
    const kept = await withRows(5, five, async (spread, ctx) => {
      await spread.rows();
      spread.put([row(0, -7, { into: 5 })]);
      expect(written(await spread.rows())).toEqual({ 0: -7 });
      await spread.save(ctx);
    });
    expect(kept).toMatchObject([{ shard: 0, value: -7, into: 5 }]);
  });

  test("drops fields that a row no longer has", async () => {
    const more = { usedAt: MIDNIGHT, at: 7n, close: 3 };
    const before = [{ ...five[0]!, ...more }];
    const kept = await withRows(1, before, async (spread, ctx) => {
      spread.put([row(0, 4)]);
      await spread.save(ctx);
    });
    const { _id, _creationTime, ...stored } = kept[0]!;
    const { name, key } = named(1);
    expect(stored).toEqual({ name, key, ...row(0, 4) });
  });

  test.each`
    what                           | writes                    | shard
    ${"one row below row 0"}       | ${[row(3, 1)]}            | ${3}
    ${"two rows"}                  | ${[row(3, 1), row(4, 1)]} | ${undefined}
    ${"row 0, which replaces all"} | ${[row(0, 1)]}            | ${0}
  `(
    "tells where tokens were held if that is one row: $what",
    async (one: { writes: Row[]; shard?: number }) => {
      await withRows(5, five, async (spread, ctx) => {
        spread.put(one.writes);
        const { place } = await spread.save(ctx, true);
        expect(place!.shard).toBe(one.shard);
        expect(Math.floor(place!.since)).toBe(MIDNIGHT);
      });
    },
  );
});

describe("a row that is written", () => {
  // A write that took 10 ms, and followed two close ones.
  const write = { usedAt: MIDNIGHT - 19, at: commitAt(MIDNIGHT - 9) };
  const hot = { ...write, close: 2 };
  const takeOne = async (stored: readonly Row[], draw: number) => {
    const kept = await withRows("auto", stored, async (spread, ctx) => {
      const decision = await spread.take([demandFor(1)], () => draw);
      if (decision.ok) spread.put(decision.writes);
      await spread.save(ctx);
    });
    return parseRows(kept);
  };

  test("is split if it is hot, and the next call finds its parts", async () => {
    const stored = tree(2, row(1, 49, hot));
    const kept = await takeOne(stored, 0);
    expect(kept).toMatchObject([
      { shard: 0, into: 2 },
      { shard: 1, value: 48, into: 5 },
    ]);
    const after = await takeOne(kept, 0);
    expect(written(after)).toEqual({ 0: 100, 1: 48, 1025: 8.6 });
  });

  test("recalls that a look showed calls that overlap", async () => {
    const usedAt = MIDNIGHT - 50;
    const [first, second] = [1, 2].map((n) =>
      row(n, 0, { usedAt, at: commitAt(MIDNIGHT - 40 + n) }),
    );
    const kept = await takeOne(tree(4, first!, second!), 0);
    expect(kept.map(({ overlappedAt }) => overlappedAt)).toEqual([
      undefined,
      undefined,
      undefined,
      MIDNIGHT,
    ]);
  });
});

describe("row 0 notes that a row below it owes", () => {
  const busy = [1, 2, 3, 4].map((n) =>
    row(n, 0, { usedAt: MIDNIGHT - 50, at: commitAt(MIDNIGHT - 40 + n) }),
  );
  const reserve = demandFor(1, { debt: "reserve" });

  test("until a quiet call gathers all of them, and what they owe", async () => {
    const save = async (spread: Spread, ctx: Ctx) => {
      const decision = await spread.take([reserve], () => 0);
      if (decision.ok) spread.put(decision.writes);
      await spread.save(ctx);
    };
    const owing = parseRows(await withRows(4, tree(4, ...busy), save));
    expect(owing).toMatchObject([
      { shard: 0, owes: true },
      { shard: 1, value: -1 },
      {},
      {},
      {},
    ]);
    const quiet = owing.map((one) => ({
      ...one,
      at: undefined,
      overlappedAt: undefined,
    }));
    const gathered = parseRows(await withRows(4, quiet, save));
    expect(gathered).toMatchObject([{ shard: 0, value: -2, into: 4 }]);
    expect(gathered[0]!.owes).toBeUndefined();
  });
});

describe("rows that do not fit the limit show as stored until the first change, which replaces them", () => {
  const slow = ruleOf(
    toLimit("api", { ...named(5).config, rate: 50, capacity: 100 }),
  );
  const [ofSlow] = tree(5).map((one) => ({ ...one, rule: slow }));

  const other = [ofSlow!, row(2, 3)];
  test.each<[string, number | "auto", Row[], value: number, into?: number]>([
    ["of another rule", 4, other, 83, 5],
    ["of a split, for one row", 1, five, 31],
    ["of another rule, in a limit that splits itself", "auto", other, 83, 5],
    ["of the peer, without row 0", 4, foreign(50, 3).slice(1), 78, 4],
    ["of the peer, for one row", 1, foreign(40, 30), 70],
  ])("%s", async (_claim, shards, stored, value, into) => {
    const untouched = await withRows(shards, stored, async (spread, ctx) => {
      const view = await spread.view();
      expect(view.balance(limitOf(shards), MIDNIGHT)).toBe(value);
      expect(written(await spread.rows())).toEqual(written(stored));
      await spread.take([demandFor(1)], () => 0);
      await spread.save(ctx);
    });
    expect(written(untouched)).toEqual(written(stored));
    const below = into === undefined ? 0 : 2;
    const kept = await withRows(shards, stored, async (spread, ctx) => {
      spread.put([row(below, 5)]);
      await spread.save(ctx);
    });
    const left = below === 0 ? { 0: 5 } : { 0: value, 2: 5 };
    expect(written(kept)).toEqual(left);
    const rule = into && ruleOf(limitOf(shards));
    expect([kept[0]!.into, kept[0]!.rule]).toEqual([into, rule]);
  });
});

test.each([
  [0, 0, "counts"],
  [NaN, 0, "is ignored"],
  [0, NaN, "is ignored"],
  [-Infinity, 0, "is ignored"],
])("a stored row with value %d and ts %d %s", (value, ts, outcome) => {
  const stored = { shard: 0, value, ts };
  expect(parseRow(stored)).toEqual(outcome === "counts" ? stored : undefined);
});
