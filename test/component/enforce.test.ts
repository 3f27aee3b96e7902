import { HOUR, MINUTE, type LimitConfig } from "convex-rate-limiter";
import { describe, expect, test, vi } from "vitest";
import { startApp } from "../support/startApp.js";
import { MIDNIGHT, useStillClock } from "../support/host.js";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";

useStillClock();

const one = { kind: "token bucket", rate: 1, period: HOUR } as const;
const limits = {
  whole: one,
  half: { ...one, enforce: 0.5 },
  split: { ...one, rate: 8, shards: 4, enforce: 0.5 },
  none: { ...one, enforce: 0, overrides: true },
} satisfies Record<string, LimitConfig>;

type Name = keyof typeof limits;

const users = Array.from({ length: 24 }, (_, i) => `user-${i}`);

function start() {
  const app = startApp(limits);
  const { mutate, limiter } = app;
  /** The users whom a limit that is used up denies. */
  const denied = async (name: Name) => {
    const statuses = await mutate(async (ctx) => {
      const statuses = [];
      for (const key of users) {
        await limiter.charge(ctx, name, { key, count: 8 });
        statuses.push(await limiter.limit(ctx, name, { key }));
      }
      return statuses;
    });
    return users.filter((_, i) => {
      const { retryAfter: _wait, ...said } = statuses[i]!;
      if (said.ok) expect(said).toEqual({ ok: true, wouldDeny: true });
      return !said.ok;
    });
  };
  const set = (enforce: boolean | number, times: object = {}) =>
    app.setOverride("none", { config: { enforce }, ...times });
  return { ...app, denied, set };
}

test("a share of 0.5 denies about half of the users, different ones in each limit", async () => {
  const { denied } = start();
  const [half, split] = [await denied("half"), await denied("split")];
  for (const { length } of [half, split]) {
    expect(length).toBeGreaterThan(6);
    expect(length).toBeLessThan(18);
  }
  expect(split).not.toEqual(half);
});

test("a share denies the same users each time and in each verb", async () => {
  const { t, denied, limiter } = start();
  const found = await denied("half");
  expect(await denied("half")).toEqual(found);
  const asked = await t.query(async (ctx) => {
    const asked: [boolean, boolean][] = [];
    for (const key of users) {
      const { ok } = await limiter.check(ctx, "half", { key });
      const list = await limiter.checkAll(ctx, [{ name: "half", key }]);
      asked.push([ok, list.ok]);
    }
    return asked;
  });
  const expected = users.map((key) => !found.includes(key));
  expect(asked).toEqual(expected.map((ok) => [ok, ok]));
});

describe("a page knows", () => {
  test("whether the limit is enforced for the key, not the share", async () => {
    const { getValue, denied } = start();
    const found = await denied("half");
    for (const key of users) {
      const data = await getValue("half", { key });
      expect(data.config.enforce).toBe(found.includes(key));
      const check = createCheck(data, 0, Date.now);
      const { value } = rateLimitAt(check, 1, Date.now());
      expect(value.status?.ok).toBe(!found.includes(key));
    }
  });

  test("when an enforcing override begins and ends", async () => {
    const { getValue, limit, check, set } = start();
    await limit("none");
    const [startsAt, expiresAt] = [MIDNIGHT + MINUTE, MIDNIGHT + 2 * MINUTE];
    await set(true, { startsAt, expiresAt });
    const page = createCheck(await getValue("none"), 0, Date.now);
    for (const now of [MIDNIGHT, startsAt - 1, startsAt, expiresAt - 1]) {
      const isEnforced = now >= startsAt;
      const { status } = rateLimitAt(page, 1, now).value;
      expect(status).toEqual(
        isEnforced ? { ok: false, retryAt: expiresAt } : { ok: true },
      );
      vi.setSystemTime(now);
      expect(await check("none")).toEqual(
        isEnforced
          ? { ok: false, retryAfter: expiresAt - now }
          : { ok: true, wouldDeny: true },
      );
    }
    expect(rateLimitAt(page, 1, expiresAt).value.status).toEqual({ ok: true });
    vi.setSystemTime(expiresAt);
    expect(await limit("none")).toEqual({ ok: true, wouldDeny: true });
  });
});
