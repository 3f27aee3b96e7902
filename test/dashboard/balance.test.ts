import { RateLimiter, SECOND, type LimitConfig } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import { balanceAt, verdictAt } from "../../dashboard/page/balance.js";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillTimers,
  type HostCtx,
} from "../host.js";

useStillTimers();

const key = "user";

/** A query that an action runs can be told what held so long ago. */
const OLD_MS = 17 * SECOND;

const bucket = {
  kind: "token bucket",
  rate: 10,
  period: 60 * SECOND,
  capacity: 5,
} as const satisfies LimitConfig;

type Limiter = RateLimiter<{ limit: LimitConfig }>;
type Use = (ctx: HostCtx, limiter: Limiter) => Promise<unknown>;

const take = (count: number): Use => {
  return (ctx, limiter) => limiter.limit(ctx, "limit", { key, count });
};

/** In the middle of what is told and when it is shown. */
const SOON = MIDNIGHT + 9 * SECOND;

test.each<[string, LimitConfig, Use]>([
  ["a bucket that refills", bucket, take(5)],
  ["a bucket of which nothing was taken", bucket, async () => {}],
  [
    "a debt",
    { ...bucket, maxReserved: 5 },
    (ctx, limiter) =>
      limiter
        .limit(ctx, "limit", { key, count: 5 })
        .then(() =>
          limiter.limit(ctx, "limit", { key, count: 4, reserve: true }),
        ),
  ],
  [
    "a window that has started since",
    { kind: "fixed window", rate: 5, period: 10 * SECOND, start: 0 },
    take(4),
  ],
  ["a split limit", { ...bucket, capacity: 10, shards: 2 }, take(3)],
  [
    "a limit with headroom",
    { ...bucket, applyUpdates: "asynchronously", headroom: 1 },
    take(3),
  ],
  [
    "a ban that has ended since",
    { ...bucket, overrides: true },
    (ctx, limiter) =>
      limiter.setOverride(ctx, "limit", { key, deny: true, expiresAt: SOON }),
  ],
  [
    "a lift that has begun since",
    { ...bucket, overrides: true },
    (ctx, limiter) =>
      limiter.setOverride(ctx, "limit", {
        key,
        unlimited: true,
        startsAt: SOON,
      }),
  ],
  [
    "another rate that has begun since",
    { ...bucket, overrides: true },
    async (ctx, limiter) => {
      await limiter.limit(ctx, "limit", { key, count: 5 });
      await limiter.setOverride(ctx, "limit", {
        key,
        config: { rate: 1 },
        startsAt: SOON,
      });
    },
  ],
  ["a dry run", { ...bucket, enforce: false }, take(5)],
  [
    "a lease that has ended since",
    { kind: "concurrency", capacity: 2, lease: 60 * SECOND },
    async (ctx, limiter) => {
      vi.setSystemTime(SOON - 60 * SECOND);
      await limiter.hold(ctx, "limit", { key });
      vi.setSystemTime(MIDNIGHT);
      await limiter.hold(ctx, "limit", { key });
    },
  ],
])(
  "of %s the page shows what holds when it shows it, not when a query was told it",
  async (_name, config, use) => {
    const limiter = new RateLimiter(components.rateLimiter, { limit: config });
    const t = startHost();
    await t.run((ctx) => use(ctx, limiter));
    const read = () => t.run((ctx) => limiter.getValue(ctx, "limit", { key }));
    const told = await read();
    vi.setSystemTime(MIDNIGHT + OLD_MS);
    const now = Date.now();
    const fresh = await read();
    const shown = balanceAt(told, now);
    expect(shown).toEqual({
      ...balanceAt(fresh, now),
      value: expect.closeTo(balanceAt(fresh, now).value, 9) as number,
    });
    const { retryAfter } = await t.run((ctx) =>
      limiter.check(ctx, "limit", { key }),
    );
    expect(shown.grantedIn).toBe(retryAfter);
    const check = (count: number) =>
      t
        .run((ctx) => limiter.check(ctx, "limit", { key, count }))
        .catch((error: unknown) => ({ ok: false, wouldDeny: false, error }));
    for (const count of [0.5, 1, 4, 100]) {
      const checked = await check(count);
      const { wait, most } = verdictAt(told, count, now);
      const isGranted = checked.ok && checked.wouldDeny !== true;
      expect(wait === 0).toBe(isGranted);
      if ("error" in checked) expect(wait).toBe(Infinity);
      else if (!checked.ok) expect(wait).toBe(checked.retryAfter);
      if (most === Infinity) continue;
      if (most > 0) expect(await check(most)).toMatchObject({ ok: true });
      const beyond = await check(most + 1);
      expect(beyond.ok && beyond.wouldDeny !== true).toBe(false);
    }
  },
);
