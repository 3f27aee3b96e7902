import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { aKind } from "../support/arbitraries.js";
import { MIDNIGHT } from "../support/host.js";
import { openLimitOf, draws, rowsOf } from "../support/memoryLedger.js";
import type { RateLimitConfig } from "../../src/core/config.js";
import type { TimedOverride } from "../../src/core/validators.js";
import { timeUntilGranted } from "../../src/core/wait.js";
import type { Demand } from "../../src/core/demand.js";
import { MINUTE } from "../../src/core/periods.js";
import type { Row } from "../../src/core/rows.js";
import { runs } from "../support/seed.js";
import { demandFor, tenEach } from "../support/demands.js";

const childShard = (_: number, nth: number) => nth + 1;

// The rows below row 0 are numbered from 1.

/** Ten tokens a second: busy for a second after a write, where `tenEach` never is. */
const fast = (shards: number) => tenEach(shards, { rate: 600 });

const zeros = (n: number) => Array<number>(n).fill(0);

type Setting = {
  random?: number[];
  now?: number;
  seen?: Row[];
  overrides?: TimedOverride[];
};

/** Takes from these rows. Returns the decision, what it writes, and what it has read. */
async function taken(
  config: RateLimitConfig,
  rows: readonly Row[],
  demands: readonly Demand[],
  { random = [], ...more }: Setting = {},
) {
  const opened = openLimitOf(config, rows, more);
  const decision = await opened.ledger.decide(demands, draws(...random));
  const { reads } = opened.ledger;
  if (!decision.ok) {
    const { forecast, ...denial } = decision;
    const { phases, now } = opened;
    const retryAfter = timeUntilGranted([{ phases, demands, forecast }], now);
    return { ...denial, retryAfter, reads };
  }
  const { writes, ...rest } = decision;
  opened.ledger.set(writes);
  const { written, mayOwe } = opened.ledger;
  return { ...rest, writes: written, reads, ...(mayOwe && { mayOwe }) };
}

test.each([
  ["a second row is read after a call of 99 ms", 99, "0 1 2"],
  ["a look chooses after a call of 100 ms", 100, "0 1 look 2"],
])("%s", async (_claim, ms, reads) => {
  const at = BigInt(MIDNIGHT + ms) * 1_000_000n;
  const rows = rowsOf([0.5, 2, 5], { at });
  const random = [0, 0];
  const now = MIDNIGHT + 5000;
  const { reads: actual } = await taken(
    { ...tenEach(3), rate: 0.001 },
    rows,
    [demandFor(1)],
    { random, now },
  );
  expect(actual).toBe(reads);
});

test.each([
  [
    "read if 3 of 8 rows hold the count",
    [0, 1, 1, 1, 0, 0, 0, 0],
    "look 2",
    true,
  ],
  ["not read if only 2 do", [0, 1, 1, 0, 0, 0, 0, 0], "look", false],
  ["no part of a grant", [0.5, 0.6, 1, 1, 1, 0, 0, 0], "look 2", false],
])(
  "where calls take long, a second row is %s",
  async (_claim, values, reads, ok) => {
    const at = BigInt(MIDNIGHT + 100) * 1_000_000n;
    const contested = { at, contestedAt: MIDNIGHT - 5 };
    const rows = rowsOf(values, contested);
    const setting = { random: [0, 0], now: MIDNIGHT + 150 };
    // Four a row, and so slow that nothing arrives meanwhile.
    const slow = { ...tenEach(8), rate: 61, capacity: 32 };
    expect(await taken(slow, rows, [demandFor(1)], setting)).toMatchObject({
      ok,
      reads: `0 1 ${reads}`,
    });
  },
);

