import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import type { Demand } from "../../src/core/demand.js";
import { timeUntilGranted } from "../../src/core/wait.js";
import { doServe } from "../../src/state/spread/rules.js";
import { takeFromSome } from "../../src/state/spread/take.js";
import { demandFor, tenEach } from "../support/demands.js";
import { draws } from "../support/draws.js";
import { runs } from "../support/seed.js";
import {
  busyRows,
  commitAt,
  NOW,
  rows,
  splitLimitOf,
  written,
} from "../support/splitRows.js";
import { table } from "../support/table.js";

const numbers = (text: string) => text.split(" ").map(Number);

type Setting = Parameters<typeof splitLimitOf>[2] & { random?: number[] };

/** Takes from rows. Tells the decision, what it writes and what it has read; undefined if it needs all rows. */
async function taken(
  config: RateLimitConfig,
  stored: Parameters<typeof splitLimitOf>[1],
  demand: Demand,
  { random = [], ...more }: Setting = {},
) {
  const split = splitLimitOf(config, stored, more);
  const decision = await takeFromSome(split, demand, draws(...random));
  const reads = [...split.reads].join(" ");
  if (decision === undefined) return { reads, ok: undefined };
  if (decision.ok)
    return { ...decision, writes: written(decision.writes), reads };
  const { forecast, ...denial } = decision;
  const waiting = { phases: split.phases, demands: [demand], forecast };
  return {
    ...denial,
    retryAfter: timeUntilGranted([waiting], split.now),
    reads,
  };
}

const owing = (all: ReturnType<typeof rows>) =>
  all.map((row) => (row.shard === 0 ? { ...row, owes: true as const } : row));

// What rows hold, the draws, the count, what is left in rows, and what was read.
test.each(
  table(`
    the first of two random rows if it holds it         | 8 9 9       | 0.4     | 1 | {"2":8}             | 2
    the second of them otherwise                        | 0 9 9       | 0 0.5   | 1 | {"3":8}             | 1 3
    the first even if the second holds more             | 1 9 9       | 0       | 1 | {"1":0}             | 1
    a random one of the others that hold it, by a look  | 0 0.5 9 9   | 0 0 0.9 | 1 | {"4":8}             | 1 2 look 4
    as many of the fullest as it takes                  | 1 2 4 5     | 0       | 7 | {"3":2,"4":0}       | 1 2 look 4 3
    all rows                                            | 1 2 4 5     | 0       | 12 | {"1":0,"2":0,"3":0,"4":0} | 1 2 look 4 3
    none, if it is 0                                    | 0 0 0       | 0       | 0 | {}                  | 1
`),
)(
  "a count is taken from %s",
  async (_claim, values, random, count, left, reads) => {
    const all = rows(numbers(values));
    const demand = demandFor(Number(count));
    const config = tenEach(all.length - 1);
    const answer = await taken(config, all, demand, {
      random: numbers(random),
    });
    const writes = JSON.parse(left) as object;
    expect(answer).toEqual({ ok: true, taken: [Number(count)], writes, reads });
  },
);

test("a part that is not stored holds its share of row 0", async () => {
  const [root] = rows([0, 0, 0]);
  const halfFull = [{ ...root!, value: 15 }];
  const answer = await taken(tenEach(3), halfFull, demandFor(5));
  expect(answer).toMatchObject({ ok: true, writes: { 1: 0 }, reads: "1" });
});

const seen = rows([0, 0, 0, 9]);

test.each`
  now                      | stored                                                              | expected
  ${"holds less"}          | ${rows([0, 0, 2, 0.5])}                                             | ${{ ok: undefined, reads: "1 2 look 4" }}
  ${"is split further"}    | ${seen.map((row) => (row.shard === 4 ? { ...row, into: 2 } : row))} | ${{ writes: { 4097: 3.5 }, reads: "1 2 look 4 4097" }}
  ${"is one of two parts"} | ${rows([0, 9])}                                                     | ${{ writes: { 2: 8 }, reads: "1 2" }}
`(
  "a row that a look found may not serve: it $now",
  async (one: { stored: typeof seen; expected: object }) => {
    const answer = await taken(tenEach(4), one.stored, demandFor(1), { seen });
    expect(answer).toMatchObject(one.expected);
  },
);

// Ten tokens a second, in eight rows.
const fast = tenEach(8, { rate: 600 });

const lone = [0, 0, 0, 1, 0, 0, 0, 0];
const zeros = lone.map(() => 0);
const owed = [0, 0, 0, -8, 0, 0, 0, 0];

