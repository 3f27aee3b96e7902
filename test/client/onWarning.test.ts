import {
  HOUR,
  limitHttp,
  MINUTE,
  RateLimiter,
  type ActionCtx,
  type LimitConfig,
  type MutationCtx,
  type RateLimitWarning,
  type SchedulingCtx,
} from "convex-rate-limiter";
import { rateLimitStorage } from "convex-rate-limiter/better-auth";
import { rateLimited } from "convex-rate-limiter/helpers";
import { makeFunctionReference } from "convex/server";
import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  components,
  MIDNIGHT,
  startHost,
  stored,
  storedRows,
  useStillTimers,
  type Host,
  type HostCtx,
} from "../support/host.js";

useStillTimers();

const ten = { kind: "fixed window", rate: 10, period: HOUR, start: 0 } as const;
const eighty = { ...ten, warnAt: 0.8 } as const;
const limits = {
  eighty,
  three: { ...ten, warnAt: [0.5, 0.95, 0.8] },
  overridden: { ...eighty, overrides: true },
  counted: { ...eighty, stats: true },
  dry: { ...eighty, enforce: false },
  lenient: { ...ten, enforce: false },
  render: { kind: "concurrency", capacity: 5, lease: MINUTE, warnAt: 0.8 },
  plain: ten,
} satisfies Record<string, LimitConfig>;

const warnings: RateLimitWarning[] = [];
const limiter = new RateLimiter(components.rateLimiter, limits, {
  onWarning: async (ctx: MutationCtx, warning) => {
    warnings.push(warning);
    if ("db" in ctx) {
      await (ctx as HostCtx).db.insert("notes", { text: warning.name });
    }
  },
});
beforeEach(() => void warnings.splice(0));

type Ctx = HostCtx & SchedulingCtx & ActionCtx;

/** The ctx of a mutation that also passes for that of an action. */
const inBoth = <T>(t: Host, run: (ctx: Ctx) => Promise<T>) =>
  t.run((ctx) => run({ ...ctx, runAction: ctx.runMutation } as unknown as Ctx));

const key = "anna";
const told = (name: string, share: number, remaining: number, limit = 10) => ({
  name,
  key,
  share,
  limit,
  remaining,
});
const work = {
  fn: makeFunctionReference<"mutation", Record<string, never>, null>("a:b"),
  args: {},
};
const take = (ctx: Ctx, name: "eighty" | "three" | "plain", count: number) =>
  limiter.limit(ctx, name, { key, count });

test("onWarning is called once each time the share is reached, in the grant's transaction", async () => {
  const name = "eighty";
  const t = startHost();
  const grant = async (count: number) => {
    const status = await inBoth(t, (ctx) =>
      limiter.limit(ctx, name, { key, count }),
    );
    expect(status).toStrictEqual({ ok: true });
    const rows = await t.run((ctx) => ctx.db.query("notes").collect());
    return rows.length;
  };
  for (const [count, notes] of [
    [7, 0],
    [1, 1],
    [1, 1],
  ] as const) {
    expect(await grant(count)).toBe(notes);
  }
  const given = { key, count: 5 };
  await t.mutation((ctx) => limiter.credit(ctx, name, given));
  expect(await grant(5)).toBe(2);
  vi.setSystemTime(MIDNIGHT + HOUR);
  expect(await grant(8)).toBe(3);
  expect(warnings).toEqual([2, 1, 2].map((left) => told(name, 0.8, left)));
});