describe.each([
  ["a fixed split", tenEach],
  [
    "a limit that has split itself",
    (n: number) => tenEach(n, { shards: "auto" }),
  ],
])("in %s,", (_split, configOf) => {
  type Values = (number | undefined)[];
  // What the rows hold, the draws, the count, what is written, and what is read: row numbers, looks, "all".
  test.each<[string, Values, number[], number, object, string]>([
    ["a well-filled row serves alone", [8, 9, 9], [0.4], 1, { 2: 8 }, "0 2"],
    ["an absent row serves as full", [undefined, 3, 3], [], 1, { 1: 9 }, "0 1"],
    ["one of only two rows serves if it can", [1, 9], [], 1, { 1: 0 }, "0 1"],
    ["the fuller of two serves: second", [1, 5, 9], [0], 1, { 2: 4 }, "0 1 2"],
    [
      "the fuller of two serves: first",
      [1, 1.5, 9],
      [0.4, 0.5],
      1,
      { 2: 0.5 },
      "0 2 1",
    ],
    ["the first of equals serves", [1, 1, 9], [0.4, 0.5], 1, { 2: 0 }, "0 2 1"],
    ["two rows serve together", [3, 4, 9], [], 6, { 1: 1, 2: 0 }, "0 1 2"],
    [
      "a look finds another row if two rows are short",
      [0, 0.5, 9, 9],
      [0, 0, 0.9],
      1,
      { 4: 8 },
      "0 1 2 look 4",
    ],
    [
      "beside the rows already read, only the fullest is read",
      [1, 2, 4, 5],
      [],
      7,
      { 2: 0, 4: 0 },
      "0 1 2 look 4",
    ],
  ])("%s", async (_claim, values, random, count, writes, reads) => {
    const config = configOf(values.length);
    const answer = await taken(config, rowsOf(values), [demandFor(count)], {
      random,
    });
    expect(answer).toEqual({ ok: true, taken: [count], writes, reads });
  });

  const seen = rowsOf([0, 0, 0, 9]);
  const [root, ...below] = seen;

  test.each<[string, Row[], object]>([
    [
      "holds less by now",
      rowsOf([0, 0, 2, 0.5]),
      { ok: true, writes: { 3: 1 }, reads: "0 1 2 look 4 all" },
    ],
    [
      "is empty by now, like all others",
      rowsOf([0, 0, 0, 0]),
      { ok: false, retryAfter: 1000, reads: "0 1 2 look 4 all" },
    ],
    [
      "has been split since",
      [root!, ...below.slice(0, 3), { ...below[3]!, into: 2 }],
      { writes: { 4097: 3.5 }, reads: "0 1 2 look 4 4097 all" },
    ],
  ])(
    "all rows are read if the row that the look found %s",
    async (_claim, rows, expected) => {
      const answer = await taken(configOf(4), rows, [demandFor(1)], { seen });
      expect(answer).toMatchObject(expected);
    },
  );

  test("a dry run reports which demand it spared, and takes nothing", async () => {
    const config = { ...configOf(4), enforce: false };
    expect(await taken(config, rowsOf(zeros(4)), [demandFor(2)])).toEqual({
      ok: true,
      taken: [0],
      spared: [0],
      writes: {},
      reads: "0 1 2 look",
    });
  });

  test("a denial waits until the rows together hold the count", async () => {
    expect(await taken(configOf(4), rowsOf(zeros(4)), [demandFor(2)])).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 2000,
      reads: "0 1 2 look",
    });
  });

  test("a count above the capacity is an error", async () => {
    await expect(
      taken(configOf(4), rowsOf(zeros(4)), [demandFor(41)]),
    ).rejects.toThrow("count 41 exceeds 40");
  });

  test("a denial in debt waits until the debt is paid", async () => {
    const inDebt = { ...root!, value: -6 };
    const denied = await taken(configOf(4), [inDebt], [demandFor(1)]);
    expect(denied).toMatchObject({ ok: false, retryAfter: 7000 });
  });
});

const auto = (n: number) => tenEach(n, { shards: "auto" });

describe("in a limit that has split itself,", () => {
  test("the second row is any below another child of row 0", async () => {
    const leaf = (parent: number, nth: number, value: number) => ({
      ...rowsOf([value])[1]!,
      shard: childShard(parent, nth),
    });
    const [root, ...children] = rowsOf([0, 0], { into: 3 });
    const leaves = [leaf(1, 0, 0), leaf(2, 0, 8), leaf(2, 1, 9)];
    const rows = [{ ...root!, into: 3 }, ...children, ...leaves];
    expect(await taken(auto(9), rows, [demandFor(1)])).toMatchObject({
      writes: { 2049: 7 },
      reads: "0 1 1025 2 2049",
    });
  });

  const seen = rowsOf([0, 0, 0, 9]);
  test.each([
    ["two rows", rowsOf([0, 9]), { 2: 8 }, "0 1 look 2 all"],
    ["three rows", rowsOf([0, 0, 3]), { 3: 2 }, "0 1 2 look all"],
  ])(
    "all rows are read if the row that the look found is gone, with %s left",
    async (_claim, rows, writes, reads) => {
      const answer = await taken(auto(4), rows, [demandFor(1)], { seen });
      expect(answer).toMatchObject({ ok: true, writes, reads });
    },
  );
});

