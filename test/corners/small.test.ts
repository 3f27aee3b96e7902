import { parseLimit, ruleOf } from "../../src/core/limit.js";
import {
  DAY,
  HOUR,
  MINUTE,
  type ListedKey,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { inComponent, MIDNIGHT, useStillClock } from "../host.js";
import { agreedBalance, bucket, runVacuum, startApp, window } from "./app.js";

useStillClock();

const tenAnHour = { ...bucket(10), period: HOUR, overrides: true };
const daily = { ...window(10), period: DAY };

describe("a limit that is credited to the brim is listed as long as any that has become full", () => {
  test.each([
    ["a window", daily],
    ["a window over many rows", { ...daily, shards: 3 }],
    ["a bucket", tenAnHour],
    ["a bucket over many rows", { ...tenAnHour, shards: 3 }],
  ] as [string, RateLimitConfig][])("%s", async (_, config) => {
    for (const hour of [0, 23]) {
      const app = startApp({ api: config });
      const usedAt = MIDNIGHT + hour * HOUR + 17;
      vi.setSystemTime(usedAt);
      await app.limit("api", { key: "k", count: 3 });
      await app.credit("api", { key: "k", count: 3 });
      const full = { key: "k", balance: 10, capacity: 10, limited: false };
      expect(await app.listed("api", "k")).toMatchObject(full);
      vi.setSystemTime(usedAt + HOUR - 1);
      expect(await app.listed("api", "k")).toMatchObject(full);
      vi.setSystemTime(usedAt + HOUR + DAY);
      expect(await app.listed("api", "k")).toBeUndefined();
      expect(await agreedBalance(app, "api", { key: "k" })).toBe(10);
    }
  });
});

test.each([MINUTE, 59 * MINUTE])(
  "a clock that steps back %i ms, behind the end of an override, finds it again, though the vacuum has run",
  async (back) => {
    const app = startApp({ api: tenAnHour });
    const expiresAt = MIDNIGHT + HOUR;
    await app.setOverride("api", { deny: true, expiresAt });
    vi.setSystemTime(expiresAt - 1 + back);
    await runVacuum(app);
    expect(await app.limit("api")).toEqual({ ok: true });
    vi.setSystemTime(expiresAt - 1);
    expect(await app.limit("api")).toMatchObject({ ok: false });
  },
);

test("by a clock that stepped back, the balance that is told counts a lease that is held again", async () => {
  const render = { kind: "concurrency", capacity: 3, lease: 1000 } as const;
  const app = startApp({ render });
  const key = "k";
  const hold = () =>
    app.mutate((ctx) => app.limiter.hold(ctx, "render", { key }));
  await hold();
  vi.setSystemTime(MIDNIGHT + 1000);
  await hold();
  expect(await agreedBalance(app, "render", { key })).toBe(2);
  vi.setSystemTime(MIDNIGHT + 999);
  expect(await agreedBalance(app, "render", { key })).toBe(1);
});

describe("very small and very uneven numbers", () => {
  const numbers = [5e-324, 1e-9, 1e300];
  const configs = numbers.flatMap((rate) =>
    [1e-300, 0.5].flatMap((capacity) =>
      [1, HOUR].flatMap((period): RateLimitConfig[] => [
        { kind: "token bucket", rate, capacity, period },
        { kind: "fixed window", rate, capacity, period, start: 0 },
      ]),
    ),
  );

  test.each(configs)(
    "%j: resetAfter is a whole number of at least 0",
    async (config) => {
      const app = startApp({ api: config });
      vi.setSystemTime(MIDNIGHT + 12_345);
      await app.charge("api", { count: config.capacity! / 2 });
      for (const pause of [0, 1, 10_000, 2 * HOUR]) {
        vi.setSystemTime(MIDNIGHT + 12_345 + pause);
        const { resetAfter, remaining } = await app.details("api");
        expect(Number.isSafeInteger(resetAfter)).toBe(true);
        expect(resetAfter).toBeGreaterThanOrEqual(0);
        expect(remaining).toBe(0);
      }
    },
  );
});

test("a page of keys with 1,024 rows each stays inside a transaction's limits, and no key comes twice", async () => {
  const split = { ...bucket(4096, 1024), period: HOUR };
  const app = startApp({ api: split }, { transactionLimits: true });
  const keys = Array.from({ length: 5 }, (_, i) => `key ${10 + i}`);
  const state = { ts: MIDNIGHT, fullAt: MIDNIGHT + HOUR / 2 };
  const rule = ruleOf(parseLimit("api", split));
  const root = { shard: 0, value: 2048, ...state, usedAt: 0, into: 1024, rule };
  for (let from = 0; from <= 1024; from += 128) {
    await inComponent(app.t, async ({ db }) => {
      for (let shard = from; shard < Math.min(1025, from + 128); shard++) {
        const row = shard === 0 ? root : { shard, value: 2, ...state };
        for (const key of keys) {
          await db.insert("rateLimits", { name: "api", key, ...row });
        }
      }
    });
  }
  for (const order of ["depleted", "key"] as const) {
    const readFrom = (cursor: string | null) =>
      app.t.query(async (ctx) => {
        const page = await app.limiter.list(ctx, {
          order,
          paginationOpts: { numItems: 1100, cursor },
        });
        const { documentsRead } = await ctx.meta.getTransactionMetrics();
        // All of the keys have more rows than that.
        expect(documentsRead.used).toBeLessThan(9_000);
        return page;
      });
    const listed: ListedKey[] = [];
    // By depletion the rows of all keys lie mixed. Each is read twice.
    for (let pages = 0, cursor: string | null = null; pages < 2; pages++) {
      const next = await readFrom(cursor);
      listed.push(...next.page);
      cursor = next.continueCursor;
    }
    const seen = listed.map(({ key }) => key);
    expect(seen.length).toBeGreaterThan(1);
    expect(new Set(seen).size).toBe(seen.length);
    for (const { balance } of listed) expect(balance).toBe(2048);
  }
}, 60_000);
