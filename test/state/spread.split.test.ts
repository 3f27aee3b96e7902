import { describe, expect, test } from "vitest";
import { ruleOf, toLimit } from "../../src/core/limit.js";
import { MINUTE } from "../../src/core/periods.js";
import { toRow } from "../../src/state/row/row.js";
import {
  canSplit,
  firstRows,
  leastRows,
  splitIfHot,
  spreadIfHot,
} from "../../src/state/spread/split.js";
import { commitAt, NOW } from "../support/splitRows.js";
import { table } from "../support/table.js";

/** A limit that refills a token a second. */
const limitOf = (capacity: number, more: object = {}) => {
  const tokens = {
    rate: 60,
    period: MINUTE,
    capacity,
    shards: "auto" as const,
  };
  return toLimit("hot", { kind: "token bucket", ...tokens, ...more });
};

const running = { kind: "concurrency", capacity: 90, lease: MINUTE } as const;

test("a concurrency limit stays in one row", () => {
  expect(canSplit(toLimit("hot", running))).toBe(false);
});

// What `@convex-dev/rate-limiter` calls asynchronous means `shards: "auto"`, unless shards are said.
test.each(
  table(`
    20 tokens                                      | {}                                             | false | 1
    more than 20 tokens                            | {"capacity": 20.1}                             | true  | 1
    20 tokens and shards: "auto"                   | {"shards": "auto"}                             | true  | 1
    20 tokens, asynchronously                      | {"applyUpdates": "asynchronously"}             | true  | 1
    one shard, asynchronously                      | {"applyUpdates": "asynchronously", "shards": 1} | false | 1
    one shard                                      | {"capacity": 90, "shards": 1}                  | false | 1
    warnAt                                         | {"capacity": 90, "warnAt": 0.5}                | false | 1
    as many shards as hold two tokens each         | {"capacity": 8, "shards": 4}                   | true  | 4
    more shards than hold two tokens each          | {"capacity": 7.9, "shards": 4}                 | true  | 3
    shards, of a capacity below two                | {"capacity": 1, "shards": 4}                   | true  | 1
    shards, of a capacity of 0                     | {"capacity": 0, "shards": 4}                   | true  | 1
`),
)(
  "of a limit with %s %s, canSplit is %s, and its rows are %s",
  (_claim, more, split, least) => {
    const limit = limitOf(20, {
      shards: undefined,
      ...(JSON.parse(more) as object),
    });
    expect(String(canSplit(limit))).toBe(split);
    expect(String(leastRows(limit))).toBe(least);
  },
);

// The parts that it makes, and what is left in the last one, from which it takes.
test.each(
  table(`
    into as many rows as there are shards            | 10     | 5    | 10 parts, 5
    into as many by a call that takes less than two  | 50     | 0.5  | 50 parts, 1.5
    into rows that hold what it takes                | 10     | 25   | 4 parts, 0
    into fewer rows if these hold it                 | 10     | 40   | 2 parts, 10
    not if two rows do not hold it                   | 10     | 51   | 49
    not if it makes a debt                           | 10     | 1000 | -900
    not with one shard                               | 1      | 1    | 99
    not with "auto"                                  | "auto" | 1    | 99
`),
)(
  "the first write of a key splits it %s",
  (_claim, shards, taken, expected) => {
    const limit = limitOf(100, { shards: JSON.parse(shards) as number });
    const only = toRow(limit, { value: 100 - Number(taken), ts: NOW }, NOW);
    const stored = firstRows(limit, only, NOW);
    expect(spreadIfHot(limit, undefined, only, true, NOW)).toEqual(stored);
    const [root, part] = stored;
    if (part === undefined) {
      expect(root).toBe(only);
      expect(String(root!.value)).toBe(expected);
      return;
    }
    const into = part.shard;
    expect(`${into} parts, ${part.value}`).toBe(expected);
    const rule = ruleOf(limit);
    const full = { shard: 0, value: 100, ts: NOW, fullAt: NOW };
    expect(root).toEqual({ ...full, usedAt: NOW, into, rule });
    // When the part is full.
    expect(part.fullAt).toBe(NOW + Number(taken) * into * 1000);
  },
);

