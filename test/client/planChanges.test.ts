import {
  calculateRateLimit,
  DAY,
  HOUR,
  MINUTE,
  RateLimiter,
  type MutationCtx,
  type RefillingConfig,
  type SetOverrideOptions,
} from "convex-rate-limiter";
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  stored,
  storedRows,
  useStillClock,
  type Host,
} from "../support/host.js";
import { runs } from "../support/seed.js";

useStillClock();

const limiter = new RateLimiter(components.rateLimiter, undefined, {
  advice: false,
});
const key = "ada";
const places = { kind: "concurrency", capacity: 1, lease: HOUR } as const;
const passMs = (ms: number) => vi.setSystemTime(Date.now() + ms);

const charge = (t: Host, config: RefillingConfig, count: number) =>
  t.mutation((ctx) => limiter.charge(ctx, "exports", { key, config, count }));

/** Changes the plan, and returns the credit and the balance after it. */
async function change(t: Host, from: RefillingConfig, config: RefillingConfig) {
  const { credited } = await t.mutation((ctx) =>
    limiter.credit(ctx, "exports", { key, config, from }),
  );
  return [credited, await balance(t, config)];
}

const balance = async (t: Host, config: RefillingConfig) => {
  const shown = await t.query((ctx) =>
    limiter.getValue(ctx, "exports", { key, config }),
  );
  const { value } = calculateRateLimit(shown, shown.config, Date.now());
  return Math.round(value * 1e6) / 1e6;
};

/** A limiter whose limits can be overridden. */
const overriding = (base: RefillingConfig) =>
  new RateLimiter(
    components.rateLimiter,
    {
      exports: { ...base, overrides: true },
      runs: { ...places, overrides: true },
    },
    { advice: false },
  );

/** Sets an override with its credit, and returns the credit and the balance after it. */
async function override(
  t: Host,
  base: RefillingConfig,
  config: { rate?: number; maxReserved?: number },
) {
  const { credited } = await t.mutation((ctx) =>
    overriding(base).setOverride(ctx, "exports", { key, config, credit: true }),
  );
  return [credited, await balance(t, { ...base, overrides: true })];
}

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
  "a limit over 4 rows": { ...window, shards: 4 },
  "a limit that splits itself": { ...window, shards: "auto" },
};

