import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import { parseLimit } from "../../src/core/limit.js";
import { phasesOf } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/vOverride.js";
import { decide, isBarred, takeFrom } from "../../src/core/decide.js";
import {
  forecast,
  isGranted,
  timeUntilFull,
  timeUntilGranted,
} from "../../src/core/wait.js";
import { give } from "../../src/core/spread.js";
import type { Demand } from "../../src/core/grant.js";
import { HOUR, MINUTE } from "../../src/core/periods.js";
import type { Held, Row } from "../../src/core/rows.js";
import { decideAlone } from "../decideAlone.js";
import { aKind, optional, quarters } from "../arbitraries.js";
import { runs } from "../seed.js";

const NOW = 1_000_000;

/** A token a second; rows that hold up to 10 each. */
const bucket = (shards: number, more: Partial<RateLimitConfig> = {}) =>
  ({
    kind: "token bucket",
    rate: 60,
    period: MINUTE,
    capacity: 10 * shards,
    shards,
    ...more,
  }) as RateLimitConfig;

const rulesFor = (config: RateLimitConfig, ofKey?: TimedOverride[]) =>
  phasesOf("api", undefined, config, ofKey && { ofKey, ofLimit: [] }, NOW);

const limitOf = (config: RateLimitConfig) => parseLimit("api", config);

const { tolerance } = limitOf(bucket(3));

const ask = (count: number, more: Partial<Demand> = {}): Demand => ({
  count,
  debt: "none",
  leave: 0,
  upTo: false,
  ...more,
});

const rows = (values: readonly number[], of = values.length): Row[] =>
  values.map((value, shard) => ({ shard, value, ts: NOW, of }));

const held = (...values: number[]): Held[] =>
  values.map((value, shard) => ({
    shard,
    parts: values.length,
    value,
    ts: NOW,
  }));

/** What each row that is written holds, by its place. */
const written = (writes: readonly Row[]) =>
  Object.fromEntries(writes.map(({ shard, value }) => [shard, value]));

/** Decides on rows of a split limit; what is written is told by place. */
function decided(
  values: readonly number[],
  demands: readonly Demand[],
  {
    config = bucket(values.length),
    overrides = undefined as TimedOverride[] | undefined,
  } = {},
) {
  const decision = decideAlone(
    rulesFor(config, overrides),
    rows(values),
    demands,
    NOW,
  );
  if (!decision.ok) return decision;
  const { writes, ...rest } = decision;
  return { ...rest, writes: written(writes) };
}

describe("a count is taken", () => {
  test.each([
    ["from the first row that holds all of it", [3, 5, 6], 5, { 1: 0 }],
    ["from the only row that holds all of it", [3, 5, 6], 6, { 2: 0 }],
    ["from a row that keeps the rest", [3, 5, 6], 2, { 0: 1 }],
    ["from the fullest rows, if none holds it", [3, 5, 6], 7, { 1: 4, 2: 0 }],
    [
      "from all rows but the emptiest's rest",
      [3, 5, 6],
      12,
      { 0: 2, 1: 0, 2: 0 },
    ],
    ["from all rows", [3, 5, 6], 14, { 0: 0, 1: 0, 2: 0 }],
    [
      "from one row that holds all but a rounding error",
      [3, 5],
      5 + tolerance / 2,
      { 1: 0 },
    ],
    [
      "from all rows, all but a rounding error",
      [3, 5],
      8 + tolerance / 2,
      { 0: 0, 1: 0 },
    ],
    ["from no row, if it is nothing", [3, 5, 6], 0, {}],
    [
      "from no row, if it is nothing and there is a debt to round",
      [-tolerance / 2, 0],
      0,
      {},
    ],
  ])("%s", (_claim, values, count, writes) => {
    expect(decided(values, [ask(count)])).toEqual({
      ok: true,
      taken: [count],
      writes,
    });
  });

  test("beside a row in debt, which keeps its debt, from the others", () => {
    expect(decided([-2, 5, 6], [ask(8)])).toEqual({
      ok: true,
      taken: [8],
      writes: { 1: 3, 2: 0 },
    });
  });

  test("and what is written says when it is full", () => {
    const decision = decideAlone(
      rulesFor(bucket(2)),
      rows([4, 2]),
      [ask(3)],
      NOW,
    );
    expect(decision).toMatchObject({
      writes: [{ shard: 0, value: 1, ts: NOW, fullAt: NOW + 18_000, of: 2 }],
    });
  });

  test("of another split from rows that are all written anew", () => {
    const decision = decideAlone(
      rulesFor(bucket(2)),
      rows([1, 1, 4, 4]),
      [ask(2)],
      NOW,
    );
    expect(decision).toMatchObject({
      writes: [
        { shard: 0, value: 3, of: 2 },
        { shard: 1, value: 5, of: 2 },
      ],
    });
  });

  test("of large numbers without a loss of digits", () => {
    const config = bucket(3, { rate: 3e15, capacity: 3e15 });
    const few = decided([1e15, 1e15, 1], [ask(2e15)], { config });
    expect(few).toMatchObject({ ok: true, writes: { 0: 0, 1: 0 } });
    expect(few).not.toMatchObject({
      writes: { 2: expect.anything() as unknown },
    });
  });
});