describe("onWarning is called for", () => {
  const grants: Record<string, (ctx: Ctx) => Promise<unknown>> = {
    "limit with stats": (ctx) => limiter.limit(ctx, "counted", nine),
    charge: (ctx) => limiter.charge(ctx, "eighty", nine),
    "limit with a config": (ctx) =>
      limiter.limit(ctx, "other", { ...nine, config: eighty }),
    "limit up to more than there is": (ctx) =>
      limiter.limit(ctx, "eighty", { key, count: 99, upTo: true }),
    "a reservation": (ctx) =>
      limiter.limit(ctx, "eighty", { key, count: 12, reserve: true }),
    "a dry run that takes": (ctx) => limiter.limit(ctx, "dry", nine),
    limitAll: (ctx) =>
      limiter.limitAll(ctx, [{ name: "plain" }, { name: "eighty", ...nine }]),
    hold: (ctx) => limiter.hold(ctx, "eighty", nine),
    holdAll: (ctx) =>
      limiter.holdAll(ctx, [
        { name: "eighty", ...nine },
        { name: "render", key },
      ]),
    "holdAll of a limit twice": (ctx) =>
      limiter.holdAll(ctx, [four, four, one]),
    schedule: (ctx) => limiter.schedule(ctx, "eighty", { ...nine, ...work }),
    "a settleAll that costs more": async (ctx) => {
      const { ids } = await limiter.holdAll(ctx, [one, one], { throws: true });
      expect(warnings).toEqual([]);
      const used = ids.map((id) => ({ id, count: 5 }));
      expect(await limiter.settleAll(ctx, used)).toStrictEqual({
        settled: [true, true],
      });
    },
    "several calls in one transaction": async (ctx) => {
      for (let i = 0; i < 10; i++) await take(ctx, "eighty", 1);
    },
    "a guarded function": async (ctx) =>
      rateLimited(limiter, "eighty", { count: 9, key: () => key }).input(
        ctx,
        {},
        {},
      ),
    "a limited route": async (ctx) => {
      const options = { key: () => key, count: 9 };
      const done = async () => new Response();
      const limited = limitHttp(limiter, "eighty", options, done);
      const request = new Request("https://example.com");
      await limited(ctx, request);
    },
  };
  const nine = { key, count: 9 };
  const four = { name: "eighty", key, count: 4 } as const;
  const one = { name: "eighty", key } as const;

  test.each(Object.entries(grants))("%s, once", async (_, grant) => {
    await inBoth(startHost(), grant);
    expect(warnings).toEqual([expect.objectContaining({ key, share: 0.8 })]);
  });

  test("Better Auth's requests, if it names a limit that warns", async () => {
    await inBoth(startHost(), async (ctx) => {
      const storage = rateLimitStorage(ctx, limiter, { name: "three" });
      for (let i = 0; i < 5; i++) {
        await storage.consume("key", { window: 10, max: 3 });
      }
    });
    expect(warnings).toMatchObject([{ name: "three", share: 0.5 }]);
  });

  test("leases, by hold and by whileHolding", async () => {
    await startHost().action(async (ctx) => {
      const hold = (count: number) =>
        limiter.hold(ctx, "render", { key, count, throws: true });
      await hold(3);
      const { id } = await hold(1);
      expect(warnings).toEqual([told("render", 0.8, 1, 5)]);
      await limiter.release(ctx, id);
      const ran = await limiter.whileHolding(ctx, "render", { key }, () => 1);
      expect(ran).toStrictEqual({ ok: true, result: 1 });
    });
    expect(warnings).toHaveLength(2);
  });
});

describe("onWarning is not called for", () => {
  const granted = { ok: true };
  const none: Record<string, (ctx: Ctx) => Promise<unknown>> = {
    "a checkAll": async (ctx) => {
      const asked = [{ name: "eighty", key, count: 9 }] as const;
      expect(await limiter.checkAll(ctx, asked)).toStrictEqual(granted);
    },
    "a check of a concurrency limit": async (ctx) => {
      const asked = { key, count: 5 };
      expect(await limiter.check(ctx, "render", asked)).toStrictEqual(granted);
    },
    "a list that is denied": (ctx) =>
      limiter.limitAll(ctx, [
        { name: "eighty", key, count: 9 },
        { name: "plain", count: 10 },
        { name: "plain", count: 1 },
      ]),
    "a count that a dry run does not take": async (ctx) => {
      await limiter.limit(ctx, "dry", { key, count: 7 });
      expect(await limiter.limit(ctx, "dry", { key, count: 4 })).toStrictEqual({
        ok: true,
        wouldDeny: true,
      });
    },
    "a call that takes nothing": async (ctx) => {
      await limiter.limit(ctx, "eighty", { key, count: 0 });
    },
    "calls of an unlimited key": async (ctx) => {
      await limiter.setOverride(ctx, "overridden", { key, unlimited: true });
      await limiter.limit(ctx, "overridden", { key, count: 9 });
      await limiter.charge(ctx, "overridden", { key, count: 90 });
    },
    "a banned key's request": async (ctx) => {
      await limiter.setOverride(ctx, "overridden", { key, deny: true });
      await limiter.limit(ctx, "overridden", { key, count: 9 });
    },
    "a limit without warnAt": (ctx) => take(ctx, "plain", 10),
  };

  test.each(Object.entries(none))("%s", async (_, call) => {
    await inBoth(startHost(), call);
    expect(warnings).toEqual([]);
  });
});

test.each<
  [string, object, before: number, remaining: number, capacity: number]
>([
  ["capacity", { capacity: 100, rate: 100 }, 79, 20, 100],
  ["period", { period: MINUTE }, 7, 2, 10],
])(
  "under an override of the %s, the share is of the capacity in force",
  async (_, config, before, remaining, capacity) => {
    await inBoth(startHost(), async (ctx) => {
      await limiter.setOverride(ctx, "overridden", { key, config });
      await limiter.limit(ctx, "overridden", { key, count: before });
      expect(warnings).toEqual([]);
      await limiter.limit(ctx, "overridden", { key, count: 1 });
    });
    expect(warnings).toEqual([told("overridden", 0.8, remaining, capacity)]);
  },
);

test("a clock that steps back warns only once", async () => {
  await inBoth(startHost(), async (ctx) => {
    await take(ctx, "eighty", 8);
    vi.setSystemTime(MIDNIGHT - 2 * HOUR);
    await take(ctx, "eighty", 1);
  });
  expect(warnings).toHaveLength(1);
});

