import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { components, MIDNIGHT, startHost, useStillClock } from "../host.js";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";

useStillClock();

const one = { kind: "token bucket", rate: 1, period: HOUR } as const;
const limiter = new RateLimiter(components.rateLimiter, {
  whole: one,
  half: { ...one, enforce: 0.5 },
  split: { ...one, rate: 8, shards: 4, enforce: 0.5 },
  none: { ...one, enforce: 0, overrides: true },
  all: { ...one, enforce: 1 },
});

type Name = "whole" | "half" | "split" | "none" | "all";

const users = Array.from({ length: 40 }, (_, i) => `user-${i}`);

function start() {
  const t = startHost();
  const take = (name: Name, key?: string) =>
    t.mutation((ctx) => limiter.limit(ctx, name, { key }));
  /** The users whom a limit that is used up denies. */
  const denied = async (name: Name, count = 1) => {
    const found: string[] = [];
    for (const key of users) {
      await t.mutation((ctx) => limiter.charge(ctx, name, { key, count }));
      const status = await take(name, key);
      if (!status.ok) found.push(key);
      else expect(status).toEqual({ ok: true, wouldDeny: true });
    }
    return found;
  };
  const set = (enforce: boolean | number, more: object = {}) =>
    t.mutation((ctx) =>
      limiter.setOverride(ctx, "none", { config: { enforce }, ...more }),
    );
  return { t, take, denied, set };
}

test("0 is a dry run for all, 1 is enforced for all", async () => {
  const { denied } = start();
  expect(await denied("none")).toEqual([]);
  expect(await denied("all")).toEqual(users);
});

test.each([
  ["half", 1],
  ["split", 8],
] as const)(
  "a share of 0.5 denies about half of the users: %s",
  async (name, count) => {
    const found = await start().denied(name, count);
    expect(found.length).toBeGreaterThan(10);
    expect(found.length).toBeLessThan(30);
  },
);

test("the same users are denied each time, and by each verb", async () => {
  const { t, denied } = start();
  const found = await denied("half");
  expect(await denied("half")).toEqual(found);
  for (const key of users) {
    const asked = await t.query(async (ctx) => [
      await limiter.check(ctx, "half", { key }),
      await limiter.checkAll(ctx, [{ name: "half", key }]),
    ]);
    const ok = !found.includes(key);
    expect(asked.map((status) => status.ok)).toEqual([ok, ok]);
  }
});

test("an override rolls it out, and nobody moves back", async () => {
  const { denied, set } = start();
  let before: string[] = [];
  for (const share of [0.1, 0.5, 0.9, 1]) {
    await set(share);
    const found = await denied("none");
    expect(found).toEqual(expect.arrayContaining(before));
    before = found;
  }
  expect(before).toEqual(users);
  await set(false);
  expect(await denied("none")).toEqual([]);
});

test("a denial knows when an override ends the enforcement", async () => {
  const { take, set } = start();
  await set(true, { expiresAt: MIDNIGHT + MINUTE });
  await take("none");
  expect(await take("none")).toEqual({ ok: false, retryAfter: MINUTE });
  vi.setSystemTime(MIDNIGHT + MINUTE - 1);
  expect(await take("none")).toEqual({ ok: false, retryAfter: 1 });
  vi.setSystemTime(MIDNIGHT + MINUTE);
  expect(await take("none")).toEqual({ ok: true, wouldDeny: true });
});

describe("the browser is told", () => {
  test("whether it is enforced for this key, and not the share", async () => {
    const { t, denied } = start();
    const found = await denied("half");
    for (const key of users) {
      const data = await t.query((ctx) =>
        limiter.getValue(ctx, "half", { key }),
      );
      expect(data.config.enforce).toBe(found.includes(key));
      const check = createCheck(data, 0, Date.now);
      const { value } = rateLimitAt(check, 1, Date.now());
      expect(value.status?.ok).toBe(!found.includes(key));
    }
  });

  test("of a limit that says nothing of it, nothing", async () => {
    const { t } = start();
    const { config } = await t.query((ctx) => limiter.getValue(ctx, "whole"));
    expect(config).not.toHaveProperty("enforce");
  });

  test("when an override that enforces begins and ends", async () => {
    const { t, take, set } = start();
    await take("none");
    await set(true, {
      startsAt: MIDNIGHT + MINUTE,
      expiresAt: MIDNIGHT + 2 * MINUTE,
    });
    const data = await t.query((ctx) => limiter.getValue(ctx, "none"));
    const check = createCheck(data, 0, Date.now);
    const at = (ms: number) =>
      rateLimitAt(check, 1, MIDNIGHT + ms).value.status;
    expect(at(0)).toEqual({ ok: true });
    expect(at(MINUTE - 1)).toEqual({ ok: true });
    const retryAt = MIDNIGHT + 2 * MINUTE;
    expect(at(MINUTE)).toEqual({ ok: false, retryAt });
    expect(at(2 * MINUTE - 1)).toEqual({ ok: false, retryAt });
    expect(at(2 * MINUTE)).toEqual({ ok: true });
    for (const ms of [0, MINUTE, 2 * MINUTE - 1, 2 * MINUTE]) {
      vi.setSystemTime(MIDNIGHT + ms);
      const asked = await t.query((ctx) => limiter.check(ctx, "none"));
      expect(asked.ok).toBe(at(ms)?.ok);
    }
  });
});

describe("a share that is none is refused", () => {
  const bad = [-0.1, 1.1, NaN, Infinity, "0.5", null] as number[];
  test.each(bad)("%j, where the limiter is made", (enforce) => {
    expect(
      () => new RateLimiter(components.rateLimiter, { a: { ...one, enforce } }),
    ).toThrow("Rate limit a: enforce must be true, false, or a share");
  });

  test.each(bad)("%j, as an override", async (enforce) => {
    const { t, set } = start();
    await expect(set(enforce)).rejects.toThrow();
    const paginationOpts = { numItems: 9, cursor: null };
    const { page } = await t.query((ctx) =>
      limiter.listOverrides(ctx, { paginationOpts }),
    );
    expect(page).toEqual([]);
  });
});