describe("a demand for more tokens than rows serve", () => {
  test.each`
    what                                            | config                         | stored             | demand                              | expected
    ${"is denied until the rows hold it together"}  | ${fast}                        | ${rows(zeros)}     | ${demandFor(2)}                     | ${{ ok: false, refused: [0], retryAfter: 200 }}
    ${"is let through in a dry run"}                | ${{ ...fast, enforce: false }} | ${rows(zeros)}     | ${demandFor(2)}                     | ${{ ok: true, taken: [0], writes: {}, letThrough: [0] }}
    ${"is denied while a busy limit has one token"} | ${fast}                        | ${busyRows(lone)}  | ${demandFor(1)}                     | ${{ ok: false, refused: [0], retryAfter: 800 }}
    ${"is denied if it is to be denied a debt"}     | ${fast}                        | ${busyRows(zeros)} | ${demandFor(1, { debt: "denied" })} | ${{ ok: false, refused: [0], retryAfter: 800 }}
  `("$what", async ({ config, stored, demand, expected }: Case) => {
    const answer = await taken(config, stored, demand);
    expect(answer).toEqual({ ...expected, reads: "1 2 look" });
  });

  test("is an error if no row will ever serve it", async () => {
    const answer = taken(fast, rows(zeros), demandFor(81));
    await expect(answer).rejects.toThrow("count 81 exceeds 80");
  });

  const at = { startsAt: NOW + 5 };
  type Following = { override: never; retryAfter: number };
  test.each`
    what                                                       | override                          | retryAfter
    ${"the end of a ban that follows"}                         | ${{ deny: true }}                 | ${5000}
    ${"an unlimited override that follows"}                    | ${{ unlimited: true }}            | ${5}
    ${"a rule that follows, by which all rows count together"} | ${{ config: { capacity: 160 } }}  | ${5}
    ${"the rows, if only another maxReserved follows"}         | ${{ config: { maxReserved: 7 } }} | ${800}
  `("is denied until $what", async ({ override, retryAfter }: Following) => {
    const overrides = [{ override, ...at, expiresAt: NOW + 5000 }];
    const answer = await taken(fast, busyRows(lone), demandFor(1), {
      overrides,
    });
    expect(answer).toMatchObject({ ok: false, retryAfter });
  });

  test("is denied until a rule that follows has brought what is missing", async () => {
    const override = { config: { capacity: 160 } };
    const overrides = [{ override, ...at }];
    const stored = busyRows(lone);
    const answer = await taken(fast, stored, demandFor(2), { overrides });
    expect(answer).toMatchObject({ ok: false, retryAfter: 100 });
  });

  test("is denied until the key is idle, if that comes first", async () => {
    const fullAt = NOW - 3_600_000 + 7;
    const idle = busyRows(lone).map((row) => ({ ...row, fullAt }));
    const answer = await taken(fast, idle, demandFor(80));
    expect(answer).toMatchObject({ ok: false, retryAfter: 7 });
  });
});

type Case = {
  config: RateLimitConfig;
  stored: ReturnType<typeof rows>;
  demand: Demand;
  expected: object;
};

test("a busy limit grants by a look what more than 3/8 of its rows hold", async () => {
  const four = busyRows([0, 0, 0, 0, 1, 1, 1, 1]);
  expect(await taken(fast, four, demandFor(1))).toMatchObject({
    writes: { 5: 0 },
  });
});

describe("upTo takes", () => {
  const some = [0.5, 0.5, 2, 2, 3.5, 3, 0, 3];
  const all = { 1: 0, 3: 0, 4: 0, 5: 0, 6: 0, 8: 0 };
  test.each`
    what                                   | stored            | enforce  | random           | left          | reads
    ${"the whole tokens of a quiet limit"} | ${rows(some)}     | ${true}  | ${[]}            | ${all}        | ${"1 2 look 5 6 8 3 4"}
    ${"those of a row that was read"}      | ${busyRows(some)} | ${true}  | ${[0.3, 0, 0.9]} | ${{ 4: 0 }}   | ${"3 4 look"}
    ${"those of a random row otherwise"}   | ${busyRows(some)} | ${true}  | ${[0, 0, 0.5]}   | ${{ 5: 0.5 }} | ${"1 2 look 5"}
    ${"those of all rows, in a dry run"}   | ${busyRows(some)} | ${false} | ${[]}            | ${all}        | ${"1 2 look 5 6 8 3 4"}
  `("$what", async ({ stored, enforce, random, left, reads }: UpTo) => {
    const demand = demandFor(20, { upTo: true });
    const config = { ...fast, enforce };
    const answer = await taken(config, stored, demand, { random });
    expect(answer).toMatchObject({ writes: left, reads });
  });
});

