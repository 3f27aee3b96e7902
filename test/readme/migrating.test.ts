import peerTest from "@convex-dev/rate-limiter/test";
import {
  calculateRateLimit as peerCalculate,
  RateLimiter as PeerLimiter,
} from "@convex-dev/rate-limiter";
import {
  calculateRateLimit,
  MINUTE,
  RateLimiter,
  type FixedWindowConfig,
  type MutationCtx,
  type RateLimitConfig,
  type TokenBucketConfig,
} from "convex-rate-limiter";
import { register } from "convex-rate-limiter/test";
import { convexTest, type TestConvex } from "convex-test";
import {
  componentsGeneric,
  defineSchema,
  type GenericSchema,
  type SchemaDefinition,
} from "convex/server";
import { ConvexError } from "convex/values";
import { describe, expect, test, vi } from "vitest";
import { useStillTimers } from "../host.js";

const NOW = Date.UTC(2026, 0, 1) + 123;

// The worker of the other package would go on for ever.
useStillTimers(NOW);

type App = TestConvex<SchemaDefinition<GenericSchema, boolean>>;

const mounted = componentsGeneric() as unknown as Record<
  "here" | "there",
  ConstructorParameters<typeof RateLimiter>[0]
>;
// The same calls are made to both, so one type does for both.
const limiters = {
  there: new PeerLimiter(mounted.there) as unknown as RateLimiter,
  here: new RateLimiter(mounted.here),
};

function startApp(): App {
  const t = convexTest(defineSchema({}), {
    "./_generated/api.ts": async () => ({}),
  });
  register(t, "here");
  peerTest.register(t, "there");
  return t;
}

/** What the same calls come to in both packages; an error as its message. */
async function inBoth(
  calls: (limiter: RateLimiter, ctx: MutationCtx) => Promise<unknown>,
) {
  const t = startApp();
  const answer = (limiter: RateLimiter) =>
    t
      .mutation((ctx) => calls(limiter, ctx))
      .catch((error: unknown) =>
        error instanceof ConvexError
          ? { data: error.data as unknown }
          : (error as Error).message,
      );
  return {
    there: await answer(limiters.there),
    here: await answer(limiters.here),
  };
}

const bucket = (more: Partial<TokenBucketConfig> = {}): RateLimitConfig => ({
  kind: "token bucket",
  rate: 10,
  period: MINUTE,
  ...more,
});
const window = (more: Partial<FixedWindowConfig> = {}): RateLimitConfig => ({
  kind: "fixed window",
  rate: 10,
  period: MINUTE,
  ...more,
});

/** One call after another on one limit; the answer of the last. */
const calls =
  (
    config: RateLimitConfig,
    ...requests: {
      key?: string;
      count?: number;
      reserve?: boolean;
      throws?: boolean;
    }[]
  ) =>
  async (limiter: RateLimiter, ctx: MutationCtx) => {
    let last: unknown;
    for (const request of requests) {
      last = await limiter.limit(ctx, "x", { config, ...request });
    }
    return last;
  };

const denied = (retryAfter: number) => ({ ok: false, retryAfter });
const refused = (what: string) =>
  expect.stringContaining(`Rate limit x: ${what}`) as unknown;

type Difference = {
  what: string;
  calls: (limiter: RateLimiter, ctx: MutationCtx) => Promise<unknown>;
  there: unknown;
  here: unknown;
};

