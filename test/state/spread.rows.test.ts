import { describe, expect, test } from "vitest";
import { overlay, toStored } from "../../src/core/config.js";
import { toLimit, ruleOf, type Limit } from "../../src/core/limit.js";
import { DAY, HOUR, MINUTE } from "../../src/core/periods.js";
import { phasesOf } from "../../src/core/phases.js";
import type { ConfigOverride } from "../../src/core/validators.js";
import type { Row } from "../../src/core/view.js";
import { viewOfLeases } from "../../src/state/holds/leases.js";
import { showValue } from "../../src/state/show.js";
import {
  allBalances,
  areIdle,
  type Balance,
  credited,
  drained,
  gatheredIfOwing,
  gatherStates,
  isUsable,
  rootToStore,
  rowsAsCounted,
  total,
  viewOfRows,
} from "../../src/state/spread/rows.js";
import { leastRows } from "../../src/state/spread/split.js";
import type { SplitRow } from "../../src/state/spread/tree.js";
import type { KeyState } from "../../src/state/state.js";
import { tenEach } from "../support/demands.js";
import { NOW, written } from "../support/splitRows.js";

/** The start of its minute. */
const WINDOW = 960_000;

/** A token a second, up to 40, over `shards` rows. */
const bucket = (shards: number | "auto", override: ConfigOverride = {}) => {
  const tokens = { rate: 60, period: MINUTE, capacity: 40 };
  const config = { kind: "token bucket", ...tokens, shards } as const;
  return toLimit("rows", config, undefined, overlay(config, override));
};

const window = { kind: "fixed window", rate: 40 } as const;

const windows = (shards: number, start = 0) =>
  toLimit("rows", { ...window, period: MINUTE, start, shards });

const days = toLimit("rows", toStored({ ...window, period: "day", shards: 4 }));

const one = bucket(1);
const four = bucket(4);
const auto = bucket("auto");
const doubled = bucket(4, { capacity: 80 });

const row = (shard: number, value: number, more: Partial<Row> = {}): Row => ({
  shard,
  value,
  ts: NOW,
  fullAt: NOW + MINUTE,
  ...more,
});

/** Row 0 of a limit, split as the limit says. */
const rootOf = (limit: Limit, more: Partial<Row> = {}): SplitRow => {
  const { whole } = limit;
  const rule = ruleOf(limit);
  const ts = limit.kind === "fixed window" ? WINDOW : NOW;
  const held = { ...row(0, whole.capacity), ts, usedAt: 0 };
  return { ...held, into: leastRows(limit), rule, ...more };
};

/** Row 0 of a limit, and the first of the rows below it. */
const split = (limit: Limit, values: number[], more: Partial<Row> = {}) => {
  const { ts } = rootOf(limit);
  const below = values.map((value, i) => row(1 + i, value, { ts, ...more }));
  return [rootOf(limit), ...below];
};

/** The rows of @convex-dev/rate-limiter, in order; `undefined` is one that is not stored. */
const peers = (...values: (number | undefined)[]) =>
  values.flatMap((value, shard) =>
    value === undefined ? [] : [row(shard, value, { fullAt: undefined })],
  );

const ago = (ms: number) => ({ ts: NOW - ms });

const idle = { fullAt: NOW - HOUR };

