import { HOUR, MINUTE } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { balanceOf, bucket, startApp, window } from "../../corners/app.js";
import {
  components,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../../host.js";
import { openLimitOf, draws, rowsOf, treeOf } from "../../memoryLedger.js";
import type { Row } from "../../../src/core/row.js";
import type { TimedOverride } from "../../../src/core/vOverride.js";
import { giveBack, takeAnyway } from "../../../src/component/calls/amounts.js";

useStillClock();

const name = "api";

describe.each([
  ["a row", bucket(100)],
  ["rows", bucket(100, 8)],
  ["a window", window(100)],
])("a credit of %s", (_, config) => {
  test("gives back up to the capacity, and reports what it discarded", async () => {
    const app = startApp({ api: config });
    await app.limit(name, { count: 40 });
    const { credited } = await app.credit(name, { count: 70 });
    expect(credited).toBeCloseTo(40, 9);
    expect(await balanceOf(app, name)).toBeCloseTo(100, 9);
  });

  test("to a full limit writes nothing", async () => {
    const { t, limit, credit } = startApp({ api: config });
    expect(await credit(name, { count: 5 })).toEqual({ credited: 0 });
    expect(await storedRows(t)).toEqual([]);
    await limit(name, { count: 10 });
    vi.setSystemTime(MIDNIGHT + HOUR);
    const before = await storedRows(t);
    expect(await credit(name, { count: 5 })).toEqual({ credited: 0 });
    expect(await storedRows(t)).toEqual(before);
  });
});

test("charge does not stop at maxReserved, but a reservation does", async () => {
  const { charge, limit } = startApp({
    api: { ...bucket(60), maxReserved: 5 },
  });
  await charge(name, { count: 80 });
  const denied = { ok: false, retryAfter: 16_000 };
  expect(await limit(name, { reserve: true })).toEqual(denied);
});

describe("which rows are read and written", () => {
  /** A token a second; rows that hold up to 10 each. */
  const tens = (shards: number) =>
    ({
      kind: "token bucket",
      rate: 60,
      period: MINUTE,
      capacity: 10 * shards,
      shards,
    }) as const;

  type Setting = {
    shards?: number;
    random?: number[];
    seen?: Row[];
    overrides?: TimedOverride[];
  };

  async function given(
    rows: Row[],
    count: number,
    { shards = rows.length, random = [], ...more }: Setting = {},
  ) {
    const opened = openLimitOf(tens(shards), rows, more);
    const credited = await giveBack(opened, count, draws(...random));
    const { written, reads } = opened.ledger;
    return { credited, written, reads };
  }

  async function charged(
    rows: Row[],
    count: number,
    overrides?: TimedOverride[],
  ) {
    const opened = openLimitOf(tens(rows.length), rows, { overrides });
    const { retryAfter } = await takeAnyway(opened, count, draws());
    return { retryAfter, written: opened.ledger.written };
  }

  const ban: TimedOverride = { override: { deny: true } };
  const lift: TimedOverride = { override: { unlimited: true } };

  test.each([
    ["to the only row", [4], [], 3, 3, { 0: 7 }, "all"],
    ["to the only row as far as it has room", [4], [], 30, 6, { 0: 10 }, "all"],
    ["to a random row that has room", [1, 7, 5], [0.4], 3, 3, { 1: 10 }, "1"],
    [
      "to the emptiest, if a random one has no room",
      [1, 7.5, 5],
      [0.4],
      3,
      3,
      { 0: 4 },
      "1 look 0",
    ],
    [
      "to several, if none has room for all",
      [1, 7, 5],
      [0.4],
      12,
      12,
      { 0: 10, 2: 8 },
      "1 look 0 2",
    ],
    [
      "to all as far as they have room",
      [1, 7, 5],
      [0.4],
      99,
      17,
      { 0: 10, 1: 10, 2: 10 },
      "1 look 0 2 1",
    ],
    ["to none, if all are full", [10, 10], [], 1, 0, {}, "0 look"],
    [
      "to rows in debt first, if one is met",
      [1, -4, -2],
      [0.4],
      4,
      4,
      { 1: -1, 2: -1 },
      "1 all",
    ],
    [
      "to rows in debt first, if one is found",
      [9, -4, -2],
      [0],
      4,
      4,
      { 1: -1, 2: -1 },
      "0 look 1 all",
    ],
  ])(
    "tokens are given %s",
    async (_claim, values, random, count, credited, written, reads) => {
      expect(await given(rowsOf(values), count, { random })).toEqual({
        credited,
        written,
        reads,
      });
    },
  );

  test.each([
    ["to a random one that has room", 3, { 2: 10 }, "0 0 2"],
    ["to the emptiest, if it has none", 9, { 1: 10 }, "0 0 2 look 0 1"],
  ])(
    "below row 0 of a limit that splits itself tokens are given %s",
    async (_claim, count, written, reads) => {
      const config = { ...tens(3), shards: "auto" } as const;
      const account = openLimitOf(config, treeOf([1, 7, 5]));
      expect(await giveBack(account, count, draws(0.4))).toBe(count);
      expect(account.ledger).toMatchObject({ written, reads });
    },
  );

  test("tokens are given to all rows, if those of another split are met", async () => {
    const two = rowsOf([1, 3]);
    expect(await given(two, 5, { shards: 4 })).toEqual({
      credited: 5,
      written: { 0: 6, 1: 1, 2: 1, 3: 1 },
      reads: "0 look all",
    });
  });

  test("tokens are given to the only row of a limit that was split", async () => {
    expect(await given(rowsOf([1, 3]), 5, { shards: 1 })).toEqual({
      credited: 5,
      written: { 0: 9 },
      reads: "all",
    });
  });

  test("tokens are given to all rows, if a look shows another split", async () => {
    const current = rowsOf([10, 10, 3]);
    const seen = [...current, { shard: 3, value: 5, ts: MIDNIGHT + 1, of: 4 }];
    expect((await given(current, 5, { seen })).reads).toEqual("0 look all");
  });

  test.each([
    ["has less room by now than is given", [10, 10, 9], 4, 1, { 2: 10 }, true],
    ["has less room by now, but enough", [10, 10, 6], 4, 4, { 2: 10 }, false],
    [
      "has less room by now, but all that there was",
      [10, 10, 2 + 1e-9],
      9,
      8,
      { 2: 10 },
      false,
    ],
    ["is in debt by now", [10, 10, -3], 4, 4, { 2: 1 }, true],
  ])(
    "all rows are read or not, if the one that was found %s",
    async (_claim, values, count, credited, written, isAllRead) => {
      const seen = rowsOf([10, 10, 2]);
      const reads = isAllRead ? "0 look 2 all" : "0 look 2";
      expect(await given(rowsOf(values), count, { seen })).toEqual({
        credited: expect.closeTo(credited, 6) as number,
        written,
        reads,
      });
    },
  );

  test("all rows are read, if the one that was found is gone and another is in debt", async () => {
    const rows = rowsOf([10, undefined, -1]);
    const seen = rowsOf([10, 2, -1]);
    expect((await given(rows, 4, { shards: 3, seen })).reads).toMatch(/ all$/);
  });

  test("what is lifted is given back to, as if it were not", async () => {
    expect(await given(rowsOf([1, 1]), 4, { overrides: [lift] })).toEqual(
      await given(rowsOf([1, 1]), 4),
    );
  });

  test("what is banned is given back to, too", async () => {
    expect(await given(rowsOf([1]), 4, { overrides: [ban] })).toMatchObject({
      credited: 4,
      written: { 0: 5 },
    });
  });

  test.each<[string, number[], TimedOverride[], number?, object?]>([
    ["by all rows, if it is a debt", [1, 1], [], 2000, { 0: -1, 1: -1 }],
    ["by a row", [5, 1], [], undefined, { 0: 1 }],
    ["by a row, also under a ban", [5, 1], [ban], undefined, { 0: 1 }],
    ["by none, if it is lifted", [5, 1], [lift], undefined, {}],
  ])(
    "what is charged is paid %s",
    async (_, values, overrides, retryAfter, written) => {
      const paid = await charged(rowsOf(values), 4, overrides);
      expect(paid).toEqual({ retryAfter, written });
    },
  );
});

test("updates that another package queues are applied at once, in their order", async () => {
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
