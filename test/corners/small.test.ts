import { DAY, HOUR, MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { allPages, MIDNIGHT, useStillClock } from "../host.js";
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

test.each(["key", "depleted"] as const)(
  "keys of many rows are listed by %s in pages that one transaction can read, each key once",
  async (order) => {
    const app = startApp(
      { api: { ...bucket(400, 50), period: DAY } },
      { transactionLimits: { documentsRead: 1000 } },
    );
    const keys = Array.from({ length: 15 }, (_, i) => `key ${10 + i}`);
    for (const key of keys) await app.limit("api", { key, count: 400 });
    const listed = await allPages((cursor) =>
      app.t.query((ctx) =>
        app.limiter.list(ctx, {
          name: "api",
          order,
          paginationOpts: { numItems: 1100, cursor },
        }),
      ),
    );
    expect(listed.map(({ key }) => key!).sort()).toEqual(keys);
    for (const { balance, limited } of listed) {
      expect({ balance, limited }).toEqual({ balance: 0, limited: true });
    }
  },
);