describe("what is more than there is", () => {
  test.each([
    ["is refused until it is there", [1, 1], 5, 3000],
    ["in debt is refused until that is paid, too", [1, -3], 1, 3000],
    ["is refused until all of it is there", [0, 0], 20, 20_000],
    [
      "but for more than a rounding error is refused",
      [1, 1],
      2 + 2 * tolerance,
      1,
    ],
  ])("%s", (_claim, values, count, retryAfter) => {
    expect(decided(values, [ask(count)])).toEqual({
      ok: false,
      refused: [0],
      retryAfter,
    });
  });

  test.each([
    [
      "reserved, is owed by all rows alike",
      [1, 2, 0],
      6,
      { 0: -1, 1: -1, 2: -1 },
      3000,
    ],
    ["reserved in debt, deepens it", [-1, -1], 2, { 0: -2, 1: -2 }, 4000],
    [
      "reserved, is paid at once but for a rounding error",
      [1, 1],
      2 + tolerance / 2,
      { 0: 0, 1: 0 },
      undefined,
    ],
  ])("%s", (_claim, values, count, writes, retryAfter) => {
    const decision = decided(values, [ask(count, { debt: "reserve" })]);
    expect(decision).toEqual({ ok: true, taken: [count], writes, retryAfter });
  });

  test("reserved, it may go down to maxReserved, and no deeper", () => {
    const config = bucket(2, { maxReserved: 4 });
    const reserve = (count: number) =>
      decided([1, 1], [ask(count, { debt: "reserve" })], { config });
    expect(reserve(6)).toMatchObject({ ok: true, retryAfter: 4000 });
    expect(reserve(7)).toEqual({ ok: false, refused: [0], retryAfter: 1000 });
    expect(() => reserve(25)).toThrow("Rate limit api count 25 exceeds 24.");
  });

  test("reserved under another split, it waits for what all rows of before owe together", () => {
    const stored = rows([0, 0, 3, -9]);
    const reserving = ask(1, { debt: "reserve" });
    expect(
      decideAlone(rulesFor(bucket(2)), stored, [reserving], NOW),
    ).toMatchObject({
      ok: true,
      retryAfter: 7000,
      writes: [{ value: -3.5 }, { value: -3.5 }],
    });
  });

  test("charged, it may go deeper", () => {
    const config = bucket(2, { maxReserved: 4 });
    expect(
      decided([1, 1], [ask(60, { debt: "any" })], { config }),
    ).toMatchObject({
      ok: true,
      writes: { 0: -29, 1: -29 },
      retryAfter: 58_000,
    });
  });

  test("reserving nothing from a debt tells when that is paid, and writes nothing", () => {
    expect(decided([-1, -2], [ask(0, { debt: "reserve" })])).toEqual({
      ok: true,
      taken: [0],
      writes: {},
      retryAfter: 3000,
    });
  });

  test("a debt that no time pays is paid at the last whole number", () => {
    expect(decided([0, 0], [ask(1e18, { debt: "any" })])).toMatchObject({
      ok: true,
      retryAfter: Number.MAX_SAFE_INTEGER - NOW,
    });
  });
});

describe("what must remain", () => {
  test.each([
    ["remains", 4, { ok: true, taken: [4], writes: { 0: 0 } }],
    ["is waited for", 5, { ok: false, refused: [0], retryAfter: 1000 }],
  ])("%s", (_claim, count, expected) => {
    expect(decided([4, 3], [ask(count, { leave: 3 })])).toEqual(expected);
  });

  test("is no part of what can ever be granted", () => {
    expect(() => decided([4, 3], [ask(18, { leave: 3 })])).toThrow(
      "count 18 exceeds 17.",
    );
    expect(decided([4, 3], [ask(17, { leave: 3 })])).toMatchObject({
      ok: false,
      retryAfter: 14_000,
    });
  });

  test("does not remain from a reservation", () => {
    expect(
      decided([4, 3], [ask(8, { leave: 3, debt: "reserve" })]),
    ).toMatchObject({ ok: true, retryAfter: 1000 });
  });

  test("is above the capacity: nothing can ever be granted, and not less", () => {
    expect(() => decided([4, 3], [ask(1, { leave: 25 })])).toThrow(
      "count 1 exceeds 0.",
    );
  });
});