/** A row whose last write took 10 ms and was committed `ago` ms before. */
const writtenAgo = (ago: number, more: object = {}) => ({
  shard: 0,
  value: 50,
  ts: NOW - ago - 10,
  at: commitAt(NOW - ago),
  ...more,
});

type Before = ReturnType<typeof writtenAgo> | undefined;

/** What is stored after a call that takes from this row, of `parts` in all. */
function stored(
  before: Before,
  { capacity = 100, parts = 1, taken = 1, mayOwe = false, more = {} } = {},
) {
  const limit = limitOf(capacity * parts);
  const shard = before?.shard ?? 0;
  const row = { shard, value: 49, ts: NOW, fullAt: NOW + 9, ...more };
  const call = { taken, mayOwe, now: NOW };
  const after = splitIfHot(limit, { shard, parts, row: before }, row, call);
  const { value: _, ts: __, fullAt: ___, rule, ...rest } = after;
  expect(rule).toBe(rest.into && shard === 0 ? ruleOf(limit) : undefined);
  return rest;
}

describe("a write counts how many in turn are close", () => {
  test.each`
    what                                             | before                                        | close
    ${"sooner than the one before took"}             | ${writtenAgo(9)}                              | ${1}
    ${"so soon that the two may not have been seen"} | ${writtenAgo(19)}                             | ${1}
    ${"not later"}                                   | ${writtenAgo(20, { close: 2 })}               | ${undefined}
    ${"by when the row was used"}                    | ${writtenAgo(9, { ts: 0, usedAt: NOW - 19 })} | ${1}
    ${"as before in the same ms, on a frozen clock"} | ${writtenAgo(-10, { close: 1 })}              | ${1}
    ${"none after one that kept an older use"}       | ${writtenAgo(9, { ts: NOW - 5001 })}          | ${undefined}
    ${"none after a write without a time"}           | ${writtenAgo(9, { at: undefined, close: 2 })} | ${undefined}
    ${"none before the first"}                       | ${undefined}                                  | ${undefined}
  `("$what", ({ before, close }: { before: Before; close?: number }) => {
    expect(stored(before)).toEqual({ shard: 0, close });
  });

  test("and keeps when calls overlapped", () => {
    const before = writtenAgo(9, { overlappedAt: 5 });
    expect(stored(before)).toMatchObject({ overlappedAt: 5 });
    const seen = { more: { overlappedAt: NOW } };
    expect(stored(before, seen)).toMatchObject({ overlappedAt: NOW });
  });
});

// A row bears .15 writes at a time; each of these took 10 ms.
test.each(
  table(`
    splits at once if it follows so soon that a row bears no more | 15.1 | 1 | 1   | 76 | 8
    does not if it follows later                                  | 15.1 | 1 | 1   | 77 | undefined
    does not if what refills is no more than a row bears          | 15   | 1 | 1   | 76 | undefined
    does not if that is fewer counts                              | 15.1 | 1 | 1.1 | 76 | undefined
    does not if that is fewer tokens of a part                    | 30   | 2 | 1   | 76 | undefined
    splits a part that refills as fast                            | 30.2 | 2 | 1   | 76 | 16
`),
)(
  "one write of a limit that refills fast %s",
  (_claim, perSecond, parts, taken, ago, into) => {
    const limit = limitOf(9_600, { rate: Number(perSecond) * 60 });
    const before = writtenAgo(Number(ago), { close: 1 });
    const row = { shard: 0, value: 49, ts: NOW, fullAt: NOW + 9 };
    const call = { taken: Number(taken), mayOwe: false, now: NOW };
    const leaf = { shard: 0, parts: Number(parts), row: before };
    const after = splitIfHot(limit, leaf, row, call);
    expect([String(after.into), after.close]).toEqual([into, undefined]);
  },
);

const hot = (more: object = {}) => writtenAgo(9, { close: 1, ...more });

