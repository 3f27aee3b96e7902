import { MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock, type HostCtx } from "../host.js";
import { agreedBalance, bucket, startApp, window, type App } from "./app.js";
import { runs, seedRandom } from "../seed.js";

useStillClock();

/** A bucket gains a token in 1,500 ms. */
const kinds: [string, RateLimitConfig][] = [
  ["a bucket in one row", bucket(40)],
  ["a bucket over 4 rows", bucket(40, 4)],
  ["a window in one row", window(40)],
  ["a window over 4 rows", window(40, 4)],
];

const name = "api";

type Look = (ctx: HostCtx, limiter: App["limiter"]) => Promise<object>;

const details = true;
const looks: [string, Look][] = [
  ["check", (ctx, l) => l.check(ctx, name, { count: 0, details })],
  ["limit", (ctx, l) => l.limit(ctx, name, { count: 0, details })],
  ["checkAll", (ctx, l) => l.checkAll(ctx, [{ name, count: 0 }], { details })],
  ["limitAll", (ctx, l) => l.limitAll(ctx, [{ name, count: 0 }], { details })],
];

test.each(kinds)(
  "%s, emptied in this mutation: a denial tells what is left and when the request fits",
  async (_, config) => {
    const { mutate, limiter } = startApp({ [name]: config });
    const told = await mutate(async (ctx) => {
      await limiter.limit(ctx, name, { count: 40 });
      return limiter.limit(ctx, name, { count: 1, details });
    });
    expect(told).toEqual({
      ok: false,
      retryAfter: config.kind === "token bucket" ? 1500 : MINUTE,
      limit: 40,
      remaining: 0,
      resetAfter: MINUTE,
    });
  },
);

type Verb = "limit" | "limitAll" | "reserve" | "charge" | "credit" | "reset";
type Step = { verb: Verb; count: number };

const steps = fc.array(
  fc.record<Step>({
    verb: fc.constantFrom(
      ...(["limit", "limitAll", "reserve", "charge", "credit"] as const),
      "reset",
    ),
    count: fc.integer({ min: 1, max: 25 }),
  }),
  { minLength: 1, maxLength: 4 },
);

test("whatever a mutation did, it tells the details that a query tells after it", async () => {
  await fc.assert(
    fc.asyncProperty(
      steps,
      steps,
      fc.constantFrom(...kinds.map(([, config]) => config)),
      fc.integer({ min: 0, max: MINUTE }),
      fc.constantFrom(...looks),
      fc.integer(),
      async (before, steps, config, pause, [, look], seed) => {
        seedRandom(seed);
        vi.setSystemTime(MIDNIGHT);
        const {
          mutate,
          limiter,
          details: query,
        } = startApp({ [name]: config });
        const play = async (ctx: HostCtx, { verb, count }: Step) => {
          if (verb === "charge") await limiter.charge(ctx, name, { count });
          else if (verb === "credit") {
            await limiter.credit(ctx, name, { count });
          } else if (verb === "reset") await limiter.reset(ctx, name);
          else if (verb === "limitAll") {
            await limiter.limitAll(ctx, [{ name, count }, { name }]);
          } else {
            const reserve = verb === "reserve";
            await limiter.limit(ctx, name, { count, reserve });
          }
        };
        for (const step of before) await mutate((ctx) => play(ctx, step));
        vi.setSystemTime(MIDNIGHT + pause);
        const inside = await mutate(async (ctx) => {
          for (const step of steps) await play(ctx, step);
          return look(ctx, limiter);
        });
        const told = await query(name);
        // The look asks for 0 tokens, as the query does.
        expect(inside).toMatchObject(told);
      },
    ),
    runs(15),
  );
});

describe("resetAfter is when the limit is full", () => {
  test.each(kinds)("%s: then, and not 1 ms before", async (_, config) => {
    for (const count of [1, 13, 40]) {
      vi.setSystemTime(MIDNIGHT + 7);
      const app = startApp({ [name]: config });
      await app.limit(name, { count });
      const { resetAfter } = await app.details(name);
      vi.setSystemTime(MIDNIGHT + 7 + resetAfter - 1);
      expect(await agreedBalance(app, name)).toBeLessThan(40);
      vi.setSystemTime(MIDNIGHT + 7 + resetAfter);
      expect(await agreedBalance(app, name)).toBe(40);
      expect(await app.details(name)).toMatchObject({ resetAfter: 0 });
    }
  });
});

test("resetAfter is exact even if a fraction of a token has arrived", async () => {
  const { limit, details: query } = startApp({
    [name]: { kind: "token bucket", rate: 1, period: 1000, capacity: 16.25 },
  });
  await limit(name);
  vi.setSystemTime(MIDNIGHT + 804);
  await limit(name);
  // 2 were taken, and 804 of the 2,000 ms have passed.
  expect(await query(name)).toMatchObject({ remaining: 15, resetAfter: 1196 });
});

describe("the details of a granted list are those of its end", () => {
  const limits = {
    x: bucket(10),
    y: bucket(10),
    window: window(10),
    split: bucket(10, 5),
  };

  test("they are what each limit tells afterwards, of one with the least left", async () => {
    const names = Object.keys(limits);
    const items = fc.array(
      fc.record({
        name: fc.constantFrom(...names),
        count: fc.constantFrom(0, 0.25, 0.5, 1, 2),
      }),
      { minLength: 1, maxLength: 5 },
    );
    await fc.assert(
      fc.asyncProperty(items, async (list) => {
        const { mutate, limiter, details: query } = startApp(limits);
        const answer = await mutate((ctx) =>
          limiter.limitAll(ctx, list, { details }),
        );
        expect(answer.ok).toBe(true);
        const used = names.filter((n) => list.some(({ name }) => name === n));
        const after = await Promise.all(used.map((name) => query(name)));
        const least = Math.min(...after.map(({ remaining }) => remaining));
        const those = after.filter(({ remaining }) => remaining === least);
        expect(those).toContainEqual(answer);
      }),
      runs(15),
    );
  });
});