describe("stored rows fit", () => {
  const [w4, moved] = [windows(4), windows(4, 7)];
  test.each<[string, Limit, Row | undefined, boolean]>([
    ["one row, if none is stored", one, undefined, true],
    ["one row, if row 0 is not split", one, row(0, 5), true],
    ["not one row, if row 0 is split", one, rootOf(four), false],
    ["four rows, if none is stored", four, undefined, true],
    ["four rows, if row 0 is not split", four, row(0, 5), true],
    ["four rows, with any split", four, rootOf(four, { into: 2 }), true],
    ["no split limit without a rule", four, row(0, 5, { into: 4 }), false],
    ["no split limit by another rule", doubled, rootOf(four), false],
    ["auto, if none is stored", auto, undefined, true],
    ["auto, if row 0 is not split", auto, row(0, 5), true],
    ["auto, with any split", auto, rootOf(bucket(7)), true],
    ["windows with another start, in use", moved, rootOf(w4), true],
    ["buckets, even if row 0 is idle", four, rootOf(four, idle), true],
    ["the same windows, even if row 0 is idle", w4, rootOf(w4, idle), true],
    ["no other windows once row 0 is idle", moved, rootOf(w4, idle), false],
  ])("%s", (_claim, limit, root, expected) => {
    expect(isUsable(limit, root, NOW)).toBe(expected);
  });

  test.each([
    ["with the same end, even if row 0 is idle", 0, 0, true],
    ["without an end, even if row 0 is idle", 0, undefined, true],
    ["with another end until row 0 is idle", 0, HOUR, false],
    ["with another start until row 0 is idle", HOUR, HOUR, false],
  ])("days %s", (_claim, begins, ends, expected) => {
    const midnight = Date.UTC(2026, 0, 1);
    const nextAt = ends === undefined ? undefined : midnight + DAY + ends;
    const windows = { ts: midnight + begins, nextAt };
    const fullAt = midnight + 2 * DAY;
    const root = rootOf(days, { ...windows, fullAt });
    const now = fullAt + HOUR;
    expect(isUsable(days, root, now - 1)).toBe(true);
    expect(isUsable(days, root, now)).toBe(expected);
  });
});

describe("the rows of a limit hold", () => {
  const held0 = (value: number) => [rootOf(four, { value })];
  const [three, two] = [split(four, [3, 1]), split(four, [3])];
  const old = [rootOf(four), row(1, 1, ago(4000)), row(2, -3, ago(8000))];
  const full = split(four, [9.5], ago(4000));
  test.each<[string, Limit, Row[], number[]]>([
    ["all of it in one that is absent", one, [], [40]],
    ["all of it in one if none is stored", four, [], [40]],
    ["what they say", four, three, [3, 1, 10, 10]],
    ["what two say, in any order", four, two.toReversed(), [3, 10, 10, 10]],
    ["their part of row 0 alone", four, held0(6), [1.5, 1.5, 1.5, 1.5]],
    ["what they have gained", four, old, [2, -1, 10, 10]],
    ["no more than their part", four, full, [10, 10, 10, 10]],
    ["nothing beyond 4", four, split(four, [1, 2, 3, 4, 9]), [1, 2, 3, 4]],
    ["nothing besides row 0 of one row", one, [row(0, 5), row(1, 9)], [5]],
  ])("%s", (_claim, limit, rows, expected) => {
    const held = allBalances(limit, rows, NOW);
    expect(held.map(({ value }) => value)).toEqual(expected);
    expect(new Set(held.map(({ parts }) => parts))).toEqual(
      new Set([expected.length]),
    );
  });

  test("tokens as of the newest row, if the clock has stepped back", () => {
    const rows = [rootOf(four), row(1, 1, { ts: NOW + 8000 }), row(2, 1)];
    const held = allBalances(four, rows, NOW);
    expect(held.map(({ shard, value }) => [shard, value])).toEqual([
      [1, 1],
      [2, 3],
      [3, 10],
      [4, 10],
    ]);
    expect(held.every(({ ts }) => ts === NOW + 8000)).toBe(true);
  });
});

test("leases leave what they do not hold, until the clock says that they end", () => {
  const config = { kind: "concurrency", capacity: 5, lease: MINUTE } as const;
  const limit = toLimit("jobs", toStored(config));
  const lease = (count: number, endsAt?: number) => row(0, -count, { endsAt });
  const view = viewOfLeases([lease(1, NOW + 1), lease(2, NOW + 3), lease(1)]);
  const left = [0, 1, 3].map((ms) => view.balance(limit, NOW + ms));
  expect(left).toEqual([1, 2, 4]);
  expect([0, 1].map((ms) => view.arrival(limit, 9, NOW + ms))).toEqual([
    NOW + 1,
    NOW + 3,
  ]);
  const { writes, view: after } = view.leaving(limit, 0, NOW);
  expect(writes).toEqual([
    { shard: 0, value: -1, ts: NOW, endsAt: NOW + MINUTE },
  ]);
  expect(after.balance(limit, NOW)).toBe(0);
});