describe("up to a count", () => {
  const upTo = (values: number[], count: number, more: Partial<Demand> = {}) =>
    decided(values, [ask(count, { upTo: true, ...more })]);

  test.each([
    ["all of it, if it is there", [4, 3], 6, [6]],
    ["the whole tokens that are there", [4, 2.5], 10, [6]],
    [
      "a token that is there but for a rounding error",
      [4, 3 - tolerance / 2],
      10,
      [7],
    ],
  ])("%s", (_claim, values, count, taken) => {
    expect(upTo(values, count)).toMatchObject({ ok: true, taken });
  });

  test("down to what must remain", () => {
    expect(upTo([4, 3], 10, { leave: 2 })).toMatchObject({ taken: [5] });
  });

  test("down to maxReserved, of a reservation", () => {
    const config = bucket(2, { maxReserved: 3 });
    const demand = ask(100, { upTo: true, debt: "reserve" });
    expect(decided([4, 3], [demand], { config })).toMatchObject({
      ok: true,
      taken: [10],
      retryAfter: 3000,
    });
  });

  test("without a whole token it is refused until there is one", () => {
    expect(upTo([0.25, 0.5], 10)).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 250,
    });
  });
});

describe("several demands on one limit", () => {
  test("are granted one after the other", () => {
    expect(decided([4, 3], [ask(2), ask(0), ask(5)])).toMatchObject({
      ok: true,
      taken: [2, 0, 5],
      writes: { 0: 0, 1: 0 },
    });
  });

  test.each([
    ["the first that does not fit", [ask(3), ask(5), ask(9)], [1, 2], 10_000],
    ["the first one of all", [ask(8), ask(1)], [0], 2000],
    ["one that fits only what the others leave", [ask(7), ask(1)], [1], 1000],
    ["all, if one must leave more", [ask(5), ask(1, { leave: 3 })], [1], 2000],
  ])("are refused together, for %s", (_claim, demands, refused, retryAfter) => {
    expect(decided([4, 3], demands)).toEqual({
      ok: false,
      refused,
      retryAfter,
    });
  });

  test("that come to more than it ever holds are told a period, each being possible", () => {
    expect(decided([4, 3], [ask(15), ask(15)])).toEqual({
      ok: false,
      refused: [0, 1],
      retryAfter: MINUTE,
    });
  });

  test("of which one is impossible throw, wherever it stands", () => {
    expect(() => decided([4, 3], [ask(1), ask(20.5)])).toThrow(
      "count 20.5 exceeds 20.",
    );
  });
});

describe("a dry run", () => {
  const config = bucket(2, { enforce: false });

  test("takes what it can, and says that it would have denied the rest", () => {
    expect(decided([4, 3], [ask(5), ask(9), ask(2)], { config })).toEqual({
      ok: true,
      taken: [5, 0, 2],
      writes: { 0: 0, 1: 0 },
      wouldDeny: [1],
    });
  });

  test("grants as any limit does", () => {
    expect(decided([4, 3], [ask(4)], { config })).toEqual({
      ok: true,
      taken: [4],
      writes: { 0: 0 },
    });
  });

  test("tells when what it reserved may run, beside what it would have denied", () => {
    const reserved = ask(9, { debt: "reserve" });
    const asked = [reserved, ask(1)];
    expect(decided([4, 3], asked, { config })).toEqual({
      ok: true,
      taken: [9, 0],
      writes: { 0: -1, 1: -1 },
      retryAfter: 2000,
      wouldDeny: [1],
    });
  });

  test("waits for no debt that was there before, if it takes nothing", () => {
    expect(decided([-1, -1], [ask(1)], { config })).toEqual({
      ok: true,
      taken: [0],
      writes: {},
      wouldDeny: [0],
    });
  });

  test("of a ban takes nothing", () => {
    expect(
      decided([4, 3], [ask(4)], {
        config,
        overrides: [{ override: { deny: true } }],
      }),
    ).toEqual({
      ok: true,
      taken: [0],
      writes: {},
      wouldDeny: [0],
    });
  });
});

