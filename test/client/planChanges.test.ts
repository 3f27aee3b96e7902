import {
  calculateRateLimit,
  DAY,
  HOUR,
  MINUTE,
  RateLimiter,
  type RefillingConfig,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import fc from "fast-check";
import { afterAll, describe, expect, test, vi } from "vitest";
import { setHeat } from "../heat.js";
import {
  components,
  MIDNIGHT,
  startHost,
  stored,
  storedRows,
  useStillClock,
  type Host,
} from "../host.js";
import { runs } from "../seed.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter, undefined, {
  advice: false,
});
const key = "ada";
const places = { kind: "concurrency", capacity: 1, lease: HOUR } as const;
const passMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

const charge = (t: Host, config: RefillingConfig, count: number) =>
  t.mutation((ctx) => limiter.charge(ctx, "exports", { key, config, count }));

/** Changes the plan, and returns what it gave and what the key then holds. */
async function change(t: Host, from: RefillingConfig, config: RefillingConfig) {
  const { credited } = await t.mutation((ctx) =>
    limiter.credit(ctx, "exports", { key, config, from }),
  );
  return [credited, await balance(t, config)];
}

const balance = async (t: Host, config: RefillingConfig) => {
  const details = { key, config, count: 0, details: true } as const;
  const { remaining } = await t.query((ctx) =>
    limiter.check(ctx, "exports", details),
  );
  return remaining;
};

const window = {
  kind: "fixed window",
  rate: 3,
  period: DAY,
  start: 0,
} as const;
const kinds: Record<string, RefillingConfig> = {
  "a fixed window": window,
  "a window of the calendar": {
    kind: "fixed window",
    rate: 3,
    period: "day",
    timeZone: "Asia/Kolkata",
  },
  "a token bucket": { kind: "token bucket", rate: 3, period: DAY },
  "an asynchronous window": { ...window, applyUpdates: "asynchronously" },
  "an asynchronous bucket": {
    kind: "token bucket",
    rate: 3,
    period: DAY,
    applyUpdates: "asynchronously",
  },
  "a limit that splits as it grows": { ...window, shards: 4 },
};

describe.each(Object.entries(kinds))("of %s", (_, free) => {
  const pro: RefillingConfig = { ...free, rate: 10 };

  test.each([
    ["a key that has used nothing is full", 0, 0, 10],
    ["a used-up key has the difference at once", 3, 7, 7],
    ["what was used stays used", 1, 7, 9],
    ["a debt stays owed", 5, 7, 5],
    ["a deep debt stays a debt", 12, 7, 0],
  ])("an upgrade: %s", async (_, used, credited, left) => {
    const t = startHost();
    if (used > 0) await charge(t, free, used);
    expect(await change(t, free, pro)).toEqual([credited, left]);
  });

  test("a downgrade gives nothing, and cuts off what is above the capacity", async () => {
    const t = startHost();
    await charge(t, pro, 2);
    expect(await change(t, pro, free)).toEqual([0, 3]);
    await charge(t, free, 3);
    expect(await change(t, free, free)).toEqual([0, 0]);
  });

  test("a downgrade writes nothing", async () => {
    const t = startHost();
    await charge(t, pro, 2);
    const rows = await storedRows(t);
    await change(t, pro, free);
    expect(await storedRows(t)).toEqual(rows);
  });

  test("a key that is full again at this very ms is full by the new plan", async () => {
    const t = startHost();
    await charge(t, free, 3);
    const { retryAfter } = await t.query((ctx) =>
      limiter.check(ctx, "exports", { key, config: free, count: 3 }),
    );
    passMs(retryAfter!);
    expect((await change(t, free, pro))[1]).toBe(10);
  });

  test("a clock that has stepped back changes none of it", async () => {
    const t = startHost();
    await charge(t, free, 3);
    passMs(-MINUTE);
    expect(await change(t, free, pro)).toEqual([7, 7]);
  });

  test("an exception that lies over both plans stays as it is", async () => {
    const t = startHost();
    const overrides = true;
    await t.mutation((ctx) =>
      limiter.setOverride(ctx, "exports", { key, config: { capacity: 5 } }),
    );
    const [by, to] = [
      { ...free, overrides },
      { ...pro, overrides },
    ];
    await charge(t, by, 4);
    expect(await change(t, by, to)).toEqual([0, 1]);
  });

  test("an upgrade by an override gives the difference as well", async () => {
    const t = startHost();
    const now = { ...free, overrides: true };
    await charge(t, now, 3);
    const credited = await t.mutation(async (ctx) => {
      const config = { rate: 10 };
      await limiter.setOverride(ctx, "exports", { key, config });
      return limiter.credit(ctx, "exports", { key, config: now, from: free });
    });
    expect([credited, await balance(t, now)]).toEqual([{ credited: 7 }, 7]);
  });

  test("under a ban the difference is there when the ban ends", async () => {
    const t = startHost();
    const overrides = true;
    await charge(t, free, 3);
    await t.mutation((ctx) =>
      limiter.setOverride(ctx, "exports", {
        key,
        deny: true,
        expiresAt: MIDNIGHT + MINUTE,
      }),
    );
    const to = { ...pro, overrides };
    await change(t, { ...free, overrides }, to);
    passMs(MINUTE);
    expect(await balance(t, to)).toBe(7);
  });
});