describe("rows that do not fit the limit", () => {
  const two = bucket(2);
  const faster = bucket(4, { rate: 600 });
  const root = (limit: Limit, value: number, more: Partial<Row> = {}) => [
    rootOf(limit, { value, ...more }),
  ];
  const before = ago(4000);
  /** Rows of which the first was written 4 s before the others. */
  const older = (limit: Limit, [first, ...others]: [number, ...number[]]) =>
    split(limit, [first, ...others]).with(1, row(1, first, before));
  const known = row(1, 2, { fullAt: NOW - HOUR + 1 });
  const gained = peers(5, 7).with(0, { ...peers(5)[0]!, ...before });
  const longAgo = [{ ...peers(-99_990)[0]!, ...ago(DAY) }];
  const gaps = peers(undefined, 5, undefined, 7);
  const unused = split(four, [1], idle).with(0, rootOf(four, idle));

  test.each<[string, Limit, Row[], value: number, inMs?: number]>([
    ["hold the same under another rule", faster, split(two, [1, 3]), 4],
    ["keep a debt under another rule", faster, root(two, -12), -12],
    ["include absent ones", one, [...root(two, 10), row(1, 4)], 9],
    ["include what each of two gained", one, older(two, [0, 4]), 6],
    ["gain as one since their last write", one, split(two, [1, 19]), 24, 4000],
    ["are cut at the capacity", four, split(doubled, [20, 20, 20, 20]), 40],
    ["hold no more if the capacity grows", doubled, split(four, [2]), 32],
    ["gained by the old rule before", faster, older(four, [0]), 31],
    ["gain by the new rule", faster, split(four, [0, 0, 0, 0]), 20, 2000],
    ["gain by the new rule in row 0", faster, root(four, 10, before), 40],
    ["become windows from a bucket", windows(4), split(four, [1, 2, 3, 4]), 10],
    ["are full if all are idle", doubled, unused, 80],
    ["hold the same if one is in use", doubled, [unused[0]!, known], 32],
    ["of the peer become one", one, peers(5, 7), 12],
    ["of the peer become four", four, peers(5, 7), 32],
    ["of the peer include absent ones before the last", one, gaps, 32],
    ["of the peer include what each gained", one, gained, 14],
    ["of the peer become four from row 0", four, peers(5), 35],
    ["of the peer are never idle", one, longAgo, -13_590],
  ])("%s", (_claim, limit, rows, value, inMs = 0) => {
    const time = NOW + inMs;
    expect(total(allBalances(limit, rows, time))).toBeCloseTo(value, 9);
    // In one row, or evenly split.
    const shown = rowsAsCounted(limit, rows, time);
    expect(shown.map(({ shard }) => shard)).toEqual(
      shown.length === 0 ? [] : [0],
    );
    const isSplit = shown[0]?.into !== undefined;
    expect(shown[0]?.rule).toBe(isSplit ? ruleOf(limit) : undefined);
  });

  const slower = bucket("auto", { rate: 50 });
  const many = root(bucket(20), 5, { into: 99 });
  const hot = [rootOf(two, { into: 8 }), row(2, 1, { into: 8 })];
  test.each<[string, Limit, Row[], into?: number]>([
    ["as many as before", slower, root(two, 5), 2],
    ["as many as there were leaves", slower, hot, 15],
    ["no more than hold two tokens each", slower, many, 20],
    ["one, if they are of the peer", auto, peers(3, 4)],
    ["one, if they are idle", slower, root(two, 5, idle)],
    ["one, if idle, also if it begins with four", doubled, root(two, 5, idle)],
    ["one, if the limit stays in one row", one, root(two, 5)],
  ])("become %s", (_claim, limit, rows, into) => {
    const [root] = rowsAsCounted(limit, rows, NOW);
    expect(root?.into).toBe(into);
    expect(root?.rule).toBe(into && ruleOf(limit));
  });

  test("become one row with the latest usedAt, fullAt and window", () => {
    const uses = [5, 9, 7].map((ms, i) =>
      row(1 + i, 1, { ts: WINDOW, usedAt: NOW + ms, fullAt: NOW + 10 * ms }),
    );
    const [shown] = rowsAsCounted(
      windows(1, 7),
      [rootOf(windows(3), { fullAt: NOW }), ...uses],
      NOW,
    );
    expect(shown).toMatchObject({
      value: 3,
      ts: WINDOW,
      usedAt: NOW + 9,
      fullAt: NOW + 90,
    });
    const [first, second] = peers(1, 2).map((one) => ({ ...one, ts: WINDOW }));
    const later = [{ ...first!, ts: WINDOW - 9 }, second!];
    const [all] = rowsAsCounted(windows(1), later, NOW);
    expect(all).toEqual({ shard: 0, value: 3, ts: WINDOW, usedAt: WINDOW });
  });

  test("hold no more if their windows have moved: a full row wastes its refill", () => {
    const config = { kind: "fixed window", rate: 4, period: MINUTE } as const;
    const of = (start: number) =>
      toLimit("rows", { ...config, capacity: 40, start, shards: 2 });
    const fullAt = NOW + DAY;
    const rows = [
      rootOf(of(0), { ts: WINDOW, fullAt: NOW - HOUR }),
      row(1, 20, { ts: WINDOW, fullAt }),
      row(2, 2, { ts: WINDOW, fullAt }),
    ];
    const later = WINDOW + 3 * MINUTE;
    expect(rowsAsCounted(of(7), rows, later)).toHaveLength(1);
    for (const start of [0, 7]) {
      expect(total(allBalances(of(start), rows, later))).toBe(20 + 2 + 6);
    }
  });
});

