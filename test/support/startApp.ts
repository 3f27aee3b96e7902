import {
  calculateRateLimit,
  MINUTE,
  RateLimiter,
  type HoldAllItem,
  type LimitAllItem,
  type LimitConfig,
  type ListedKey,
  type RateLimitConfig,
  type RateLimitListOptions,
  type RateLimitOverride,
  type RefillingConfig,
  type SettleAllItem,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import { expect, vi } from "vitest";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";
import { allPages } from "./allPages.js";
import {
  components,
  inComponent,
  startHost,
  stored,
  type Host,
  type HostCtx,
} from "./host.js";

/** A bucket of `rate` tokens a minute, over `shards` rows. */
export const bucket = (rate: number, shards = 1): RateLimitConfig => ({
  kind: "token bucket",
  rate,
  period: MINUTE,
  shards,
});

/** Windows of `rate` tokens, from each full minute on, over `shards` rows. */
export const window = (rate: number, shards = 1): RateLimitConfig => ({
  kind: "fixed window",
  rate,
  period: MINUTE,
  start: 0,
  shards,
});

type Limits = Record<string, LimitConfig>;

export type App = ReturnType<typeof startApp>;

/** The options of a call. */
export type RequestOptions = {
  key?: string;
  count?: number;
  reserve?: boolean;
  leave?: number;
  upTo?: boolean;
  config?: RefillingConfig;
};

type HoldRequest = RequestOptions & { expiresAfter?: number; once?: string };

/** The items of a list. */
type Items = LimitAllItem<Record<string, RateLimitConfig>>[];
type HoldItems = HoldAllItem<Record<string, RateLimitConfig>>[];

/** An app with these limits, and each verb as one transaction. */
export function startApp(
  limits: Limits,
  options?: Parameters<typeof startHost>[0],
) {
  return deployed(startHost(options), limits);
}

/** The same app after a deploy with other limits. */
export function deployed(t: Host, limits: Limits) {
  const limiter = new RateLimiter(components.rateLimiter, limits);
  const mutate = <T>(work: (ctx: HostCtx) => Promise<T>) => t.mutation(work);
  const hold = (name: string, request: HoldRequest = {}) =>
    mutate((ctx) => limiter.hold(ctx, name, request));
  return {
    t,
    limiter,
    mutate,
    limit: (name: string, request: RequestOptions = {}) =>
      mutate((ctx) => limiter.limit(ctx, name, request)),
    check: (name: string, request: RequestOptions = {}) =>
      t.query((ctx) => limiter.check(ctx, name, request)),
    charge: (name: string, request: RequestOptions = {}) =>
      mutate((ctx) => limiter.charge(ctx, name, request)),
    credit: (name: string, request: RequestOptions = {}) =>
      mutate((ctx) => limiter.credit(ctx, name, request)),
    hold,
    /** Holds, and returns the id. Fails if it is denied. */
    held: async (name: string, request?: HoldRequest) =>
      (await hold(name, request)).id ?? expect.fail("It was denied."),
    settle: (id: string, count: number) =>
      mutate((ctx) => limiter.settle(ctx, id, { count })),
    release: (id: string) => mutate((ctx) => limiter.release(ctx, id)),
    renew: (id: string) => mutate((ctx) => limiter.renew(ctx, id)),
    holdAll: (items: HoldItems, expiresAfter?: number) =>
      mutate((ctx) => limiter.holdAll(ctx, items, { expiresAfter })),
    settleAll: (holds: SettleAllItem[]) =>
      mutate((ctx) => limiter.settleAll(ctx, holds)),
    /** The stored holds. */
    holds: () => stored(t, "holds"),
    reset: (name: string, request: RequestOptions = {}) =>
      mutate((ctx) => limiter.reset(ctx, name, request)),
    details: (name: string, request: RequestOptions = {}) =>
      t.query((ctx) =>
        limiter.check(ctx, name, { count: 0, ...request, details: true }),
      ),
    limitAll: (items: Items) => mutate((ctx) => limiter.limitAll(ctx, items)),
    checkAll: (items: Items) => t.query((ctx) => limiter.checkAll(ctx, items)),
    setOverride: (name: string, override: SetOverrideOptions) =>
      mutate((ctx) => limiter.setOverride(ctx, name, override)),
    clearOverride: (name: string, of: { key?: string } = {}) =>
      mutate((ctx) => limiter.clearOverride(ctx, name, of)),
    getValue: (name: string, request: RequestOptions = {}) =>
      t.query((ctx) => limiter.getValue(ctx, name, request)),
    listed: async (name: string, key?: string) =>
      (await listAll({ t, limiter }, { name }, 1000)).find(
        (listed) => listed.key === key,
      ),
  };
}

/** All that `list` returns, read in pages of `numItems`. */
export function listAll(
  { t, limiter }: { t: Host; limiter: Pick<RateLimiter, "list"> },
  options: Omit<RateLimitListOptions, "paginationOpts"> = {},
  numItems = 3,
): Promise<ListedKey[]> {
  return allPages((cursor) =>
    t.query((ctx) =>
      limiter.list(ctx, { ...options, paginationOpts: { numItems, cursor } }),
    ),
  );
}

/** All that `listOverrides` returns, read in pages of `numItems`. */
export function listedOverrides(
  { t, limiter }: { t: Host; limiter: Pick<RateLimiter, "listOverrides"> },
  options: { name?: string; key?: string | null } = {},
  numItems = 100,
): Promise<RateLimitOverride[]> {
  return allPages((cursor) =>
    t.query((ctx) =>
      limiter.listOverrides(ctx, {
        ...options,
        paginationOpts: { numItems, cursor },
      }),
    ),
  );
}

/** Takes single tokens until one is denied, and returns how many it got. */
export async function drain(
  app: App,
  name: string,
  request: RequestOptions = {},
): Promise<number> {
  for (let taken = 0; taken <= 2000; taken++) {
    const { ok } = await app.limit(name, request);
    if (!ok) return taken;
  }
  throw new Error("It grants without end.");
}

/** The balance that `getValue` shows now. */
export async function balanceOf(
  { getValue }: App,
  name: string,
  request: RequestOptions = {},
): Promise<number> {
  const told = await getValue(name, request);
  return calculateRateLimit(told, told.config, Date.now()).value;
}

/** Expects every way to learn the balance of a key to agree, and returns it. */
export async function agreedBalance(
  app: App,
  name: string,
  request: RequestOptions = {},
): Promise<number> {
  const told = await app.getValue(name, request);
  const now = Date.now();
  const balance = calculateRateLimit(told, told.config, now).value;
  const listed: ListedKey | undefined = await app.listed(name, request.key);
  if (listed !== undefined) {
    expect(listed.balance, "list").toBeCloseTo(balance, 6);
  }
  const remaining = Math.max(0, Math.floor(balance + 1e-6));
  const { config } = told;
  expect(await app.details(name, request), "details").toMatchObject({
    limit: config.capacity,
    remaining,
  });
  const check = createCheck(told, 0, () => now);
  expect(check(now)?.value, "the hook's check").toBeCloseTo(balance, 6);
  const { value: shown } = rateLimitAt(check, 1, now);
  expect(shown.remaining, "the hook").toBe(remaining);
  return balance;
}

type Answer = { ok: boolean; retryAfter?: number };

/**
 * Expects a request to be denied now, at some moments before its `retryAfter` and 1 ms before it, and to be
 * granted then. Leaves the clock there, and returns the wait.
 *
 * @param moments More moments to try, in ms from now. Skips those after the wait.
 */
export async function expectExactWait(
  ask: () => Promise<Answer>,
  moments: readonly number[] = [],
): Promise<number> {
  const from = Date.now();
  const first = await ask();
  expect(first, "denied").toMatchObject({
    ok: false,
    retryAfter: expect.any(Number) as number,
  });
  const wait = first.retryAfter!;
  expect(Number.isSafeInteger(wait) && wait >= 1, `a wait: ${wait}`).toBe(true);
  const halves = [2, 3, 5, 10].map((part) => Math.floor(wait / part));
  for (const moment of [...moments, ...halves, wait - 1]) {
    if (moment <= 0 || moment >= wait) continue;
    vi.setSystemTime(from + moment);
    expect(await ask(), `${moment} of ${wait} ms later`).toMatchObject({
      ok: false,
      retryAfter: wait - moment,
    });
  }
  vi.setSystemTime(from + wait);
  expect(await ask(), `${wait} ms later`).toMatchObject({ ok: true });
  return wait;
}

/** Matches the error of a request that can never be granted. */
export const exceeds = (name: string, count: number) =>
  expect.objectContaining({
    data: expect.objectContaining({
      kind: "ExceedsCapacity",
      name,
      count,
    }) as unknown,
  }) as Error;

/** Stores rows as `@convex-dev/rate-limiter` may have left them. */
export async function storeRows(
  { t }: App,
  name: string,
  rows: readonly { value: number; ts: number }[],
  key?: string,
): Promise<void> {
  await inComponent(t, async ({ db }) => {
    for (const [shard, row] of rows.entries()) {
      await db.insert("rateLimits", { name, key, shard, ...row });
    }
  });
}
