import { describe, expect, test } from "vitest";
import { overlay, toStored } from "../../src/core/config.js";
import { toLimit, ruleOf, type Limit } from "../../src/core/limit.js";
import type { ConfigOverride } from "../../src/core/validators.js";
import { DAY, HOUR, MINUTE } from "../../src/core/periods.js";
import {
  afterWrites,
  rowsAsCounted,
  isUsable,
  ampleFanOut,
  gatheredRoot,
  allBalances,
  isIdle,
  rootToStore,
  type Row,
  shownRows,
  type SplitRow,
  gatherStates,
  toLeaseRow,
  toRow,
  total,
} from "../../src/core/rows.js";

const NOW = 1_000_000;

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
  const { firstRows, whole } = limit;
  const rule = ruleOf(limit);
  const ts = limit.kind === "fixed window" ? WINDOW : NOW;
  const held = { ...row(0, whole.capacity), ts, usedAt: 0 };
  return { ...held, into: firstRows, rule, ...more };
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

const owingFor = (ms: number) => ({ owingSince: NOW - ms });

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
    ["windows with another start", moved, rootOf(w4), true],
    ["rows that owe", four, rootOf(four, owingFor(MINUTE - 1)), true],
    [
      "no rows that owe for a minute",
      four,
      rootOf(four, owingFor(MINUTE)),
      false,
    ],
  ])("%s", (_claim, limit, root, expected) => {
    expect(isUsable(limit, root, NOW)).toBe(expected);
  });

  test.each<[string, Limit, SplitRow, boolean]>([
    ["buckets, even if row 0 is idle", four, rootOf(four, idle), true],
    ["the same windows, even if row 0 is idle", w4, rootOf(w4, idle), true],
    ["no other windows once row 0 is idle", moved, rootOf(w4, idle), false],
    ["other windows in use", moved, rootOf(w4), true],
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
  test.each<[string, Limit, Row[], number[]]>([
    ["all of it in one that is absent", one, [], [40]],
    ["all of it in one if none is stored", four, [], [40]],
    ["what they say", four, three, [3, 1, 10, 10]],
    ["what they say, in any order", four, three.toReversed(), [3, 1, 10, 10]],
    ["what two say, in any order", four, two.toReversed(), [3, 10, 10, 10]],
    ["their part of row 0 alone", four, held0(6), [1.5, 1.5, 1.5, 1.5]],
    [
      "what they have gained",
      four,
      [rootOf(four), row(1, 1, ago(4000)), row(2, -3, ago(8000))],
      [2, -1, 10, 10],
    ],
    [
      "no more than their part",
      four,
      split(four, [9.5], ago(4000)),
      [10, 10, 10, 10],
    ],
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

  test("what no lease takes by the clock, in a concurrency limit", () => {
    const config = { kind: "concurrency", capacity: 5, lease: MINUTE } as const;
    const limit = toLimit("jobs", toStored(config));
    const leases = [
      toLeaseRow(1, NOW, NOW + 1),
      toLeaseRow(2, NOW + 50, NOW + 2),
      { ...toLeaseRow(1, NOW, 0), endsAt: undefined },
    ];
    const left = (now: number) => allBalances(limit, leases, now);
    expect(left(NOW)).toEqual([{ shard: 0, parts: 1, value: 1, ts: NOW }]);
    expect([NOW + 1, NOW + 2].map((now) => total(left(now)))).toEqual([2, 4]);
    expect(shownRows(limit, leases.slice(0, 1), NOW)).toEqual({
      shards: 1,
      rows: [{ value: 4, ts: NOW, endsAt: NOW + 1 }],
    });
  });
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
  const three = [undefined, undefined, undefined];

  test.each<[string, Limit, Row[], value: number, inMs?: number]>([
    ["hold the same under another rule", faster, split(two, [1, 3]), 4],
    ["hold the same, four in one", one, split(four, [1, 3, 4, 5]), 13],
    ["keep a debt under another rule", faster, root(two, -12), -12],
    ["keep a debt of two in one", one, root(two, -12), -12],
    ["include absent ones", one, [...root(two, 10), row(1, 4)], 9],
    ["include what each of two gained", one, older(two, [0, 4]), 6],
    ["held no more than a part each", one, older(two, [19, 4]), 24],
    ["gain as one since their last write", one, split(two, [1, 19]), 24, 4000],
    ["are cut at the capacity", four, split(doubled, [20, 20, 20, 20]), 40],
    ["hold no more if the capacity grows", doubled, split(four, [2]), 32],
    ["gained by the old rule before", faster, older(four, [0]), 31],
    ["gain by the new rule", faster, split(four, [0, 0, 0, 0]), 20, 2000],
    ["gain by the new rule in row 0", faster, root(four, 10, before), 40],
    ["become windows from a bucket", windows(4), split(four, [1, 2, 3, 4]), 10],
    ["become a bucket from windows", four, split(windows(2), [1, 2]), 40],
    [
      "are full if all are idle",
      doubled,
      split(four, [1], idle).with(0, rootOf(four, idle)),
      80,
    ],
    [
      "hold the same if one is in use",
      doubled,
      [rootOf(four, idle), known],
      32,
    ],
    ["of the peer become one", one, peers(5, 7), 12],
    ["of the peer become four", four, peers(5, 7), 32],
    [
      "of the peer include absent ones before the last",
      one,
      peers(undefined, 5, undefined, 7),
      32,
    ],
    ["of the peer may lack three", one, peers(...three, 5), 35],
    ["of the peer include what each gained", one, gained, 14],
    ["of the peer become four from row 0", four, peers(5), 35],
    ["of the peer stay one row 0", one, peers(5), 5],
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
    // A page says the same.
    const page = shownRows(limit, rows, time);
    expect(page.rows).toHaveLength(isIdle(rows, time) ? 0 : 1);
  });

  const slower = bucket("auto", { rate: 50 });
  const million = { capacity: 1e6 };
  const large = root(bucket(20, million), 5, { into: 999 });
  test.each<[string, Limit, Row[], into?: number]>([
    ["as many as before", slower, root(two, 5), 2],
    ["no more than hold ten tokens each", slower, root(bucket(20), 5), 4],
    ["at most 64", bucket("auto", { ...million, rate: 7 }), large, 64],
    [
      "one, if the capacity is below twenty",
      bucket("auto", { capacity: 19 }),
      root(two, 5),
    ],
    ["one, if they are of the peer", auto, peers(3, 4)],
    ["one, of the peer without row 0", auto, peers(undefined, 3, 4)],
    ["one, if they are idle", slower, root(two, 5, idle)],
    [
      "four, if they are of the peer and it begins with four",
      four,
      peers(3),
      4,
    ],
    [
      "one, if they are idle, also if it begins with four",
      doubled,
      root(two, 5, idle),
    ],
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

  test("lose no fraction to rounding if there is only row 0", () => {
    const alone = rootOf(bucket(11), { value: 0.1 });
    const [shown] = rowsAsCounted(bucket(1, { capacity: 80 }), [alone], NOW);
    expect(shown?.value).toBe(0.1);
  });
});

test("rows that fit the limit are counted as they are", () => {
  const rows = split(four, [1, 2]);
  expect(rowsAsCounted(four, rows, NOW)).toBe(rows);
  expect(rowsAsCounted(auto, rows, NOW)).toBe(rows);
});

describe("a page is shown", () => {
  const shown = (limit: Limit, rows: Row[], now = NOW) =>
    shownRows(limit, rows, now);
  const { ts } = ago(0);
  const fullFrom = NOW + MINUTE + HOUR;

  test.each<[string, Limit, Row[], object]>([
    ["no rows of an unused limit", four, [], { shards: 4, rows: [] }],
    [
      "one row",
      one,
      [row(0, 5)],
      { shards: 1, rows: [{ value: 5, ts }], fullFrom },
    ],
    [
      "row 0, if none lies below it",
      four,
      [rootOf(four, { value: 5 })],
      { shards: 1, rows: [{ value: 5, ts }], fullFrom },
    ],
    [
      "each row, stored or not, and when the last is idle",
      four,
      [...split(four, [1, 2]), row(3, 4, { fullAt: NOW + 2 * MINUTE })],
      {
        shards: 4,
        rows: [1, 2, 4, 10].map((value) => ({ value, ts })),
        fullFrom: fullFrom + MINUTE,
      },
    ],
    [
      "which part each row is, if their sizes differ",
      auto,
      [rootOf(bucket(2)), ...[1, 1025].map((n) => row(n, 20, { into: 2 }))],
      {
        shards: 4,
        rows: [
          [10, 8],
          [10, 8],
          [10, 4],
          [20, 2],
        ].map(([value, parts]) => ({ value, ts, parts })),
        fullFrom,
      },
    ],
    [
      "rows without fullAt, which never become idle",
      one,
      peers(5),
      { shards: 1, rows: [{ value: 5, ts }], fullFrom: Infinity },
    ],
  ])("%s", (_claim, limit, rows, expected) => {
    expect(shown(limit, rows)).toEqual(expected);
  });

  test("no rows of an idle key", () => {
    expect(shown(four, split(four, [1]), fullFrom - 1).rows).not.toEqual([]);
    expect(shown(four, split(four, [1]), fullFrom)).toEqual({
      shards: 4,
      rows: [],
    });
  });

  test("when the next window begins", () => {
    const nextAt = NOW + 7;
    const { rows } = shown(days, [rootOf(days, { nextAt })]);
    expect(rows).toMatchObject([{ nextAt }]);
  });
});

describe("the sum of rows", () => {
  test.each([
    ["of none is 0", [], 0],
    ["of one is what it holds", [-0.1], -0.1],
    ["loses no digits to a large one", [1, 1e100, 1, -1e100], 2],
    ["loses no digits to a large one that comes first", [1e16, 1, -1e16], 1],
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

describe("all rows are gathered in one,", () => {
  const held = (limit: Limit, rows: Row[]) => allBalances(limit, rows, NOW);

  test.each<[string, Limit, Row[], into: number, expected?: number]>([
    ["which is split as before", four, split(four, [1, 2]), 4, 4],
    ["which is split into fewer", four, split(four, [1, 2]), 2, 2],
    ["which is not split", one, [row(0, 5)], 1, undefined],
    ["which is not split for one row", auto, [rootOf(bucket(3))], 1, undefined],
  ])("%s", (_claim, limit, rows, into, expected) => {
    const all = held(limit, rows);
    const one = { shard: 0, parts: 1, value: total(all), ts: NOW };
    expect(gatheredRoot(all, into)).toEqual({ ...one, into: expected });
  });

  test("a limit shrinks into at most as many rows as hold ten tokens", () => {
    expect([1, 3, 20].map((most) => ampleFanOut(auto, most))).toEqual([
      1, 3, 4,
    ]);
    expect(ampleFanOut(one, 3)).toBe(1);
  });
});

describe("what is stored of a row", () => {
  const held = { shard: 2, value: 4, ts: NOW };
  const rule = ruleOf(four);

  test.each<[string, Limit, object, object]>([
    ["that is the only one: fullAt", one, {}, { fullAt: NOW + 36_000 }],
    ["of four: fullAt", four, { parts: 4 }, { fullAt: NOW + 24_000 }],
    [
      "of a window: also usedAt",
      windows(4),
      { parts: 4, ts: WINDOW },
      { fullAt: 1_020_000, usedAt: NOW },
    ],
    [
      "that is split: also into how many rows, by which rule, and usedAt",
      four,
      { shard: 0, into: 4 },
      { fullAt: NOW + 36_000, into: 4, rule, usedAt: NOW },
    ],
    [
      "that is full: fullAt is now, so that it is kept as long as any",
      one,
      { value: 40, ts: NOW - 5000 },
      { fullAt: NOW },
    ],
    [
      "of a plain window: no nextAt of a calendar",
      windows(1),
      { ts: WINDOW, nextAt: 7 },
      { fullAt: 1_020_000, usedAt: NOW, nextAt: undefined },
    ],
  ])("%s", (_claim, limit, more, expected) => {
    const row = toRow(limit, { ...held, parts: 1, ...more }, NOW);
    const { shard, value, ts } = { ...held, ...more };
    expect(row).toEqual({ shard, value, ts, ...expected });
  });

  test.each([
    ["the calendar", undefined, DAY],
    ["its own window", DAY - 1, DAY - 1],
  ])("of a day: the nextAt of %s", (_claim, nextAt, expected) => {
    const stored = toRow(
      days,
      { shard: 1, parts: 4, value: 0, ts: 0, nextAt },
      5,
    );
    expect(stored.nextAt).toBe(expected);
    expect(stored.fullAt).toBe(expected);
  });

  test("that replaces all others: its value by now, and their last use", () => {
    const before = rootOf(four, { value: 3, ...ago(2000), usedAt: NOW - 2000 });
    const after = rootToStore(four, before, NOW);
    expect(after).toEqual(
      rootOf(four, { value: 5, fullAt: NOW + 35_000, usedAt: NOW - 2000 }),
    );
    expect(rootToStore(one, row(0, 3), NOW)).toEqual(row(0, 3));
  });
});

test("a write of row 0 replaces all rows, another write one row", () => {
  const rows = split(four, [1, 2]);
  expect(afterWrites(rows, [row(0, 9)])).toEqual([row(0, 9)]);
  expect(afterWrites(rows, [row(2, 9), row(3, 8)])).toEqual([
    ...rows.slice(0, 2),
    row(2, 9),
    row(3, 8),
  ]);
});
