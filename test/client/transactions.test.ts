import {
  isRateLimitError,
  MINUTE,
  RateLimiter,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
  type HostCtx,
} from "../host.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter, {
  plenty: { kind: "token bucket", rate: 10, period: MINUTE },
  single: { kind: "token bucket", rate: 1, period: MINUTE },
  split: { kind: "token bucket", rate: 100, period: MINUTE, shards: 5 },
});

const denial = (name: string, key?: string) => ({
  kind: "RateLimited",
  name,
  retryAfter: MINUTE,
  ...(key !== undefined && { key }),
});

const thrown = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.fail("nothing was thrown"),
    (error: unknown) => error,
  );

describe("a mutation that throws", () => {
  test("after limit has consumed nothing", async () => {
    const t = startHost();
    await expect(
      t.mutation(async (ctx) => {
        await limiter.limit(ctx, "plenty");
        await limiter.limit(ctx, "split", { count: 70 });
        throw new Error("changed my mind");
      }),
    ).rejects.toThrow("changed my mind");
    expect(await storedRows(t)).toEqual([]);
  });

  test("since the second of two limits throws has consumed nothing of the first", async () => {
    const t = startHost();
    await t.mutation((ctx) => limiter.limit(ctx, "single"));
    const before = await storedRows(t);
    const error = await thrown(
      t.mutation(async (ctx) => {
        await limiter.limit(ctx, "plenty", { throws: true });
        await limiter.limit(ctx, "single", { throws: true });
      }),
    );
    expect(error).toMatchObject({ data: denial("single") });
    expect(await storedRows(t)).toEqual(before);
  });

  test("after reset has reset nothing", async () => {
    const t = startHost();
    await t.mutation((ctx) => limiter.limit(ctx, "single"));
    const before = await storedRows(t);
    await thrown(
      t.mutation(async (ctx) => {
        await limiter.reset(ctx, "single");
        throw new Error("changed my mind");
      }),
    );
    expect(await storedRows(t)).toEqual(before);
  });
});

describe("throws: true", () => {
  test.each(["limit", "check"] as const)(
    "%s does not throw a reservation that is granted",
    async (verb) => {
      const t = startHost();
      await t.mutation((ctx) => limiter.limit(ctx, "single"));
      const options = { reserve: true, throws: true };
      expect(
        await t.mutation((ctx) =>
          verb === "limit"
            ? limiter.limit(ctx, "single", options)
            : limiter.check(ctx, "single", options),
        ),
      ).toEqual({ ok: true, retryAfter: MINUTE });
    },
  );

  test("caught, the error undoes nothing else of the mutation", async () => {
    const t = startHost();
    const caught = await t.mutation(async (ctx) => {
      await limiter.limit(ctx, "plenty", { count: 4 });
      await limiter.limit(ctx, "single");
      await ctx.db.insert("notes", { text: "kept" });
      try {
        await limiter.limit(ctx, "single", { throws: true });
      } catch (error) {
        return isRateLimitError(error);
      }
    });
    expect(caught).toBe(true);
    const rows = await storedRows(t);
    expect(rows).toMatchObject([
      { name: "plenty", value: 6 },
      { name: "single", value: 0 },
    ]);
    expect(await t.run((ctx) => ctx.db.query("notes").collect())).toMatchObject(
      [{ text: "kept" }],
    );
  });

  test("what can never be granted throws another error, which isRateLimitError does not know", async () => {
    const t = startHost();
    const error = await thrown(
      t.mutation((ctx) => limiter.limit(ctx, "plenty", { count: 11 })),
    );
    expect(isRateLimitError(error)).toBe(false);
    expect(error).toMatchObject({
      data: { kind: "ExceedsCapacity", name: "plenty", count: 11, max: 10 },
    });
  });
});

test("in an action, each call is a transaction of its own", async () => {
  const t = startHost();
  await thrown(
    t.action(async (ctx) => {
      await limiter.limit(ctx, "plenty");
      throw new Error("too late");
    }),
  );
  expect(await storedRows(t)).toMatchObject([{ name: "plenty", value: 9 }]);
});

test("check takes nothing, in a query, a mutation and an action", async () => {
  const t = startHost();
  const check = (ctx: Parameters<typeof limiter.check>[0]) =>
    limiter.check(ctx, "split", { count: 100 });
  expect(await t.query(check)).toEqual({ ok: true });
  expect(await t.mutation(check)).toEqual({ ok: true });
  expect(await t.action(check)).toEqual({ ok: true });
  expect(await storedRows(t)).toEqual([]);
});

describe("a mutation that has written something else before", () => {
  const busy: RateLimitConfig = {
    kind: "token bucket",
    rate: 6000,
    period: MINUTE,
    capacity: 60,
    shards: 6,
  };

  /** What a call costs in a mutation that wrote a row of another limit first. */
  const measure = (
    t: ReturnType<typeof startHost>,
    call: (ctx: HostCtx) => Promise<{ ok: boolean }>,
  ) =>
    t.mutation(async (ctx) => {
      await limiter.limit(ctx, "plenty");
      const before = await ctx.meta.getTransactionMetrics();
      const { ok } = await call(ctx);
      const after = await ctx.meta.getTransactionMetrics();
      const grown = (field: "databaseQueries" | "documentsWritten") =>
        after[field].used - before[field].used;
      return {
        ok,
        ranges: grown("databaseQueries"),
        written: grown("documentsWritten"),
      };
    });

  const drain = (t: ReturnType<typeof startHost>) =>
    t.mutation((ctx) =>
      limiter.limit(ctx, "busy", { config: busy, count: 60 }),
    );

  test("is denied by a busy split limit after two reads and a look at the others", async () => {
    const t = startHost();
    await drain(t);
    vi.setSystemTime(MIDNIGHT + 5);
    const cost = await measure(t, (ctx) =>
      limiter.limit(ctx, "busy", { config: busy }),
    );
    expect(cost).toEqual({ ok: false, ranges: 3, written: 0 });
  });

  test("reserves from a split limit with one debt on all of its rows", async () => {
    const t = startHost();
    await drain(t);
    const cost = await measure(t, (ctx) =>
      limiter.limit(ctx, "busy", { config: busy, reserve: true }),
    );
    expect(cost).toMatchObject({ ok: true, written: 6 });
  });
});