describe.each(Object.entries(kinds))(
  "an override with its credit, of %s",
  (_, base) => {
    const { limiter, start } = overridden(base);

    test.each([
      ["a key that has used nothing is full", 0, 0, 10],
      ["a used-up key has the difference at once", 3, 7, 7],
      ["what was used stays used", 1, 7, 9],
      ["a deep debt stays a debt", 12, 7, -2],
    ])("%s", async (_, used, credited, left) => {
      const app = start();
      if (used > 0) await app.charge(used);
      expect(await app.upgrade({ rate: 10 })).toEqual({ credited });
      expect(await app.balance()).toBeCloseTo(left, 9);
    });

    test("a capacity that shrinks or stays gives nothing", async () => {
      const app = start();
      await app.charge(1);
      for (const config of [
        { rate: 2 },
        { rate: 2 },
        { rate: 2, maxReserved: 0 },
      ]) {
        expect(await app.upgrade(config)).toEqual({ credited: 0 });
      }
    });

    test("what an exception before it had given is not given twice", async () => {
      const app = start();
      await app.charge(3);
      expect(await app.upgrade({ rate: 5 })).toEqual({ credited: 2 });
      expect(await app.upgrade({ rate: 5 })).toEqual({ credited: 0 });
      expect(await app.upgrade({ rate: 9 })).toEqual({ credited: 4 });
      expect(await app.balance()).toBeCloseTo(6, 9);
    });

    test("a ban is lifted, and what the key held below it counts", async () => {
      const app = start();
      await app.charge(2);
      await app.t.mutation((ctx) =>
        limiter.setOverride(ctx, "exports", { key, deny: true }),
      );
      expect(await app.upgrade({ rate: 10 })).toEqual({ credited: 7 });
      expect(await app.balance()).toBeCloseTo(8, 9);
    });

    test("without credit, and where the mutation throws, the key is given nothing", async () => {
      const app = start();
      await app.charge(3);
      const config = { rate: 10 };
      const thrown = app.t.mutation(async (ctx) => {
        await limiter.setOverride(ctx, "exports", {
          key,
          config,
          credit: true,
        });
        throw new Error("It failed.");
      });
      await expect(thrown).rejects.toThrow("It failed.");
      expect(await app.balance()).toBe(0);
      const plain = await app.t.mutation((ctx) =>
        limiter.setOverride(ctx, "exports", { key, config, credit: false }),
      );
      expect([plain, await app.balance()]).toEqual([null, 0]);
    });
  },
);

/** A limit that can be overridden, named in the constructor. */
function overridden(base: RefillingConfig) {
  const exports = { ...base, overrides: true };
  const limiter = new RateLimiter(
    components.rateLimiter,
    { exports, runs: { ...places, overrides: true } },
    { advice: false },
  );
  const start = () => {
    const t = startHost();
    return {
      t,
      charge: (count: number) =>
        t.mutation((ctx) => limiter.charge(ctx, "exports", { key, count })),
      upgrade: (config: { rate?: number; maxReserved?: number }) =>
        t.mutation((ctx) =>
          limiter.setOverride(ctx, "exports", { key, config, credit: true }),
        ),
      balance: async () => {
        const told = await t.query((ctx) =>
          limiter.getValue(ctx, "exports", { key }),
        );
        return calculateRateLimit(told, told.config, Date.now()).value;
      },
    };
  };
  return { limiter, start };
}

test("an override and its credit are one call of the component", async () => {
  const { limiter, start } = overridden(window);
  const { t, charge } = start();
  await charge(3);
  await t.action(async (ctx) => {
    const runMutation = vi.spyOn(ctx, "runMutation");
    await limiter.setOverride(ctx, "exports", {
      key,
      config: { capacity: 5 },
      credit: true,
    });
    expect(runMutation).toHaveBeenCalledTimes(1);
  });
});

test("an exception below the headroom can be raised with its credit", async () => {
  const { start } = overridden({
    ...window,
    rate: 10,
    applyUpdates: "asynchronously",
    headroom: 5,
  });
  const { upgrade, charge } = start();
  await upgrade({ rate: 3 });
  await charge(3);
  expect(await upgrade({ rate: 10 })).toEqual({ credited: 7 });
});