test("rows that fit the limit are counted as they are", () => {
  const rows = split(four, [1, 2]);
  expect(rowsAsCounted(four, rows, NOW)).toBe(rows);
  expect(rowsAsCounted(auto, rows, NOW)).toBe(rows);
});

describe("a page is shown", () => {
  const shown = async (limit: Limit, rows: Row[], now = NOW) => {
    const state = { rows: async () => rows } as KeyState;
    const [first] = phasesOf("rows", undefined, limit.usual, [], now);
    // As if an override were to come: then all rows are shown.
    const phases = [{ ...first, limit, until: now + 9 }, first] as const;
    const value = await showValue(state, phases, undefined, now);
    const { shards, rows: all, fullFrom = Infinity } = value.phases![0]!;
    return { shards, rows: all, fullFrom };
  };
  const { ts } = ago(0);
  const fullFrom = NOW + MINUTE + HOUR;
  const never = { fullFrom: Infinity };
  const later = row(3, 4, { fullAt: NOW + 2 * MINUTE });
  const nested = [1, 1025].map((n) => row(n, 20, { into: 2 }));
  const parts = [10, 10, 10, 20].map((value, i) => ({
    value,
    ts,
    parts: [8, 8, 4, 2][i],
  }));

  const only = (value: number) => ({ shards: 1, rows: [{ value, ts }] });
  const each = [1, 2, 4, 10].map((value) => ({ value, ts }));
  const some = [...split(four, [1, 2]), later];
  const latest = fullFrom + MINUTE;
  const five = [rootOf(four, { value: 5 })];
  const uneven = [rootOf(bucket(2)), ...nested];
  const other = split(bucket(2), [1, 3]);

  test.each<[string, Limit, Row[], object]>([
    ["no rows of an unused limit", four, [], { shards: 4, rows: [], ...never }],
    ["one row", one, [row(0, 5)], { ...only(5), fullFrom }],
    ["row 0, if none lies below it", four, five, { ...only(5), fullFrom }],
    ["each row", four, some, { shards: 4, rows: each, fullFrom: latest }],
    ["which part each is", auto, uneven, { shards: 4, rows: parts, fullFrom }],
    ["rows of the peer, never idle", one, peers(5), { ...only(5), ...never }],
    ["what replaces other rows", one, other, { ...only(4), fullFrom }],
  ])("%s", async (_claim, limit, rows, expected) => {
    expect(await shown(limit, rows)).toEqual(expected);
  });

  test("no rows of an idle key", async () => {
    const rows = split(four, [1]);
    expect((await shown(four, rows, fullFrom - 1)).rows).toHaveLength(4);
    const unused = { shards: 4, rows: [], ...never };
    expect(await shown(four, rows, fullFrom)).toEqual(unused);
  });

  test("all of its rows as one balance, without rounding", async () => {
    const config = { ...tenEach(49), capacity: 98 };
    const limit = toLimit("rows", config);
    const state = { rows: async () => split(limit, [0]) } as KeyState;
    const phases = phasesOf("rows", undefined, config, [], NOW);
    const { value, shard } = await showValue(state, phases, undefined, NOW);
    expect([value, shard]).toEqual([96, 2]);
  });
});

