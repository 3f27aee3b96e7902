import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  components,
  freezeClock,
  inComponent,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
  type Host,
  scheduledJobs,
} from "../host.js";

useStillClock();
beforeEach(() => {
  // No call schedules housekeeping.
  vi.spyOn(Math, "random").mockReturnValue(0.999);
});
afterEach(() => void vi.restoreAllMocks());

const limiter = new RateLimiter(components.rateLimiter, {
  rows: { kind: "token bucket", rate: 10, period: HOUR },
  free: {
    kind: "token bucket",
    rate: 10,
    period: HOUR,
    applyUpdates: "asynchronously",
  },
  held: { kind: "concurrency", capacity: 3, lease: HOUR },
});

const { clearAll } = components.rateLimiter.lib;

const keys = Array.from({ length: 110 }, (_, i) => `key ${i}`);

/** Uses up a limit of each key, as a call of its own a ms later than the one before. */
async function useUp(t: Host, name: "rows" | "free"): Promise<void> {
  for (const key of keys) {
    vi.setSystemTime(Date.now() + 1);
    await t.mutation((ctx) => limiter.limit(ctx, name, { key, count: 10 }));
  }
}

async function clear(t: Host, before?: number): Promise<void> {
  vi.useFakeTimers({ now: Date.now() });
  await t.mutation((ctx) => ctx.runMutation(clearAll, { before }));
  await t.finishAllScheduledFunctions(vi.runOnlyPendingTimers, 20);
  freezeClock(Date.now());
}

/** The keys of a limit that have no token. */
const usedUp = (t: Host) =>
  t.query(async (ctx) => {
    const found: string[] = [];
    for (const key of keys) {
      const { ok } = await limiter.check(ctx, "free", { key, count: 10 });
      if (!ok) found.push(key);
    }
    return found;
  });

test.each([[["rows", "free"]], [["free", "rows"]]] as const)(
  "more keys than one transaction clears are all full, used in this order: %j",
  async (names) => {
    const t = startHost();
    for (const name of names) await useUp(t, name);
    vi.setSystemTime(Date.now() + MINUTE);
    await clear(t);
    expect(await usedUp(t)).toEqual([]);
    expect(await storedRows(t)).toEqual([]);
  },
);

test("debits that were created after the time to clear up to stay", async () => {
  const t = startHost();
  const [first, second, third] = keys;
  const take = (key: string | undefined, count = 10) =>
    t.mutation((ctx) => limiter.limit(ctx, "free", { key, count }));
  await take(first);
  await take(second, 4);
  vi.setSystemTime(MIDNIGHT + MINUTE);
  // Of the second, what was created before is not the newest.
  await take(second, 6);
  await take(third);
  await clear(t, MIDNIGHT + 1);
  expect(await usedUp(t)).toEqual([second, third]);
});

test("so they do where one transaction cannot clear all, and none is cleared twice", async () => {
  const t = startHost();
  await useUp(t, "free");
  // The keys from 90 to 99 come last, in a transaction of their own.
  await clear(t, MIDNIGHT + 96);
  expect(await usedUp(t)).toEqual(keys.slice(96));
  const stored = await inComponent(t, ({ db }) => db.query("debits").collect());
  expect(stored).toHaveLength(keys.length + 96);
});

test("what was cleared is one record more for each key, which has seen the newest", async () => {
  const t = startHost();
  const [key] = keys;
  for (let i = 0; i < 3; i++) {
    await t.mutation((ctx) => limiter.limit(ctx, "free", { key }));
  }
  vi.setSystemTime(MIDNIGHT + MINUTE);
  await clear(t);
  const stored = await inComponent(t, ({ db }) =>
    db.query("debits").withIndex("at").collect(),
  );
  expect(stored).toHaveLength(4);
  expect(stored[3]).toMatchObject({
    reset: true,
    count: 0,
    seen: stored[2]!.at,
    fullAt: MIDNIGHT + MINUTE,
  });
});

test("nothing is scheduled when nothing is left to clear", async () => {
  const t = startHost();
  await t.mutation((ctx) => limiter.limit(ctx, "free", { key: "a" }));
  vi.useFakeTimers({ now: Date.now() + MINUTE });
  await t.mutation((ctx) => ctx.runMutation(clearAll, { before: MIDNIGHT }));
  expect(await scheduledJobs(t)).toEqual([]);
});

test("an asynchronous key that is used while it runs is made full, too", async () => {
  const t = startHost();
  await useUp(t, "free");
  vi.useFakeTimers({ now: Date.now() + MINUTE });
  await t.mutation((ctx) => ctx.runMutation(clearAll, {}));
  // Before the second hundred is cleared.
  for (const key of keys) {
    await t.mutation((ctx) => limiter.charge(ctx, "free", { key, count: 0.5 }));
  }
  await t.finishAllScheduledFunctions(vi.runOnlyPendingTimers, 20);
  const left = await t.query(async (ctx) => {
    const { value } = await limiter.getValue(ctx, "free", {
      key: keys.toSorted().at(-1),
    });
    return value;
  });
  expect(left).toBe(10);
});

test("leases end, and other holds stay", async () => {
  const t = startHost();
  const ids = await t.mutation(async (ctx) => {
    const ids: string[] = [];
    for (let i = 0; i < 110; i++) {
      const held = await limiter.hold(ctx, "held", { key: keys[i], count: 3 });
      ids.push(held.id!);
    }
    return [(await limiter.hold(ctx, "rows", { count: 4 })).id!, ...ids];
  });
  await clear(t);
  const [kept] = ids;
  for (const key of [keys[0], keys[109]]) {
    const free = { key, count: 3 };
    const again = await t.mutation((ctx) => limiter.hold(ctx, "held", free));
    expect(again.ok).toBe(true);
  }
  expect(await t.mutation((ctx) => limiter.release(ctx, kept!))).toEqual({
    settled: true,
  });
});

test("what a clock ahead has stored is cleared, too", async () => {
  const t = startHost();
  vi.setSystemTime(MIDNIGHT + HOUR);
  await t.mutation(async (ctx) => {
    await limiter.limit(ctx, "rows", { key: "a", count: 10 });
    await limiter.hold(ctx, "held", { key: "a", count: 3 });
  });
  vi.setSystemTime(MIDNIGHT);
  await clear(t);
  expect(await storedRows(t)).toEqual([]);
  const held = await t.mutation((ctx) =>
    limiter.hold(ctx, "held", { key: "a", count: 3 }),
  );
  expect(held.ok).toBe(true);
});
