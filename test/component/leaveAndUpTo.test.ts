import {
  calculateRateLimit,
  DAY,
  MINUTE,
  RateLimiter,
  type RateLimitConfig,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  freezeClock,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
} from "../host.js";
import { runs } from "../seed.js";

useStillClock();

const bucket = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const window = {
  kind: "fixed window",
  rate: 10,
  period: MINUTE,
  start: 0,
} as const;

type Limiter = RateLimiter<{ api: RateLimitConfig }>;
type Options = { count?: number; leave?: number } & (
  { upTo?: boolean } | { reserve?: boolean }
);

function start(config: RateLimitConfig) {
  const t = startHost();
  const limiter: Limiter = new RateLimiter(components.rateLimiter, {
    api: config,
  });
  return {
    t,
    limiter,
    take: (options: Options) =>
      t.mutation((ctx) => limiter.limit(ctx, "api", options)),
    check: (options: Options) =>
      t.query((ctx) => limiter.check(ctx, "api", options)),
    upTo: (count: number, more: { leave?: number; key?: string } = {}) =>
      t.mutation((ctx) =>
        limiter.limit(ctx, "api", { count, upTo: true, ...more }),
      ),
    balance: () =>
      t.query(async (ctx) => {
        const state = await limiter.getValue(ctx, "api");
        return calculateRateLimit(state, state.config, Date.now()).value;
      }),
  };
}

const shapes = [
  ["a token bucket", bucket],
  ["a split token bucket", { ...bucket, shards: 4 }],
  ["a fixed window", window],
  ["a split fixed window", { ...window, shards: 4 }],
] as const;

describe.each(shapes)("leave, of %s", (_, config) => {
  test("grants as long as so many tokens remain", async () => {
    const { take, balance } = start(config);
    expect(await take({ count: 3, leave: 7 })).toEqual({ ok: true });
    const { ok } = await take({ leave: 7 });
    expect(ok).toBe(false);
    expect(await take({ count: 2, leave: 5 })).toEqual({ ok: true });
    expect(await take({ count: 5 })).toEqual({ ok: true });
    expect(await balance()).toBe(0);
  });

  test("more than the capacity above what must remain is refused for ever", async () => {
    const { take } = start(config);
    await expect(take({ count: 4, leave: 7 })).rejects.toMatchObject({
      data: { kind: "ExceedsCapacity", name: "api", count: 4, max: 3 },
    });
    await expect(take({ leave: 11 })).rejects.toThrow("count 1 exceeds 0");
  });

  test("holds in a list, with what the list itself takes", async () => {
    const { t, limiter, balance } = start(config);
    const all = (...leave: number[]) =>
      t.mutation((ctx) =>
        limiter.limitAll(
          ctx,
          leave.map((leave) => ({ name: "api" as const, count: 3, leave })),
        ),
      );
    expect(await all(7, 4)).toEqual({ ok: true });
    expect(await balance()).toBe(4);
    expect(await all(1, 1)).toMatchObject({
      ok: false,
      blockedBy: { index: 1, name: "api" },
    });
    expect(await balance()).toBe(4);
  });
});

describe("leave", () => {
  test("above 0 makes no debt, even with reserve", async () => {
    const { take } = start(bucket);
    await take({ count: 8 });
    expect(await take({ count: 2, reserve: true, leave: 1 })).toEqual({
      ok: false,
      retryAfter: 6_000,
    });
    expect(await take({ count: 3, reserve: true, leave: 0 })).toEqual({
      ok: true,
      retryAfter: 6_000,
    });
  });

  test("is not added to the headroom: the larger of the two remains", async () => {
    const { take } = start({
      ...bucket,
      applyUpdates: "asynchronously",
      headroom: 4,
    });
    await expect(take({ count: 5, leave: 6 })).rejects.toThrow("exceeds 4");
    expect(await take({ count: 4, leave: 6 })).toEqual({ ok: true });
    expect(await take({ count: 2, leave: 1 })).toEqual({ ok: true });
    expect(await take({ count: 1, leave: 1 })).toMatchObject({ ok: false });
  });

  test("a count of 0 asks whether they remain", async () => {
    const { t, take } = start(bucket);
    await take({ count: 6 });
    const before = await storedRows(t);
    expect(await take({ count: 0, leave: 4 })).toEqual({ ok: true });
    expect(await take({ count: 0, leave: 5 })).toEqual({
      ok: false,
      retryAfter: 6_000,
    });
    expect(await storedRows(t)).toEqual(before);
  });

  test("a dry run takes nothing from what must remain, and tells", async () => {
    const { take, balance } = start({ ...bucket, enforce: false });
    expect(await take({ count: 8, leave: 5 })).toEqual({
      ok: true,
      wouldDeny: true,
    });
    expect(await balance()).toBe(10);
  });
});