describe("the sum of rows", () => {
  test.each([
    ["of none is 0", [], 0],
    ["of one is what it holds", [-0.1], -0.1],
    ["loses no digits to a large one", [1, 1e100, 1, -1e100], 2],
    ["of tenths is exact", Array.from({ length: 10 }, () => 0.1), 1],
  ])("%s", (_claim, values, expected) => {
    const held = values.map((value, shard) => ({
      shard,
      parts: 1,
      value,
      ts: 0,
    }));
    expect(total(held)).toBe(expected);
  });

  test("has the latest ts and the latest nextAt", () => {
    const states = [
      { value: 1, ts: 5, nextAt: 30 },
      { value: 2, ts: 7 },
      { value: 4, ts: 6, nextAt: 20 },
    ];
    expect(gatherStates(states)).toEqual({ value: 7, ts: 7, nextAt: 30 });
    expect(gatherStates(states.slice(1, 2))).toEqual({ value: 2, ts: 7 });
  });
});

const held = (...values: number[]): Balance[] =>
  values.map((value, i) => ({
    ...{ shard: 1 + i, parts: values.length, value, ts: NOW },
  }));

const ten = (n: number, more: object = {}) => toLimit("ten", tenEach(n, more));

describe("a count is taken", () => {
  const nearly = ten(3).tolerance / 2;
  test.each<[string, number[], count: number, left: object]>([
    ["from the first row that holds all of it", [3, 5, 6], 5, { 2: 0 }],
    ["from the only row that holds all of it", [3, 5, 6], 6, { 3: 0 }],
    ["from the fullest rows, if none holds it", [3, 5, 6], 7, { 2: 4, 3: 0 }],
    ["from all rows", [3, 5, 6], 14, { 1: 0, 2: 0, 3: 0 }],
    ["from a row that holds it within rounding", [3, 5], 5 + nearly, { 2: 0 }],
    ["from all rows, within rounding", [3, 5], 8 + nearly, { 1: 0, 2: 0 }],
    ["from no row, if it is 0", [3, 5, 6], 0, {}],
    ["beside a debt, from some of the rows", [-2, 5, 6], 8, { 2: 3, 3: 0 }],
  ])("%s", (_claim, values, count, left) => {
    const limit = ten(values.length);
    const rest = Math.max(0, total(held(...values)) - count);
    const writes = drained(limit, held(...values), rest, NOW);
    expect(written(writes)).toEqual(left);
  });
});