test("what changes nothing writes no row", () => {
  const writes = (
    config: RateLimitConfig,
    demand: Demand,
    ofKey?: TimedOverride[],
  ) => decideAlone(rulesFor(config, ofKey), rows([4, 3]), [demand], NOW);
  const none = { ok: true, writes: [] };
  const dry = bucket(2, { enforce: false });
  expect(writes(bucket(2), ask(0))).toMatchObject(none);
  expect(
    writes(bucket(2), ask(9), [{ override: { unlimited: true } }]),
  ).toMatchObject(none);
  expect(writes(dry, ask(1), [{ override: { deny: true } }])).toMatchObject(
    none,
  );
  expect(give(limitOf(bucket(1)), held(10), 1, NOW).writes).toEqual([]);
});

describe("about when all demands will be granted", () => {
  const guess = (
    values: readonly number[],
    demands: readonly Demand[],
    from = NOW,
  ) => {
    const [phase] = rulesFor(bucket(values.length));
    return forecast(rows(values), demands).guess(phase, from);
  };

  test.each([
    ["now, if they are there", [4, 3], [ask(7)], NOW],
    ["now, if more is there", [4, 3], [ask(1)], NOW],
    ["when what is missing arrives", [4, 3], [ask(9)], NOW + 2000],
    ["when it arrives for all of them", [4, 3], [ask(6), ask(4)], NOW + 3000],
    [
      "when a token is there for up to more",
      [0, 0],
      [ask(9, { upTo: true })],
      NOW + 1000,
    ],
    [
      "when there is as little as is asked",
      [0, 0],
      [ask(0.5, { upTo: true })],
      NOW + 500,
    ],
    [
      "when what must remain is there, too",
      [4, 3],
      [ask(6), ask(1, { leave: 2 })],
      NOW + 2000,
    ],
  ])("%s", (_claim, values, demands, expected) => {
    expect(guess(values, demands)).toBe(expected);
  });

  test("counted from then on", () => {
    expect(guess([1, 1], [ask(9)], NOW + 4000)).toBe(NOW + 7000);
  });
});

describe("under an override", () => {
  const ban: TimedOverride = { override: { deny: true } };
  const lift: TimedOverride = { override: { unlimited: true } };
  const until = (ms: number) => ({ ...ban, expiresAt: NOW + ms });
  const lifted = (ms: number) => ({ ...lift, startsAt: NOW + ms });

  const under = (
    overrides: TimedOverride[],
    count: number,
    more: Partial<Demand> = {},
  ) => decided([4, 3], [ask(count, more)], { overrides });

  test("that lifts it, anything is granted", () => {
    const all = { ok: true, taken: [0], writes: {} };
    expect(under([lift], 1e9)).toEqual(all);
  });

  test.each<[string, TimedOverride[], number, retryAfter: number]>([
    ["a ban without end tells a period", [ban], 1, MINUTE],
    ["a ban tells its end", [until(500)], 1, 500],
    ["a ban tells its end, at the next whole ms", [until(499.5)], 1, 500],
    [
      "a ban tells when there is enough, if that is later",
      [until(500)],
      8,
      1000,
    ],
    ["a ban of nothing at all denies too", [ban], 0, MINUTE],
    ["what will be lifted is granted then", [lifted(700)], 9, 700],
    [
      "what is there before it is lifted is granted then",
      [lifted(7000)],
      9,
      2000,
    ],
    [
      "what is impossible is granted when it is lifted",
      [lifted(7000)],
      99,
      7000,
    ],
    [
      "what comes only after a ban waits for its end",
      [{ ...until(HOUR), startsAt: NOW + 1500 }],
      9,
      HOUR,
    ],
    [
      "what comes before a ban does not",
      [{ ...until(HOUR), startsAt: NOW + 2001 }],
      9,
      2000,
    ],
    [
      "what comes at the first ms of a ban waits for its end",
      [{ ...until(HOUR), startsAt: NOW + 2000 }],
      9,
      HOUR,
    ],
    [
      "a ban that comes and stays denies for a period",
      [{ ...ban, startsAt: NOW + 2000 }],
      9,
      MINUTE,
    ],
  ])("%s", (_claim, overrides, count, retryAfter) => {
    const denied = { ok: false, refused: [0], retryAfter };
    expect(under(overrides, count)).toEqual(denied);
  });

  test("a ban does not keep out what does not ask", () => {
    expect(under([ban], 3, { debt: "any" })).toEqual({
      ok: true,
      taken: [3],
      writes: { 0: 1 },
    });
    const [banned] = rulesFor(bucket(2), [ban]);
    expect(isBarred(banned, [ask(1, { debt: "any" })])).toBe(false);
    expect(isBarred(banned, [ask(1, { debt: "any" }), ask(1)])).toBe(true);
    expect(isBarred(banned, [ask(1, { debt: "reserve" })])).toBe(true);
    expect(isBarred(rulesFor(bucket(2))[0], [ask(1)])).toBe(false);
  });

  test.each([
    ["by what follows", { capacity: 5 }, 21, "exceeds 20."],
    [
      "by what holds now, and not by what follows",
      { capacity: 25 },
      22,
      "exceeds 20.",
    ],
    ["by the most of both", { capacity: 25 }, 26, "exceeds 25."],
  ])(
    "what can never be granted is told %s",
    (_claim, config, count, message) => {
      const until = { override: { config }, expiresAt: NOW + 1 };
      expect(() => under([until], count)).toThrow(message);
    },
  );

  test.each([
    ["granted", "limited", 7, true],
    ["refused", "limited", 8, false],
    ["refused", "banned", 1, false],
    ["granted", "unlimited", 1e9, true],
  ] as const)(
    "all demands are %s: %s, %d",
    (_claim, effect, count, expected) => {
      const [{ limit, config, until }] = rulesFor(bucket(2));
      const phase = { effect, limit, config, until };
      expect(isGranted(phase, rows([4, 3]), [ask(count)], NOW)).toBe(expected);
    },
  );
});

