import {
  calculateRateLimit,
  isExceedsCapacityError,
  MINUTE,
  HOUR,
  RateLimiter,
  type RateLimitConfig,
  type RefillingConfig,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import { makeFunctionReference } from "convex/server";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillTimers,
  type Host,
  type HostCtx,
} from "../host.js";
import { step } from "../arbitraries.js";
import { runs, seedRandom } from "../seed.js";
import { runVacuum } from "./app.js";

useStillTimers();

const key = "k";
const fn = makeFunctionReference<"mutation">("app:run");

const ten = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const large = { ...ten, capacity: 1000 };
const asynchronous = { ...ten, applyUpdates: "asynchronously" } as const;

/** An app as it is between two deploys. */
const limiterOf = (api: RefillingConfig) =>
  new RateLimiter(components.rateLimiter, { api });

type Limiter = ReturnType<typeof limiterOf>;

async function balanceIn(
  ctx: Pick<HostCtx, "runQuery">,
  limiter: Limiter,
): Promise<number> {
  const told = await limiter.getValue(ctx, "api", { key });
  return calculateRateLimit(told, told.config, Date.now()).value;
}

const balance = (t: Host, limiter: Limiter) =>
  t.query((ctx) => balanceIn(ctx, limiter));

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
  // Of 7, one more in a minute.
  vi.setSystemTime(MIDNIGHT + 30_000);
  expect(await balance(t, now)).toBeCloseTo(7.5, 9);
  expect(
    calculateRateLimit(told, told.config, MIDNIGHT + 30_000).value,
  ).toBeCloseTo(7.5, 9);
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

