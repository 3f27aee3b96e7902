import { describe, expect, test } from "vitest";
import { MIDNIGHT } from "../../host.js";
import { accountOf, draws, rowsOf } from "../../memoryLedger.js";
import type { RateLimitConfig } from "../../../src/core/config.js";
import type { TimedOverride } from "../../../src/core/vOverride.js";
import { waitFor, type Demand } from "../../../src/core/decide.js";
import { MINUTE } from "../../../src/core/periods.js";
import type { Row } from "../../../src/core/rows.js";
import { take } from "../../../src/component/calls/take.js";

/** Rows that hold up to 10 each. Slow: no count is ever worth a wait for others. */
const slow = (shards: number, more: Partial<RateLimitConfig> = {}) =>
  ({
    kind: "token bucket",
    rate: 60,
    period: MINUTE,
    capacity: 10 * shards,
    shards,
    ...more,
  }) as RateLimitConfig;

/** Ten tokens a second: busy, for a second after a write. */
const fast = (shards: number) => slow(shards, { rate: 600 });

const ask = (count: number, more: Partial<Demand> = {}): Demand => ({
  count,
  debt: "none",
  leave: 0,
  upTo: false,
  ...more,
});

type Setting = {
  random?: number[];
  now?: number;
  seen?: Row[];
  overrides?: TimedOverride[];
};

/** Takes from these rows: the answer, what is written by place, and what was read for it. */
async function taken(
  config: RateLimitConfig,
  rows: readonly Row[],
  demands: readonly Demand[],
  { random = [], ...more }: Setting = {},
) {
  const account = accountOf(config, rows, more);
  const decision = await take(account, demands, draws(...random));
  const { reads } = account.ledger;
  if (!decision.ok) {
    const { forecast, ...denial } = decision;
    const { rules, now } = account;
    const retryAfter = waitFor([{ rules, demands, forecast }], now);
    return { ...denial, retryAfter, reads };
  }
  const { writes, ...rest } = decision;
  account.ledger.set(writes);
  return { ...rest, writes: account.ledger.written, reads };
}

describe("of a split limit", () => {
  test.each([
    [
      "a well-filled row serves alone",
      [8, 9, 9],
      [0.4],
      1,
      { 1: 8 },
      ["row 1"],
    ],
    [
      "the fuller of two serves, the second one",
      [1, 5, 9],
      [0, 0],
      1,
      { 1: 4 },
      ["row 0", "row 1"],
    ],
    [
      "the fuller of two serves, the first one",
      [1, 1.5, 9],
      [0.4, 0.5],
      1,
      { 1: 0.5 },
      ["row 1", "row 0"],
    ],
    [
      "of two alike the first one serves",
      [1, 1, 9],
      [0.4, 0.5],
      1,
      { 1: 0 },
      ["row 1", "row 0"],
    ],
    [
      "two serve together",
      [3, 4, 9],
      [0, 0],
      6,
      { 0: 1, 1: 0 },
      ["row 0", "row 1"],
    ],
    [
      "others are searched, if two do not serve",
      [0, 0.5, 9, 9],
      [0, 0, 0.9],
      1,
      { 3: 8 },
      ["row 0", "row 1", "look", "row 3"],
    ],
    [
      "those that are read give first, and then the fullest",
      [1, 2, 4, 5],
      [0, 0],
      7,
      { 1: 0, 3: 0 },
      ["row 0", "row 1", "look", "row 1", "row 0", "row 3"],
    ],
  ])("%s", async (_claim, values, random, count, writes, reads) => {
    expect(
      await taken(slow(values.length), rowsOf(values), [ask(count)], {
        random,
      }),
    ).toEqual({
      ok: true,
      taken: [count],
      writes,
      reads,
    });
  });

  test("over two rows, the first one serves if it can", async () => {
    expect(await taken(slow(2), rowsOf([1, 9]), [ask(1)])).toMatchObject({
      writes: { 0: 0 },
      reads: ["row 0"],
    });
  });

  test("an absent row is full, if a look at the others says nothing else", async () => {
    expect(
      await taken(slow(3), rowsOf([undefined, 3, 3]), [ask(1)]),
    ).toMatchObject({
      writes: { 0: 9 },
      reads: ["row 0", "look"],
    });
  });

  test.each([
    ["is in debt", rowsOf([undefined, -1, 3])],
    ["is of another split", rowsOf([undefined, 3, 3], { of: 2 })],
  ])(
    "all rows are read, if one that is absent may depend on one that %s",
    async (_claim, rows) => {
      const { reads } = await taken(slow(3), rows, [ask(1)]);
      expect(reads).toEqual(["row 0", "look", "all"]);
    },
  );

  test("all rows are read, if the second one may depend on others", async () => {
    const { reads } = await taken(slow(3), rowsOf([1, undefined, -1]), [
      ask(1),
    ]);
    expect(reads).toEqual(["row 0", "row 1", "look", "all"]);
  });

  test("all rows are read, if a look shows another split", async () => {
    const rows = [
      ...rowsOf([0, 0]),
      { shard: 2, value: 5, ts: MIDNIGHT + 1, of: 2 },
    ].map((row) => ({ ...row, of: row.shard === 2 ? 2 : 3 }));
    expect(await taken(slow(3), rows, [ask(1)])).toMatchObject({
      reads: ["row 0", "row 1", "look", "all"],
    });
  });

  test.each([
    ["has less by now", [0, 0, 0.5, 2], { ok: true, writes: { 3: 1 } }],
    [
      "has nothing by now, nor has any other",
      [0, 0, 0, 0],
      { ok: false, retryAfter: 1000 },
    ],
  ])(
    "all rows are read, if the one that was found %s",
    async (_claim, values, expected) => {
      const seen = rowsOf([0, 0, 5, 0]);
      expect(
        await taken(slow(4), rowsOf(values), [ask(1)], { seen }),
      ).toMatchObject({
        ...expected,
        reads: ["row 0", "row 1", "look", "row 2", "all"],
      });
    },
  );

  test("all rows are read, if the one that was found is gone and others are in debt", async () => {
    const seen = rowsOf([0, 0, 5, -2]);
    const rows = rowsOf([0, 0, undefined, -2]);
    expect((await taken(slow(4), rows, [ask(1)], { seen })).reads).toEqual([
      "row 0",
      "row 1",
      "look",
      "row 2",
      "look",
      "all",
    ]);
  });

  test("a denial waits until the rows hold it together, and reads no more", async () => {
    expect(await taken(slow(4), rowsOf([0, 0, 0, 0]), [ask(2)])).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 2000,
      reads: ["row 0", "row 1", "look"],
    });
  });

  test("more than it ever holds is an error", async () => {
    await expect(
      taken(slow(4), rowsOf([0, 0, 0, 0]), [ask(41)]),
    ).rejects.toThrow("count 41 exceeds 40");
  });
});