describe("what is asked together", () => {
  const anOverride: fc.Arbitrary<TimedOverride> = fc.record({
    override: fc.oneof(
      fc.constantFrom<TimedOverride["override"]>(
        { deny: true },
        { unlimited: true },
        { config: { enforce: false } },
      ),
      fc.record({ config: fc.record({ capacity: quarters(0, 12) }) }),
      fc.record({ config: fc.record({ rate: quarters(1, 12) }) }),
    ),
    startsAt: optional(fc.integer({ min: NOW, max: NOW + 40 })),
    expiresAt: optional(fc.integer({ min: NOW + 1, max: NOW + 60 })),
  });

  /** What is asked of one limit, and what is known of it. */
  const aPart = fc
    .record({
      kind: aKind,
      enforce: fc.constantFrom(true, true, true, false),
      shards: fc.constantFrom(1, 2),
      value: quarters(-4, 8),
      overrides: fc.array(anOverride, { maxLength: 3 }),
      counts: fc.array(quarters(0.25, 6), { minLength: 1, maxLength: 2 }),
      reserve: fc.boolean(),
    })
    .map(({ value, overrides, counts, reserve, ...config }) => {
      const maxReserved = 2;
      const rate = 5;
      const whole = { ...config, rate, capacity: 8, period: 20, maxReserved };
      const fields = whole as RateLimitConfig;
      const each = value / config.shards;
      return {
        stored: rows(Array<number>(config.shards).fill(each)),
        demands: counts.map((count) =>
          ask(count, { debt: reserve ? "reserve" : "none" }),
        ),
        rulesAt: (now: number) =>
          phasesOf("api", "k", fields, { ofKey: overrides, ofLimit: [] }, now),
      };
    });

  const HORIZON = 200;

  test("is granted at the wait, and at no ms before", () => {
    fc.assert(
      fc.property(fc.array(aPart, { minLength: 1, maxLength: 3 }), (parts) => {
        const isGrantedAt = (now: number) =>
          parts.every(
            ({ rulesAt, stored, demands }) =>
              decide(rulesAt(now), stored, demands, now).ok,
          );
        const all = parts.map(({ rulesAt, stored, demands }) => ({
          phases: rulesAt(NOW),
          demands,
          forecast: forecast(stored, demands),
        }));
        let first = 1;
        while (first <= HORIZON && !isGrantedAt(NOW + first)) first++;
        if (first > HORIZON) return;
        expect(timeUntilGranted(all, NOW)).toBe(first);
      }),
      runs(200),
    );
  });
});

