import {
  MINUTE,
  RateLimiter,
  type RateLimitDenial,
  type MutationCtx,
} from "convex-rate-limiter";
import { expect, test } from "vitest";
import {
  components,
  startHost,
  storedRows,
  useStillClock,
  type HostCtx,
} from "../host.js";

useStillClock();

const one = { kind: "token bucket", rate: 1, period: MINUTE } as const;

function start() {
  const denials: RateLimitDenial[] = [];
  const limiter = new RateLimiter(
    components.rateLimiter,
    {
      one,
      other: one,
      bounded: { ...one, maxReserved: 0 },
      dry: { ...one, enforce: false },
    },
    {
      onDenied: async (ctx: MutationCtx, denial) => {
        denials.push(denial);
        const { db } = ctx as HostCtx;
        await db.insert("notes", { text: denial.name });
      },
    },
  );
  const t = startHost();
  const notes = async () => {
    const rows = await t.run((ctx) => ctx.db.query("notes").collect());
    return rows.map(({ text }) => text);
  };
  return { t, limiter, denials, notes };
}

test("is told of a denial, in the caller's transaction", async () => {
  const { t, limiter, denials, notes } = start();
  const take = () =>
    t.mutation((ctx) => limiter.limit(ctx, "one", { key: "anna" }));
  await take();
  expect(denials).toEqual([]);
  expect(await take()).toEqual({ ok: false, retryAfter: MINUTE });
  expect(denials).toEqual([
    { name: "one", key: "anna", count: 1, retryAfter: MINUTE },
  ]);
  expect(await notes()).toEqual(["one"]);
});

test("what it wrote is lost where the denial throws, but it was called", async () => {
  const { t, limiter, denials, notes } = start();
  const take = () =>
    t.mutation((ctx) => limiter.limit(ctx, "one", { throws: true }));
  await take();
  await expect(take()).rejects.toThrow("RateLimited");
  expect(denials).toHaveLength(1);
  expect(await notes()).toEqual([]);
});

test("of a list it is told of the one that blocked", async () => {
  const { t, limiter, denials } = start();
  await t.mutation((ctx) => limiter.limit(ctx, "other", { key: "k" }));
  await t.mutation((ctx) =>
    limiter.limitAll(ctx, [{ name: "one" }, { name: "other", key: "k" }]),
  );
  expect(denials).toEqual([
    { name: "other", key: "k", count: 1, retryAfter: MINUTE },
  ]);
});

test("of a list of holds it is told once, also if that throws", async () => {
  const { t, limiter, denials } = start();
  const items = [{ name: "one" }, { name: "other", count: 2 / 3 }] as const;
  await t.mutation(async (ctx) => {
    await limiter.limit(ctx, "other", { count: 2 / 3 });
    await limiter.holdAll(ctx, items);
    const throwing = limiter.holdAll(ctx, items, { throws: true });
    await expect(throwing).rejects.toThrow("RateLimited");
  });
  const denial = { name: "other", key: undefined, count: 2 / 3 };
  const { retryAfter } = denials[0]!;
  expect(denials).toEqual([
    { ...denial, retryAfter },
    { ...denial, retryAfter },
  ]);
});

test("it is told when schedule refuses", async () => {
  const { t, limiter, denials } = start();
  const work = { fn: components.rateLimiter.lib.clearAll, args: {} };
  await t.mutation((ctx) => limiter.limit(ctx, "bounded"));
  await t.mutation((ctx) => limiter.schedule(ctx, "bounded", work));
  expect(denials).toMatchObject([{ name: "bounded", retryAfter: MINUTE }]);
});

test("a check, a dry run and a grant are no denials", async () => {
  const { t, limiter, denials } = start();
  await t.mutation(async (ctx) => {
    await limiter.limit(ctx, "one");
    await limiter.check(ctx, "one");
    await limiter.checkAll(ctx, [{ name: "one" }]);
    await limiter.limit(ctx, "dry");
    await limiter.limit(ctx, "dry");
  });
  expect(denials).toEqual([]);
});

test("an error that it throws fails the caller's mutation", async () => {
  const failing = new RateLimiter(
    components.rateLimiter,
    { one, two: { ...one, rate: 2 } },
    {
      onDenied: () => {
        throw new Error("no room for notes");
      },
    },
  );
  const t = startHost();
  await t.mutation((ctx) => failing.limit(ctx, "one"));
  const before = await storedRows(t);
  await expect(
    t.mutation(async (ctx) => {
      await failing.limit(ctx, "two");
      await failing.limit(ctx, "one");
    }),
  ).rejects.toThrow("no room for notes");
  expect(await storedRows(t)).toEqual(before);
});
