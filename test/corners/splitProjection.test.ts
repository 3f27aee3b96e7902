import { calculateRateLimit, MINUTE } from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";
import { MIDNIGHT, useStillClock } from "../host.js";
import { agreedBalance, bucket, startApp, type App, window } from "./app.js";
import { runs, seedRandom } from "../seed.js";

useStillClock();

const name = "api";

/**
 * Expects what is told now, projected to each moment, to be what the server tells then: the balance, and when
 * `wanted` tokens fit.
 */
async function expectRightLater(
  app: App,
  moments: readonly number[],
  wanted: number,
): Promise<void> {
  const from = Date.now();
  const told = await app.getValue(name);
  const check = createCheck(told, 0, Date.now);
  for (const moment of moments) {
    const now = from + moment;
    vi.setSystemTime(now);
    const when = `after ${moment} ms`;
    const balance = await agreedBalance(app, name);
    const projected = calculateRateLimit(told, told.config, now);
    expect(projected.value, when).toBeCloseTo(balance, 6);
    expect(check(now)!.value, when).toBeCloseTo(balance, 6);
    const { value: shown } = rateLimitAt(check, wanted, now);
    expect(shown.remaining, when).toBe(Math.max(0, Math.floor(balance + 1e-6)));

    const { ok, retryAfter } = await app.check(name, { count: wanted });
    const on = calculateRateLimit(told, told.config, now, wanted);
    expect(on.retryAfter, when).toBe(retryAfter);
    expect(on.value, when).toBeCloseTo(balance - wanted, 6);
    const retryAt = retryAfter === undefined ? undefined : now + retryAfter;
    expect(shown.status, when).toEqual({ ok, retryAt });
    expect(check(now, wanted), when).toMatchObject({ ok, retryAt });
  }
}

test("a split window whose one row is full gains only what the other has room for", async () => {
  const app = startApp({ [name]: { ...window(10, 2), capacity: 20 } });
  await app.limit(name, { count: 10 });
  await expectRightLater(app, [MINUTE - 1, MINUTE, 2 * MINUTE], 16);
  vi.setSystemTime(MIDNIGHT + MINUTE);
  expect(await agreedBalance(app, name)).toBe(15);
});

describe.each([
  ["buckets", bucket],
  ["windows", window],
])("%s", (_, config) => {
  test("whatever was done before, what was told is right later", async () => {
    const steps = fc.array(
      fc.record({
        verb: fc.constantFrom("limit", "limit", "reserve", "charge", "credit"),
        count: fc.integer({ min: 1, max: 30 }),
        pause: fc.integer({ min: 0, max: 30_000 }),
      }),
      { minLength: 1, maxLength: 6 },
    );
    const later = fc.array(fc.integer({ min: 0, max: 3 * MINUTE }), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(
        steps,
        later,
        fc.integer({ min: 2, max: 9 }),
        fc.integer({ min: 1, max: 40 }),
        fc.integer(),
        async (steps, later, shards, wanted, seed) => {
          seedRandom(seed);
          vi.setSystemTime(MIDNIGHT);
          const app = startApp({ [name]: config(40, shards) });
          for (const { verb, count, pause } of steps) {
            vi.setSystemTime(Date.now() + pause);
            if (verb === "charge") await app.charge(name, { count });
            else if (verb === "credit") await app.credit(name, { count });
            else await app.limit(name, { count, reserve: verb === "reserve" });
          }
          // No row is busy any more.
          vi.setSystemTime(Date.now() + 1000);
          await expectRightLater(app, later, wanted);
        },
      ),
      runs(6),
    );
  });

  test("a clock that steps back shows nothing that the server would not give", async () => {
    const app = startApp({ [name]: config(40, 4) });
    await app.limit(name, { count: 33 });
    await expectRightLater(app, [-30_000, -1], 9);
  });

  test("sampled, rows that are level are told as all of them are", async () => {
    const app = startApp({ [name]: config(40, 4) });
    await app.limit(name, { count: 40 });
    const told = await app.t.query((ctx) =>
      app.limiter.getValue(ctx, name, { sampleShards: 2 }),
    );
    for (const moment of [0, 15_000, MINUTE, 2 * MINUTE]) {
      vi.setSystemTime(MIDNIGHT + moment);
      const projected = calculateRateLimit(told, told.config, Date.now());
      const balance = await agreedBalance(app, name);
      expect(projected.value).toBeCloseTo(balance, 6);
    }
  });
});

test.each([
  ["a ban", { deny: true } as const, 0, Infinity],
  ["a lift", { unlimited: true } as const, 40, undefined],
  ["a smaller capacity", { config: { capacity: 20 } }, 20, Infinity],
])(
  "sampled, %s holds as long as it holds for calls",
  async (_, override, value, retryAt) => {
    const app = startApp({ [name]: { ...bucket(40, 4), overrides: true } });
    await app.limit(name, { count: 40 });
    const end = MIDNIGHT + 2 * MINUTE;
    const sample = async () => {
      const told = await app.t.query((ctx) =>
        app.limiter.getValue(ctx, name, { sampleShards: 3 }),
      );
      return createCheck(told, 0, Date.now);
    };
    const set = (times: { startsAt?: number; expiresAt?: number }) =>
      app.setOverride(name, { ...override, ...times });
    await set({});
    expect((await sample())(end)?.value).toBe(value);
    expect((await sample())(end, 50)?.retryAt).toBe(retryAt);
    await app.clearOverride(name);
    await set({ expiresAt: end });
    const ends = await sample();
    expect(ends(end - 1)?.value).toBe(value);
    expect(ends(end)).toMatchObject({ value: 40, ok: true });
    expect(ends(end - 1, 40)).toMatchObject(
      value === 40 ? { ok: true } : { ok: false, retryAt: end },
    );
    await app.clearOverride(name);
    await set({ startsAt: end });
    const begins = await sample();
    expect(begins(end - 1)).toMatchObject({ value: 40, ok: true });
    expect(begins(end)?.value).toBe(value);
  },
);
