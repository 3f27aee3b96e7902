import { DAY, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { MIDNIGHT, storedRows, useStillClock } from "../support/host.js";
import { balanceOf, startApp } from "../support/startApp.js";

useStillClock();

const name = "api";

const perDay = (
  kind: RateLimitConfig["kind"],
  capacity: number,
  shards: number,
): RateLimitConfig =>
  kind === "token bucket"
    ? { kind, rate: capacity, period: DAY, shards }
    : { kind, rate: capacity, period: DAY, shards, start: 0 };

describe.each(
  (["token bucket", "fixed window"] as const).flatMap((kind) => [
    { kind, capacity: 1e6, shards: 100 },
    { kind, capacity: 1e12, shards: 13 },
    { kind, capacity: 1e15, shards: 1 },
    { kind, capacity: 999_999_999_999_989, shards: 7 },
  ]),
)(
  "$capacity a day over $shards rows of a $kind",
  { timeout: 20_000 },
  ({ kind, capacity, shards }) => {
    test("are granted to the last token, and as a whole a day later", async () => {
      const app = startApp({ [name]: perDay(kind, capacity, shards) });
      const { limit } = app;
      expect(await limit(name, { count: capacity - 1 })).toEqual({ ok: true });
      expect(await limit(name)).toEqual({ ok: true });
      const { ok, retryAfter } = await limit(name);
      expect(ok).toBe(false);
      if (kind === "fixed window") expect(retryAfter).toBe(DAY);
      // A bucket this fast is busy for a second.
      else expect(retryAfter).toBeLessThanOrEqual(1000);
      const whole = { count: capacity };
      expect(await limit(name, whole)).toEqual({ ok: false, retryAfter: DAY });
      vi.setSystemTime(MIDNIGHT + DAY - 1);
      expect(await limit(name, whole)).toEqual({ ok: false, retryAfter: 1 });
      vi.setSystemTime(MIDNIGHT + DAY);
      expect(await limit(name, whole)).toEqual({ ok: true });
    });
  },
);

test.each([1, 128])(
  "each token of 1e15 over %i rows counts, whichever verb moves it",
  async (shards) => {
    const app = startApp({ [name]: perDay("token bucket", 1e15, shards) });
    for (let i = 0; i < 5; i++) await app.limit(name);
    await app.charge(name, { count: 3 });
    await app.credit(name, { count: 1 });
    const limit = 1e15;
    const remaining = limit - 7;
    expect(await balanceOf(app, name)).toBe(remaining);
    expect(await app.details(name)).toMatchObject({ limit, remaining });
    const more = await app.limit(name, { count: remaining + 1 });
    expect(more).toMatchObject({ ok: false });
    expect(await app.limit(name, { count: remaining })).toEqual({ ok: true });
  },
);

describe("a limit with a capacity", () => {
  const least = 1e15 * Number.EPSILON;

  test.each([
    [1e15, 0.06],
    [1e12, 0.00005],
    [1e15, least],
  ])(
    "of %d refuses a count as small as %d in every verb",
    async (capacity, count) => {
      const app = startApp({ [name]: perDay("token bucket", capacity, 1) });
      const list = [{ name, count }];
      const verbs = [
        () => app.limit(name, { count }),
        () => app.limit(name, { count, reserve: true }),
        () => app.check(name, { count }),
        () => app.charge(name, { count }),
        () => app.credit(name, { count }),
        () => app.limitAll(list),
        () => app.checkAll(list),
      ];
      for (const verb of verbs) {
        const message: string = await verb().then(
          () => "granted",
          (error: Error) => error.message,
        );
        expect(message).toContain(`Rate limit ${name}: count`);
        expect(message).toContain("its capacity is large");
        expect(message).toContain(String(count));
      }
      expect(await storedRows(app.t)).toEqual([]);
    },
  );

  test.each([
    [1e15, 1],
    [1e15, 0.5],
    [1e15, least * 1.01],
    [1e6, 0.06],
  ])("of %d grants a count of %d", async (capacity, count) => {
    const app = startApp({ [name]: perDay("token bucket", capacity, 1) });
    expect(await app.limit(name, { count })).toEqual({ ok: true });
    expect(await balanceOf(app, name)).toBe(capacity - count);
  });
});
