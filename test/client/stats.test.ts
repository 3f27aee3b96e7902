import {
  DAY,
  HOUR,
  isExceedsCapacityError,
  MINUTE,
  RateLimiter,
  SECOND,
  type DeniedKey,
  type RateLimitStats,
} from "convex-rate-limiter";
import { makeFunctionReference, mutationGeneric } from "convex/server";
import { describe, expect, test } from "vitest";
import {
  components,
  freezeClock,
  MIDNIGHT,
  startHost,
  useStillClock,
  type Host,
  type HostCtx,
  fold,
} from "../support/host.js";

useStillClock();

const bucket = { kind: "token bucket", rate: 3, period: HOUR } as const;
const stats = true;
const limiter = new RateLimiter(components.rateLimiter, {
  one: { ...bucket, overrides: true, stats },
  other: { ...bucket, rate: 5, stats },
  dryRun: { ...bucket, enforce: false, stats },
  held: { kind: "concurrency", capacity: 2, lease: MINUTE, stats },
  never: { ...bucket, stats: 0 },
  uncounted: bucket,
});
type Counted = "one" | "other" | "dryRun" | "held" | "never";

const lastHour = () => ({ from: Date.now() - HOUR, to: Date.now() + 1 });

const minutes = (t: Host, name: Counted, range = lastHour()) =>
  t.query((ctx) => limiter.stats(ctx, name, { ...range, by: "minute" }));
const top = (t: Host, name: Counted, more: { numKeys?: number } = {}) =>
  t.query((ctx) => limiter.topDenied(ctx, name, { ...lastHour(), ...more }));

/** All that was counted in the last hour. */
async function sums(t: Host, name: Counted) {
  const intervals = await minutes(t, name);
  const sum = (field: "granted" | "denied" | "tokens" | "wouldDeny") =>
    intervals.reduce((all, one) => all + (one[field] ?? 0), 0);
  const wouldDeny = sum("wouldDeny");
  return {
    granted: sum("granted"),
    denied: sum("denied"),
    tokens: sum("tokens"),
    ...(wouldDeny > 0 && { wouldDeny }),
  };
}

type Counts = Omit<RateLimitStats, "from" | "to">;

