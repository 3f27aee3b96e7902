import {
  HOUR,
  MINUTE,
  SECOND,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { describe, expect, test, vi } from "vitest";
import {
  agreedBalance,
  balanceOf,
  listAll,
  startApp,
  type App,
} from "../support/startApp.js";
import {
  components,
  inComponent,
  MIDNIGHT,
  storedRows,
  useNoHousekeeping,
  useStillClock,
  type Host,
  stored,
  runInternal,
  scheduledJobs,
  runVacuum,
} from "../support/host.js";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";
import { toLimit, ruleOf } from "../../src/core/limit.js";
import type { Doc } from "../../src/component/_generated/dataModel.js";

useStillClock();
useNoHousekeeping();

const asynchronously = { applyUpdates: "asynchronously" } as const;
const ten = { kind: "token bucket", rate: 10, period: MINUTE } as const;

const limits = {
  free: { ...ten, ...asynchronously },
  kept: { ...ten, ...asynchronously, headroom: 3 },
  changing: { ...ten, ...asynchronously, overrides: true },
  rows: ten,
} satisfies Record<string, RateLimitConfig>;

const storedDebits = (t: Host) => stored(t, "debits");

type Stored = Omit<Doc<"debits">, "_id" | "_creationTime" | "name">;

/** The rule of debits of `ten`, and one that no longer applies. */
const [rule, otherRule] = [10, 4].map((capacity) =>
  ruleOf(toLimit("free", { ...ten, capacity })),
);

/** Stores debits as concurrent calls leave them. */
const store = (t: Host, debits: Stored[], name = "free") =>
  inComponent(t, async (ctx) => {
    for (const debit of debits) {
      await ctx.db.insert("debits", { name, ...debit });
    }
  });

/** Debits that each took `count` of a full limit of ten, and saw no other. */
const beside = (n: number, count: number, ts = MIDNIGHT): Stored[] =>
  Array.from({ length: n }, (_, i) => ({
    at: BigInt(i + 1),
    seen: 0n,
    count,
    value: 10 - count,
    ts,
    fullAt: ts + count * 6 * SECOND,
    rule,
  }));

const compact = (app: App, config: RateLimitConfig, name = "free") =>
  runInternal(app.t, "compact:compact", { name, config });

test("a mutation adds one debit, marked if it resets", async () => {
  const app = startApp(limits);
  await app.mutate(async (ctx) => {
    await app.limiter.limit(ctx, "free", { count: 4 });
    await app.limiter.charge(ctx, "free", { count: 7 });
  });
  const [taken] = await storedDebits(app.t);
  expect(taken).toMatchObject({ count: 11, value: -1, seen: 0n });
  expect(taken).not.toHaveProperty("reset");
  await app.mutate((ctx) => app.limiter.reset(ctx, "free"));
  await app.mutate(async (ctx) => {
    await app.limiter.limit(ctx, "free", { count: 4 });
    await app.limiter.reset(ctx, "free");
    await app.limiter.limit(ctx, "free", { count: 7 });
  });
  expect((await storedDebits(app.t)).slice(1)).toMatchObject([
    { reset: true, count: 0 },
    { reset: true, count: 7, value: 3 },
  ]);
});

describe("headroom", () => {
  /** An app in which only the headroom is left. */
  const startUsed = async () => {
    const app = startApp(limits);
    const granted = await app.mutate((ctx) =>
      app.limiter.limit(ctx, "kept", { count: 7, details: true }),
    );
    return { ...app, granted };
  };

  test("is kept back from requests", async () => {
    const app = await startUsed();
    const denied = { ok: false, retryAfter: 6 * SECOND };
    expect(await app.limit("kept")).toEqual(denied);
    expect(await app.check("kept")).toEqual(denied);
    const all = await app.mutate((ctx) =>
      app.limiter.limitAll(ctx, [{ name: "rows" }, { name: "kept" }]),
    );
    expect(all).toMatchObject(denied);
    expect(await storedRows(app.t)).toEqual([]);
    vi.setSystemTime(MIDNIGHT + 6 * SECOND);
    expect(await app.limit("kept")).toEqual({ ok: true });
  });

  test("is kept back from the remaining tokens shown", async () => {
    const app = await startUsed();
    expect(app.granted).toEqual({
      ok: true,
      limit: 10,
      remaining: 0,
      resetAfter: 42 * SECOND,
    });
    expect((await app.listed("kept"))?.limited).toBe(true);
    expect(await balanceOf(app, "kept")).toBe(3);
    const told = await app.getValue("kept");
    const check = createCheck(told, 0, () => MIDNIGHT);
    expect(rateLimitAt(check, 1, MIDNIGHT)).toMatchObject({
      value: {
        status: { ok: false, retryAt: MIDNIGHT + 6 * SECOND },
        remaining: 0,
      },
    });
  });

  test("is not kept back from charge and reserve", async () => {
    const app = startApp(limits);
    expect(await app.charge("kept", { count: 9 })).toEqual({});
    const reserved = await app.limit("kept", { count: 2, reserve: true });
    expect(reserved).toEqual({ ok: true, retryAfter: 6 * SECOND });
  });
});

describe("a limit that changes its mode", () => {
  const modes = (rows: RateLimitConfig) => {
    const app = startApp({ limit: rows });
    const config = { ...rows, ...asynchronously };
    return { app, now: { config }, before: { config: rows } };
  };

  test("from debits back to rows has the balance of its rows", async () => {
    const { app, now } = modes(ten);
    await app.limit("limit", { count: 4 });
    await app.limit("limit", { count: 6, ...now });
    expect((await app.limit("limit", { count: 1, ...now })).ok).toBe(false);
    expect(await balanceOf(app, "limit")).toBe(6);
  });

  test("from debits back to rows keeps them when the vacuum deletes the debits", async () => {
    const { app, now } = modes(ten);
    await app.limit("limit", { ...now });
    vi.setSystemTime(MIDNIGHT + MINUTE);
    await app.charge("limit", { count: 10 + 10 * 60 * 24 });
    vi.setSystemTime(MIDNIGHT + 2 * HOUR);
    const before = await balanceOf(app, "limit");
    expect(before).toBeLessThan(0);
    await runVacuum(app.t);
    expect(await balanceOf(app, "limit")).toBe(before);
    expect(await storedDebits(app.t)).toEqual([]);
  });

  describe("does not go back, when the vacuum deletes its debits,", () => {
    const resetNow = (app: App, config: RateLimitConfig) =>
      app.mutate((ctx) =>
        ctx.runMutation(components.rateLimiter.lib.resetRateLimit, {
          name: "limit",
          config,
        }),
      );
    /** Stores a row of @convex-dev/rate-limiter, which has no `fullAt`. */
    const storeDebt = (app: App, ts: number) =>
      inComponent(app.t, (ctx) =>
        ctx.db.insert("rateLimits", {
          name: "limit",
          shard: 0,
          value: -100_000,
          ts,
        }),
      );

    test("to a debt in rows", async () => {
      const { app, now } = modes(ten);
      await app.charge("limit", { count: 10 + 10 * 60 * 24 });
      await resetNow(app, now.config);
      for (const [hours, rows] of [
        [2, 1],
        [48, 0],
      ] as const) {
        vi.setSystemTime(MIDNIGHT + hours * HOUR);
        await runVacuum(app.t);
        expect(await balanceOf(app, "limit", now)).toBe(10);
        expect(await storedRows(app.t)).toHaveLength(rows);
      }
      expect(await storedDebits(app.t)).toEqual([]);
    });

    test.each<[string, (app: App, config: RateLimitConfig) => Promise<void>]>([
      [
        "to a row of @convex-dev/rate-limiter",
        async (app, config) => {
          await storeDebt(app, MIDNIGHT);
          await resetNow(app, config);
        },
      ],
      [
        "to a row that was written between two concurrent debits",
        async (app) => {
          await store(app.t, beside(1, 4), "limit");
          await storeDebt(app, MIDNIGHT + SECOND);
          const [second] = beside(1, 4, MIDNIGHT + 2 * SECOND);
          await store(app.t, [{ ...second!, at: 2n }], "limit");
        },
      ],
    ])("%s", async (_, use) => {
      const { app, now } = modes(ten);
      await use(app, now.config);
      vi.setSystemTime(MIDNIGHT + 2 * HOUR);
      await runVacuum(app.t);
      expect(await storedDebits(app.t)).toEqual([]);
      expect(await balanceOf(app, "limit", now)).toBe(10);
    });
  });
});

test("retryAfter is exact across the end of a lowered capacity", async () => {
  const app = startApp(limits);
  await store(app.t, beside(2, 3), "changing");
  await app.mutate((ctx) =>
    app.limiter.setOverride(ctx, "changing", {
      config: { capacity: 2 },
      expiresAt: MIDNIGHT + 13 * SECOND,
    }),
  );
  const denied = await app.limit("changing", { count: 8 });
  expect(denied).toEqual({ ok: false, retryAfter: 24 * SECOND });
  vi.setSystemTime(MIDNIGHT + denied.retryAfter!);
  expect(await app.limit("changing", { count: 8 })).toEqual({ ok: true });
});

describe("compacting", () => {
  test.each([
    ["one debit in 16", 1, 16],
    ["one in 16 that leave a quarter", 15, 16],
    ["one in 6 that leave less", 16, 6],
  ])("is scheduled by %s", async (_claim, count, every) => {
    for (const [random, jobs] of [
      [0, 1],
      [1 / every - 1e-9, 1],
      [1 / every, 0],
      [0.999, 0],
    ] as const) {
      vi.spyOn(Math, "random").mockReturnValue(random);
      const app = startApp({ free: { ...limits.free, capacity: 20 } });
      await app.limit("free", { count });
      expect(await scheduledJobs(app.t)).toHaveLength(jobs);
    }
  });

  test("a key without debits does nothing", async () => {
    const app = startApp(limits);
    await compact(app, limits.free);
    expect(await storedDebits(app.t)).toEqual([]);
    expect(await scheduledJobs(app.t)).toEqual([]);
  });

  test.each([
    [15, 15],
    [16, 17],
  ])("%i concurrent debits leaves %i", async (debits, left) => {
    const app = startApp(limits);
    await store(app.t, beside(debits, 2));
    await compact(app, limits.free);
    expect(await storedDebits(app.t)).toHaveLength(left);
    expect(await scheduledJobs(app.t)).toEqual([]);
  });

  test("continues by itself if one transaction cannot delete all", async () => {
    const app = startApp(limits);
    const records = beside(1001, 2);
    const [last] = beside(1, 2);
    await store(app.t, [...records, { ...last!, at: 1002n, seen: 1001n }]);
    await compact(app, limits.free);
    expect(await storedDebits(app.t)).toHaveLength(2);
    expect(await scheduledJobs(app.t)).toHaveLength(1);
    await compact(app, limits.free);
    expect(await storedDebits(app.t)).toHaveLength(1);
    expect(await scheduledJobs(app.t)).toHaveLength(1);
  });

  test("deletes only what no reader needs", async () => {
    const app = startApp(limits);
    for (let i = 0; i < 5; i++) await app.limit("free");
    await compact(app, limits.free);
    await compact(app, limits.free);
    expect(await storedDebits(app.t)).toMatchObject([{ value: 5 }]);
    expect(await agreedBalance(app, "free")).toBe(5);
  });

  test("replaces concurrent debits by a checkpoint", async () => {
    const app = startApp(limits);
    await store(app.t, beside(20, 2));
    expect(await agreedBalance(app, "free")).toBe(-30);
    await compact(app, limits.free);
    expect(await agreedBalance(app, "free")).toBe(-30);
    await compact(app, limits.free);
    expect(await storedDebits(app.t)).toMatchObject([{ count: 0, value: -30 }]);
    expect(await agreedBalance(app, "free")).toBe(-30);
  });

  test("with an outdated config changes no balance", async () => {
    const app = startApp(limits);
    await store(app.t, beside(20, 2));
    await compact(app, { ...limits.free, capacity: 5, rate: 1 });
    expect(await agreedBalance(app, "free")).toBe(-30);
  });

  test("adds no checkpoint if another config left one of the debits", async () => {
    const app = startApp(limits);
    const [other] = beside(1, 2);
    const records = beside(20, 2);
    await store(app.t, [...records, { ...other!, at: 21n, rule: otherRule }]);
    await compact(app, limits.free);
    expect(await storedDebits(app.t)).toHaveLength(21);
  });

  test("deletes the rest if a debit that it saw is gone", async () => {
    const app = startApp(limits);
    for (let i = 0; i < 3; i++) await app.limit("free");
    await inComponent(app.t, async (ctx) => {
      const records = await ctx.db.query("debits").collect();
      await ctx.db.delete("debits", records[0]!._id);
      const reference = makeFunctionReference<"mutation">("compact:compact");
      const account = { name: "free", config: limits.free };
      await ctx.runMutation(reference as never, account as never);
    });
    expect(await storedDebits(app.t)).toMatchObject([{ value: 7 }]);
  });
});

describe("the vacuum", () => {
  test("deletes concurrent debits an hour after all of them are paid", async () => {
    const app = startApp(limits);
    await store(app.t, beside(2, 5));
    vi.setSystemTime(MIDNIGHT + HOUR + MINUTE - 1);
    await runVacuum(app.t);
    expect(await storedDebits(app.t)).toHaveLength(2);
    expect(await listAll(app)).toHaveLength(1);
    vi.setSystemTime(MIDNIGHT + HOUR + MINUTE);
    expect(await listAll(app)).toEqual([]);
    await runVacuum(app.t);
    expect(await storedDebits(app.t)).toEqual([]);
  });

  test("leaves debits that it cannot see yet to a later run", async () => {
    const app = startApp(limits);
    vi.setSystemTime(MIDNIGHT + 3 * HOUR);
    await inComponent(app.t, async (ctx) => {
      const [record] = beside(1, 5);
      await ctx.db.insert("debits", { name: "free", ...record! });
      const reference = makeFunctionReference<"mutation">("vacuum:vacuum");
      await ctx.runMutation(reference as never, {});
    });
    expect(await storedDebits(app.t)).toHaveLength(1);
    await runVacuum(app.t);
    expect(await storedDebits(app.t)).toEqual([]);
  });
});