describe("whatever an app's deploys change, and whatever it calls between them", () => {
  const common = {
    rate: fc.constantFrom(1, 2, 5, 20),
    capacity: fc.constantFrom(undefined, 1, 3, 40),
    maxReserved: fc.constantFrom(undefined, 0, 5),
    enforce: fc.constantFrom(true, true, false, 0.5),
  };
  const configs: fc.Arbitrary<RefillingConfig> = fc.oneof(
    fc.record({
      ...common,
      kind: fc.constant("token bucket"),
      period: fc.constantFrom(1000, MINUTE),
    }),
    fc.record({
      ...common,
      kind: fc.constant("fixed window"),
      period: fc.constantFrom(1000, MINUTE),
      start: fc.constantFrom(undefined, 0, MIDNIGHT + HOUR),
    }),
    fc.record({
      ...common,
      kind: fc.constant("fixed window"),
      period: fc.constantFrom("day", "week"),
      timeZone: fc.constantFrom(undefined, "Europe/Berlin"),
    }),
  );
  const overrides: SetOverrideOptions[] = [
    { deny: true },
    { unlimited: true },
    { config: { rate: 3 } },
    { config: { capacity: 2 } },
    { config: { capacity: 25, period: 500 } },
  ];
  const count = fc.constantFrom(0.5, 1, 2, 3, 7, 12);
  const nth = fc.nat({ max: 3 });
  const stepOf = <Verb extends string, T>(
    verb: Verb,
    of: fc.Arbitrary<T>,
    weight = 1,
  ) => step<Verb, { of: T }>(verb, weight, { of });
  const steps = fc.array(
    fc.oneof(
      stepOf("deploy", configs),
      stepOf("limit", fc.record({ count, reserve: fc.boolean() }), 2),
      stepOf("charge", fc.record({ count })),
      stepOf("credit", fc.record({ count })),
      stepOf("hold", fc.record({ count })),
      stepOf("settle", fc.record({ count, nth })),
      stepOf(
        "override",
        fc.record({
          change: fc.constantFrom(...overrides),
          startsIn: fc.constantFrom(0, 500, 3000),
          lasts: fc.constantFrom(700, 20_000, 2 * HOUR),
        }),
      ),
      stepOf("reset", fc.constant({})),
      stepOf("vacuum", fc.constant({})),
      stepOf(
        "wait",
        fc.constantFrom(1, 250, 5000, MINUTE, 3 * HOUR, 30 * HOUR, -1, -5000),
      ),
    ),
    { minLength: 5, maxLength: 25 },
  );
  type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

  /** What an app answers to each step, and tells after it. */
  async function* lived(first: RefillingConfig, all: Step[], mode: object) {
    const t = startHost();
    const ids: string[] = [];
    const deployed = (config: RefillingConfig) =>
      limiterOf({ ...config, ...mode, overrides: true });
    let limiter = deployed(first);
    const call = (step: Step) =>
      t.mutation(async (ctx): Promise<unknown> => {
        switch (step.verb) {
          case "limit":
            return limiter.limit(ctx, "api", { key, ...step.of });
          case "charge":
            return limiter.charge(ctx, "api", { key, ...step.of });
          case "credit":
            return limiter.credit(ctx, "api", { key, ...step.of });
          case "hold": {
            const { id, ...held } = await limiter.hold(ctx, "api", {
              key,
              ...step.of,
            });
            if (id !== undefined) ids.push(id);
            return held;
          }
          case "settle": {
            const id = ids[step.of.nth];
            return id !== undefined && limiter.settle(ctx, id, step.of);
          }
          case "override": {
            const startsAt = Date.now() + step.of.startsIn;
            const expiresAt = startsAt + step.of.lasts;
            return limiter.setOverride(ctx, "api", {
              key,
              ...step.of.change,
              startsAt,
              expiresAt,
            });
          }
          case "reset":
            return limiter.reset(ctx, "api", { key });
        }
      });
    for (const step of all) {
      if (step.verb === "deploy") limiter = deployed(step.of);
      if (step.verb === "vacuum") await runVacuum({ t });
      const answer = await call(step).catch(String);
      const details = await t
        .query((ctx) => limiter.check(ctx, "api", { key, details: true }))
        .catch(String);
      yield { answer, details, balance: await balance(t, limiter) };
    }
  }

  test("the asynchronous mode, alone, gives the answers of a row", async () => {
    await fc.assert(
      fc.asyncProperty(configs, steps, async (first, all) => {
        vi.setSystemTime(MIDNIGHT);
        const rows = lived(first, all, {});
        const records = lived(first, all, { applyUpdates: "asynchronously" });
        for (const step of all) {
          if (step.verb === "wait") vi.setSystemTime(Date.now() + step.of);
          const { value: row } = await rows.next();
          const { value: record } = await records.next();
          const about = (told: typeof row) => ({
            ...told!,
            balance: expect.closeTo(told!.balance, 6) as number,
          });
          expect(record).toEqual(about(row));
        }
      }),
      runs(6),
    );
  });

  test("the balance goes down by what is granted, and by nothing else, over however many rows", async () => {
    const splits = fc
      .tuple(configs, fc.constantFrom(1, 1, 2, 3))
      .map(([config, shards]) => ({ ...config, shards, enforce: true }));
    const moves = fc.array(
      fc.oneof(
        stepOf("deploy", splits),
        stepOf("limit", count, 2),
        stepOf("wait", fc.constantFrom(1, 500, 1200, 5000, MINUTE)),
      ),
      { minLength: 3, maxLength: 12 },
    );
    await fc.assert(
      fc.asyncProperty(
        splits,
        moves,
        fc.integer(),
        async (first, all, seed) => {
          vi.setSystemTime(MIDNIGHT);
          seedRandom(seed);
          const t = startHost();
          let limiter = limiterOf(first);
          for (const { verb, of } of all) {
            if (verb === "wait") vi.setSystemTime(Date.now() + of);
            if (verb === "deploy") limiter = limiterOf(of);
            if (verb !== "limit") continue;
            await t.mutation(async (ctx) => {
              const before = await balanceIn(ctx, limiter);
              const asked = { key, count: of };
              const { ok } = await limiter
                .limit(ctx, "api", asked)
                .catch((error: unknown) => {
                  if (!isExceedsCapacityError(error)) throw error;
                  return { ok: false };
                });
              const after = await balanceIn(ctx, limiter);
              expect(after).toBeCloseTo(before - (ok ? of : 0), 6);
            });
          }
        },
      ),
      runs(6),
    );
  });
});