describe.each(shapes)("upTo, of %s", (_, config) => {
  test("takes what there is, down to 1 token and up to the count", async () => {
    const { upTo, balance } = start(config);
    expect(await upTo(3)).toEqual({ ok: true, taken: 3 });
    expect(await upTo(500)).toEqual({ ok: true, taken: 7 });
    expect(await balance()).toBe(0);
    const denied = await upTo(500);
    expect(denied.ok).toBe(false);
    vi.setSystemTime(MIDNIGHT + denied.retryAfter! - 1);
    expect(await upTo(500)).toEqual({ ok: false, retryAfter: 1 });
    vi.setSystemTime(MIDNIGHT + denied.retryAfter!);
    const taken = config.kind === "fixed window" ? 10 : 1;
    expect(await upTo(500)).toEqual({ ok: true, taken });
  });

  test("with leave takes what is above that", async () => {
    const { upTo, balance } = start(config);
    expect(await upTo(500, { leave: 4 })).toEqual({ ok: true, taken: 6 });
    expect(await upTo(500, { leave: 4 })).toMatchObject({ ok: false });
    expect(await upTo(500, { leave: 2.5 })).toEqual({ ok: true, taken: 1 });
    expect(await balance()).toBe(3);
    await expect(upTo(500, { leave: 9.5 })).rejects.toMatchObject({
      data: { kind: "ExceedsCapacity", name: "api", count: 500, max: 0.5 },
    });
  });

  test("check says what limit would take, and takes nothing", async () => {
    const { take, check } = start(config);
    const request = { count: 500, upTo: true };
    expect(await check(request)).toEqual({ ok: true, taken: 10 });
    expect(await take(request)).toEqual({ ok: true, taken: 10 });
  });
});

describe("upTo", () => {
  test("is never granted by a limit that never holds a token", async () => {
    const { upTo } = start({ ...bucket, capacity: 0.5 });
    await expect(upTo(3)).rejects.toThrow("count 3 exceeds 0.5");
  });

  test("lets a dry run and an unlimited key have all of the count", async () => {
    const dry = start({ ...bucket, enforce: false });
    expect(await dry.upTo(25)).toEqual({ ok: true, taken: 25 });
    expect(await dry.balance()).toBe(0);
    expect(await dry.upTo(25)).toEqual({
      ok: true,
      wouldDeny: true,
      taken: 25,
    });

    const { t, limiter, upTo } = start({ ...bucket, overrides: true });
    await t.mutation((ctx) =>
      limiter.setOverride(ctx, "api", { key: "vip", unlimited: true }),
    );
    expect(await upTo(25, { key: "vip" })).toEqual({ ok: true, taken: 25 });
    expect(await upTo(25, { key: "other" })).toEqual({ ok: true, taken: 10 });
  });

  test("comes with the details of what is left", async () => {
    const { t, limiter } = start(bucket);
    const options = { count: 4, upTo: true, details: true } as const;
    const status = await t.mutation((ctx) =>
      limiter.limit(ctx, "api", options),
    );
    expect(status).toEqual({
      ok: true,
      taken: 4,
      limit: 10,
      remaining: 6,
      resetAfter: 24_000,
    });
  });

  test("throws its denial if asked to", async () => {
    const { t, limiter, upTo } = start(bucket);
    await upTo(10);
    const again = t.mutation((ctx) =>
      limiter.limit(ctx, "api", { count: 5, upTo: true, throws: true }),
    );
    await expect(again).rejects.toMatchObject({
      data: { kind: "RateLimited", name: "api", retryAfter: 6_000 },
    });
  });
});

test("requests without these options say nothing of them", async () => {
  const { take } = start(bucket);
  expect(await take({})).toStrictEqual({ ok: true });
  expect(await take({ leave: 2 })).toStrictEqual({ ok: true });
});

describe("whatever is asked,", () => {
  const quarter = (max: number) =>
    fc.integer({ min: 0, max: 4 * max }).map((n) => n / 4);
  const step = fc.record({
    /** In a tenth of a minute one token arrives, in quarters where there are four rows. */
    wait: fc.integer({ min: 0, max: 15 }).map((n) => n * 6_000),
    count: fc.integer({ min: 4, max: 60 }).map((n) => n / 4),
    leave: quarter(12),
    upTo: fc.boolean(),
  });

  test.each(shapes)(
    "%s answers by its balance, and denies until the ms that it says",
    async (_, config) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 8 }),
          async (steps) => {
            freezeClock(MIDNIGHT);
            const { take, check, balance } = start(config);
            let now = MIDNIGHT;
            for (const { wait, ...asked } of steps) {
              vi.setSystemTime((now += wait));
              const held = await balance();
              const { count, leave, upTo } = asked;
              const there = held - leave;
              const least = upTo ? 1 : count;
              const answer = take(asked);
              if (least + leave > 10) {
                await expect(answer).rejects.toThrow("exceeds");
              } else if (least > there) {
                const { ok, retryAfter } = await answer;
                expect(ok).toBe(false);
                vi.setSystemTime(now + retryAfter! - 1);
                expect((await check(asked)).ok).toBe(false);
                vi.setSystemTime(now + retryAfter!);
                expect((await check(asked)).ok).toBe(true);
                vi.setSystemTime(now);
              } else if (upTo) {
                const taken = Math.min(Math.floor(count), Math.floor(there));
                expect(await answer).toEqual({ ok: true, taken });
                expect(await balance()).toBe(held - taken);
              } else {
                expect(await answer).toEqual({ ok: true });
                expect(await balance()).toBe(held - count);
              }
            }
          },
        ),
        runs(12),
      );
    },
  );
});

test("a split dry run is never denied, and says when it would be", async () => {
  const { take } = start({
    ...bucket,
    period: DAY,
    shards: 4,
    enforce: false,
  });
  for (let i = 0; i < 10; i++) expect(await take({})).toEqual({ ok: true });
  expect(await take({})).toEqual({ ok: true, wouldDeny: true });
});
