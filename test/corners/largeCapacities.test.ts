import { DAY, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  inComponent,
  MIDNIGHT,
  storedRows,
  useStillClock,
} from "../host.js";
import { balanceOf, runVacuum, startApp } from "./app.js";

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
    const start = () => startApp({ [name]: perDay(kind, capacity, shards) });

    test("the whole capacity is granted at once, and after a day again", async () => {
      const { limit } = start();
      const whole = { count: capacity };
      expect(await limit(name, whole)).toEqual({ ok: true });
      const { ok, retryAfter } = await limit(name);
      expect(ok).toBe(false);
      if (kind === "fixed window") expect(retryAfter).toBe(DAY);
      // A bucket this fast says when it is quiet, at the latest.
      else expect(retryAfter).toBeLessThanOrEqual(1000);
      expect(await limit(name, whole)).toEqual({ ok: false, retryAfter: DAY });
      vi.setSystemTime(MIDNIGHT + DAY - 1);
      expect(await limit(name, whole)).toEqual({ ok: false, retryAfter: 1 });
      vi.setSystemTime(MIDNIGHT + DAY);
      expect(await limit(name, whole)).toEqual({ ok: true });
    });

    test("all but one and then one are granted, and no third", async () => {
      const { limit } = start();
      const most = { count: capacity - 1 };
      expect(await limit(name, most)).toEqual({ ok: true });
      expect(await limit(name)).toEqual({ ok: true });
      expect(await limit(name)).toMatchObject({ ok: false });
    });
  },
);

describe.each([1, 128])("1e15 over %i rows", (shards) => {
  const start = () =>
    startApp({ [name]: perDay("token bucket", 1e15, shards) });

  test("every single token counts, whichever verb moves it", async () => {
    const app = start();
    for (let i = 0; i < 5; i++) await app.limit(name);
    await app.charge(name, { count: 3 });
    await app.credit(name, { count: 1 });
    expect(await balanceOf(app, name)).toBe(1e15 - 7);
    expect(await app.details(name)).toMatchObject({
      limit: 1e15,
      remaining: 1e15 - 7,
    });
    expect(await app.limit(name, { count: 1e15 - 6 })).toMatchObject({
      ok: false,
    });
    expect(await app.limit(name, { count: 1e15 - 7 })).toEqual({ ok: true });
  });
});

describe("a count that the balance is too large to tell", () => {
  test.each([
    [1e15, 0.06],
    [1e12, 0.00005],
  ])(
    "of %d, %d is refused by every verb, which takes nothing",
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
        expect(message).toContain(String(count));
      }
      expect(await storedRows(app.t)).toEqual([]);
    },
  );

  test.each([
    [1e15, 1],
    [1e15, 0.5],
    [1e6, 0.06],
  ])("of %d, %d is not one", async (capacity, count) => {
    const app = startApp({ [name]: perDay("token bucket", capacity, 1) });
    expect(await app.limit(name, { count })).toEqual({ ok: true });
    expect(await balanceOf(app, name)).toBe(capacity - count);
  });
});

describe("what an earlier release stored with a capacity of 2 ** 53", () => {
  const usual = { kind: "token bucket", rate: 10, period: DAY } as const;
  const large = { ...usual, capacity: 2 ** 53 };
  const limits = { [name]: { ...usual, overrides: true } };
  const paginationOpts = { numItems: 10, cursor: null };

  /** Overrides of a key and of another limit, a hold, and a key in use of each. */
  async function start() {
    const app = startApp({ ...limits, other: limits[name] });
    const capacity = large.capacity;
    const hold = await inComponent(app.t, async ({ db }) => {
      for (const of of [{ name, key: "anna" }, { name: "other" }]) {
        await db.insert("overrides", {
          ...of,
          override: { config: { capacity } },
        });
        const state = { value: 1, ts: MIDNIGHT, fullAt: MIDNIGHT + DAY };
        await db.insert("rateLimits", {
          key: "anna",
          ...of,
          shard: 0,
          ...state,
        });
      }
      const held = { config: { ...large, isInline: true }, taken: 4 };
      const expiresAt = MIDNIGHT + DAY;
      return db.insert("holds", { name, key: "bert", ...held, expiresAt });
    });
    return { ...app, hold: `${hold}:${name}` };
  }

  test("stops no verb but those that would take from it", async () => {
    const { mutate, t, limiter, limit, hold, ...app } = await start();
    const listed = await t.query((ctx) =>
      limiter.list(ctx, { paginationOpts }),
    );
    const { capacity } = large;
    expect(listed).toMatchObject({ page: [{ capacity }, { capacity }] });
    const told = await t.query((ctx) =>
      limiter.listOverrides(ctx, { paginationOpts }),
    );
    expect(told.page).toHaveLength(2);
    const { value } = await app.getValue(name, { key: "anna" });
    expect(value).toBe(1);
    expect(await limit(name, { key: "bert" })).toEqual({ ok: true });
    expect(await mutate((ctx) => limiter.release(ctx, hold))).toEqual({
      settled: true,
    });
    await app.clearOverride(name, { key: "anna" });
    await runVacuum({ t });
    const { clearAll } = components.rateLimiter.lib;
    await mutate((ctx) => ctx.runMutation(clearAll, {}));
  });

  test("lets no call take a token that it cannot tell", async () => {
    const app = await start();
    await expect(app.limit(name, { key: "anna" })).rejects.toThrow(
      "Rate limit api: count must be 0, or above 2: its capacity is large",
    );
  });
});
