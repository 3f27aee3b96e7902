import { RateLimiter, SECOND, type LimitConfig } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import {
  balanceAt,
  byDepletion,
  forecastAt,
} from "../../dashboard/page/balance.js";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillTimers,
  type HostCtx,
} from "../support/host.js";

useStillTimers();

const key = "user";

/** How old the result of a query can be that an action runs. */
const OLD_MS = 17 * SECOND;

const bucket = {
  kind: "token bucket",
  rate: 10,
  period: 60 * SECOND,
  capacity: 5,
} as const satisfies LimitConfig;

type Limiter = RateLimiter<{ limit: LimitConfig }>;
type Use = (ctx: HostCtx, limiter: Limiter) => Promise<unknown>;

const take =
  (count: number, reserve = false): Use =>
  (ctx, limiter) =>
    limiter.limit(ctx, "limit", { key, count, reserve });
const override =
  (set: Parameters<Limiter["setOverride"]>[2]): Use =>
  (ctx, limiter) =>
    limiter.setOverride(ctx, "limit", { key, ...set });

/** Between when a balance is read and when it is shown. */
const SOON = MIDNIGHT + 9 * SECOND;
/** After it is shown. */
const LATE = MIDNIGHT + 60 * SECOND;

const overridden = { ...bucket, overrides: true };
const deny = true;

const fiveIn10s: LimitConfig = {
  kind: "fixed window",
  rate: 5,
  period: 10 * SECOND,
  start: 0,
};
const place: LimitConfig = {
  kind: "concurrency",
  capacity: 2,
  lease: 60 * SECOND,
};
const charge: Use = (ctx, limiter) =>
  limiter.charge(ctx, "limit", { key, count: 50 });
const endedBan = override({ deny, expiresAt: SOON });
const lift = override({ unlimited: true, startsAt: SOON });
const faster = override({ config: { rate: 1 }, startsAt: SOON });
const banToCome = override({ deny, startsAt: LATE });
/** Two leases, of which one ends soon. */
const twoLeases: Use = async (ctx, limiter) => {
  vi.setSystemTime(SOON - 60 * SECOND);
  await limiter.hold(ctx, "limit", { key });
  vi.setSystemTime(MIDNIGHT);
  await limiter.hold(ctx, "limit", { key });
};

test.each<[string, LimitConfig, ...Use[]]>([
  ["a bucket that refills", bucket, take(5)],
  ["a bucket of which nothing was taken", bucket],
  ["a debt", { ...bucket, maxReserved: 5 }, take(5), take(4, true)],
  ["a window that has started since", fiveIn10s, take(4)],
  ["a split limit", { ...bucket, capacity: 10, shards: 2 }, take(3)],
  ["a ban that has ended since", overridden, endedBan],
  ["a lift that has begun since", overridden, lift],
  ["another rate that has begun since", overridden, take(5), faster],
  ["a ban that goes on", overridden, override({ deny, expiresAt: LATE })],
  ["a ban without an end", overridden, override({ deny })],
  ["a ban without an end, to come", overridden, charge, banToCome],
  ["a ban of a dry run", { ...overridden, enforce: false }, override({ deny })],
  ["a dry run", { ...bucket, enforce: false }, take(5)],
  ["a lease that has ended since", place, twoLeases],
])(
  "of %s the page shows the present balance, not that of an old query result",
  async (_, config, ...uses) => {
    const limiter = new RateLimiter(components.rateLimiter, { limit: config });
    const t = startHost();
    for (const use of uses) await t.run((ctx) => use(ctx, limiter));
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
    // A call that no known rule will grant says to retry after a period.
    const isAskedAgain = shown.grantedIn === Infinity;
    expect(shown.grantedIn).toBe(isAskedAgain ? Infinity : retryAfter);
    const check = (count: number) =>
      t
        .run((ctx) => limiter.check(ctx, "limit", { key, count }))
        .catch((error: unknown) => ({ ok: false, wouldDeny: false, error }));
    for (const count of [0.5, 1, 4, 100]) {
      const checked = await check(count);
      const { wait, isTooMuch, max } = forecastAt(told, count, now);
      const isGranted = checked.ok && checked.wouldDeny !== true;
      expect(wait === 0).toBe(isGranted);
      expect(isTooMuch).toBe("error" in checked);
      if ("error" in checked) expect(wait).toBe(Infinity);
      // A call that no rule will grant says to retry after a period.
      else if (!checked.ok && wait < Infinity) {
        expect(wait).toBe(checked.retryAfter);
      }
      if (max === Infinity) continue;
      if (max > 0) expect(await check(max)).toMatchObject({ ok: true });
      const beyond = await check(max + 1);
      expect(beyond.ok && beyond.wouldDeny !== true).toBe(false);
    }
  },
);

test("keys are sorted by the share that they hold, banned ones first, unlimited ones last", async () => {
  const limiter = new RateLimiter<{ limit: LimitConfig }>(
    components.rateLimiter,
    { limit: { ...bucket, overrides: true } },
  );
  const t = startHost();
  const values = await t.run(async (ctx) => {
    const set = (how: Parameters<Limiter["setOverride"]>[2]) =>
      limiter.setOverride(ctx, "limit", how);
    const taken = { full: 0, one: 1, four: 4, lifted: 5, raised: 2, banned: 0 };
    await limiter.charge(ctx, "limit", { key: "debt", count: 7 });
    for (const [key, count] of Object.entries(taken)) {
      await limiter.limit(ctx, "limit", { key, count });
    }
    await set({ key: "lifted", unlimited: true });
    await set({ key: "raised", config: { capacity: 50 } });
    await set({ key: "banned", deny: true });
    return Promise.all(
      [...Object.keys(taken), "debt"].map(async (key) => ({
        key,
        balance: balanceAt(
          await limiter.getValue(ctx, "limit", { key }),
          MIDNIGHT,
        ),
      })),
    );
  });
  values.sort((a, b) => byDepletion(a.balance, b.balance));
  const order = ["banned", "debt", "raised", "four", "one", "full", "lifted"];
  expect(values.map(({ key }) => key)).toEqual(order);
});