describe("in a busy limit,", () => {
  const now = MIDNIGHT + 100;
  const busy = { ts: now, usedAt: MIDNIGHT };
  /** The rows as concurrent calls leave them. */
  const atOnce = (rows: readonly Row[]): Row[] =>
    rows.map((row, nth) => {
      const at = BigInt(MIDNIGHT + 1 + nth) * 1_000_000n;
      return { ...row, at };
    });
  const alone = rowsOf([0, 0, 0, 1, 0, 0, 0, 0], busy);
  const eight = atOnce(alone);

  test("a lone token is kept for calls that happen to find it", async () => {
    const usedAt = MIDNIGHT - 1;
    const rows = atOnce(rowsOf([0, 0, 0, 1, 0, 0, 0, 0], { ts: now, usedAt }));
    // Each of the other rows has a token then, at 1.25 a second.
    expect(await taken(fast(8), rows, [demandFor(1)], { now })).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 800,
      reads: "0 1 2 look",
    });
  });

  test.each([
    ["a look shows 16 of 20 rows", 20, demandFor(1), busy, "look(5, 16)"],
    ["a look shows all of 16 rows", 16, demandFor(1), busy, "look"],
    [
      "a look shows all rows for a count that no row can hold",
      20,
      demandFor(11),
      busy,
      "look",
    ],
    [
      "a second look shows all rows if the first found calm ones",
      20,
      demandFor(1),
      { ts: now },
      "look(5, 16) look",
    ],
    [
      "a look shows all rows for a reservation, which a row that was read takes",
      20,
      demandFor(1, { debt: "reserve" }),
      busy,
      "look",
    ],
    [
      "a look shows all rows for a demand with upTo",
      20,
      demandFor(1, { upTo: true }),
      busy,
      "look",
    ],
  ])("%s", async (_claim, n, demand, more, looks) => {
    for (const shards of [n, "auto" as const, undefined]) {
      const setting = { now, random: [0.5] };
      const config = { ...fast(n), shards };
      const rows = atOnce(rowsOf(zeros(n), more));
      const { reads } = await taken(config, rows, [demand], setting);
      const first = 1 + n / 2;
      expect(reads).toBe(`0 ${first} ${first + 1} ${looks}`);
    }
  });

  test.each([
    ["kept for others if concurrent calls used them", eight, false],
    ["granted if one caller used them", alone, true],
  ])("a lone token is %s", async (_claim, rows, ok) => {
    for (const shards of [8, "auto", undefined] as const) {
      const config = { ...fast(8), shards };
      const answer = await taken(config, rows, [demandFor(1)], {
        now,
      });
      expect(answer.ok).toBe(ok);
    }
  });

  test.each<[string, number | "auto" | undefined, boolean]>([
    ["granted without shards, if all rows hold it", undefined, true],
    ['denied with shards: "auto"', "auto", false],
    ["denied with shards: 8", 8, false],
  ])(
    "a count that no row can hold by itself is %s",
    async (_claim, shards, ok) => {
      const rows = atOnce(rowsOf([5, 5, 5, 5, 0, 0, 0, 0], busy));
      const config = { ...tenEach(8, { rate: 60 * 120 }), shards };
      const answer = async (count: number) =>
        (await taken(config, rows, [demandFor(count)], { now })).ok;
      expect(await answer(20)).toBe(ok);
      expect(await answer(21)).toBe(false);
    },
  );

  test("a denial by calm rows waits until the busy rows are calm", async () => {
    const calm = { usedAt: MIDNIGHT - 2000, at: undefined };
    const values = [...zeros(17), ...zeros(17).map(() => 0.2)];
    const rows = atOnce(rowsOf(values, busy)).map((row, nth) =>
      nth > 17 ? { ...row, ...calm } : row,
    );
    const config = { ...fast(34), rate: 60 * 100, shards: undefined };
    const setting = { now, random: [0.9, 0.9] };
    const answer = await taken(config, rows, [demandFor(1)], setting);
    expect(answer).toMatchObject({ ok: false, retryAfter: 900 });
    expect(answer.reads).toMatch(/look\(19, 16\) look$/);
  });

  test.each([
    ["from a row that it has read", true, [0.3, 0], [2], "0 3 4 look"],
    [
      "from one of the rows that hold a token",
      true,
      [0, 0, 0, 0.99],
      [3],
      "0 1 2 look 8",
    ],
    [
      "from all rows in a dry run, which tells only the count",
      false,
      [0, 0],
      [9],
      "0 1 2 look 8 3 4 5 6",
    ],
  ])("upTo takes %s", async (_claim, enforce, random, expected, reads) => {
    const rows = atOnce(rowsOf([0.5, 0.5, 2, 2, 0.5, 0.5, 0, 3], busy));
    const config = { ...fast(8), enforce };
    const demand = demandFor(20, { upTo: true });
    const answer = await taken(config, rows, [demand], { now, random });
    expect(answer).toMatchObject({ ok: true, taken: expected, reads });
  });

  describe("a debt", () => {
    const owing = (count: number, debt: "reserve" | "denied" | "any") =>
      demandFor(count, { debt });
    const none = atOnce(rowsOf(zeros(8), busy));

    // Eight rows of 1.25 tokens a second, which hold 10 each.
    test.each([
      ["a reservation waits for its row", none, owing(1, "reserve"), 800],
      ["a charge waits for the whole limit", none, owing(1, "any"), 100],
      [
        "a charge of what others hold waits for nothing",
        eight,
        owing(1, "any"),
        undefined,
      ],
    ])("is made by one row: %s", async (_claim, rows, demand, retryAfter) => {
      expect(
        await taken(fast(8), rows, [demand], { now, random: [0, 0, 0, 0.2] }),
      ).toMatchObject({
        ok: true,
        retryAfter,
        writes: { 1: -1 },
        reads: "0 1 2 look",
        mayOwe: true,
      });
    });

    test.each([
      ["is for what no row can hold", fast(8), owing(10.5, "reserve")],
      ["is denied", fast(8), owing(1, "denied")],
      [
        "exceeds each row's part of maxReserved",
        { ...fast(8), maxReserved: 7 },
        owing(1, "reserve"),
      ],
      ["is in a dry run", { ...fast(8), enforce: false }, owing(1, "reserve")],
      ["is on a slow limit", tenEach(8), owing(1, "reserve")],
    ])("is decided by all rows if it %s", async (_claim, config, demand) => {
      const answer = await taken(config, none, [demand], { now });
      expect(answer.reads).toMatch(/ all$/);
      expect(answer).not.toHaveProperty("mayOwe");
    });

    test("is decided by all rows if an override is to come", async () => {
      const overrides = [
        { override: { deny: true as const }, startsAt: now + 50_000 },
      ];
      const setting = { now, overrides };
      const { reads } = await taken(fast(8), none, [owing(1, "any")], setting);
      expect(reads).toMatch(/ all$/);
    });

    test("is denied by a look if it would exceed maxReserved", async () => {
      const config = { ...fast(8), maxReserved: 8 };
      const owed = atOnce(rowsOf(zeros(8).fill(-1), busy));
      const [root, ...below] = owed;
      const rows = [{ ...root!, owingSince: now - 5000 }, ...below];
      expect(
        await taken(config, rows, [owing(1, "reserve")], { now }),
      ).toMatchObject({ ok: false, retryAfter: 100, reads: "0 1 2 look" });
    });
  });

  describe("where rows may be in debt", () => {
    const where = (values: number[], owingSince = now - 5000) => {
      const [root, ...below] = atOnce(rowsOf(values, busy));
      return [{ ...root!, owingSince }, ...below];
    };

    test.each([
      ["is granted what all rows have left", [9, -2, -2, -2], 3, true],
      ["is denied what only one row holds", [9, -2, -2, -4], 3, false],
    ])("a call %s", async (_claim, values, count, ok) => {
      const config = { ...tenEach(4), shards: undefined };
      const { reads, ...answer } = await taken(
        config,
        where(values),
        [demandFor(count)],
        { now },
      );
      expect(answer.ok).toBe(ok);
      expect(reads).toBe(ok ? "0 look 1" : "0 look");
    });

    test("upTo takes no more than all rows have left", async () => {
      const demand = demandFor(9, { upTo: true });
      const rows = where([9, 9, -5, -9]);
      expect(await taken(fast(4), rows, [demand], { now })).toMatchObject({
        ok: true,
        taken: [4],
      });
    });

    // Each is granted by what it saw, and only one that read the same row would run again.
    test("calls at once that read no row in common take no more than all rows have left", async () => {
      const aDraw = fc.double({
        min: 0,
        max: 1,
        maxExcluded: true,
        noNaN: true,
      });
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.integer({ min: -6, max: 10 }), {
            minLength: 2,
            maxLength: 6,
          }),
          fc.array(
            fc.record({
              count: fc.integer({ min: 1, max: 12 }),
              upTo: fc.boolean(),
              random: fc.array(aDraw, { minLength: 8, maxLength: 8 }),
            }),
            { minLength: 2, maxLength: 3 },
          ),
          async (values, calls) => {
            const config = { ...fast(values.length), shards: undefined };
            const used = new Set<string>();
            let sum = 0;
            for (const { count, upTo, random } of calls) {
              const demand = demandFor(count, { upTo });
              const answer = await taken(config, where(values), [demand], {
                now,
                random,
              });
              const [, ...read] = answer.reads
                .split(" ")
                .filter((one) => one !== "look");
              if (
                !answer.ok ||
                read.includes("all") ||
                read.some((one) => used.has(one))
              )
                continue;
              for (const one of read) used.add(one);
              sum += answer.taken[0]!;
            }
            const left = values.reduce((a, b) => a + b);
            expect(sum).toBeLessThanOrEqual(Math.max(0, left) + 1e-6);
          },
        ),
        runs(300),
      );
    });

    // 2.5 tokens a second and row.
    test.each([
      [
        "reads two rows, and one owes more",
        [-1, -1, -1, -1],
        5,
        1,
        800,
        "0 1 2",
      ],
      [
        "prefers one that owes two counts less",
        [-3.1, -1, 0, 0],
        5,
        2,
        800,
        "0 1 2",
      ],
      [
        "reads one row where calls take long",
        [-1, -1, -1, -1],
        100,
        1,
        800,
        "0 1 look",
      ],
    ])(
      "a reservation %s",
      async (_claim, values, ranMs, shard, retryAfter, reads) => {
        const ran = {
          usedAt: now - 200,
          at: BigInt(now - 200 + ranMs) * 1_000_000n,
          contestedAt: now - 300,
        };
        const rows = where(values).map((row) => ({ ...row, ...ran }));
        const demand = demandFor(1, { debt: "reserve" });
        expect(await taken(fast(4), rows, [demand], { now })).toMatchObject({
          ok: true,
          retryAfter,
          writes: { [shard]: -2 },
          reads,
        });
      },
    );

    // On a machine that is overloaded, nobody gets through.
    test("a reservation reads two rows though no call has ended lately", async () => {
      const recalled = { contestedAt: now - 5000 };
      const rows = where([-99, -99, -99, -99]).map((row) => ({
        ...row,
        ...recalled,
      }));
      const demand = demandFor(1, { debt: "reserve" });
      const later = { now: now + 30_000 };
      expect(await taken(fast(4), rows, [demand], later)).toMatchObject({
        reads: "0 1 2",
      });
    });

    test("a calm limit is decided by all rows, which are gathered", async () => {
      const rows = where([-1, -1, 3, -1]);
      const demand = demandFor(1, { debt: "reserve" });
      expect(
        await taken(tenEach(4), rows, [demand], { now: now + 1000 }),
      ).toMatchObject({ reads: "0 1 2 look all", writes: { 0: 0 } });
    });

    test.each([
      [MINUTE - 1, "0 1 2"],
      [MINUTE, "all"],
    ])("they are gathered after a minute: after %d ms", async (ms, reads) => {
      const rows = where([-1, -1, -1, -1], now - ms);
      const demand = demandFor(1, { debt: "reserve" });
      const answer = await taken(fast(4), rows, [demand], { now });
      expect(answer.reads).toContain(reads);
    });

    test("a credit goes to one of them", async () => {
      const rows = where([-1, -1, -1, -1]);
      const { ledger } = openLimitOf(fast(4), rows, { now });
      const { credited, writes } = await ledger.credit(1, draws(0));
      expect(credited).toBe(1);
      expect(writes).toMatchObject([{ shard: 1, value: 0 }]);
    });

    // Only who has read all rows may gather them.
    test("a credit that no row has room for goes to several", async () => {
      const rows = where([-1, 9, 9, 9]);
      const calm = { now: now + 1000 };
      const { ledger } = openLimitOf(tenEach(4), rows, calm);
      const { credited, writes } = await ledger.credit(12, draws(0));
      expect(credited).toBe(12);
      expect(writes).toMatchObject([
        { shard: 1, value: 10 },
        { shard: 2, value: 10 },
        { shard: 3, value: 9.75 },
      ]);
    });

    test("a call takes from several rows though one owes since the look", async () => {
      const seen = where([5, 6, -1, -1]);
      expect(
        await taken(tenEach(4), where([-1, 8, -1, -1]), [demandFor(6)], {
          now,
          seen,
        }),
      ).toMatchObject({ ok: true, reads: "0 look 2 1", writes: { 2: 2 } });
    });
  });

  test.each<[string, TimedOverride, number]>([
    [
      "a denial waits for the end of a ban that follows",
      { override: { deny: true }, startsAt: now + 5, expiresAt: now + 5000 },
      5000,
    ],
    [
      "a denial waits for an unlimited override that follows",
      { override: { unlimited: true }, startsAt: now + 5 },
      5,
    ],
    [
      "a denial waits for a rule that follows, under which all rows count as one",
      { override: { config: { capacity: 160 } }, startsAt: now + 5 },
      5,
    ],
    [
      "a denial waits as long if only another maxReserved follows",
      { override: { config: { maxReserved: 7 } }, startsAt: now + 5 },
      800,
    ],
  ])("%s", async (_claim, override, retryAfter) => {
    const setting = { now, overrides: [override] };
    expect(await taken(fast(8), eight, [demandFor(1)], setting)).toMatchObject({
      ok: false,
      retryAfter,
    });
  });

  test("a look shows all rows if another rule follows", async () => {
    const rows = atOnce(rowsOf([...zeros(19), 1], busy));
    const override = { config: { capacity: 400 } };
    const overrides = [{ override, startsAt: now + 5 }];
    const answer = await taken(fast(20), rows, [demandFor(1)], {
      now,
      overrides,
    });
    expect(answer).toMatchObject({
      ok: false,
      retryAfter: 5,
      reads: "0 1 2 look",
    });
  });
});