describe.each(Object.entries(kinds))("with %s,", (_, free) => {
  const pro: RefillingConfig = { ...free, rate: 10 };
  const overrides = true;

  test.each<[string, used: number, credited: number, left: number]>([
    ["leaves an unused key full", 0, 0, 10],
    ["gives a used-up key the difference", 3, 7, 7],
    ["keeps what was used", 1, 7, 9],
    ["pays a debt", 5, 7, 5],
    ["pays a part of a deep debt", 12, 7, -2],
  ])("an upgrade %s", async (_, used, credited, left) => {
    for (const upgrade of [
      (t: Host) => change(t, free, pro),
      (t: Host) => override(t, free, { rate: 10 }),
    ]) {
      const t = startHost();
      if (used > 0) await charge(t, free, used);
      expect(await upgrade(t)).toEqual([credited, left]);
    }
  });

  test("a downgrade writes nothing, and cuts the balance at the capacity", async () => {
    const t = startHost();
    await charge(t, pro, 2);
    const rows = await storedRows(t);
    expect(await change(t, pro, free)).toEqual([0, 3]);
    expect(await storedRows(t)).toEqual(rows);
    await charge(t, free, 3);
    expect(await change(t, free, free)).toEqual([0, 0]);
    for (const more of [{}, {}, { maxReserved: 0 }]) {
      const config = { rate: 2, ...more };
      expect((await override(t, free, config))[0]).toBe(0);
    }
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

  test("an upgrade gives the same after the clock has stepped back", async () => {
    const t = startHost();
    await charge(t, free, 3);
    passMs(-MINUTE);
    expect(await change(t, free, pro)).toEqual([7, 7]);
  });

  test("an override over both plans stays as it is", async () => {
    const t = startHost();
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

  test("a credit after an override to a larger plan gives the difference", async () => {
    const t = startHost();
    const now = { ...free, overrides };
    await charge(t, now, 3);
    const credited = await t.mutation(async (ctx) => {
      const config = { rate: 10 };
      await limiter.setOverride(ctx, "exports", { key, config });
      return limiter.credit(ctx, "exports", { key, config: now, from: free });
    });
    expect([credited, await balance(t, now)]).toEqual([{ credited: 7 }, 7]);
  });

  test("an upgrade during a ban gives the difference when the ban ends", async () => {
    const t = startHost();
    await charge(t, free, 3);
    const ban = { deny: true, expiresAt: MIDNIGHT + MINUTE } as const;
    await t.mutation((ctx) =>
      limiter.setOverride(ctx, "exports", { key, ...ban }),
    );
    const to = { ...pro, overrides };
    await change(t, { ...free, overrides }, to);
    passMs(MINUTE);
    expect(Math.floor(await balance(t, to))).toBe(7);
  });

  test("an override gives only what an earlier one did not give", async () => {
    const t = startHost();
    await charge(t, free, 3);
    expect(await override(t, free, { rate: 5 })).toEqual([2, 2]);
    expect(await override(t, free, { rate: 5 })).toEqual([0, 2]);
    expect(await override(t, free, { rate: 9 })).toEqual([4, 6]);
  });

  test("an override that lifts a ban counts what the key held", async () => {
    const t = startHost();
    await charge(t, free, 2);
    await t.mutation((ctx) =>
      limiter.setOverride(ctx, "exports", { key, deny: true }),
    );
    expect(await override(t, free, { rate: 10 })).toEqual([7, 8]);
  });

  test("an override gives nothing without credit, or if the mutation throws", async () => {
    const t = startHost();
    await charge(t, free, 3);
    const set = (ctx: MutationCtx, credit: boolean) =>
      overriding(free).setOverride(ctx, "exports", {
        key,
        config: { rate: 10 },
        credit,
      });
    const thrown = t.mutation(async (ctx) => {
      await set(ctx, true);
      throw new Error("It failed.");
    });
    await expect(thrown).rejects.toThrow("It failed.");
    const now = { ...free, overrides };
    expect(await balance(t, now)).toBe(0);
    expect(await t.mutation((ctx) => set(ctx, false))).toBe(null);
    expect(await balance(t, now)).toBe(0);
  });
});

test("an override and its credit are one call of the component", async () => {
  const t = startHost();
  await charge(t, window, 3);
  await t.action(async (ctx) => {
    const runMutation = vi.spyOn(ctx, "runMutation");
    await overriding(window).setOverride(ctx, "exports", {
      key,
      config: { capacity: 5 },
      credit: true,
    });
    expect(runMutation).toHaveBeenCalledTimes(1);
  });
});

const config = { rate: 9 };
const growth =
  "Rate limit exports: credit gives one key what its capacity grows by at once, but";

type Case = { options: object; words: string; name: string };

test.each`
  when                               | options                                    | words                                       | name
  ${"without a key"}                 | ${{ key: undefined, config }}              | ${`${growth} there is no key.`}             | ${"exports"}
  ${"for a ban"}                     | ${{ key, deny: true }}                     | ${`${growth} the override has no config.`}  | ${"exports"}
  ${"for unlimited: true"}           | ${{ key, unlimited: true }}                | ${`${growth} the override has no config.`}  | ${"exports"}
  ${"if it begins later"}            | ${{ key, config, startsAt: MIDNIGHT + 1 }} | ${`${growth} startsAt is ${MIDNIGHT + 1}.`} | ${"exports"}
  ${"for a concurrency limit"}       | ${{ key, config: { capacity: 9 } }}        | ${`the limit's kind is "concurrency"`}      | ${"runs"}
  ${"for a limit that is not named"} | ${{ key, config }}                         | ${"Rate limit other is not defined"}        | ${"other"}
`(
  "an override with a credit throws $when",
  async ({ options, words, name }: Case) => {
    const t = startHost();
    const set = t.mutation((ctx) =>
      overriding(window).setOverride(ctx, name as "exports", {
        ...(options as SetOverrideOptions),
        credit: true,
      }),
    );
    await expect(set).rejects.toThrow(words);
    expect(await stored(t, "overrides")).toEqual([]);
  },
);

test("the component refuses a credit without the limit's config", async () => {
  const t = startHost();
  const args = { name: "exports", key, override: { config }, credit: true };
  const set = t.mutation((ctx) =>
    ctx.runMutation(components.rateLimiter.verbs.setOverride, args),
  );
  await expect(set).rejects.toThrow(
    "credit gives one key what its capacity grows by at once, but the limit's config is missing.",
  );
  expect(await stored(t, "overrides")).toEqual([]);
});

test.each([
  ["a bad config", { ...window, rate: 0 }, {}, "rate must be"],
  ["a lease", { kind: "concurrency", capacity: 1, lease: 1 }, {}, "only held"],
  ["a count", window, { count: 2 }, "count and from exclude each other"],
  ["no key", { ...window, requireKey: true }, { key: "" }, "requireKey"],
])("a credit from a plan with %s throws", async (_, from, more, words) => {
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

const aPlan = fc.record({
  kind: fc.constantFrom("fixed window" as const, "token bucket" as const),
  rate: fc.integer({ min: 1, max: 40 }),
  period: fc.constantFrom(HOUR, DAY),
  shards: fc.constantFrom(1, 1, 3, "auto" as const),
});

// The oracle knows the two rates, and the balances that `getValue` shows before the change.
test("a credit between any plans gives at most the difference, up to the new capacity", async () => {
  await fc.assert(
    fc.asyncProperty(
      aPlan,
      aPlan,
      fc.integer({ min: 1, max: 60 }),
      fc.integer({ min: 0, max: DAY }),
      async (from, pro, used, ms) => {
        vi.setSystemTime(MIDNIGHT);
        const to = { ...pro, kind: from.kind };
        const t = startHost();
        // So close that the last one splits row 0.
        for (let i = 0; i < 4; i++) {
          await charge(t, from, used / 4);
          passMs(3);
        }
        passMs(ms);
        const before = await balance(t, from);
        const unchanged = await balance(t, to);
        const [credited, after] = await change(t, from, to);
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
    runs(20),
  );
});
