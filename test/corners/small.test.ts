import { parseLimit, ruleOf } from "../../src/core/limit.js";
import { DAY, HOUR, MINUTE, type RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { inComponent, MIDNIGHT, useStillClock } from "../host.js";
import {
  agreedBalance,
  bucket,
  listAll,
  runVacuum,
  startApp,
  window,
} from "../startApp.js";

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
  await app.hold("render", { key });
  vi.setSystemTime(MIDNIGHT + 1000);
  await app.hold("render", { key });
  expect(await agreedBalance(app, "render", { key })).toBe(2);
  vi.setSystemTime(MIDNIGHT + 999);
  expect(await agreedBalance(app, "render", { key })).toBe(1);
});

test.each(["key", "depleted"] as const)(
  "keys of many rows are listed by %s in pages that one transaction can read, each key once",
  async (order) => {
    const split = { ...bucket(400, 50), period: HOUR };
    const transactionLimits = { documentsRead: 240 };
    const app = startApp({ api: split }, { transactionLimits });
    const keys = ["a", "b", "c"];
    const state = { name: "api", ts: MIDNIGHT, fullAt: MIDNIGHT + HOUR / 2 };
    const rule = ruleOf(parseLimit("api", split));
    const root = { value: 200, usedAt: 0, into: 50, rule };
    await inComponent(app.t, async ({ db }) => {
      for (let shard = 0; shard <= 50; shard++) {
        const row = { ...state, shard, ...(shard === 0 ? root : { value: 4 }) };
        for (const key of keys) await db.insert("rateLimits", { ...row, key });
      }
    });
    const listed = await listAll(app, { name: "api", order }, 1100);
    expect(listed.map(({ key }) => key).sort()).toEqual(keys);
    for (const { balance } of listed) expect(balance).toBe(200);
  },
);