describe("tokens are given", () => {
  test.each<[string, number[], count: number, given: number, object]>([
    ["to the emptiest row", [9, 2, 5], 3, 3, { 2: 5 }],
    ["to the emptiest until it is full", [9, 2, 5], 8, 8, { 2: 10 }],
    ["to the next if the emptiest is full", [9, 2, 5], 10, 10, { 2: 10, 3: 7 }],
    ["to all that have room", [9, 2, 5], 99, 14, { 1: 10, 2: 10, 3: 10 }],
    ["to none if all are full", [10, 10], 1, 0, {}],
    ["to a debt", [-4, -2], 4, 4, { 0: -2 }],
    ["to a debt, and then to all rows alike", [-4, -2], 8, 8, { 0: 2 }],
    ["to a debt, up to the capacity", [-4, -2], 99, 26, { 0: 20 }],
    ["to a debt beside what others hold", [9, -4, -2], 4, 4, { 0: 7 }],
  ])("%s", (_claim, values, count, given, left) => {
    const limit = ten(values.length);
    const rows = gatheredIfOwing(held(...values));
    const credit = credited(limit, rows, count, NOW);
    expect(written(credit.writes)).toEqual(left);
    expect(credit.credited).toBe(given);
    expect(credit.writes[0]?.into).toBe(0 in left ? values.length : undefined);
  });
});

describe("the view of rows", () => {
  const after = (rows: Row[], left: number) =>
    viewOfRows(rows).leaving(four, left, NOW);

  test("leaves tokens by the rows that it changes, and shows what is left", () => {
    const rows = split(four, [1, 2]);
    const { writes, view } = after(rows, 20);
    expect(written(writes)).toEqual({ 3: 7 });
    expect(view.balance(four, NOW)).toBe(20);
  });

  test("is full, and idle, an hour after all rows are full", () => {
    const view = viewOfRows(split(four, [-1]));
    const fullFrom = NOW + MINUTE + HOUR;
    expect([fullFrom - 1, fullFrom].map((time) => view.isIdle(time))).toEqual([
      false,
      true,
    ]);
    expect(view.balance(doubled, fullFrom - 1)).toBe(80);
  });

  test.each<[string, Row[], left: number]>([
    ["a debt of one of them", split(four, [-2, 9, 3]), 15],
    ["a debt that is to be made", split(four, [1, 1, 1, 1]), -3],
    [
      "a debt that was paid meanwhile",
      [rootOf(four, { owes: true }), row(1, 3)],
      7,
    ],
  ])(
    "gathers %s in a row 0 of as many parts, which owe alike",
    (_claim, rows, left) => {
      const { writes, view } = after(rows, left);
      const [root] = writes;
      expect(writes).toHaveLength(1);
      expect(root).toMatchObject({ shard: 0, value: left, into: 4 });
      expect(root!.owes).toBeUndefined();
      expect(allBalances(four, writes, NOW).map(({ value }) => value)).toEqual(
        Array(4).fill(left / 4),
      );
      expect(view.balance(four, NOW)).toBe(left);
    },
  );
});

describe("a key is idle", () => {
  const split = { fullAt: NOW + DAY, into: 2 };
  const by = (ms: number) => ({ fullAt: NOW - ms });
  test.each<[string, { fullAt?: number; into?: number }[], boolean]>([
    ["without rows", [], true],
    ["an hour after its row is full", [by(HOUR)], true],
    ["not a ms before that", [by(HOUR - 1)], false],
    ["an hour after its last row is full", [by(HOUR), by(DAY)], true],
    ["not if one row is in use", [by(DAY), by(HOUR - 1), by(DAY)], false],
    ["never, if a row has no fullAt", [by(DAY), {}], false],
    [
      "whenever row 0 was full, by all below it",
      [split, by(DAY), by(HOUR)],
      true,
    ],
    ["not if a row below row 0 is not stored", [split, by(DAY)], false],
  ])("%s", (_claim, rows, expected) => {
    const numbered = rows.map((row, shard) => ({ shard, ...row }));
    expect(areIdle(numbered, NOW)).toBe(expected);
  });
});

test("a row 0 that replaces all others holds its value by now, and keeps their last use", () => {
  const before = rootOf(four, { value: 3, ...ago(2000), usedAt: NOW - 2000 });
  expect(rootToStore(four, before, NOW)).toEqual(
    rootOf(four, { value: 5, fullAt: NOW + 35_000, usedAt: NOW - 2000 }),
  );
  expect(rootToStore(one, row(0, 3), NOW)).toEqual(row(0, 3));
});