describe("of a busy limit", () => {
  const now = MIDNIGHT + 100;
  const twenty = Array.from({ length: 20 }, () => 0);

  test("a lone token is left to who meets it, until a second after the last write", async () => {
    const rows = rowsOf([0, 0, 0, 1, 0, 0, 0, 0], { usedAt: MIDNIGHT - 1 }).map(
      (row) => ({ ...row, ts: MIDNIGHT + 100 }),
    );
    const denied = await taken(fast(8), rows, [ask(1)], {
      now: MIDNIGHT + 100,
    });
    expect(denied).toMatchObject({ ok: false, refused: [0] });
    expect(denied.reads).toEqual(["row 0", "row 1", "look"]);
    // Each of the other rows has a token then, at 1.25 a second.
    expect(denied).toMatchObject({ retryAfter: 800 });
  });

  test("with more than 16 rows only 16 are looked at, from the first one on", async () => {
    const rows = rowsOf(twenty, { ts: now, usedAt: MIDNIGHT });
    const { reads } = await taken(fast(20), rows, [ask(1)], {
      now,
      random: [0.5],
    });
    expect(reads).toEqual(["row 10", "row 11", "look at 16 from 10"]);
  });

  test("with more than 16 rows all are looked at for what no row holds", async () => {
    const rows = rowsOf(twenty, { ts: now, usedAt: MIDNIGHT });
    const { reads } = await taken(fast(20), rows, [ask(11)], {
      now,
      random: [0.5],
    });
    expect(reads).toEqual(["row 10", "row 11", "look"]);
  });

  test("with more than 16 rows all are looked at, if those are calm", async () => {
    const rows = rowsOf(twenty, { ts: now });
    const { reads } = await taken(fast(20), rows, [ask(1)], {
      now,
      random: [0.5],
    });
    expect(reads).toEqual(["row 10", "row 11", "look at 16 from 10", "look"]);
  });

  test.each([
    ["reserved", { debt: "reserve" as const }],
    ["up to it", { upTo: true }],
  ])(
    "with more than 16 rows all are looked at for what is %s",
    async (_claim, more) => {
      const rows = rowsOf(twenty, { ts: now, usedAt: MIDNIGHT });
      const { reads } = await taken(fast(20), rows, [ask(1, more)], {
        now,
        random: [0.5],
      });
      expect(reads.slice(0, 3)).toEqual(["row 10", "row 11", "look"]);
    },
  );

  test("a reservation is searched for, though it is busy", async () => {
    const rows = rowsOf([0, 0, 0, 1, 0, 0, 0, 0], {
      ts: now,
      usedAt: MIDNIGHT,
    });
    expect(
      await taken(fast(8), rows, [ask(1, { debt: "reserve" })], { now }),
    ).toMatchObject({
      ok: true,
      writes: { 3: 0 },
      reads: ["row 0", "row 1", "look", "row 3"],
    });
  });

  test("a ban that follows is waited for, and then the limit is calm", async () => {
    const rows = rowsOf([0, 0, 0, 1, 0, 0, 0, 0], {
      ts: now,
      usedAt: MIDNIGHT,
    });
    const ban = {
      override: { deny: true as const },
      startsAt: now + 5,
      expiresAt: now + 5000,
    };
    expect(
      await taken(fast(8), rows, [ask(1)], { now, overrides: [ban] }),
    ).toMatchObject({
      ok: false,
      retryAfter: 5000,
    });
  });

  test("a lift that follows is when it is granted", async () => {
    const rows = rowsOf([0, 0, 0, 1, 0, 0, 0, 0], {
      ts: now,
      usedAt: MIDNIGHT,
    });
    const lift = { override: { unlimited: true as const }, startsAt: now + 5 };
    expect(
      await taken(fast(8), rows, [ask(1)], { now, overrides: [lift] }),
    ).toMatchObject({
      ok: false,
      retryAfter: 5,
    });
  });

  test("a capacity that changes is when all rows are one: what they hold together serves", async () => {
    const rows = rowsOf([0, 0, 0, 1, 0, 0, 0, 0], {
      ts: now,
      usedAt: MIDNIGHT,
    });
    const raise = {
      override: { config: { capacity: 160 } },
      startsAt: now + 5,
    };
    expect(
      await taken(fast(8), rows, [ask(1)], { now, overrides: [raise] }),
    ).toMatchObject({
      ok: false,
      retryAfter: 5,
    });
  });
});

