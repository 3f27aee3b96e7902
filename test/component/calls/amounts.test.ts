import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../../host.js";
import { openLimitOf, draws, rowsOf, treeOf } from "../../memoryLedger.js";
import type { Row } from "../../../src/core/rows.js";
import type { TimedOverride } from "../../../src/core/vOverride.js";
import { giveBack, takeAnyway } from "../../../src/component/calls/amounts.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter, {
  row: { kind: "token bucket", rate: 100, period: HOUR },
  split: { kind: "token bucket", rate: 100, period: HOUR, shards: 8 },
  window: { kind: "fixed window", rate: 100, period: HOUR, start: 0 },
  capped: { kind: "token bucket", rate: 100, period: HOUR, maxReserved: 5 },
});

type Name = "row" | "split" | "window";

function start(name: Name) {
  const t = startHost();
  return {
    t,
    take: (count: number) =>
      t.mutation((ctx) => limiter.limit(ctx, name, { count })),
    credit: async (count: number) =>
      (await t.mutation((ctx) => limiter.credit(ctx, name, { count })))
        .credited,
    charge: (count: number) =>
      t.mutation((ctx) => limiter.charge(ctx, name, { count })),
    balance: () =>
      t.query(async (ctx) => (await limiter.getValue(ctx, name)).value),
  };
}

const close = (n: number) => expect.closeTo(n, 9) as number;

describe.each<Name>(["row", "split", "window"])("%s: credit", (name) => {
  test("gives back what was taken, however it is spread", async () => {
    const { take, credit, balance } = start(name);
    await take(100);
    for (const count of [1, 30, 69]) {
      expect(await credit(count)).toEqual(close(count));
    }
    expect(await balance()).toEqual(close(100));
    expect(await take(100)).toEqual({ ok: true });
  });

  test("never passes the capacity, and reports what it discarded", async () => {
    const { take, credit, balance } = start(name);
    await take(40);
    expect(await credit(70)).toEqual(close(40));
    expect(await balance()).toEqual(close(100));
  });

  test("to a full limit writes nothing", async () => {
    const { t, take, credit } = start(name);
    expect(await credit(5)).toBe(0);
    expect(await storedRows(t)).toEqual([]);
    await take(10);
    vi.setSystemTime(MIDNIGHT + HOUR);
    const before = await storedRows(t);
    expect(await credit(5)).toBe(0);
    expect(await storedRows(t)).toEqual(before);
  });

  test("pays a debt", async () => {
    const { charge, credit, balance } = start(name);
    await charge(150);
    expect(await credit(60)).toEqual(close(60));
    expect(await balance()).toEqual(close(10));
  });
});

describe.each<Name>(["row", "split", "window"])("%s: charge", (name) => {
  test("takes what is there without a wait", async () => {
    const { charge, balance } = start(name);
    expect(await charge(100)).toEqual({});
    expect(await balance()).toEqual(close(0));
  });

  test("goes into debt, far past the capacity, and later calls see it", async () => {
    const { charge, take, balance } = start(name);
    const { retryAfter } = await charge(350);
    expect(await balance()).toEqual(close(-250));
    expect(await take(1)).toMatchObject({ ok: false });
    // Paid then, and full an hour later.
    vi.setSystemTime(MIDNIGHT + retryAfter! + HOUR);
    expect(await take(100)).toEqual({ ok: true });
  });
});

test("charge does not stop at maxReserved, but a reservation does", async () => {
  const t = startHost();
  await t.mutation((ctx) => limiter.charge(ctx, "capped", { count: 120 }));
  expect(
    await t.mutation((ctx) => limiter.limit(ctx, "capped", { reserve: true })),
  ).toEqual({ ok: false, retryAfter: (16 * HOUR) / 100 });
});

test("a window in debt is paid by whole windows", async () => {
  const { charge } = start("window");
  vi.setSystemTime(MIDNIGHT + 15 * MINUTE);
  expect(await charge(250)).toEqual({ retryAfter: 2 * HOUR - 15 * MINUTE });
});

test("an estimate that is settled later leaves what the call really cost", async () => {
  const { take, credit, charge, balance } = start("row");
  await take(20);
  await credit(20 - 12);
  await take(20);
  await charge(35 - 20);
  expect(await balance()).toBe(100 - 12 - 35);
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
    const account = openLimitOf(tens(shards), rows, more);
    const credited = await giveBack(account, count, draws(...random));
    const { written, reads } = account.ledger;
    return { credited, written, reads };
  }

  async function charged(
    rows: Row[],
    count: number,
    overrides?: TimedOverride[],
  ) {
    const account = openLimitOf(tens(rows.length), rows, { overrides });
    const { retryAfter } = await takeAnyway(account, count, draws());
    return { retryAfter, written: account.ledger.written };
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
    const seen = rowsOf([10, 2, -1]).map((row) =>
      row.shard === 2 ? { ...row, value: 9 } : row,
    );
    const rows = rowsOf([10, undefined, -1]);
    const account = openLimitOf(tens(3), rows, {
      seen: [seen[0]!, seen[1]!, rows[1]!],
    });
    await giveBack(account, 4, draws());
    expect(account.ledger.reads).toMatch(/ all$/);
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

  test("what is charged is noted, also under a ban", async () => {
    expect(await charged(rowsOf([1, 1]), 4)).toEqual({
      retryAfter: 2000,
      written: { 0: -1, 1: -1 },
    });
    expect(await charged(rowsOf([5, 1]), 4)).toEqual({
      retryAfter: undefined,
      written: { 0: 1 },
    });
    expect(await charged(rowsOf([5, 1]), 4, [ban])).toMatchObject({
      written: { 0: 1 },
    });
    expect(await charged(rowsOf([5, 1]), 4, [lift])).toEqual({
      retryAfter: undefined,
      written: {},
    });
  });
});

test("updates that another package queues are applied at once, in their order", async () => {
  const t = startHost();
  const config = { kind: "token bucket", rate: 100, period: HOUR } as const;
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