/* The oracle of the first property is a later call; that of the second adds up the balances. */
describe("in rows that many calls use, some of them split again,", () => {
  const now = MIDNIGHT + 2000;
  /** How full a row is, how long ago its last write began, and how long that took. */
  const aLeaf = fc.record({
    share: fc.nat({ max: 8 }).map((n) => n / 8),
    age: fc.nat({ max: 60 }),
    tookMs: fc.integer({ min: 1, max: 60 }),
  });
  const leaves = (min: number, max: number) =>
    fc.array(aLeaf, { minLength: min, maxLength: max });
  const aTree = fc.array(leaves(1, 1), { minLength: 2, maxLength: 40 });
  const aSetting = fc.record({
    kind: aKind,
    shards: fc.constantFrom("auto" as const, undefined),
    /** The least that a row holds which is not split further. */
    least: fc.constantFrom(2, 10),
    /** How full rows are at most. */
    most: fc.constantFrom(0.005, 0.02, 0.1),
    pace: fc.constantFrom(1, 25),
    tokensPerSecond: fc.constantFrom(0.1, 2, 20, 100, 500),
    random: fc.array(fc.double({ min: 0, max: 0.999, noNaN: true }), {
      minLength: 6,
    }),
  });
  type Of<Arbitrary> = Arbitrary extends fc.Arbitrary<infer T> ? T : never;

  function sceneOf(tree: Of<typeof aTree>, setting: Of<typeof aSetting>) {
    const { kind, shards, least, most, pace, tokensPerSecond } = setting;
    const capacity = 6 * tree.length * least;
    const window = kind === "fixed window" && { start: 0 };
    const rate = 60 * tokensPerSecond;
    const config = { kind, ...window, rate, period: MINUTE, capacity, shards };
    const state = { fullAt: MIDNIGHT + MINUTE, usedAt: MIDNIGHT };
    const rows = rowsOf(zeros(tree.length)).slice(0, 1);
    let total = 0;
    for (const [nth, leaves] of tree.entries()) {
      const shard = childShard(0, nth);
      const into = leaves.length;
      if (into > 1)
        rows.push({ ...state, shard, value: 1, ts: MIDNIGHT, into });
      for (const [i, { share, age, tookMs }] of leaves.entries()) {
        const value = (share * most * capacity) / tree.length / into;
        const usedAt = now - age * pace;
        const at = BigInt(usedAt + tookMs) * 1_000_000n;
        const ts = window ? MIDNIGHT : usedAt;
        const gained = window ? 0 : (tokensPerSecond * (now - usedAt)) / 1000;
        total += Math.min(
          value + gained / tree.length / into,
          capacity / tree.length / into,
        );
        rows.push({
          ...state,
          shard: into > 1 ? childShard(shard, i) : shard,
          value,
          ts,
          usedAt,
          at,
        });
      }
    }
    const take = async (count: number, time = now) => {
      const more = { now: time, random: [...setting.random] };
      return taken(config as RateLimitConfig, rows, [demandFor(count)], more);
    };
    return { capacity, total, take };
  }

  test("a denied call is granted after its retryAfter if nobody else takes", async () => {
    await fc.assert(
      fc.asyncProperty(
        aTree,
        aSetting,
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (tree, setting, share) => {
          const { capacity, take } = sceneOf(tree, setting);
          const few = Math.ceil(share * 3);
          for (const count of [few, Math.ceil(share * capacity)]) {
            const answer = await take(Math.max(1, count));
            if (answer.ok) continue;
            const { retryAfter } = answer as { retryAfter: number };
            expect(
              await take(Math.max(1, count), now + retryAfter),
            ).toMatchObject({ ok: true });
          }
        },
      ),
      runs(500),
    );
  });

  test("without shards, a count above each row's share is granted exactly if all rows hold it", async () => {
    await fc.assert(
      fc.asyncProperty(
        aTree,
        aSetting,
        fc.double({ min: -1, max: 1, noNaN: true }),
        async (tree, setting, more) => {
          const { capacity, total, take } = sceneOf(tree, {
            ...setting,
            shards: undefined,
          });
          const count = Math.min(
            capacity,
            Math.max(
              1 + Math.floor(capacity / tree.length),
              Math.round(total + more),
            ),
          );
          expect((await take(count)).ok).toBe(total >= count - 1e-9);
        },
      ),
      runs(500),
    );
  });
});