describe("what goes beyond the tokens there are", () => {
  test("is owed by all rows, after all were read", async () => {
    expect(
      await taken(slow(4), rowsOf([1, 1, 1, 1]), [ask(8, { debt: "reserve" })]),
    ).toEqual({
      ok: true,
      taken: [8],
      writes: { 0: -1, 1: -1, 2: -1, 3: -1 },
      retryAfter: 4000,
      reads: [
        "row 0",
        "row 1",
        "look",
        "row 0",
        "row 1",
        "row 2",
        "row 3",
        "all",
      ],
    });
  });

  test("is owed by all rows, if none holds a token", async () => {
    expect(
      await taken(slow(4), rowsOf([0, 0, 0, 0]), [ask(4, { debt: "any" })]),
    ).toMatchObject({
      writes: { 0: -1, 1: -1, 2: -1, 3: -1 },
      reads: ["row 0", "row 1", "look", "all"],
    });
  });

  test("up to it, whole tokens of all rows are taken", async () => {
    expect(
      await taken(slow(4), rowsOf([1, 1, 1.5, 0]), [ask(8, { upTo: true })]),
    ).toMatchObject({
      ok: true,
      taken: [3],
    });
  });
});

describe("all rows are read at once", () => {
  test.each([
    ["for several demands", [ask(1), ask(2)]],
    ["for what must leave tokens", [ask(1, { leave: 2 })]],
  ])("%s", async (_claim, demands) => {
    const { reads, ok } = await taken(slow(4), rowsOf([5, 5, 5, 5]), demands);
    expect({ reads, ok }).toEqual({ reads: ["all"], ok: true });
  });
});

describe("one look is enough", () => {
  test("at a limit that is not split", async () => {
    expect(await taken(slow(1), rowsOf([5]), [ask(2)])).toMatchObject({
      writes: { 0: 3 },
      reads: ["look"],
    });
  });

  test("for a denial of a ban", async () => {
    const overrides = [{ override: { deny: true as const } }];
    expect(
      await taken(slow(4), rowsOf([5, 5, 5, 5]), [ask(1)], { overrides }),
    ).toEqual({
      ok: false,
      refused: [0],
      retryAfter: MINUTE,
      reads: ["look"],
    });
  });
});

test("nothing is read of a limit that is lifted", async () => {
  const overrides = [{ override: { unlimited: true as const } }];
  expect(
    await taken(slow(4), rowsOf([0, 0, 0, 0]), [ask(99)], { overrides }),
  ).toEqual({
    ok: true,
    taken: [0],
    writes: {},
    reads: [],
  });
});
