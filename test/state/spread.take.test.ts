import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import type { Demand } from "../../src/core/demand.js";
import type { TimedOverride } from "../../src/core/validators.js";
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

/** The debts of demands. A demand "up to" a count has none. */
const DEBTS: Record<string, Demand["debt"]> = {
  ...{ reserve: "reserve", charge: "any", denied: "denied" },
};

/** More of a limit's config, and what else is to be known. Times are in ms from now. */
type More = Partial<RateLimitConfig> & {
  random?: number[];
  override?: TimedOverride["override"];
  lasts?: number;
  fullIn?: number;
};

/** What is asked of rows, and told of the answer: what it takes, writes, waits for, and reads. */
async function toldOf(
  mode: string,
  values: number[],
  asked: string,
  more: More,
) {
  const { random, override, lasts, fullIn, ...config } = more;
  const stored = (mode.includes("busy") ? busyRows : rows)(values).map((row) =>
    fullIn === undefined ? row : { ...row, fullAt: NOW + fullIn },
  );
  const [how, count] = asked.split(" ") as [string, string];
  const demand = demandFor(Number(count), {
    debt: DEBTS[how] ?? "none",
    upTo: how === "upTo",
  });
  const times = { startsAt: NOW + 5, expiresAt: lasts && NOW + lasts };
  const overrides = override && [{ override, ...times }];
  const limit = tenEach(values.length, { rate: 600, ...config });
  const all = mode.includes("owes") ? owing(stored) : stored;
  const answer = await taken(limit, all, demand, { random, overrides });
  const { reads } = answer;
  if (answer.ok === undefined) return `all rows decide, after ${reads}`;
  const { retryAfter } = answer as { retryAfter?: number };
  const wait = retryAfter === undefined ? "" : `, waits ${retryAfter}`;
  if (!answer.ok) return `denied${wait}, after ${reads}`;
  const { taken: [got] = [], writes, letThrough } = answer;
  const through = letThrough ? ", let through" : "";
  return `${got} ${JSON.stringify(writes)}${wait}${through}, after ${reads}`;
}