type UpTo = {
  stored: ReturnType<typeof rows>;
  enforce: boolean;
  random: number[];
  left: object;
  reads: string;
};

const reserve = (count: number) => demandFor(count, { debt: "reserve" });
const charge = demandFor(1, { debt: "any" });

describe("a debt in a busy limit", () => {
  // Each of the eight rows gets 1.25 tokens a second.
  test.each`
    what                                          | values                        | demand        | writes         | retryAfter   | reads
    ${"is made by the fuller of two: the first"}  | ${[-1, -2, 0, 0, 0, 0, 0, 0]} | ${reserve(1)} | ${{ 1: -2 }}   | ${1600}      | ${"1 2 look owes"}
    ${"is made by the fuller of two: the second"} | ${[-2, -1, 0, 0, 0, 0, 0, 0]} | ${reserve(1)} | ${{ 2: -2 }}   | ${1600}      | ${"1 2 look owes"}
    ${"waits for what that row lacks"}            | ${[0.5, 0, 0, 0, 0, 0, 0, 0]} | ${reserve(1)} | ${{ 1: -0.5 }} | ${400}       | ${"1 2 look owes"}
    ${"of a charge is made by one row, too"}      | ${zeros}                      | ${charge}     | ${{ 1: -1 }}   | ${800}       | ${"1 2 look owes"}
    ${"is none if a row holds it"}                | ${[1, 0, 0, 0, 0, 0, 0, 0]}   | ${reserve(1)} | ${{ 1: 0 }}    | ${undefined} | ${"1"}
  `("$what", async ({ values, demand, writes, retryAfter, reads }: Owing) => {
    const answer = await taken(fast, busyRows(values), demand);
    const count = demand.count;
    expect(answer).toEqual({
      ok: true,
      taken: [count],
      writes,
      retryAfter,
      reads,
    });
  });

  test("is made by the row that pays it sooner, though it owes more", async () => {
    // The first half of the limit owes 2 and the second one, of which a quarter owes 1.5.
    const [root, first, second] = busyRows([-2, 0]);
    const quarters = [2049, 2050].map((shard) => ({
      ...second!,
      shard,
      value: -1.5,
    }));
    const uneven = [root!, first!, { ...second!, into: 2 }, ...quarters];
    const config = tenEach(2, { rate: 600 });
    expect(await taken(config, uneven, reserve(1))).toMatchObject({
      writes: { 1: -3 },
    });
  });

  test.each`
    what                                    | more                  | values   | demand         | ok
    ${"up to a row's part of maxReserved"}  | ${{ maxReserved: 8 }} | ${zeros} | ${reserve(1)}  | ${true}
    ${"not beyond that"}                    | ${{ maxReserved: 7 }} | ${zeros} | ${reserve(1)}  | ${undefined}
    ${"up to what a row can hold"}          | ${{}}                 | ${zeros} | ${reserve(10)} | ${true}
    ${"not for more"}                       | ${{}}                 | ${zeros} | ${reserve(11)} | ${undefined}
    ${"not in a dry run"}                   | ${{ enforce: false }} | ${zeros} | ${reserve(1)}  | ${undefined}
    ${"up to a row's part of maxDebt"}      | ${{ maxDebt: 8 }}     | ${zeros} | ${charge}      | ${true}
    ${"not beyond that"}                    | ${{ maxDebt: 7 }}     | ${zeros} | ${charge}      | ${undefined}
    ${"nor if others owe all of maxDebt"}   | ${{ maxDebt: 8 }}     | ${owed}  | ${charge}      | ${undefined}
    ${"of a reservation, whatever that is"} | ${{ maxDebt: 0 }}     | ${owed}  | ${reserve(1)}  | ${true}
  `(
    "is made by one row $what",
    async ({ more, values, demand, ok }: Limited) => {
      const answer = await taken(
        { ...fast, ...more },
        busyRows(values),
        demand,
      );
      expect(answer.ok).toBe(ok);
    },
  );

  test("is not made by one row if an override is to come, or if the limit is quiet", async () => {
    const overrides = [
      { override: { deny: true as const }, startsAt: NOW + 9 },
    ];
    const coming = await taken(fast, busyRows(zeros), charge, { overrides });
    const quiet = await taken(fast, rows(zeros), charge);
    for (const answer of [coming, quiet]) {
      expect(answer).toEqual({ ok: undefined, reads: "1 2 look" });
    }
  });
});