test.each([
  ["without a key", { key: undefined }, "there is no key"],
  ["of a ban", { config: undefined, deny: true }, "the override has no config"],
  [
    "of no limit",
    { config: undefined, unlimited: true },
    "the override has no config",
  ],
  ["from later on", { startsAt: MIDNIGHT + 1 }, `startsAt is ${MIDNIGHT + 1}`],
])("an override with a credit is an error: %s", async (_, bad, words) => {
  const { limiter, start } = overridden(window);
  const { t } = start();
  const options: unknown = {
    key,
    config: { rate: 9 },
    credit: true,
    ...bad,
  };
  const set = t.mutation((ctx) =>
    limiter.setOverride(ctx, "exports", options as SetOverrideOptions<true>),
  );
  await expect(set).rejects.toThrow(
    `Rate limit exports: credit gives one key what its capacity grows by at once, but ${words}.`,
  );
  expect(await stored(t, "overrides")).toEqual([]);
});

test.each([
  ["of places", "runs", `the limit's kind is "concurrency"`],
  ["of a limit that is not named", "other", "Rate limit other is not defined"],
])("so it is %s", async (_, name, words) => {
  const { limiter, start } = overridden(window);
  const { t } = start();
  const options = { key, config: { capacity: 9 }, credit: true } as const;
  const set = t.mutation((ctx) =>
    limiter.setOverride(ctx, name as "runs", options),
  );
  await expect(set).rejects.toThrow(words);
  expect(await stored(t, "overrides")).toEqual([]);
});

test("so it is of a limiter that names none", async () => {
  const options = { key, config: { capacity: 9 }, credit: true } as const;
  const set = startHost().mutation((ctx) =>
    limiter.setOverride(ctx, "exports", options),
  );
  await expect(set).rejects.toThrow(
    "Rate limit exports is not defined. Name it",
  );
});

test.each([
  ["a bad config", { ...window, rate: 0 }, {}, "rate must be"],
  ["places", { kind: "concurrency", capacity: 1, lease: 1 }, {}, "only held"],
  ["a count", window, { count: 2 }, "count and from exclude each other"],
  ["no key", { ...window, requireKey: true }, { key: "" }, "requireKey"],
])("with %s it is an error", async (_, from, more, words) => {
  const t = startHost();
  const asked = t.mutation((ctx) =>
    limiter.credit(ctx, "exports", {
      ...({ key, config: window, from, ...more } as {
        config: typeof window;
        from: typeof window;
      }),
    }),
  );
  await expect(asked).rejects.toThrow(`Rate limit exports: `);
  await expect(asked).rejects.toThrow(words);
});

// Rows split as often as can be.
afterAll(
  setHeat({ splitBelow: Infinity, splitAgainBelow: Infinity, unknown: 0 }),
);

const aPlan = fc.record({
  kind: fc.constantFrom("fixed window" as const, "token bucket" as const),
  rate: fc.integer({ min: 1, max: 40 }),
  period: fc.constantFrom(HOUR, DAY),
  shards: fc.constantFrom(1, 1, 3, "auto" as const),
});

test("whatever the plans, it gives at most the difference, and never exceeds the new capacity", async () => {
  await fc.assert(
    fc.asyncProperty(
      aPlan,
      aPlan,
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: DAY }),
      fc.boolean(),
      async (free, pro, used, ms, isAsync) => {
        vi.setSystemTime(MIDNIGHT);
        const isAuto = [free, pro].some(({ shards }) => shards === "auto");
        const mode =
          isAsync && !isAuto
            ? ({ applyUpdates: "asynchronously" } as const)
            : {};
        const [from, to] = [
          { ...free, ...mode },
          { ...pro, kind: free.kind, ...mode },
        ];
        const t = startHost();
        // A second call finds row 0 hot, and splits it.
        for (const count of [used / 4, (3 * used) / 4]) {
          await charge(t, from, count);
        }
        passMs(ms);
        const valueBy = (config: RefillingConfig) =>
          t.query(async (ctx) => {
            const counted = { key, config };
            const {
              value,
              ts,
              config: shown,
              segments,
            } = await limiter.getValue(ctx, "exports", counted);
            const state = { value, ts, segments };
            return calculateRateLimit(state, shown, Date.now()).value;
          });
        const before = await valueBy(from);
        const unchanged = await valueBy(to);
        const [credited] = await change(t, from, to);
        const after = await valueBy(to);
        const grown = Math.max(0, to.rate - from.rate);
        expect(credited).toBeLessThanOrEqual(grown);
        expect(after).toBeLessThanOrEqual(to.rate);
        const expected =
          grown === 0
            ? unchanged
            : Math.min(to.rate, Math.max(unchanged, before + grown));
        // Windows of another length may not have given what those of the old one had.
        if (from.period === to.period) expect(after).toBeCloseTo(expected, 5);
      },
    ),
    runs(60),
  );
});
