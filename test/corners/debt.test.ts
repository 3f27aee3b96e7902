import { MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { quarters } from "../arbitraries.js";
import { MIDNIGHT, storedRows, useStillClock } from "../host.js";
import {
  agreedBalance,
  bucket,
  exceeds,
  startApp,
  storeRows,
  type App,
  window,
} from "./app.js";
import { runs, seedRandom } from "../seed.js";

useStillClock();

const name = "api";

const sum = (numbers: readonly number[]) => numbers.reduce((a, b) => a + b);

/** Two keys, so that each test meets rows of more than one. */
const keys = Array.from({ length: 2 }, (_, i) => `key ${i}`);

describe.each([1, 4])(
  "40,000 a minute over %i rows, 5,000 in debt",
  (shards) => {
    const start = async (
      config: RateLimitConfig,
      into: (app: App, key: string) => Promise<unknown>,
    ) => {
      const app = startApp({ [name]: config });
      for (const key of keys) {
        await app.limit(name, { key, count: 30_000 });
        await into(app, key);
        expect(await agreedBalance(app, name, { key })).toBeCloseTo(-5_000, 6);
      }
      return app;
    };
    const charged = (app: App, key: string) =>
      app.charge(name, { key, count: 15_000 });
    const reserved = (app: App, key: string) =>
      app.limit(name, { key, count: 15_000, reserve: true });

    test.each([
      ["charge", charged],
      ["a reservation", reserved],
    ])("by %s: nothing is granted", async (_, into) => {
      const app = await start(bucket(40_000, shards), into);
      for (const key of keys) {
        for (const count of [1, 40_000]) {
          // A token arrives in 1.5 ms.
          const retryAfter = Math.ceil((5_000 + count) * 1.5);
          const denied = { ok: false, retryAfter };
          expect(await app.check(name, { key, count })).toEqual(denied);
          expect(await app.limit(name, { key, count })).toEqual(denied);
          const blockedBy = { index: 0, name };
          const list = [{ name, key, count }];
          expect(await app.limitAll(list)).toEqual({ ...denied, blockedBy });
        }
      }
    });

    test("a window in debt grants nothing until the window that pays it", async () => {
      vi.setSystemTime(MIDNIGHT + 1);
      const app = await start(window(40_000, shards), charged);
      for (const key of keys) {
        expect(await app.limit(name, { key, count: 500 })).toEqual({
          ok: false,
          retryAfter: MINUTE - 1,
        });
      }
      vi.setSystemTime(MIDNIGHT + MINUTE);
      for (const key of keys) {
        expect(await app.limit(name, { key, count: 35_000 })).toEqual({
          ok: true,
        });
        expect(await app.limit(name, { key, count: 1 })).toMatchObject({
          ok: false,
        });
      }
    });
  },
);

describe("rows that differ, as @convex-dev/rate-limiter left them", () => {
  /** Runs on rows that each hold any number up to 10. */
  const onAnyRows = (
    counts: fc.Arbitrary<number>,
    run: (app: App, count: number, values: number[]) => Promise<void>,
  ) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(quarters(-10, 10), { minLength: 2, maxLength: 8 }),
        counts,
        fc.integer(),
        async (values, count, seed) => {
          seedRandom(seed);
          const { length } = values;
          fc.pre(count <= 10 * length);
          const app = startApp({ [name]: bucket(10 * length, length) });
          const rows = values.map((value) => ({ value, ts: MIDNIGHT }));
          await storeRows(app, name, rows);
          await run(app, count, values);
        },
      ),
      runs(10),
    );

  const few = fc.integer({ min: 1, max: 6 });
  const many = fc.integer({ min: 1, max: 60 });

  test("a quiet limit grants if and only if the whole balance suffices", async () => {
    await onAnyRows(fc.oneof(few, many), async (app, count, values) => {
      const balance = sum(values);
      const { ok } = await app.check(name, { count });
      expect(ok).toBe(balance >= count);
      expect(await app.limit(name, { count })).toMatchObject({ ok });
      const left = ok ? balance - count : balance;
      expect(await agreedBalance(app, name)).toBeCloseTo(left, 9);
    });
  });

  test("a credit adds what it gives, and fills no row while others owe", async () => {
    await onAnyRows(many, async (app, count, values) => {
      const before = sum(values);
      const room = 10 * values.length - before;
      const { credited } = await app.credit(name, { count });
      expect(credited).toBe(Math.min(count, room));
      const after = await agreedBalance(app, name);
      expect(after).toBeCloseTo(before + credited, 9);
      const stored = await storedRows(app.t);
      if (stored.every(({ value }) => value >= 0)) return;
      for (const { shard, value } of stored) {
        expect(value).toBeLessThanOrEqual(Math.max(0, values[shard]!));
      }
    });
  });
});

describe.each([
  ["buckets", bucket],
  ["windows", window],
])("reservations on %s", (_, config) => {
  const aReservation = fc.record({
    pause: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 30_000 })),
    count: fc.integer({ min: 1, max: 30 }),
    reserve: fc.boolean(),
  });

  test("on a still clock wait as long on many rows as on one", async () => {
    for (const shards of [2, 7]) {
      const split = startApp({ [name]: config(40, shards) });
      const whole = startApp({ [name]: config(40, 1) });
      for (const count of [25, 14, 30, 7, 1, 60, 0.5]) {
        const request = { count, reserve: true };
        const expected = await whole.limit(name, request);
        expect(await split.limit(name, request)).toEqual(expected);
      }
    }
  });

  test("never wait less on many rows than on one that granted the same", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(aReservation, { minLength: 2, maxLength: 12 }),
        fc.integer({ min: 2, max: 12 }),
        fc.integer(),
        async (requests, shards, seed) => {
          seedRandom(seed);
          vi.setSystemTime(MIDNIGHT);
          const split = startApp({ [name]: config(40, shards) });
          const whole = startApp({ [name]: config(40, 1) });
          for (const { pause, ...request } of requests) {
            vi.setSystemTime(Date.now() + pause);
            const answer = await split.limit(name, request);
            if (!answer.ok) continue;
            const { ok, retryAfter = 0 } = await whole.limit(name, request);
            expect(ok).toBe(true);
            expect(answer.retryAfter ?? 0).toBeGreaterThanOrEqual(retryAfter);
          }
        },
      ),
      runs(6),
    );
  });

  test("go down to maxReserved, whatever rows they meet, and no deeper", async () => {
    const app = startApp({ [name]: { ...config(40, 4), maxReserved: 20 } });
    const reserve = (key: string, count: number) =>
      app.limit(name, { key, count, reserve: true });
    for (const key of keys) {
      expect(await reserve(key, 33)).toEqual({ ok: true });
      expect(await reserve(key, 26)).toMatchObject({ ok: true });
      expect(await reserve(key, 1)).toMatchObject({ ok: true });
      expect(await reserve(key, 1)).toMatchObject({ ok: false });
      await expect(reserve(key, 61)).rejects.toEqual(exceeds(name, 61));
    }
  });
});
