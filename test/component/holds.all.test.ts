import {
  DAY,
  HOUR,
  MINUTE,
  SECOND,
  type HoldAllItem,
  type LimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  MIDNIGHT,
  storedRows,
  useStillClock,
  type HostCtx,
} from "../support/host.js";
import { balanceOf, bucket, startApp } from "../support/startApp.js";

useStillClock();

const places: LimitConfig = { kind: "concurrency", capacity: 2, lease: MINUTE };

const limits = {
  user: { ...bucket(10), overrides: true },
  split: { ...bucket(40, 4), overrides: true },
  dry: { ...bucket(10), enforce: false },
  places: { ...places, overrides: true },
} satisfies Record<string, LimitConfig>;

type App = ReturnType<typeof start>;

function start() {
  const app = startApp(limits);
  return {
    ...app,
    held: async (...list: Parameters<typeof app.holdAll>) =>
      (await app.holdAll(...list)).ids ?? expect.fail("It was denied."),
    balances: async () => [
      await balanceOf(app, "user"),
      await balanceOf(app, "split"),
      await balanceOf(app, "places"),
    ],
  };
}

const one = <Name extends string>(name: Name, count = 1) => ({ name, count });
const ofEach = [one("user", 3), one("split", 15), one("places")];

describe("a list of holds", () => {
  test("takes from each limit, whatever its kind, and returns an id for each", async () => {
    const { held, holds, balances } = start();
    const ids = await held(ofEach);
    expect(await balances()).toEqual([7, 25, 1]);
    expect(await holds()).toMatchObject([
      { name: "user", taken: 3, expiresAt: MIDNIGHT + DAY },
      { name: "split", taken: 15, expiresAt: MIDNIGHT + DAY },
      { name: "places", taken: 1, expiresAt: MIDNIGHT + MINUTE },
    ]);
    expect(ids.map((id) => id.replace(/^.*:/, ""))).toEqual(
      ofEach.map(({ name }) => name),
    );
  });

  test.each([
    ["user", 10, 18_000],
    ["split", 40, 22_500],
    ["places", 2, MINUTE],
  ])(
    "that %s denies takes nothing and returns what blocks it for how long",
    async (name, all, retryAfter) => {
      const { holdAll, held, holds, balances } = start();
      await held([one(name, all)]);
      const before = await balances();
      const index = ofEach.findIndex((item) => item.name === name);
      const blockedBy = { index, name };
      const denied = { ok: false, retryAfter, blockedBy };
      expect(await holdAll(ofEach)).toEqual(denied);
      expect(await balances()).toEqual(before);
      expect(await holds()).toHaveLength(1);
    },
  );

  test("expires by the list or the item, and a lease by its config", async () => {
    const { held, holds } = start();
    const own = { ...one("split"), expiresAfter: 5 };
    await held([one("user"), own, one("places")], HOUR);
    const ends = (await holds()).map(({ expiresAt }) => expiresAt - MIDNIGHT);
    expect(ends).toEqual([HOUR, 5, MINUTE]);
  });

  type Bad = { item: HoldAllItem; expiresAfter?: number; message: string };

  test.each`
    item                                     | expiresAfter | message
    ${{ ...one("places"), expiresAfter: 5 }} | ${undefined} | ${"places: expiresAfter must be absent, since the limit has a lease, but is 5."}
    ${{ ...one("split"), expiresAfter: 0 }}  | ${undefined} | ${"split: expiresAfter must be a finite number above 0, but is 0."}
    ${one("split")}                          | ${-1}        | ${"user: expiresAfter must be a finite number above 0, but is -1."}
  `(
    "is refused with $item that expires after $expiresAfter",
    async ({ item, expiresAfter, message }: Bad) => {
      const { holdAll, holds, t } = start();
      const list = holdAll([one("user"), item], expiresAfter);
      await expect(list).rejects.toThrow(`Rate limit ${message}`);
      expect([...(await holds()), ...(await storedRows(t))]).toEqual([]);
    },
  );

  test("that a dry run lets through holds only what it can take", async () => {
    const { holdAll, holds } = start();
    const list = [one("dry", 6), one("dry", 7), one("user")];
    expect(await holdAll(list)).toMatchObject({ ok: true, wouldDeny: true });
    const [first, second, third] = await holds();
    expect([first!.taken, third!.taken]).toEqual([6, 1]);
    expect(second).not.toHaveProperty("taken");
  });
});

test("a list of holds reads and writes no more rows than single calls", async () => {
  // Which rows of a split limit are read is up to chance.
  const items = ofEach.filter(({ name }) => name !== "split");
  const cost = async (run: (app: App, ctx: HostCtx) => Promise<unknown>) => {
    const app = start();
    await app.held(items);
    return app.mutate(async (ctx) => {
      await run(app, ctx);
      const metrics = await ctx.meta.getTransactionMetrics();
      return [
        metrics.databaseQueries.used,
        metrics.documentsRead.used,
        metrics.documentsWritten.used,
      ];
    });
  };
  const together = await cost(async ({ limiter }, ctx) => {
    const { ids } = await limiter.holdAll(ctx, items, { throws: true });
    const holds = ids.map((id) => ({ id }));
    await limiter.settleAll(ctx, holds);
  });
  const singly = await cost(async ({ limiter }, ctx) => {
    const ids: string[] = [];
    for (const { name, count } of items) {
      ids.push((await limiter.hold(ctx, name, { count })).id!);
    }
    for (const id of ids) await limiter.release(ctx, id);
  });
  expect(together).toEqual(singly);
});

describe("settleAll", () => {
  test("settles by the count, or releases without one", async () => {
    const { held, settleAll, balances, holds } = start();
    const [user, split, place] = await held(ofEach);
    const settled = await settleAll([
      { id: place! },
      { id: user!, count: 8 },
      { id: split!, count: 5 },
    ]);
    expect(settled).toEqual({ settled: [true, true, true] });
    expect(await balances()).toEqual([2, 35, 2]);
    expect(await holds()).toEqual([]);
    expect(await settleAll([])).toEqual({ settled: [] });
  });

  test("settles each hold once, even beside holds that are over", async () => {
    const { held, settleAll, balances } = start();
    const [short] = await held([one("user", 2)], SECOND);
    const [done, twice] = await held([one("split", 10), one("split", 10)]);
    await settleAll([{ id: done! }]);
    vi.setSystemTime(MIDNIGHT + SECOND);
    const settled = await settleAll([
      { id: short! },
      { id: done! },
      { id: twice! },
      { id: twice!, count: 40 },
    ]);
    expect(settled).toEqual({ settled: [false, false, true, false] });
    expect((await balances())[1]).toBe(40);
  });

  type Bad = { nth?: number; given: object; message: string };

  test.each`
    nth          | given            | message
    ${undefined} | ${{ id: "x" }}   | ${"x is not the id of a hold."}
    ${1}         | ${{ count: 0 }}  | ${"Rate limit places: holds of a concurrency limit are released, not settled, but count is 0."}
    ${0}         | ${{ count: -1 }} | ${"settleAll: count must be a finite number of at least 0, but is -1."}
  `(
    "refuses $given and settles nothing",
    async ({ nth = 0, given, message }: Bad) => {
      const { held, settleAll, holds, balances } = start();
      const ids = await held([one("user", 3), one("places"), one("split", 3)]);
      const before = await balances();
      const settling = settleAll([
        { id: ids[2]! },
        { id: ids[nth]!, ...given },
        { id: ids[0]! },
      ]);
      await expect(settling).rejects.toThrow(message);
      expect(await holds()).toHaveLength(3);
      expect(await balances()).toEqual(before);
    },
  );
});
