import { describe, expect, test } from "vitest";
import { MIDNIGHT } from "../../host.js";
import { openLimitOf, draws, rowsOf, treeOf } from "../../memoryLedger.js";
import type { RateLimitConfig } from "../../../src/core/config.js";
import type { TimedOverride } from "../../../src/core/vOverride.js";
import { timeUntilGranted } from "../../../src/core/wait.js";
import type { Demand } from "../../../src/core/grant.js";
import { MINUTE } from "../../../src/core/periods.js";
import type { Row } from "../../../src/core/row.js";
import { decideOn } from "../../../src/component/calls/decideOn.js";

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
  const opened = openLimitOf(config, rows, more);
  const decision = await decideOn(opened, demands, draws(...random));
  const { reads } = opened.ledger;
  if (!decision.ok) {
    const { forecast, ...denial } = decision;
    const { phases, now } = opened;
    const retryAfter = timeUntilGranted([{ phases, demands, forecast }], now);
    return { ...denial, retryAfter, reads };
  }
  const { writes, ...rest } = decision;
  opened.ledger.set(writes);
  return { ...rest, writes: opened.ledger.written, reads };
}

describe("of a split limit", () => {
  test.each<[string, number[], number[], number, object, string]>([
    ["a well-filled row serves alone", [8, 9, 9], [0.4], 1, { 1: 8 }, "1"],
    ["of two rows, the first serves if it can", [1, 9], [], 1, { 0: 0 }, "0"],
    ["the fuller of two serves: second", [1, 5, 9], [0], 1, { 1: 4 }, "0 1"],
    [
      "the fuller of two serves: first",
      [1, 1.5, 9],
      [0.4, 0.5],
      1,
      { 1: 0.5 },
      "1 0",
    ],
    ["of two alike the first", [1, 1, 9], [0.4, 0.5], 1, { 1: 0 }, "1 0"],
    ["two serve together", [3, 4, 9], [], 6, { 0: 1, 1: 0 }, "0 1"],
    [
      "others are searched, if two do not serve",
      [0, 0.5, 9, 9],
      [0, 0, 0.9],
      1,
      { 3: 8 },
      "0 1 look 3",
    ],
    [
      "those that are read give first, and then the fullest",
      [1, 2, 4, 5],
      [],
      7,
      { 1: 0, 3: 0 },
      "0 1 look 1 0 3",
    ],
  ])("%s", async (_claim, values, random, count, writes, reads) => {
    const config = slow(values.length);
    expect(
      await taken(config, rowsOf(values), [ask(count)], { random }),
    ).toEqual({ ok: true, taken: [count], writes, reads });
  });

  const absent = rowsOf([undefined, 3, 3]);
  const ofTwo = { shard: 2, value: 5, ts: MIDNIGHT + 1, of: 2 };
  test.each<[string, Row[], reads: string]>([
    ["absent, if a look at the others says nothing else", absent, "0 look"],
    [
      "not known, as one in debt may depend on it",
      rowsOf([undefined, -1, 3]),
      "0 look all",
    ],
    [
      "not known, as one of another split may depend on it",
      rowsOf([undefined, 3, 3], { of: 2 }),
      "0 look all",
    ],
    [
      "not known, the second one either",
      rowsOf([1, undefined, -1]),
      "0 1 look all",
    ],
    [
      "of another split than a look shows",
      [...rowsOf([0, 0], { of: 3 }), ofTwo],
      "0 1 look all",
    ],
  ])("a row is %s", async (_claim, rows, reads) => {
    expect(await taken(slow(3), rows, [ask(1)])).toMatchObject({ reads });
  });

  test.each<[string, (number | undefined)[], object]>([
    ["has less by now", [0, 0, 0.5, 2], { ok: true, writes: { 3: 1 } }],
    [
      "has nothing by now, nor has any other",
      [0, 0, 0, 0],
      { ok: false, retryAfter: 1000 },
    ],
    [
      "is gone and others are in debt",
      [0, 0, undefined, -2],
      { reads: "0 1 look 2 look all" },
    ],
  ])(
    "all rows are read, if the one that was found %s",
    async (_claim, values, expected) => {
      const seen = rowsOf([0, 0, 5, values[3] === -2 ? -2 : 0]);
      expect(
        await taken(slow(4), rowsOf(values), [ask(1)], { seen }),
      ).toMatchObject({ reads: "0 1 look 2 all", ...expected });
    },
  );

  test("a denial waits until the rows hold it together, and reads no more", async () => {
    expect(await taken(slow(4), rowsOf([0, 0, 0, 0]), [ask(2)])).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 2000,
      reads: "0 1 look",
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
  const busy = { ts: now, usedAt: MIDNIGHT };
  const eight = rowsOf([0, 0, 0, 1, 0, 0, 0, 0], busy);

  test("a lone token is left to who meets it, until a second after the last write", async () => {
    const rows = eight.map((row) => ({ ...row, usedAt: MIDNIGHT - 1 }));
    // Each of the other rows has a token then, at 1.25 a second.
    expect(await taken(fast(8), rows, [ask(1)], { now })).toEqual({
      ok: false,
      refused: [0],
      retryAfter: 800,
      reads: "0 1 look",
    });
  });

  test.each([
    ["16 are looked at, from the first one on", ask(1), busy, "look(10, 16)"],
    ["all are looked at for what no row holds", ask(11), busy, "look"],
    [
      "all are looked at, if those are calm",
      ask(1),
      { ts: now },
      "look(10, 16) look",
    ],
    [
      "all are looked at for what is reserved",
      ask(1, { debt: "reserve" }),
      busy,
      "look all",
    ],
    ["all are looked at for up to it", ask(1, { upTo: true }), busy, "look"],
  ])("with more than 16 rows %s", async (_claim, demand, more, looks) => {
    const rows = rowsOf(Array<number>(20).fill(0), more);
    const setting = { now, random: [0.5] };
    const { reads } = await taken(fast(20), rows, [demand], setting);
    expect(reads).toBe(`10 11 ${looks}`);
  });

  test("a reservation is searched for, though it is busy", async () => {
    const reserving = ask(1, { debt: "reserve" });
    expect(await taken(fast(8), eight, [reserving], { now })).toMatchObject({
      ok: true,
      writes: { 3: 0 },
      reads: "0 1 look 3",
    });
  });

  test.each<[string, TimedOverride, number]>([
    [
      "a ban that follows is waited for, and then the limit is calm",
      { override: { deny: true }, startsAt: now + 5, expiresAt: now + 5000 },
      5000,
    ],
    [
      "a lift that follows is when it is granted",
      { override: { unlimited: true }, startsAt: now + 5 },
      5,
    ],
    [
      "a capacity that changes is when all rows are one: what they hold together serves",
      { override: { config: { capacity: 160 } }, startsAt: now + 5 },
      5,
    ],
  ])("%s", async (_claim, override, retryAfter) => {
    const setting = { now, overrides: [override] };
    expect(await taken(fast(8), eight, [ask(1)], setting)).toMatchObject({
      ok: false,
      retryAfter,
    });
  });
});

describe("of a limit that has split itself", () => {
  const auto = (rows: number, more: Partial<RateLimitConfig> = {}) =>
    slow(rows, { shards: "auto", ...more });

  test.each([
    ["a well-filled row serves alone", [8, 9, 9], [0.4], { 2: 8 }, "0 0 2"],
    ["the fuller of two serves", [1, 5, 9], [0, 0], { 2: 4 }, "0 0 1 0 2"],
    [
      "others are searched, if two do not serve",
      [0, 0.5, 9, 9],
      [0, 0, 0.9],
      { 4: 8 },
      "0 0 1 0 2 look 0 4",
    ],
  ])("%s", async (_claim, values, random, writes, reads) => {
    expect(
      await taken(auto(values.length), treeOf(values), [ask(1)], { random }),
    ).toEqual({ ok: true, taken: [1], writes, reads });
  });

  test("the second row is below another child of row 0, and there any", async () => {
    const [root, ...children] = treeOf([0, 0], { into: 3 });
    const leaf = { ...children[0]!, into: undefined };
    const rows = [root!, ...children, leaf, leaf, leaf].map((row, i) => ({
      ...row,
      shard: [0, 1, 2, 65, 129, 130][i]!,
      value: [0, 0, 0, 0, 8, 9][i]!,
    }));
    expect(await taken(auto(6), rows, [ask(1)])).toMatchObject({
      writes: { 129: 7 },
      reads: "0 0 1 65 0 2 129",
    });
  });

  const seen = treeOf([0, 0, 0, 9]);
  const [root, ...below] = treeOf([0, 0, 0, 9]);

  test.each([
    [
      "has been split since",
      [root!, ...below.slice(0, 3), { ...below[3]!, into: 2 }],
      { 257: 3.5 },
      "0 0 1 0 2 look 0 4 257 all",
    ],
    ["is gone, of two", treeOf([0, 9]), { 2: 8 }, "0 0 1 look 0 2 all"],
    [
      "is gone, of three",
      treeOf([0, 0, 3]),
      { 3: 2 },
      "0 0 1 0 2 look 0 1 all",
    ],
  ])(
    "all rows are read, if the one that was found %s",
    async (_claim, rows, writes, reads) => {
      expect(await taken(auto(4), rows, [ask(1)], { seen })).toMatchObject({
        ok: true,
        writes,
        reads,
      });
    },
  );

  const now = MIDNIGHT + 100;
  const busy = { ts: now, usedAt: MIDNIGHT };
  const fast = auto(20, { rate: 600 });
  const twenty = Array<number>(20).fill(0);

  test("16 rows with the same parent are looked at, if they are busy", async () => {
    const setting = { now, random: [0.5] };
    expect(
      await taken(fast, treeOf(twenty, busy), [ask(1)], setting),
    ).toMatchObject({ ok: false, reads: "0 0 11 0 12 look(5, 16)" });
  });

  test("a capacity that changes is when all rows are one", async () => {
    const overrides = [
      { override: { config: { capacity: 160 } }, startsAt: now + 5 },
    ];
    const setting = { now, random: [0.5], overrides };
    const rows = treeOf(twenty.with(7, 1), busy);
    expect(await taken(fast, rows, [ask(1)], setting)).toMatchObject({
      ok: false,
      retryAfter: 5,
    });
  });
});

describe("what goes beyond the tokens there are", () => {
  const writes = { 0: -1, 1: -1, 2: -1, 3: -1 };
  test.each<[string, number[], Demand, object]>([
    [
      "is owed by all rows, after all were read",
      [1, 1, 1, 1],
      ask(8, { debt: "reserve" }),
      { writes, retryAfter: 4000, reads: "0 1 look 0 1 2 3 all" },
    ],
    [
      "is owed by all rows, if none holds a token",
      [0, 0, 0, 0],
      ask(4, { debt: "any" }),
      { writes, reads: "0 1 look all" },
    ],
    [
      "is left, up to whole tokens of all rows",
      [1, 1, 1.5, 0],
      ask(8, { upTo: true }),
      { taken: [3] },
    ],
  ])("%s", async (_claim, values, demand, expected) => {
    const answer = await taken(slow(4), rowsOf(values), [demand]);
    expect(answer).toEqual(expect.objectContaining(expected));
  });
});

describe("what is read", () => {
  const five = rowsOf([5, 5, 5, 5]);
  const deny: TimedOverride = { override: { deny: true } };
  const unlimited: TimedOverride = { override: { unlimited: true } };
  type Case = [string, Row[], Demand[], TimedOverride | undefined, object];

  test.each<Case>([
    [
      "all rows at once, for several demands",
      five,
      [ask(1), ask(2)],
      undefined,
      { ok: true, reads: "all" },
    ],
    [
      "all rows at once, for what must leave tokens",
      five,
      [ask(1, { leave: 2 })],
      undefined,
      { ok: true, reads: "all" },
    ],
    [
      "a look, at a limit that is not split",
      rowsOf([5]),
      [ask(2)],
      undefined,
      { writes: { 0: 3 }, reads: "look" },
    ],
    [
      "a look, for a denial of a ban",
      five,
      [ask(1)],
      deny,
      { ok: false, refused: [0], retryAfter: MINUTE, reads: "look" },
    ],
    [
      "nothing, of a limit that is lifted",
      rowsOf([0, 0, 0, 0]),
      [ask(99)],
      unlimited,
      { ok: true, taken: [0], writes: {}, reads: "" },
    ],
  ])("is %s", async (_claim, rows, demands, override, expected) => {
    const overrides = override && [override];
    const setting = overrides && { overrides };
    const answer = await taken(slow(rows.length), rows, demands, setting);
    expect(answer).toEqual(expect.objectContaining(expected));
  });
});
