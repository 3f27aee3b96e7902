import { HOUR, MINUTE } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { bucket, startApp, window } from "../support/startApp.js";
import {
  components,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../support/host.js";
import { modesOf } from "../support/modes.js";
import { openLimitOf, draws, NO_CTX, rowsOf } from "../support/memoryLedger.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import type { Row } from "../../src/core/rows.js";
import type { TimedOverride } from "../../src/core/validators.js";
import { creditTokens, chargeTokens } from "../../src/verbs/adjust.js";

const childShard = (_: number, nth: number) => nth + 1;

// The rows below row 0 are numbered from 1.

useStillClock();

const nanoseconds = (ms: number) => BigInt(ms) * 1_000_000n;

const name = "api";

test.each([...modesOf(bucket(100)), ["a window", window(100)] as const])(
  "a credit to a full limit in %s writes nothing",
  async (_, config) => {
    const { t, limit, credit } = startApp({ api: config });
    expect(await credit(name, { count: 5 })).toEqual({ credited: 0 });
    expect(await storedRows(t)).toEqual([]);
    await limit(name, { count: 10 });
    vi.setSystemTime(MIDNIGHT + HOUR);
    const before = await storedRows(t);
    expect(await credit(name, { count: 5 })).toEqual({ credited: 0 });
    expect(await storedRows(t)).toEqual(before);
  },
);

test("a charge may exceed maxReserved, a reservation may not", async () => {
  const { charge, limit } = startApp({
    api: { ...bucket(60), maxReserved: 5 },
  });
  await charge(name, { count: 80 });
  const denied = { ok: false, retryAfter: 16_000 };
  expect(await limit(name, { reserve: true })).toEqual(denied);
});

describe("with given rows,", () => {
  /** A token a second; rows that hold up to 10 each. */
  const tens = (shards: number) =>
    ({
      kind: "token bucket",
      rate: 60,
      period: MINUTE,
      capacity: 10 * shards,
    }) as const;

  const one = (value: number): Row[] => [{ shard: 0, value, ts: MIDNIGHT }];

  type Setting = {
    random?: number[];
    seen?: Row[];
    overrides?: TimedOverride[];
  };

  /** Opens a limit of one row, or of the rows below row 0. */
  const open = (
    rows: Row[],
    isAuto: boolean,
    more: Omit<Setting, "random"> = {},
  ) => {
    const { into: shards = 1 } = rows[0]!;
    const config = {
      ...tens(shards),
      shards: isAuto ? ("auto" as const) : shards,
    };
    return openLimitOf(config, rows, more);
  };

  async function given(
    rows: Row[],
    count: number,
    { random = [], ...more }: Setting = {},
    isAuto = false,
  ) {
    const opened = open(rows, isAuto, more);
    const credited = await creditTokens(
      NO_CTX,
      opened,
      count,
      undefined,
      draws(...random),
    );
    const { written, reads } = opened.ledger;
    return { credited, written, reads };
  }

  const ban: TimedOverride = { override: { deny: true } };
  const lift: TimedOverride = { override: { unlimited: true } };
  const three = rowsOf([1, 7, 5]);
  const inDebt = [{ ...three[0]!, value: -6 }];

  test.each<[string, shard: number, draw: number, object, string]>([
    ["the row that gave the tokens", 3, 0, { 3: 8 }, "0 3"],
    ["a random row if that has no room", 2, 0, { 3: 8 }, "0 2 3"],
  ])("a credit goes to %s", async (_claim, shard, draw, written, reads) => {
    const rows = rowsOf([1, 9, 5]);
    const opened = open(rows, true);
    const credited = await creditTokens(NO_CTX, opened, 3, shard, () => draw);
    expect(credited).toBe(3);
    expect(opened.ledger).toMatchObject({ written, reads });
  });

  test.each([
    [
      "to another row if the limit refills less than a count a second",
      179,
      { 1: 4 },
    ],
    [
      "as far as it fits if the limit refills more, and calls overlap",
      181,
      { 2: 10 },
    ],
  ])("a credit goes %s", async (_claim, rate, written) => {
    const rows = rowsOf([1, 9, 5], { contestedAt: MIDNIGHT - 1 });
    const opened = openLimitOf({ ...tens(3), rate, shards: 3 }, rows);
    await creditTokens(NO_CTX, opened, 3, 2, () => 0.99);
    expect(opened.ledger.written).toEqual(written);
  });

  test("a credit reads all rows if the second one is in debt, though none may be", async () => {
    const opened = open(rowsOf([5, 9, -5]), true);
    await creditTokens(NO_CTX, opened, 3, undefined, draws(0.4));
    expect(opened.ledger.reads).toBe("0 2 3 all");
  });

  test.each([
    [0, { 3073: 2 }],
    [0.5, { 3074: 5 }],
  ])(
    "what a row gave goes to a random one of its parts if it has been split: draw %d",
    async (draw, written) => {
      const [root, first, second, third] = rowsOf([9, 9, 6]);
      const since = [root!, first!, second!, { ...third!, value: 2, into: 2 }];
      const parts = [1, 4].map((value, nth) => ({
        ...third!,
        shard: childShard(3, nth),
        value,
      }));
      const opened = open([...since, ...parts], true);
      const given = await creditTokens(NO_CTX, opened, 1, 3, () => draw);
      expect(given).toBe(1);
      expect(opened.ledger.written).toEqual(written);
    },
  );

  // The rows recall that calls overlap. The second one is drawn, then the third.
  test.each<
    [string, ranMs: number, perSecond: number, values: number[], object, string]
  >([
    ["one with room for all", 99, 600, [0, 6, 0], { 2: 10 }, "0 2"],
    ["the emptier of two", 99, 41, [0, 8, 6], { 3: 10 }, "0 2 3"],
    ["another with room", 99, 200, [0, 8, 8], { 1: 4 }, "0 2 3 look 1"],
    ["one of two with some room", 99, 201, [0, 9, 8], { 3: 10 }, "0 2 3"],
    ["the other one of two", 99, 201, [0, 8, 9], { 2: 10 }, "0 2 3"],
    ["a random one with some room", 100, 200, [9, 8, 8], { 3: 10 }, "0 look 3"],
    [
      "one that has not too little",
      100,
      200,
      [9.6, 8, 8],
      { 2: 10 },
      "0 look 2",
    ],
    ["any one", 100, 201, [9, 9.9, 8], { 2: 10 }, "0 look 2"],
    ["any one, if with no room", 100, 201, [0, 10, 0], {}, "0 look 2"],
  ])(
    "a crowded bucket gives four tokens back to %s, split by a call of %d ms, if it refills %d a second",
    async (_claim, ranMs, perSecond, values, written, reads) => {
      const ran = { usedAt: MIDNIGHT - ranMs, at: nanoseconds(MIDNIGHT) };
      const rows = rowsOf(values, {
        contestedAt: MIDNIGHT - 1,
        usedAt: MIDNIGHT - 1,
      });
      const config = { ...tens(3), rate: 60 * perSecond, shards: 3 };
      const opened = openLimitOf(config, [
        { ...rows[0]!, ...ran },
        ...rows.slice(1),
      ]);
      await creditTokens(NO_CTX, opened, 4, undefined, draws(0.4));
      expect(opened.ledger).toMatchObject({ written, reads });
    },
  );

  describe.each([
    ["split by its config", false],
    ["that splits itself", true],
  ])("in a limit %s,", (_split, isAuto) => {
    type Credit = {
      rows: Row[];
      draw: number;
      count: number;
      credited: number;
      written: object;
      reads: string;
    };

    test.each`
      to                                                              | rows                | draw   | count | credited | written                    | reads
      ${"to the only row"}                                            | ${one(4)}           | ${0}   | ${3}  | ${3}     | ${{ 0: 7 }}                | ${"0 all"}
      ${"to the only row, filling it"}                                | ${one(4)}           | ${0}   | ${30} | ${6}     | ${{ 0: 10 }}               | ${"0 all"}
      ${"to a random row with room"}                                  | ${three}            | ${0.4} | ${3}  | ${3}     | ${{ 2: 10 }}               | ${"0 2"}
      ${"to another random row if the first has no room"}             | ${three}            | ${0.4} | ${4}  | ${4}     | ${{ 3: 9 }}                | ${"0 2 3"}
      ${"to a row that a look found if two random ones have no room"} | ${three}            | ${0.4} | ${6}  | ${6}     | ${{ 1: 7 }}                | ${"0 2 3 look 1"}
      ${"to several rows if none has room for all"}                   | ${three}            | ${0.4} | ${12} | ${12}    | ${{ 1: 10, 3: 8 }}         | ${"0 2 3 look 1"}
      ${"to all rows as far as they have room"}                       | ${three}            | ${0.4} | ${99} | ${17}    | ${{ 1: 10, 2: 10, 3: 10 }} | ${"0 2 3 look 1"}
      ${"to no row if all are full"}                                  | ${rowsOf([10, 10])} | ${0}   | ${1}  | ${0}     | ${{}}                      | ${"0 1 2 look"}
      ${"to the debt that row 0 holds"}                               | ${inDebt}           | ${0}   | ${4}  | ${4}     | ${{ 0: -2 }}               | ${"0 1 all"}
      ${"to a debt first, and the rest to all rows alike"}            | ${inDebt}           | ${0}   | ${9}  | ${9}     | ${{ 0: 3 }}                | ${"0 1 all"}
    `(
      "a credit goes $to",
      async ({ rows, draw, count, credited, written, reads }: Credit) => {
        const gift = await given(rows, count, { random: [draw] }, isAuto);
        expect(gift).toEqual({ credited, written, reads });
      },
    );

    test.each<
      [string, values: number[], count: number, fits: number, object, boolean]
    >([
      ["all rows if that lacks the room", [10, 10, 9], 4, 1, { 3: 10 }, true],
      ["no more if that still has room", [10, 10, 6], 4, 4, { 3: 10 }, false],
      [
        "no more if that has all the room seen",
        [10, 10, 2 + 1e-9],
        9,
        8,
        { 3: 10 },
        false,
      ],
    ])(
      "after the row that a look found, a credit reads %s",
      async (_claim, values, count, credited, written, isAllRead) => {
        const seen = rowsOf([10, 10, 2]);
        const reads = isAllRead ? "0 1 2 look 3 all" : "0 1 2 look 3";
        expect(await given(rowsOf(values), count, { seen }, isAuto)).toEqual({
          credited: expect.closeTo(credited, 6) as number,
          written,
          reads,
        });
      },
    );

    test("a credit reads all rows if the row that a look found has been split since", async () => {
      const rows = rowsOf([10, 10, 6]);
      const seen = rowsOf([10, 10, 2]);
      const [root, first, second, third] = rows;
      const since = [root!, first!, second!, { ...third!, into: 2 }];
      const gift = await given(since, 3, { seen }, isAuto);
      expect(gift).toMatchObject({
        credited: 3,
        written: { 3073: 5, 3074: 4 },
        reads: "0 1 2 look 3 3073 all",
      });
    });
  });

  test("rows stored under another rule are divided anew before a credit", async () => {
    const slower = { ...tens(2), rate: 30, shards: 2 };
    const rule = ruleOf(toLimit("api", slower));
    const [root, ...below] = rowsOf([2, 3]);
    const before = [{ ...root!, rule }, ...below];
    const gift = await given(before, 6);
    expect(gift).toMatchObject({ credited: 6, written: { 1: 8.5 } });
  });

  test("an unlimited override does not change a credit", async () => {
    const rows = rowsOf([1, 1]);
    expect(await given(rows, 4, { overrides: [lift] })).toEqual(
      await given(rows, 4),
    );
  });

  test("a ban does not stop a credit", async () => {
    const gift = await given(one(1), 4, { overrides: [ban] });
    expect(gift).toMatchObject({ credited: 4, written: { 0: 5 } });
  });

  test.each<
    [string, number[], TimedOverride[], retryAfter?: number, written?: object]
  >([
    ["by row 0 if it makes a debt", [1, 1], [], 2000, { 0: -2 }],
    ["by a row", [5, 1], [], undefined, { 1: 1 }],
    ["by a row even under a ban", [5, 1], [ban], undefined, { 1: 1 }],
    ["by no row under an unlimited override", [5, 1], [lift], undefined, {}],
  ])(
    "a charge is paid %s",
    async (_, values, overrides, retryAfter, written) => {
      const opened = open(rowsOf(values), false, { overrides });
      const paid = await chargeTokens(NO_CTX, opened, 4, draws());
      expect(paid).toEqual({ retryAfter });
      expect(opened.ledger.written).toEqual(written);
    },
  );
});

test("enqueueUpdates applies updates at once and in order", async () => {
  const t = startHost();
  const config = bucket(100);
  const { enqueueUpdates } = components.rateLimiter.lib;
  const consume = { kind: "consume" as const, config, ts: 0 };
  await t.mutation((ctx) =>
    ctx.runMutation(enqueueUpdates, {
      updates: [
        { ...consume, name: "kept", count: 130 },
        { ...consume, name: "reset", key: "k", count: 130 },
        { kind: "reset", name: "reset", key: "k" },
        { ...consume, name: "reset", key: "k", count: 10 },
        { ...consume, name: "unused", count: 0 },
      ],
    }),
  );
  const rows = await storedRows(t);
  expect(rows.map(({ name, value }) => [name, value])).toEqual([
    ["kept", -30],
    ["reset", 90],
  ]);
});
