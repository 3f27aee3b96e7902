import { HOUR, MINUTE, RateLimiter } from "convex-rate-limiter";
import { expect, test, vi } from "vitest";
import {
  components,
  freezeClock,
  MIDNIGHT,
  startHost,
  storedRows,
  useStillClock,
  type Host,
  stored,
} from "../host.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter, {
  api: { kind: "token bucket", rate: 10, period: HOUR, overrides: true },
  split: { kind: "token bucket", rate: 40, period: HOUR, shards: 4 },
});

const { clearAll } = components.rateLimiter.lib;

/** `clearAll`, and what it schedules. */
async function clear(t: Host, before?: number): Promise<void> {
  const now = Date.now();
  vi.useFakeTimers({ now });
  await t.mutation((ctx) => ctx.runMutation(clearAll, { before }));
  await t.finishAllScheduledFunctions(vi.runOnlyPendingTimers);
  freezeClock(now);
}

async function take(t: Host, keys: number): Promise<void> {
  for (let i = 0; i < keys; i++) {
    await t.mutation((ctx) => limiter.limit(ctx, "api", { key: `key ${i}` }));
  }
}

const keysLeft = async (t: Host) =>
  (await storedRows(t)).map(({ key }) => key).sort();

test.each([1, 100, 101])(
  "%i keys taken in this very ms are all cleared",
  async (keys) => {
    const t = startHost();
    await take(t, keys);
    await clear(t);
    expect(await keysLeft(t)).toEqual([]);
  },
);

test("each row of a split limit, and of several limits, is cleared", async () => {
  const t = startHost();
  await t.mutation(async (ctx) => {
    await limiter.limit(ctx, "split", { count: 40 });
    await limiter.limit(ctx, "api");
    await limiter.charge(ctx, "split", { key: "k", count: 100 });
  });
  await clear(t);
  expect(await storedRows(t)).toEqual([]);
});

test("a row of long ago that was written again in this ms is cleared", async () => {
  const t = startHost();
  await take(t, 3);
  vi.setSystemTime(MIDNIGHT + MINUTE);
  await take(t, 3);
  await clear(t);
  expect(await storedRows(t)).toEqual([]);
});

test("up to a time: rows that were created later stay", async () => {
  const t = startHost();
  await take(t, 3);
  vi.setSystemTime(MIDNIGHT + MINUTE);
  await t.mutation((ctx) => limiter.limit(ctx, "api", { key: "later" }));
  await clear(t, MIDNIGHT + 1);
  expect(await keysLeft(t)).toEqual(["later"]);
});

test("limits are full again, and overrides stay", async () => {
  const t = startHost();
  const whole = { key: "k", count: 10 };
  await t.mutation((ctx) => limiter.limit(ctx, "api", whole));
  await t.mutation((ctx) =>
    limiter.setOverride(ctx, "api", { key: "bad", deny: true }),
  );
  await clear(t);
  const answer = await t.mutation((ctx) => limiter.limit(ctx, "api", whole));
  expect(answer).toEqual({ ok: true });
  const left = await stored(t, "overrides");
  expect(left).toHaveLength(1);
});

test("in the same mutation as what took, it clears that too", async () => {
  const t = startHost();
  await t.mutation(async (ctx) => {
    await limiter.limit(ctx, "api", { key: "a" });
    await limiter.limit(ctx, "api", { key: "b" });
    await ctx.runMutation(clearAll, {});
  });
  expect(await storedRows(t)).toEqual([]);
});