describe("where rows may owe,", () => {
  const [some, scarce] = [
    [9, -2, -2, -2],
    [9, -2, -2, -4],
  ];
  const ten = tenEach(4, { rate: 600 });
  test.each`
    what                                         | stored                      | demand                          | expected
    ${"a busy limit takes if all rows are many"} | ${busyRows([4, 4, 4, -9])}  | ${demandFor(3)}                 | ${{ ok: true, writes: { 1: 1 }, reads: "1 2 look" }}
    ${"a busy limit denies what only one holds"} | ${busyRows(scarce)}         | ${demandFor(3)}                 | ${{ ok: false, reads: "1 2 look" }}
    ${"a busy limit may owe more"}               | ${busyRows(scarce)}         | ${reserve(3)}                   | ${{ writes: { 1: 6 }, retryAfter: undefined, reads: "1 2 look owes" }}
    ${"upTo takes what all rows have left"}      | ${busyRows([9, 9, -6, -9])} | ${demandFor(9, { upTo: true })} | ${{ taken: [3] }}
    ${"a quiet limit is decided by all rows"}    | ${rows(some)}               | ${demandFor(1)}                 | ${{ ok: undefined, reads: "1 2 look" }}
  `("$what", async ({ stored, demand, expected }: Case) => {
    const answer = await taken(ten, owing(stored), demand);
    expect(answer).toMatchObject(expected);
  });
});

type Owing = {
  values: number[];
  demand: Demand;
  writes: object;
  retryAfter?: number;
  reads: string;
};
type Limited = { more: object; values: number[]; demand: Demand; ok?: boolean };

describe("of rows in any state,", () => {
  /** What a row holds, how long ago its last write began, and how long that took. */
  const aRow = fc.record({
    value: fc.integer({ min: -4, max: 12 }).map((n) => n / 4),
    age: fc.integer({ min: 1, max: 1100 }),
    tookMs: fc.integer({ min: 1, max: 60 }),
  });
  const someRows = fc.array(aRow, { minLength: 2, maxLength: 8 });
  const storedOf = (
    all: { value: number; age: number; tookMs: number }[],
    isBusy: boolean,
  ) =>
    rows(all.map(({ value }) => value)).map((row, i) => {
      if (i === 0) return row;
      const { age, tookMs } = all[i - 1]!;
      const usedAt = NOW - age;
      return {
        ...row,
        usedAt,
        ...(isBusy && { at: commitAt(usedAt + tookMs) }),
      };
    });
  const aDraw = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const random = fc.array(aDraw, { minLength: 8, maxLength: 8 });
  const aCount = fc.integer({ min: 1, max: 14 });

  test("a quiet limit grants what its rows hold together, and no more", async () => {
    await fc.assert(
      fc.asyncProperty(someRows, aCount, random, async (all, count, draws) => {
        const values = all.map(({ value }) => value);
        const total = values.reduce((a, b) => a + b);
        const stored = storedOf(all, false);
        const setting = { random: draws };
        const config = tenEach(all.length);
        const answer = await taken(config, stored, demandFor(count), setting);
        const hasDebt = values.some((value) => value < 0);
        // Row 0 tells of debts: then all rows decide.
        if (!hasDebt) expect(answer.ok).toBe(total >= count);
        const { ok } = await taken(
          config,
          owing(stored),
          demandFor(count),
          setting,
        );
        expect(ok).toBeUndefined();
      }),
      runs(60),
    );
  });

  test("a denied call is granted after the first ms at which the rows serve it, and told so", async () => {
    const rate = fc.constantFrom(60, 600, 6000);
    await fc.assert(
      fc.asyncProperty(
        someRows,
        aCount,
        rate,
        random,
        async (all, count, rate, draws) => {
          const stored = storedOf(all, true);
          const config = tenEach(all.length, { rate });
          const demand = demandFor(Math.min(count, 10 * all.length));
          const setting = { random: draws };
          const answer = await taken(config, stored, demand, setting);
          if (answer.ok !== false) return;
          const { retryAfter } = answer as { retryAfter: number };
          const split = splitLimitOf(config, stored);
          const { leaves } = await split.look();
          for (let ms = 1; ms < Math.min(retryAfter, 2000); ms++) {
            expect(doServe(split.limit, leaves, demand.count, NOW + ms)).toBe(
              false,
            );
          }
          const later = { ...setting, now: NOW + retryAfter };
          expect(await taken(config, stored, demand, later)).toMatchObject({
            ok: true,
          });
        },
      ),
      runs(60),
    );
  });
});
