import {
  MINUTE,
  type LimitConfig,
  type RateLimitConfig,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  balanceOf,
  bucket,
  startApp,
  window,
  type RequestOptions,
} from "../support/startApp.js";
import { freezeClock, MIDNIGHT, useStillClock } from "../support/host.js";
import { runs } from "../support/seed.js";

useStillClock();

const ten = bucket(10);

type Options = RequestOptions & { leave?: number; upTo?: boolean };

function start(config: RateLimitConfig) {
  const app = startApp({ api: config });
  const take = (options: Options) => app.limit("api", options);
  return {
    ...app,
    take,
    check: (options: Options) => app.check("api", options),
    upTo: (count: number, more: Options = {}) =>
      take({ count, upTo: true, ...more }),
    balance: () => balanceOf(app, "api"),
  };
}

const shapes = [
  ["a token bucket", ten],
  ["a split token bucket", bucket(10, 4)],
  ["a fixed window", window(10)],
  ["a split fixed window", window(10, 4)],
] as const;

describe("leave with holds", () => {
  const leased: LimitConfig = {
    kind: "concurrency",
    capacity: 10,
    lease: MINUTE,
    overrides: true,
  };
  const held = (config: LimitConfig) => {
    const app = startApp({ api: config });
    return {
      app,
      verbs: {
        hold: (count: number, leave: number) =>
          app.hold("api", { count, leave }),
        holdAll: (count: number, leave: number) =>
          app.holdAll([{ name: "api", count, leave }]),
      },
    };
  };
  const kinds = [...shapes, ["a concurrency limit", leased]] as const;
  const verbs = ["hold", "holdAll"] as const;

  test.each(
    kinds.flatMap(([of, config]) =>
      verbs.map((verb) => [verb, of, config] as const),
    ),
  )("makes %s grant what check does: %s", async (verb, _, config) => {
    const { app, verbs } = held(config);
    expect(await verbs[verb](6, 4)).toMatchObject({ ok: true });
    const asked = { count: 1, leave: 4 };
    const checked = await app.check("api", asked);
    expect(checked).toMatchObject({ ok: false });
    expect(await verbs[verb](1, 4)).toMatchObject(checked);
    vi.setSystemTime(MIDNIGHT + checked.retryAfter!);
    expect(await app.check("api", asked)).toEqual({ ok: true });
    expect(await verbs[verb](1, 3)).toMatchObject({ ok: true });
  });

  test.each([
    ["a token bucket", ten],
    ["a concurrency limit", leased],
  ] as const)("is an error if it cannot be met: %s", async (_, config) => {
    const { verbs } = held(config);
    for (const verb of [verbs.hold, verbs.holdAll]) {
      await expect(verb(4, 7)).rejects.toMatchObject({
        data: { kind: "ExceedsCapacity", name: "api", count: 4, max: 3 },
      });
      await expect(verb(1, -1)).rejects.toThrow(
        "Rate limit api: leave must be a finite number of at least 0, but is -1.",
      );
    }
  });

  test("counts within an override's capacity, and not while unlimited", async () => {
    const { app, verbs } = held(leased);
    await app.setOverride("api", { config: { capacity: 5 } });
    await expect(verbs.hold(1, 5)).rejects.toMatchObject({
      data: { kind: "ExceedsCapacity", max: 0 },
    });
    expect(await verbs.hold(1, 4)).toMatchObject({ ok: true });
    expect(await verbs.hold(1, 4)).toMatchObject({ ok: false });
    await app.setOverride("api", { unlimited: true });
    expect(await verbs.hold(1, 4)).toMatchObject({ ok: true });
  });
});

describe("upTo", () => {
  test("grants all of the count in a dry run", async () => {
    const { upTo, balance } = start({ ...ten, enforce: false });
    const all = { ok: true, taken: 25 };
    expect(await upTo(25)).toEqual(all);
    expect(await balance()).toBe(0);
    expect(await upTo(25)).toEqual({ ...all, wouldDeny: true });
  });

  test("grants all of the count to an unlimited key", async () => {
    const app = start({ ...ten, overrides: true });
    await app.setOverride("api", { key: "vip", unlimited: true });
    const [vip, other] = [{ key: "vip" }, { key: "other" }];
    expect(await app.upTo(25, vip)).toEqual({ ok: true, taken: 25 });
    expect(await app.upTo(25, other)).toEqual({ ok: true, taken: 10 });
  });
});

/* The oracle knows only the balance before each request. */
describe("for any leave and upTo,", () => {
  const quarter = (max: number) =>
    fc.integer({ min: 0, max: 4 * max }).map((n) => n / 4);
  const step = fc.record({
    /** In a tenth of a minute one token arrives, in quarters where there are four rows. */
    wait: fc.integer({ min: 0, max: 15 }).map((n) => n * 6_000),
    count: fc.oneof(
      fc.integer({ min: 0, max: 60 }).map((n) => n / 4),
      fc.constant(500),
    ),
    leave: quarter(12),
    upTo: fc.boolean(),
  });

  test.each(shapes)(
    "%s grants by its balance, and denies exactly until retryAfter",
    async (_, config) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { minLength: 1, maxLength: 8 }),
          async (steps) => {
            freezeClock(MIDNIGHT);
            const { take, check, balance } = start(config);
            let now = MIDNIGHT;
            for (const { wait, ...step } of steps) {
              vi.setSystemTime((now += wait));
              const held = await balance();
              const { leave, upTo } = step;
              const count = upTo ? Math.max(1, step.count) : step.count;
              const asked = { count, leave, upTo };
              const there = held - leave;
              const least = upTo ? 1 : count;
              const [checked] = await Promise.allSettled([check(asked)]);
              const answer = take(asked);
              const [taken] = await Promise.allSettled([answer]);
              expect(taken).toEqual(checked);
              if (least + leave > 10) {
                const data = {
                  kind: "ExceedsCapacity",
                  name: "api",
                  count: upTo ? Math.floor(count) : count,
                  max: Math.max(0, 10 - leave),
                };
                await expect(answer).rejects.toMatchObject({ data });
              } else if (least > there) {
                const { ok, retryAfter } = await answer;
                expect(ok).toBe(false);
                vi.setSystemTime(now + retryAfter! - 1);
                expect((await check(asked)).ok).toBe(false);
                vi.setSystemTime(now + retryAfter!);
                expect((await check(asked)).ok).toBe(true);
                vi.setSystemTime(now);
              } else if (upTo) {
                const taken = Math.min(Math.floor(count), Math.floor(there));
                expect(await answer).toEqual({ ok: true, taken });
                expect(await balance()).toBe(held - taken);
              } else {
                expect(await answer).toEqual({ ok: true });
                expect(await balance()).toBe(held - count);
              }
            }
          },
        ),
        runs(12),
      );
    },
  );
});