describe("stats count", () => {
  type Case = [
    string,
    run: (ctx: HostCtx) => Promise<unknown>,
    expected: Partial<Record<Counted, Counts>>,
  ];
  const granted = (calls: number, tokens: number, wouldDeny?: number) => ({
    granted: calls,
    denied: 0,
    tokens,
    ...(wouldDeny !== undefined && { wouldDeny }),
  });
  const denied = (calls: number) => ({ granted: 0, denied: calls, tokens: 0 });
  const work = mutationGeneric({ handler: async () => null });
  const modules = { "./jobs.ts": async () => ({ work }) };
  const fn = makeFunctionReference<"mutation">("jobs:work");
  const empty = (ctx: HostCtx, name: "one" | "dryRun") =>
    limiter.charge(ctx, name, { count: 100 });

  const cases: Case[] = [
    [
      "the tokens that limit takes with upTo, not its count",
      (ctx) => limiter.limit(ctx, "one", { count: 9, upTo: true }),
      { one: granted(1, 3) },
    ],
    [
      "each item of holdAll by its count",
      async (ctx) => {
        const { ids } = await limiter.holdAll(
          ctx,
          [{ name: "one" }, { name: "one", count: 2 }, { name: "held" }],
          { throws: true },
        );
        await limiter.settleAll(ctx, [
          { id: ids[0], count: 3 },
          { id: ids[2] },
        ]);
        await limiter.holdAll(ctx, [{ name: "one" }, { name: "held" }]);
      },
      {
        one: { granted: 2, denied: 1, tokens: 3 },
        held: { granted: 1, denied: 0, tokens: 1 },
      },
    ],
    [
      "schedule",
      (ctx) => limiter.schedule(ctx, "one", { count: 2, fn, args: {} }),
      { one: granted(1, 2) },
    ],
    [
      "of a denied list the items whose own limit refuses",
      async (ctx) => {
        await empty(ctx, "one");
        await limiter.limitAll(ctx, [
          { name: "other" },
          { name: "one" },
          { name: "one" },
          { name: "uncounted" },
        ]);
      },
      { one: denied(2) },
    ],
    [
      "of a denied list no items that fit beside others of the same limit",
      (ctx) =>
        limiter.limitAll(ctx, [
          { name: "one", count: 2 },
          { name: "one", count: 3 },
          { name: "one", count: 1 },
        ]),
      { one: denied(1) },
    ],
    [
      "each item of a list with a banned key",
      async (ctx) => {
        await limiter.setOverride(ctx, "one", { deny: true });
        await limiter.limitAll(ctx, [{ name: "one" }, { name: "one" }]);
      },
      { one: denied(2) },
    ],
    [
      "of a list in a dry run the items that would be denied",
      (ctx) =>
        limiter.limitAll(ctx, [
          { name: "dryRun", count: 2 },
          { name: "dryRun", count: 3 },
        ]),
      { dryRun: granted(2, 2, 1) },
    ],
    [
      "a call of an unlimited key, which takes nothing",
      async (ctx) => {
        await limiter.setOverride(ctx, "one", { unlimited: true });
        await limiter.limit(ctx, "one", { count: 2 });
      },
      { one: granted(1, 0) },
    ],
    [
      "no count above the capacity, which throws as it does without stats",
      async (ctx) => {
        const call = limiter.limit(ctx, "one", { count: 4 });
        await expect(call).rejects.toSatisfy(isExceedsCapacityError);
      },
      {},
    ],
    [
      "no check, checkAll, getValue, reset or penalize",
      async (ctx) => {
        await limiter.check(ctx, "one");
        await limiter.checkAll(ctx, [{ name: "one" }]);
        await limiter.getValue(ctx, "one");
        await limiter.reset(ctx, "one");
        const ban = { key: "k", bans: [1], forgetAfter: 1 };
        await limiter.penalize(ctx, "one", ban);
      },
      {},
    ],
    ["nothing with a share of 0", (ctx) => limiter.limit(ctx, "never"), {}],
  ];

  test.each(cases)("%s", async (_, verb, expected) => {
    const t = startHost({ modules });
    await t.mutation(verb);
    for (const name of ["one", "other", "dryRun", "held", "never"] as const) {
      expect(await sums(t, name)).toEqual(expected[name] ?? granted(0, 0));
    }
  });
});

test("an override that a mutation sets after a counted denial holds for its next call", async () => {
  const t = startHost();
  await t.mutation((ctx) => limiter.limit(ctx, "one", { count: 3 }));
  const answers = await t.mutation(async (ctx) => {
    const first = await limiter.limit(ctx, "one");
    await limiter.setOverride(ctx, "one", { unlimited: true });
    return [first.ok, (await limiter.limit(ctx, "one")).ok];
  });
  expect(answers).toEqual([false, true]);
});

