import {
  calculateRateLimit,
  HOUR,
  isExceedsCapacityError,
  type RateLimitConfig,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import * as perMinute from "../support/startApp.js";
import {
  expectExactWait,
  startApp,
  type App,
  type RequestOptions,
} from "../support/startApp.js";
import { runs } from "../support/seed.js";

useStillClock();

const name = "api";

const bucket = (capacity: number, period = HOUR): RateLimitConfig => ({
  ...perMinute.bucket(capacity),
  period,
});
const window = (capacity: number, period = HOUR): RateLimitConfig => ({
  ...perMinute.window(capacity),
  period,
});

const limitAll = ({ limitAll }: App, counts: readonly number[]) =>
  limitAll(counts.map((count) => ({ name, count })));

describe("a count a little above what can be granted", () => {
  const configs = [1e-3, 10, 1e8].flatMap((capacity) =>
    [1, 30 * 24 * HOUR].flatMap((period) => [
      bucket(capacity, period),
      window(capacity, period),
      { ...bucket(capacity, period), shards: 3 },
      { ...bucket(capacity, period), maxReserved: capacity },
    ]),
  );
  const littles = [1e-12, 1e-8, 5e-7, 9e-7, 1.1e-6, 1e-3];

  test.each(configs)(
    "is granted by a full limit or an error, never denied forever: %j",
    async (config) => {
      const reserve = config.maxReserved !== undefined;
      const most = config.rate + (config.maxReserved ?? 0);
      for (const little of littles) {
        const count = most + little;
        if (count === most) continue;
        vi.setSystemTime(MIDNIGHT);
        const app = startApp({ [name]: config });
        const ask = async () => {
          try {
            const { ok } = await app.check(name, { count, reserve });
            return ok ? "granted" : "denied";
          } catch (error) {
            if (!isExceedsCapacityError(error)) throw error;
            return "error";
          }
        };
        const full = await ask();
        expect(full, `${count} of ${most}`).not.toBe("denied");
        await app.limit(name, { count: most, reserve });
        const empty = await ask();
        expect(empty, `${count} of none`).toBe(
          full === "error" ? "error" : "denied",
        );
        if (full === "error") continue;
        const wait = await app.check(name, { count, reserve });
        vi.setSystemTime(MIDNIGHT + wait.retryAfter!);
        expect(await ask(), `${count} at its retryAfter`).toBe("granted");
      }
    },
  );
});

describe("decimals that add up to the capacity", () => {
  test.each([
    ["a bucket", bucket],
    ["a window", window],
  ])(
    "are granted by %s, one after the other and together",
    async (_, config) => {
      const hundredths = fc.array(fc.integer({ min: 1, max: 2000 }), {
        minLength: 2,
        maxLength: 6,
      });
      await fc.assert(
        fc.asyncProperty(hundredths, async (parts) => {
          vi.setSystemTime(MIDNIGHT);
          const counts = parts.map((n) => n / 100);
          const capacity = parts.reduce((a, b) => a + b, 0) / 100;
          const single = startApp({ [name]: config(capacity) });
          for (const count of counts) {
            expect(await single.limit(name, { count })).toEqual({ ok: true });
          }
          expect(await single.limit(name, { count: 0.1 })).toMatchObject({
            ok: false,
          });
          const app = startApp({ [name]: config(capacity) });
          expect(await limitAll(app, counts)).toEqual({ ok: true });
          await expectExactWait(() => limitAll(app, counts));
        }),
        runs(8),
      );
    },
  );
});

describe("counts below the tolerance", () => {
  const tiny = 5e-7;
  const daily = window(10, 24 * HOUR);

  test.each<[string, RateLimitConfig, Partial<RequestOptions>, taken: number]>([
    ["in one row", daily, {}, 10],
    ["in several rows", { ...daily, shards: 4 }, {}, 10],
    ["in a bucket", bucket(10, 24 * HOUR), {}, 10],
    [
      "in the deepest debt",
      { ...daily, maxReserved: 5 },
      { reserve: true },
      15,
    ],
  ])(
    "are denied once there is nothing left: %s",
    async (_, config, more, taken) => {
      const app = startApp({ [name]: config });
      await app.limit(name, { ...more, count: taken });
      for (let i = 0; i < 50; i++) {
        const { ok } = await app.limit(name, { ...more, count: tiny });
        expect(ok).toBe(false);
      }
      const { ok } = await app.check(name, { ...more, count: 0 });
      expect(ok).toBe(true);
      const told = await app.getValue(name);
      const now = Date.now();
      const { retryAfter } = calculateRateLimit(told, told.config, now, tiny);
      if (more.reserve !== true) {
        const denied = await app.check(name, { count: tiny });
        expect(retryAfter).toBe(denied.retryAfter);
      }
    },
  );

  test("are granted only as often as a row holds them", async () => {
    const app = startApp({ [name]: { ...daily, shards: 2 } });
    await app.limit(name, { count: 10 - 3 * tiny });
    const granted: boolean[] = [];
    for (let i = 0; i < 5; i++) {
      granted.push((await app.limit(name, { count: tiny })).ok);
    }
    expect(granted.filter(Boolean).length).toBeLessThanOrEqual(3);
    expect(granted.at(-1)).toBe(false);
  });
});