const differences: Difference[] = [
  {
    what: "retryAfter is a whole number of ms",
    calls: calls(bucket({ rate: 7 }), { count: 7 }, {}),
    there: denied(8571.42857142857),
    here: denied(8572),
  },
  {
    what: "a denied reservation waits until it would be granted",
    calls: calls(
      bucket({ maxReserved: 5 }),
      { count: 15, reserve: true },
      { reserve: true },
    ),
    there: denied(36_000),
    here: denied(6_000),
  },
  {
    what: "a count that is NaN is refused",
    calls: calls(bucket(), { count: NaN }, { count: 10 }, { count: 10 }),
    there: { ok: true },
    here: refused("count must be"),
  },
  {
    what: "a negative count is refused",
    calls: calls(bucket(), { count: 10 }, { count: -5 }, { count: 5 }),
    there: { ok: true },
    here: refused("count must be"),
  },
  {
    what: "0 shards are refused",
    calls: calls(bucket({ shards: 0 }), {}),
    there: { ok: true },
    here: refused("shards must be"),
  },
  {
    what: "a fraction of shards is refused",
    calls: calls(bucket({ shards: 2.4 }), {}),
    there: { ok: true },
    here: refused("shards must be"),
  },
  {
    what: "a period of 0 is refused",
    calls: calls(bucket({ period: 0 }), {}),
    there: { ok: true },
    here: refused("period must be"),
  },
  {
    what: "maxReserved: 0 allows no reservation",
    calls: calls(bucket({ maxReserved: 0 }), { count: 10 }, { reserve: true }),
    there: { ok: true, retryAfter: 6_000 },
    here: denied(6_000),
  },
  {
    what: "a clock that steps back takes no tokens",
    calls: async (limiter, ctx) => {
      await limiter.limit(ctx, "x", { config: bucket(), count: 5 });
      vi.setSystemTime(NOW - MINUTE);
      const answer = await limiter.limit(ctx, "x", { config: bucket() });
      vi.setSystemTime(NOW);
      return answer;
    },
    there: denied(36_000),
    here: { ok: true },
  },
  {
    what: "a deficit below 1e-6 is none",
    calls: calls(bucket(), { count: 9 }, { count: 1 + 5e-7 }),
    there: { ok: false, retryAfter: expect.closeTo(0.003, 4) as unknown },
    here: { ok: true },
  },
  {
    what: "a granted reservation does not throw",
    calls: calls(bucket(), { count: 15, reserve: true, throws: true }),
    there: { data: { kind: "RateLimited", name: "x", retryAfter: 30_000 } },
    here: { ok: true, retryAfter: 30_000 },
  },
  {
    what: "the error names the key",
    calls: calls(
      bucket(),
      { key: "ada", count: 10 },
      { key: "ada", throws: true },
    ),
    there: { data: { kind: "RateLimited", name: "x", retryAfter: 6_000 } },
    here: {
      data: { kind: "RateLimited", name: "x", retryAfter: 6_000, key: "ada" },
    },
  },
  {
    what: "more than can ever be granted has an error of its own",
    calls: calls(bucket(), { count: 11 }),
    there: "Rate limit x count 11 exceeds 10.",
    here: { data: { kind: "ExceedsCapacity", name: "x", count: 11, max: 10 } },
  },
  {
    what: "a start in the future does not deny",
    calls: calls(window({ start: NOW + 5 * MINUTE }), {}),
    there: denied(5 * MINUTE),
    here: { ok: true },
  },
  {
    what: "getValue keeps start: 0",
    calls: async (limiter, ctx) => {
      const config = window({ start: 0 });
      await limiter.limit(ctx, "x", { config });
      return (await limiter.getValue(ctx, "x", { config })).config.start;
    },
    there: NOW - 123,
    here: 0,
  },
  {
    what: "a count may be the whole capacity of a sharded limit",
    calls: calls(bucket({ rate: 100, shards: 10 }), { count: 100 }),
    there: "Rate limit x count 100 exceeds 20 per 10 shards.",
    here: { ok: true },
  },
  {
    what: "getValue of a sharded limit is the sum",
    calls: async (limiter, ctx) => {
      const config = bucket({ rate: 100, shards: 10 });
      await limiter.limit(ctx, "x", { config, count: 5 });
      return (await limiter.getValue(ctx, "x", { config, sampleShards: 10 }))
        .value;
    },
    there: 100,
    here: 95,
  },
  {
    what: "asynchronous updates are applied at once",
    calls: calls(bucket({ applyUpdates: "asynchronously" }), { count: 10 }, {}),
    there: { ok: true },
    here: denied(6_000),
  },
  {
    what: "asynchronous updates and shards go together",
    calls: calls(bucket({ applyUpdates: "asynchronously", shards: 2 }), {}),
    there: expect.stringContaining("can't be sharded") as unknown,
    here: { ok: true },
  },
];

describe("what docs/migrating.md says is different", () => {
  test.for(differences)("$what", async ({ calls, there, here }) => {
    expect(await inBoth(calls)).toEqual({ there, here });
  });

  test("a fixed window without start has one phase, not a new one each time", async () => {
    const waits = await inBoth(async (limiter, ctx) => {
      const seen = new Set<number | undefined>();
      for (let i = 0; i < 20; i++) {
        await limiter.limit(ctx, "x", { config: window(), count: 10 });
        const { retryAfter } = await limiter.check(ctx, "x", {
          config: window(),
        });
        seen.add(retryAfter);
        await limiter.reset(ctx, "x");
      }
      return seen.size;
    });
    expect(waits.here).toBe(1);
    expect(waits.there).toBeGreaterThan(1);
  });

  test("windowStart is the window of the time that was asked for", () => {
    const state = { value: 3, ts: 0 };
    const config = { kind: "fixed window", rate: 10, period: MINUTE } as const;
    const now = 2 * MINUTE + 10_000;
    expect(peerCalculate(state, config, now).windowStart).toBe(0);
    expect(calculateRateLimit(state, config, now).windowStart).toBe(2 * MINUTE);
  });
});