describe("the second close write in turn", () => {
  test("splits row 0, and is no sign that calls overlap", () => {
    const split = { shard: 0, into: 5, usedAt: NOW };
    expect(stored(hot(), { capacity: 50 })).toEqual(split);
  });

  test("splits a part, which recalls what it did", () => {
    const split = { shard: 7, into: 5, usedAt: NOW, overlappedAt: 5 };
    const part = hot({ shard: 7, overlappedAt: 5 });
    expect(stored(part, { capacity: 50, parts: 4 })).toEqual(split);
  });

  test.each`
    that                      | options
    ${"gives back"}           | ${{ taken: -1 }}
    ${"takes nothing"}        | ${{ taken: 0 }}
    ${"takes more than half"} | ${{ taken: 51 }}
  `(
    "splits no row if it is of a call that $that",
    ({ options }: { options: object }) => {
      const before = hot({ overlappedAt: 5 });
      const kept = { shard: 0, close: 2, overlappedAt: 5 };
      expect(stored(before, options)).toEqual(kept);
    },
  );

  // A row bears .15 writes at a time. Each takes 5 ms more to become visible.
  test.each(
    table(`
      into 8                                                 | 800 | 1    | 10  | 1   | false | 8
      into as many as hold the tokens of a second            | 40  | 1    | 10  | 1   | false | 4
      into no more than hold these                           | 49.9 | 1    | 10  | 1   | false | 4
      into fewer after a shorter write                       | 40  | 1    | 5   | 1   | false | 2
      into more after a longer one                           | 40  | 1    | 15  | 1   | false | 5
      into as many as hold two tokens                        | 8   | 1    | 145 | 1   | false | 4
      into as many as hold the count                         | 24  | 1    | 145 | 4   | false | 6
      into as many as hold the count of a call that may owe  | 4   | 1    | 10  | 1   | true  | 4
      not if it may owe more than there is                   | 4   | 1    | 10  | 100 | true  | undefined
      into parts of whole tokens                             | 15  | 1    | 145 | 1   | false | 5
      not into half as many for that                         | 21  | 1    | 145 | 3.5 | false | 6
      not if two parts held less than two tokens             | 3.9 | 1    | 145 | 1   | false | undefined
      of four into eight times as many                       | 800 | 4    | 10  | 1   | false | 32
      into 4 of 1,024 in all                                 | 800 | 256  | 10  | 1   | false | 4
      not if there are more than 512                         | 800 | 600  | 10  | 1   | false | undefined
`),
  )("splits a row %s", (_claim, ...row) => {
    const [capacity, parts, took, taken] = row.map(Number) as [
      number,
      number,
      number,
      number,
    ];
    const before = hot({ ts: NOW - 1 - took, at: commitAt(NOW - 1) });
    const mayOwe = row[4] === "true";
    const { into } = stored(before, { capacity, parts, taken, mayOwe });
    expect(String(into)).toBe(row[5]);
  });
});

// Its last write ended 9 ms ago; what it had then, it may have gained from before.
test.each(
  table(`
    is split if it is hot                      | 0     | "auto" | 4 | true  | 8
    is split into parts of what is taken       | 0     | "auto" | 1 | true  | 2
    is split by calls that may owe, not others | 0     | "auto" | 4 | false | undefined
    is not split where there is to be one      | 0     | 1      | 4 | true  | undefined
    is not split by what it has gained         | -1000 | "auto" | 6 | true  | undefined
    is split whatever shards say               | 0     | 4      | 4 | true  | 8
`),
)(
  "the only row of a key %s",
  (_claim, since, shards, left, mayOwe, expected) => {
    const limit = limitOf(8, { shards: JSON.parse(shards) as number });
    const before = { usedAt: NOW - 19, value: 5, ts: NOW + Number(since) };
    const after = toRow(limit, { value: Number(left), ts: NOW }, NOW);
    const owes = mayOwe === "true";
    const stored = spreadIfHot(limit, hot(before), after, owes, NOW);
    expect(stored).toHaveLength(1);
    expect(String(stored[0]!.into)).toBe(expected);
  },
);
