import {
  calculateRateLimit,
  MINUTE,
  RateLimiter,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillTimers,
  type Host,
} from "../host.js";

useStillTimers();

const key = "k";
const fn = makeFunctionReference<"mutation">("app:run");

const ten = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const large = { ...ten, capacity: 1000 };
const asynchronous = { ...ten, applyUpdates: "asynchronously" } as const;

/** An app as it is between two deploys. */
const limiterOf = (api: RateLimitConfig) =>
  new RateLimiter(components.rateLimiter, { api });

type Limiter = ReturnType<typeof limiterOf>;

async function balance(t: Host, limiter: Limiter): Promise<number> {
  const told = await t.query((ctx) => limiter.getValue(ctx, "api", { key }));
  return calculateRateLimit(told, told.config, Date.now()).value;
}

describe("what was held before a deploy", () => {
  const before = limiterOf(ten);

  async function holding(more: { config?: RateLimitConfig } = {}) {
    const t = startHost();
    const { id } = await t.mutation((ctx) =>
      before.hold(ctx, "api", { key, count: 5, ...more }),
    );
    return { t, id: id! };
  }

  test("is settled under the capacity of now, and does not make the limit full later", async () => {
    const now = limiterOf(large);
    const { t, id } = await holding();
    await t.mutation((ctx) => now.credit(ctx, "api", { key, count: 400 }));
    await t.mutation((ctx) => now.settle(ctx, id, { count: 6 }));
    expect(await balance(t, now)).toBe(404);
    vi.setSystemTime(MIDNIGHT + MINUTE);
    expect(await balance(t, now)).toBe(414);
  });

  test("is given back in the mode of now", async () => {
    const now = limiterOf(asynchronous);
    const { t, id } = await holding();
    await t.mutation((ctx) => now.charge(ctx, "api", { key, count: 1 }));
    await t.mutation((ctx) => now.release(ctx, id));
    expect(await balance(t, now)).toBe(9);
  });

  test("is given back in the mode of now, if it was scheduled", async () => {
    const now = limiterOf(asynchronous);
    const { t } = await holding();
    const job = await t.mutation((ctx) =>
      before.schedule(ctx, "api", { key, count: 9, fn, args: {} }),
    );
    await t.mutation((ctx) => now.charge(ctx, "api", { key, count: 1 }));
    expect(await balance(t, now)).toBe(-5);
    await t.mutation((ctx) => now.cancelScheduled(ctx, job.scheduledId!));
    expect(await balance(t, now)).toBe(4);
  });

  test("by a config of its own is settled by that", async () => {
    const { t, id } = await holding({ config: large });
    await t.mutation((ctx) => before.settle(ctx, id, { count: 6 }));
    expect(await balance(t, limiterOf(large))).toBe(994);
  });

  test("is settled by what it was held of, if the limit now limits what runs at once", async () => {
    const now = new RateLimiter(components.rateLimiter, {
      api: { kind: "concurrency", capacity: 3, lease: MINUTE },
    });
    const { t, id } = await holding();
    expect(
      await t.mutation((ctx) => now.settle(ctx, id as never, { count: 6 })),
    ).toEqual({ settled: true });
    expect(await balance(t, before)).toBe(4);
  });
});

test("what a page was told is right later, where a deploy has joined the rows and lowered the rate", async () => {
  const t = startHost();
  const before = limiterOf({ ...ten, shards: 5 });
  await t.mutation((ctx) => before.limit(ctx, "api", { key, count: 3 }));
  const now = limiterOf({ ...ten, rate: 1, capacity: 10 });
  const told = await t.query((ctx) => now.getValue(ctx, "api", { key }));
  // One row lacks 1 token, and is full in 30 s by the old rate; one is empty.
  vi.setSystemTime(MIDNIGHT + 30_000);
  expect(await balance(t, now)).toBeCloseTo(8.1, 9);
  expect(
    calculateRateLimit(told, told.config, MIDNIGHT + 30_000).value,
  ).toBeCloseTo(8.1, 9);
});

test("an override from before a deploy changes what the limit's kind has now, and nothing else", async () => {
  const t = startHost();
  const before = new RateLimiter(components.rateLimiter, {
    api: { ...ten, overrides: true },
  });
  await t.mutation((ctx) =>
    before.setOverride(ctx, "api", { config: { rate: 20, capacity: 1 } }),
  );
  const now = new RateLimiter(components.rateLimiter, {
    api: { kind: "concurrency", capacity: 3, lease: MINUTE, overrides: true },
  });
  const hold = () => t.mutation((ctx) => now.hold(ctx, "api", { key }));
  expect(await hold()).toMatchObject({ ok: true });
  expect(await hold()).toEqual({ ok: false, retryAfter: MINUTE });
});
