import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  useStillTimers,
} from "../support/host.js";
import { balanceOf, startApp } from "../support/startApp.js";
import {
  mountMixed,
  mountOurs,
  mountPeer,
  type Mounted,
} from "./bothPackages.js";

/* A negative `count` gives tokens back, where `@convex-dev/rate-limiter` accepts it. */

useStillTimers();

const bucket = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const window = { ...bucket, kind: "fixed window", start: 0 } as const;

/** Warnings that point to `credit` are expected here. */
function silenceAdvice() {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  onTestFinished(() => warn.mockRestore());
  return warn;
}

type Case = {
  verb: "limit" | "check";
  value: number;
  count: number;
  reserve: boolean;
  throws: boolean;
  maxReserved?: number;
};

const cases: Case[] = (["limit", "check"] as const).flatMap((verb) =>
  [10, 4, -3].flatMap((value) =>
    [-0.5, -20].flatMap((count) =>
      [
        { reserve: false, throws: false },
        { reserve: false, throws: true },
        { reserve: true, throws: false },
        { reserve: true, throws: true },
        { reserve: true, throws: false, maxReserved: 1 },
      ].map((options) => ({ verb, value, count, ...options })),
    ),
  ),
);

/** The answer, and the balance that counts from then on. */
async function answered(
  { run, inline, restore, calculateRateLimit }: Mounted,
  base: typeof bucket | typeof window,
  { verb, value, count, reserve, throws, maxReserved }: Case,
) {
  const config = maxReserved === undefined ? base : { ...base, maxReserved };
  await restore([{ name: "tokens", shard: 0, value, ts: MIDNIGHT }]);
  const answer = await run((ctx) =>
    inline[verb](ctx, "tokens", { config, count, reserve, throws }),
  );
  const balance = await run(async (ctx) => {
    const told = await inline.getValue(ctx, "tokens", { config });
    return calculateRateLimit(told, config, MIDNIGHT).value;
  });
  return { answer, balance };
}

for (const base of [bucket, window]) {
  test.for(cases)(
    `${base.kind}: $verb answers a count of $count as @convex-dev/rate-limiter does: balance $value, reserve $reserve, throws $throws, maxReserved $maxReserved`,
    async (one) => {
      silenceAdvice();
      const there = await answered(mountPeer(), base, one);
      for (const mount of [mountOurs, mountMixed]) {
        const here = await answered(mount(), base, one);
        // A reservation that is denied waits for less here: see docs/migrating.md.
        if (one.maxReserved === undefined) expect(here).toEqual(there);
        expect(here.balance).toBe(there.balance);
        expect(here.answer).toMatchObject(
          "ok" in there.answer ? { ok: there.answer.ok } : there.answer,
        );
      }
    },
  );
}

test("what is given back to a split limit lies in its rows, up to the capacity", async () => {
  silenceAdvice();
  const app = startApp({ tokens: { ...bucket, rate: 100, shards: 10 } });
  for (let i = 0; i < 8; i++) await app.limit("tokens", { count: 10 });
  await app.limit("tokens", { count: -45.5 });
  expect(await balanceOf(app, "tokens")).toBe(65.5);
  await app.limit("tokens", { count: -45.5 });
  expect(await balanceOf(app, "tokens")).toBe(100);
  expect(await app.limit("tokens", { count: 100 })).toEqual({ ok: true });
});

test("a list may take and give back", async () => {
  silenceAdvice();
  const app = startApp({ a: bucket, b: bucket });
  await app.limit("b", { count: 5 });
  await app.limitAll([
    { name: "a", count: 2 },
    { name: "b", count: -3 },
  ]);
  expect(await balanceOf(app, "a")).toBe(8);
  expect(await balanceOf(app, "b")).toBe(8);
});

test("what was given back counts as a call that took no tokens", async () => {
  silenceAdvice();
  const app = startApp({ tokens: { ...bucket, stats: true } });
  await app.limit("tokens", { count: 5 });
  await app.limit("tokens", { count: -3 });
  const stats = await app.mutate((ctx) =>
    app.limiter.stats(ctx, "tokens", {
      from: MIDNIGHT,
      to: MIDNIGHT + MINUTE,
      by: "minute",
    }),
  );
  expect(stats[0]).toMatchObject({ granted: 2, denied: 0, tokens: 5 });
});

test.each([
  ["once", {}, 1],
  ["never with advice: false", { advice: false }, 0],
] as const)("a limiter points to credit %s", async (_, options, times) => {
  const warn = silenceAdvice();
  const t = startHost();
  const limiter = new RateLimiter(
    components.rateLimiter,
    { tokens: bucket },
    options,
  );
  await t.mutation(async (ctx) => {
    await limiter.limit(ctx, "tokens", { count: 2 });
    await limiter.limit(ctx, "tokens", { count: -1 });
    await limiter.check(ctx, "tokens", { count: -1 });
    await limiter.limit(ctx, "tokens", { count: -1 });
  });
  expect(warn).toHaveBeenCalledTimes(times);
  for (const [text] of warn.mock.calls) {
    expect(text).toBe(
      "Rate limit tokens: count is -1, which gives tokens back. Use credit for that (advice: false silences this).",
    );
  }
});