describe("in a query of stats,", () => {
  test.each(["stats", "topDenied"] as const)(
    "a range of %s that is too long is refused",
    async (verb) => {
      const range = { from: 0, to: 31 * DAY };
      const asked = startHost().query(async (ctx): Promise<unknown> =>
        verb === "stats"
          ? limiter.stats(ctx, "one", { ...range, by: "hour" })
          : limiter.topDenied(ctx, "one", range),
      );
      await expect(asked).rejects.toThrow(
        "Rate limit one: from and to may be at most 720 hours apart, but are 744.",
      );
    },
  );

  test.each([0, -1, 1.5, 101, NaN])(
    "numKeys of %d is refused",
    async (numKeys) => {
      await expect(top(startHost(), "one", { numKeys })).rejects.toThrow(
        `Rate limit one: numKeys must be a whole number from 1 to 100, but is ${numKeys}.`,
      );
    },
  );

  test("the keys are ten by default, the most denied first", async () => {
    const t = startHost();
    await t.mutation(async (ctx) => {
      await limiter.setOverride(ctx, "one", { deny: true });
      for (let key = 1; key <= 12; key++) {
        for (let i = 0; i < key; i++) {
          await limiter.limit(ctx, "one", { key: String(key) });
        }
      }
      await limiter.limit(ctx, "one");
    });
    const expected = (from: number, to: number) => {
      const keys: DeniedKey[] = [];
      for (let i = from; i >= to; i--) keys.push({ key: String(i), denied: i });
      return keys;
    };
    expect(await top(t, "one")).toEqual(expected(12, 3));
    expect(await top(t, "one", { numKeys: 2 })).toEqual(expected(12, 11));
    expect(await top(t, "one", { numKeys: 100 })).toEqual(expected(12, 1));
  });

  test("the counts and the keys are those of the hours that the range touches", async () => {
    const t = startHost();
    const deny = (key: string) =>
      t.mutation(async (ctx) => {
        await limiter.setOverride(ctx, "one", { deny: true });
        await limiter.limit(ctx, "one", { key });
      });
    await deny("first");
    freezeClock(MIDNIGHT + HOUR);
    await deny("second");
    const between = (from: number, to: number) =>
      t.query((ctx) =>
        limiter.topDenied(ctx, "one", {
          from: MIDNIGHT + from,
          to: MIDNIGHT + to,
        }),
      );
    freezeClock(MIDNIGHT + HOUR + 1);
    for (const isFolded of [false, true]) {
      if (isFolded) await fold(t);
      expect(await between(HOUR - 1, HOUR)).toEqual([
        { key: "first", denied: 1 },
      ]);
      expect(await between(HOUR, HOUR + SECOND)).toEqual([
        { key: "second", denied: 1 },
      ]);
      expect(await between(-DAY, 0)).toEqual([]);
      const lastMs = { from: MIDNIGHT + HOUR - 1, to: MIDNIGHT + HOUR };
      const hours = await t.query((ctx) =>
        limiter.stats(ctx, "one", { ...lastMs, by: "hour" }),
      );
      expect(hours).toMatchObject([{ from: MIDNIGHT, denied: 1 }]);
    }
  });

  test("a range that ends now includes what is counted now, even on the hour", async () => {
    const t = startHost();
    await t.mutation(async (ctx) => {
      await limiter.limit(ctx, "one", { key: "k", count: 3 });
      await limiter.limit(ctx, "one", { key: "k" });
    });
    const range = { from: MIDNIGHT - DAY, to: MIDNIGHT };
    const ask = () =>
      t.query(async (ctx) => {
        const sums = [];
        for (const by of ["minute", "hour"] as const) {
          const told = await limiter.stats(ctx, "one", { ...range, by });
          const denied = told.reduce((sum, { denied }) => sum + denied, 0);
          sums.push([told.at(-1)!.from, denied]);
        }
        const { deniedOf } = components.rateLimiter.operators;
        const asked = { name: "one", key: "k", ...range };
        const hours = await ctx.runQuery(deniedOf, asked);
        sums.push([hours.at(-1)!.from, hours.at(-1)!.denied]);
        return { sums, top: await limiter.topDenied(ctx, "one", range) };
      });
    for (const isFolded of [false, true]) {
      if (isFolded) await fold(t);
      freezeClock(MIDNIGHT);
      expect(await ask()).toEqual({
        sums: [
          [MIDNIGHT, 1],
          [MIDNIGHT, 1],
          [MIDNIGHT, 1],
        ],
        top: [{ key: "k", denied: 1 }],
      });
      freezeClock(MIDNIGHT + 1);
      expect(await ask()).toEqual({
        sums: [
          [MIDNIGHT - MINUTE, 0],
          [MIDNIGHT - HOUR, 0],
          [MIDNIGHT - HOUR, 0],
        ],
        top: [],
      });
    }
  });

  test("a limit without stats throws", async () => {
    const t = startHost();
    const uncounted = "uncounted" as "one";
    const message =
      "Rate limit uncounted: stats must be true, or a share, in its config for its calls to be counted.";
    await expect(minutes(t, uncounted)).rejects.toThrow(message);
    await expect(top(t, uncounted)).rejects.toThrow(message);
  });

  test("a limit with an inline config has its counts", async () => {
    const t = startHost();
    const inline = new RateLimiter(components.rateLimiter);
    const config = { ...bucket, stats };
    await t.mutation((ctx) => inline.limit(ctx, "any", { config }));
    const [hour] = await t.query((ctx) =>
      inline.stats(ctx, "any", { ...lastHour(), from: MIDNIGHT, by: "hour" }),
    );
    expect(hour).toMatchObject({ granted: 1, denied: 0, tokens: 1 });
  });
});