describe("an error that onWarning or onWouldDeny throws", () => {
  const fail = () => {
    throw new Error("no mail");
  };
  const failing = new RateLimiter(components.rateLimiter, limits, {
    onWarning: fail,
    onWouldDeny: fail,
  });

  test("keeps work from running, and frees its lease", async () => {
    const t = startHost();
    await expect(
      t.action((ctx) =>
        failing.whileHolding(ctx, "render", { key, count: 5 }, () =>
          expect.fail("It ran."),
        ),
      ),
    ).rejects.toThrow("no mail");
    expect(await stored(t, "holds")).toEqual([]);
  });

  const all = { key, count: 10 };
  const taking: Record<
    string,
    (of: typeof limiter, ctx: SchedulingCtx) => Promise<{ ok: boolean }>
  > = {
    hold: (of, ctx) => of.hold(ctx, "eighty", all),
    "hold with a config": (of, ctx) =>
      of.hold(ctx, "other", { ...all, config: eighty }),
    "hold of a lease": (of, ctx) => of.hold(ctx, "render", { key, count: 5 }),
    holdAll: (of, ctx) =>
      of.holdAll(ctx, [
        { name: "eighty", ...all },
        { name: "render", key, count: 5 },
      ]),
    schedule: (of, ctx) => of.schedule(ctx, "eighty", { ...all, ...work }),
    "what a dry run lets through": (of, ctx) =>
      of.holdAll(ctx, [
        { name: "lenient", ...all },
        { name: "lenient", ...all },
      ]),
  };

  test.each(Object.entries(taking))(
    "in an action gives back what a call held, since its id is lost: %s",
    async (_, take) => {
      const t = startHost();
      const failed = t.action((ctx) => take(failing, ctx));
      await expect(failed).rejects.toThrow("no mail");
      expect(await stored(t, "holds")).toEqual([]);
      const jobs = await t.run((ctx) =>
        ctx.db.system.query("_scheduled_functions").collect(),
      );
      expect(jobs).toEqual([]);
      const again = await t.mutation((ctx) => take(limiter, ctx));
      expect(again.ok).toBe(true);
    },
  );

  test("in a mutation that catches it gives back what a call held", async () => {
    const t = startHost();
    await t.mutation(async (ctx) => {
      const held = failing.hold(ctx, "eighty", all);
      await expect(held).rejects.toThrow("no mail");
    });
    expect(await stored(t, "holds")).toEqual([]);
    expect(await storedRows(t)).toMatchObject([{ value: 10 }]);
  });

  test("keeps what an earlier call with the same once held", async () => {
    const t = startHost();
    const plain = { name: "plain", key, count: 4, once: "job" } as const;
    const list = [plain, { name: "eighty", ...all, once: "job" }] as const;
    const { id } = await t.mutation((ctx) => {
      const { name, ...options } = plain;
      return limiter.hold(ctx, name, options);
    });
    const failed = t.action((ctx) => failing.holdAll(ctx, list));
    await expect(failed).rejects.toThrow("no mail");
    const holds = await stored(t, "holds");
    expect(holds).toMatchObject([{ name: "plain", taken: 4 }]);
    await t.mutation((ctx) => limiter.holdAll(ctx, list));
    // The last attempt owns the hold.
    const late = await t.mutation((ctx) => limiter.release(ctx, id!));
    expect(late).toEqual({ settled: false });
    expect(await stored(t, "holds")).toHaveLength(2);
  });

  test("is thrown once what a call held is given back, even if that fails at first", async () => {
    await startHost().action(async (ctx) => {
      let calls = 0;
      const runMutation: typeof ctx.runMutation = (...args) =>
        ++calls === 2
          ? Promise.reject(new Error("down"))
          : ctx.runMutation(...args);
      const held = failing.hold({ ...ctx, runMutation }, "eighty", all);
      const thrown = expect(held).rejects.toThrow("no mail");
      await vi.waitFor(() => expect(calls).toBe(2));
      await vi.advanceTimersByTimeAsync(500);
      await thrown;
      expect(calls).toBe(3);
    });
  });

  test("in an action leaves what limit took", async () => {
    const t = startHost();
    await expect(
      t.action((ctx) => failing.limit(ctx, "eighty", all)),
    ).rejects.toThrow("no mail");
    expect(await storedRows(t)).toMatchObject([{ value: 0 }]);
  });
});

test("a limit with warnAt reads, writes and answers like one without", async () => {
  const runs: unknown[] = [];
  for (const config of [ten, { ...ten, warnAt: [0.1, 0.5] }]) {
    const silent = new RateLimiter(components.rateLimiter, { it: config });
    const run = await inBoth(startHost(), async (ctx) => [
      await silent.limit(ctx, "it", { count: 3, details: true }),
      await silent.limitAll(ctx, [{ name: "it" }, { name: "it", count: 2 }]),
      await silent.charge(ctx, "it"),
      await silent.limit(ctx, "it", { count: 4 }),
      await silent.check(ctx, "it"),
      await ctx.meta.getTransactionMetrics(),
    ]);
    runs.push(run);
  }
  expect(runs[1]).toStrictEqual(runs[0]);
});