describe("a demand for more tokens than there are", () => {
  test.each<[string, number[], Demand, object]>([
    [
      "makes a debt in row 0 after all rows are read, if it reserves",
      [1, 1, 1, 1],
      demandFor(8, { debt: "reserve" }),
      {
        writes: { 0: -4 },
        retryAfter: 4000,
        reads: "0 1 2 look 3 4 all",
      },
    ],
    [
      "makes a debt in row 0 if no row holds a token, as a charge",
      [0, 0, 0, 0],
      demandFor(4, { debt: "any" }),
      { writes: { 0: -4 }, reads: "0 1 2 look all" },
    ],
    [
      "takes the whole tokens of all rows with upTo",
      [1, 1, 1.5, 0],
      demandFor(8, { upTo: true }),
      { taken: [3] },
    ],
  ])("%s", async (_claim, values, demand, expected) => {
    const answer = await taken(tenEach(4), rowsOf(values), [demand]);
    expect(answer).toEqual(expect.objectContaining(expected));
  });
});

describe("what a call reads", () => {
  const four = rowsOf([5, 5, 5, 5]);
  const one: Row[] = [{ shard: 0, value: 5, ts: MIDNIGHT }];
  const deny: TimedOverride = { override: { deny: true } };
  const unlimited: TimedOverride = { override: { unlimited: true } };

  test.each<[string, Row[], Demand[], TimedOverride[], string]>([
    [
      "all rows, for several demands",
      four,
      [demandFor(1), demandFor(2)],
      [],
      "0 all",
    ],
    [
      "all rows, for a demand with leave",
      four,
      [demandFor(1, { leave: 2 })],
      [],
      "0 all",
    ],
    ["row 0, of a limit that is not split", one, [demandFor(2)], [], "0 all"],
    ["a look, under a ban", four, [demandFor(1)], [deny], "look"],
    [
      "nothing, under an unlimited override",
      four,
      [demandFor(99)],
      [unlimited],
      "",
    ],
  ])("is %s", async (_claim, rows, demands, overrides, reads) => {
    const config = tenEach(rows === one ? 1 : 4);
    expect(await taken(config, rows, demands, { overrides })).toMatchObject({
      ok: !overrides.includes(deny),
      reads,
    });
  });
});