describe("from a few rows", () => {
  const take = (values: number[], demand: Demand) => {
    const writes = takeFrom(limitOf(bucket(5)), held(...values), demand, NOW);
    return writes && written(writes);
  };

  test.each([
    ["what one of them holds", [4, 3], ask(3), { 0: 1 }],
    ["what they hold together", [4, 3], ask(7), { 0: 0, 1: 0 }],
    ["nothing of what they do not hold", [4, 3], ask(7.5), undefined],
    ["no debt", [4, 3], ask(7.5, { debt: "reserve" }), undefined],
    ["no part", [4, 3], ask(9, { upTo: true }), undefined],
    ["no row for nothing", [4, 3], ask(0), {}],
  ])("%s", (_claim, values, demand, expected) => {
    expect(take(values, demand)).toEqual(expected);
  });
});

describe("tokens are given", () => {
  const given = (values: number[], count: number, isOutdated?: true) => {
    const limit = limitOf(bucket(values.length));
    const rows = held(...values).map((row) => ({ ...row, isOutdated }));
    const { credited, writes } = give(limit, rows, count, NOW);
    return { credited, writes: written(writes) };
  };

  test.each([
    ["to the emptiest row", [9, 2, 5], 3, 3, { 1: 5 }],
    ["to the emptiest up to its brim", [9, 2, 5], 8, 8, { 1: 10 }],
    ["to the next when it is full", [9, 2, 5], 10, 10, { 1: 10, 2: 7 }],
    [
      "to all that have room, and no more",
      [9, 2, 5],
      99,
      14,
      { 0: 10, 1: 10, 2: 10 },
    ],
    ["to none if all are full", [10, 10], 1, 0, {}],
    ["to rows in debt first, alike", [9, -4, -2], 4, 4, { 1: -1, 2: -1 }],
    ["to rows in debt, all of it", [9, -4, -2], 6, 6, { 1: 0, 2: 0 }],
    [
      "to rows in debt, and what is left to the emptiest",
      [9, -4, -2],
      8,
      8,
      { 1: 2, 2: 0 },
    ],
    ["to one row in debt", [9, -4], 1, 1, { 1: -3 }],
    [
      "to a row in debt before one that is empty",
      [0, -4],
      5,
      5,
      { 0: 1, 1: 0 },
    ],
  ])("%s", (_claim, values, count, credited, writes) => {
    expect(given(values, count)).toEqual({ credited, writes });
  });

  test("under another split, each row is written anew, if there is room", () => {
    expect(given([9, 2], 3, true)).toEqual({
      credited: 3,
      writes: { 0: 9, 1: 5 },
    });
    expect(given([9, -4], 1, true)).toEqual({
      credited: 1,
      writes: { 0: 9, 1: -3 },
    });
    expect(given([10, 10], 3, true)).toEqual({ credited: 0, writes: {} });
  });
});

describe("a limit is full", () => {
  const wait = (stored: Row[], overrides?: TimedOverride[]) =>
    timeUntilFull(rulesFor(bucket(2), overrides), stored, NOW);

  test.each([
    ["at once if nothing was taken", [], undefined, 0],
    ["at once if all was given back", rows([10, 10]), undefined, 0],
    [
      "at once but for a rounding error",
      rows([10, 10 - tolerance / 2]),
      undefined,
      0,
    ],
    ["when its emptiest row is", rows([8, 9]), undefined, 4000],
    [
      "when its debt is paid and all rows are",
      rows([-1, 9]),
      undefined,
      22_000,
    ],
    [
      "at once if it is lifted",
      rows([1, 1]),
      [{ override: { unlimited: true } }],
      0,
    ],
    [
      "after a period of a ban",
      rows([1, 1]),
      [{ override: { deny: true } }],
      MINUTE,
    ],
    [
      "when a ban has ended",
      [],
      [{ override: { deny: true }, expiresAt: NOW + 300 }],
      300,
    ],
    [
      "when it is full after a ban",
      rows([8, 9]),
      [{ override: { deny: true }, expiresAt: NOW + 300 }],
      4000,
    ],
    [
      "when it will be lifted",
      rows([8, 9]),
      [{ override: { unlimited: true }, startsAt: NOW + 300 }],
      300,
    ],
  ] as [string, Row[], TimedOverride[] | undefined, number][])(
    "%s",
    (_claim, stored, overrides, expected) => {
      expect(wait(stored, overrides)).toBe(expected);
    },
  );

  test("never, if it gains nothing in all time, but that is a whole number", () => {
    const idle = rulesFor(bucket(1, { rate: 1e-300, capacity: 10 }));
    expect(timeUntilFull(idle, rows([1]), NOW)).toBe(Number.MAX_SAFE_INTEGER);
  });
});