// The limit gets ten tokens a second, each of eight rows 1.25.
test.each(
  table(`
    is denied until the rows hold it together                     | quiet      | 0 0 0 0 0 0 0 0   | take 2    | {}                       | denied, waits 200, after 1 2 look
    is let through in a dry run                                   | quiet      | 0 0 0 0 0 0 0 0   | take 2    | {"enforce":false}        | 0 {}, let through, after 1 2 look
    is denied while a busy limit has one token                    | busy       | 0 0 0 1 0 0 0 0   | take 1    | {}                       | denied, waits 800, after 1 2 look
    is denied if it is to be denied a debt                        | busy       | 0 0 0 0 0 0 0 0   | denied 1  | {}                       | denied, waits 800, after 1 2 look
    is denied until the end of a ban that follows                 | busy       | 0 0 0 1 0 0 0 0   | take 1    | {"override":{"deny":true},"lasts":5000} | denied, waits 5000, after 1 2 look
    is denied until it is unlimited                               | busy       | 0 0 0 1 0 0 0 0   | take 1    | {"override":{"unlimited":true},"lasts":5000} | denied, waits 5, after 1 2 look
    is denied until a rule by which all rows count together       | busy       | 0 0 0 1 0 0 0 0   | take 1    | {"override":{"config":{"capacity":160}},"lasts":5000} | denied, waits 5, after 1 2 look
    is denied until such a rule has brought what is missing       | busy       | 0 0 0 1 0 0 0 0   | take 2    | {"override":{"config":{"capacity":160}}} | denied, waits 100, after 1 2 look
    is denied by the rows, if only another maxReserved follows    | busy       | 0 0 0 1 0 0 0 0   | take 1    | {"override":{"config":{"maxReserved":7}},"lasts":5000} | denied, waits 800, after 1 2 look
    is denied until the key is idle, if that comes first          | busy       | 0 0 0 1 0 0 0 0   | take 80   | {"fullIn":-3599993}      | denied, waits 7, after 1 2 look
    is granted by a look if more than 3/8 of the rows hold it     | busy       | 0 0 0 0 1 1 1 1   | take 1    | {}                       | 1 {"5":0}, after 1 2 look 5
    gets the whole tokens of a quiet limit, with upTo          | quiet      | 0.5 0.5 2 2 3.5 3 0 3 | upTo 20 | {}                     | 14 {"1":0,"3":0,"4":0,"5":0,"6":0,"8":0}, after 1 2 look 5 6 8 3 4
    gets those of a row that was read, with upTo               | busy       | 0.5 0.5 2 2 3.5 3 0 3 | upTo 20 | {"random":[0.3,0,0.9]} | 2 {"4":0}, after 3 4 look
    gets those of a random row otherwise, with upTo            | busy       | 0.5 0.5 2 2 3.5 3 0 3 | upTo 20 | {"random":[0,0,0.5]}   | 3 {"5":0.5}, after 1 2 look 5
    gets those of all rows, in a dry run, with upTo            | busy       | 0.5 0.5 2 2 3.5 3 0 3 | upTo 20 | {"enforce":false}      | 14 {"1":0,"3":0,"4":0,"5":0,"6":0,"8":0}, after 1 2 look 5 6 8 3 4
    is owed by the fuller of two rows: the first                  | busy       | -1 -2 0 0 0 0 0 0 | reserve 1 | {}                       | 1 {"1":-2}, waits 1600, after 1 2 look owes
    is owed by the fuller of two rows: the second                 | busy       | -2 -1 0 0 0 0 0 0 | reserve 1 | {}                       | 1 {"2":-2}, waits 1600, after 1 2 look owes
    waits for what the row that owes it lacks                     | busy       | 0.5 0 0 0 0 0 0 0 | reserve 1 | {}                       | 1 {"1":-0.5}, waits 400, after 1 2 look owes
    is owed by one row if it is a charge, too                     | busy       | 0 0 0 0 0 0 0 0   | charge 1  | {}                       | 1 {"1":-1}, waits 800, after 1 2 look owes
    is not owed if a row holds it                                 | busy       | 1 0 0 0 0 0 0 0   | reserve 1 | {}                       | 1 {"1":0}, after 1
    is owed by one row up to its part of maxReserved              | busy       | 0 0 0 0 0 0 0 0   | reserve 1 | {"maxReserved":8}        | 1 {"1":-1}, waits 800, after 1 2 look owes
    is not owed by one row beyond that                            | busy       | 0 0 0 0 0 0 0 0   | reserve 1 | {"maxReserved":7}        | all rows decide, after 1 2 look
    is owed by one row up to what it can hold                     | busy       | 0 0 0 0 0 0 0 0   | reserve 10 | {}                      | 10 {"1":-10}, waits 8000, after 1 2 look owes
    is not owed by one row if it is more                          | busy       | 0 0 0 0 0 0 0 0   | reserve 11 | {}                      | all rows decide, after 1 2 look
    is not owed by one row in a dry run                           | busy       | 0 0 0 0 0 0 0 0   | reserve 1 | {"enforce":false}        | all rows decide, after 1 2 look
    is owed by one row up to its part of maxDebt                  | busy       | 0 0 0 0 0 0 0 0   | charge 1  | {"maxDebt":8}            | 1 {"1":-1}, waits 800, after 1 2 look owes
    is not owed by one row beyond that part                       | busy       | 0 0 0 0 0 0 0 0   | charge 1  | {"maxDebt":7}            | all rows decide, after 1 2 look
    is not owed by one row if others owe all of maxDebt           | busy       | 0 0 0 -8 0 0 0 0  | charge 1  | {"maxDebt":8}            | all rows decide, after 1 2 look
    is owed by one row if it is reserved, whatever maxDebt is     | busy       | 0 0 0 -8 0 0 0 0  | reserve 1 | {"maxDebt":0}            | 1 {"1":-1}, waits 800, after 1 2 look owes
    is not owed by one row if an override is to come              | busy       | 0 0 0 0 0 0 0 0   | charge 1  | {"override":{"deny":true}} | all rows decide, after 1 2 look
    is not owed by one row of a quiet limit                       | quiet      | 0 0 0 0 0 0 0 0   | charge 1  | {}                       | all rows decide, after 1 2 look
    is granted where rows may owe, if all rows are many           | busy, owes | 4 4 4 -9          | take 3    | {}                       | 3 {"1":1}, after 1 2 look
    is denied where rows may owe, if only one holds it            | busy, owes | 9 -2 -2 -4        | take 3    | {}                       | denied, waits 950, after 1 2 look
    is owed where rows may owe                                    | busy, owes | 9 -2 -2 -4        | reserve 3 | {}                       | 3 {"1":6}, after 1 2 look owes
    gets what all rows have left, where some owe, with upTo    | busy, owes | 9 9 -6 -9         | upTo 9    | {}                       | 3 {"1":6}, after 1 2 look
    is decided by all rows where some may owe, in a quiet limit   | quiet, owes | 9 -2 -2 -2       | take 1    | {}                       | all rows decide, after 1 2 look
`),
)(
  "a call %s (%s: %s, %s with %s)",
  async (_claim, mode, values, asked, more, expected) => {
    const held = numbers(values);
    const told = await toldOf(mode, held, asked, JSON.parse(more) as More);
    expect(told).toBe(expected);
  },
);

test("a count is an error if no row will ever serve it", async () => {
  const answer = taken(
    tenEach(8),
    rows(numbers("0 0 0 0 0 0 0 0")),
    demandFor(81),
  );
  await expect(answer).rejects.toThrow("count 81 exceeds 80");
});

test("a debt is made by the row that pays it sooner, though it owes more", async () => {
  // The first half of the limit owes 2 and the second one, of which a quarter owes 1.5.
  const [root, first, second] = busyRows([-2, 0]);
  const quarters = [2049, 2050].map((shard) => ({
    ...second!,
    shard,
    value: -1.5,
  }));
  const uneven = [root!, first!, { ...second!, into: 2 }, ...quarters];
  const config = tenEach(2, { rate: 600 });
  const reserved = demandFor(1, { debt: "reserve" });
  expect(await taken(config, uneven, reserved)).toMatchObject({
    writes: { 1: -3 },
  });
});

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
