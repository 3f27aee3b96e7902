import {
  HOUR,
  limitHttp,
  MINUTE,
  RateLimiter,
  type LimitConfig,
  type MutationCtx,
  type SchedulingCtx,
} from "convex-rate-limiter";
import { rateLimitStorage } from "convex-rate-limiter/better-auth";
import { rateLimited } from "convex-rate-limiter/helpers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import {
  components,
  inBoth,
  MIDNIGHT,
  startHost,
  stored,
  storedRows,
  useStillTimers,
  type HostCtx,
} from "../support/host.js";
import { note, noteModules } from "../support/noteJob.js";

useStillTimers();

const one = { kind: "token bucket", rate: 1, period: MINUTE } as const;
const place = { kind: "concurrency", capacity: 1, lease: MINUTE } as const;
const ten = { kind: "fixed window", rate: 10, period: HOUR, start: 0 } as const;
const eighty = { ...ten, warnAt: 0.8 } as const;
const enforce = false;
const limits = {
  one,
  other: one,
  bounded: { ...one, maxReserved: 0 },
  dry: { ...one, enforce },
  dryOther: { ...one, enforce },
  dryBounded: { ...one, maxReserved: 0, enforce },
  banned: { ...one, overrides: true, enforce },
  split: { ...one, capacity: 4, shards: 2, enforce },
  place,
  dryPlace: { ...place, enforce },
  plain: ten,
  eighty,
  three: { ...ten, warnAt: [0.5, 0.95, 0.8] },
  overridden: { ...eighty, overrides: true },
  counted: { ...eighty, stats: true },
  dryEighty: { ...eighty, enforce },
  dryPlain: { ...ten, enforce },
  render: { kind: "concurrency", capacity: 5, lease: MINUTE, warnAt: 0.8 },
} satisfies Record<string, LimitConfig>;

const CALLBACKS = ["onDenied", "onWouldDeny", "onWarning"] as const;
type Callback = (typeof CALLBACKS)[number];

/** What each callback was told. */
const told: Record<Callback, unknown[]> = {
  onDenied: [],
  onWouldDeny: [],
  onWarning: [],
};
const tell =
  (callback: Callback) =>
  async (ctx: MutationCtx, of: { name: string }): Promise<void> => {
    told[callback].push(of);
    if (!("db" in ctx)) return;
    await (ctx as HostCtx).db.insert("notes", { text: of.name });
  };
const limiter = new RateLimiter(components.rateLimiter, limits, {
  onDenied: tell("onDenied"),
  onWouldDeny: tell("onWouldDeny"),
  onWarning: tell("onWarning"),
});
const forgetAll = () =>
  CALLBACKS.forEach((callback) => told[callback].splice(0));
beforeEach(forgetAll);

/** The key that has used up all of each limit, and one that has used nothing. */
const key = "k";
const anna = { key: "anna" };
const work = { fn: note, args: { text: "It ran." } };

async function start() {
  const t = startHost({ modules: noteModules });
  await t.mutation(async (ctx) => {
    for (const [name, { kind }] of Object.entries(limits)) {
      if (kind === "concurrency") {
        await limiter.hold(ctx, name as "place", { key });
      } else await limiter.charge(ctx, name as "one", { key, count: 1 });
    }
    await limiter.charge(ctx, "split", { key, count: 3 });
  });
  expect(told).toEqual({ onDenied: [], onWouldDeny: [], onWarning: [] });
  return t;
}

type Ctx = Parameters<Parameters<typeof inBoth>[1]>[0];
type Verb = (ctx: Ctx) => Promise<unknown>;
type Case = [what: string, verb: Verb, told: object[]];

/** Expects a verb to tell this, and nothing to the other callbacks. */
const expectTold =
  (callback: Callback) =>
  async (_: string, verb: Verb, expected: object[]): Promise<void> => {
    await inBoth(await start(), async (ctx) => void (await verb(ctx)));
    const nothing = { onDenied: [], onWouldDeny: [], onWarning: [] };
    expect(told).toEqual({ ...nothing, [callback]: expected });
  };

describe("onDenied is called for", () => {
  const of = (name: string, count = 1, retryAfter = MINUTE) => [
    { name, key, count, retryAfter },
  ];
  const half = { name: "other", key, count: 0.5 } as const;

  test.each<Case>([
    ["limit", (ctx) => limiter.limit(ctx, "one", { key }), of("one")],
    [
      "limitAll, with the item that blocks",
      (ctx) => limiter.limitAll(ctx, [{ name: "one" }, { name: "other", key }]),
      of("other"),
    ],
    ["hold", (ctx) => limiter.hold(ctx, "place", { key }), of("place")],
    [
      "holdAll, with the item that blocks and its count",
      (ctx) => limiter.holdAll(ctx, [{ name: "one" }, half]),
      of("other", 0.5, MINUTE / 2),
    ],
    [
      "schedule",
      (ctx) => limiter.schedule(ctx, "bounded", { key, ...work }),
      of("bounded"),
    ],
    [
      "a list, but not for a dry run in it",
      (ctx) =>
        limiter.limitAll(ctx, [
          { name: "dry", key },
          { name: "one", key },
        ]),
      of("one"),
    ],
    [
      "a banned key of a dry run",
      async (ctx) => {
        await limiter.setOverride(ctx, "banned", { key, deny: true });
        await limiter.limit(ctx, "banned", { key });
      },
      of("banned"),
    ],
    ["no grant", (ctx) => limiter.limit(ctx, "one"), []],
    [
      "no check",
      async (ctx) => {
        await limiter.check(ctx, "one", { key });
        await limiter.checkAll(ctx, [{ name: "one", key }]);
      },
      [],
    ],
  ])("%s", expectTold("onDenied"));
});

describe("onWouldDeny is called for", () => {
  const of = (name: string, count = 1) => ({ name, key, count });

  test.each<Case>([
    ["a limit", (ctx) => limiter.limit(ctx, "dry", { key }), [of("dry")]],
    [
      "a split limit",
      (ctx) => limiter.limit(ctx, "split", { key, count: 4 }),
      [of("split", 4)],
    ],
    [
      "hold",
      (ctx) => limiter.hold(ctx, "dry", { key, count: 0.5 }),
      [of("dry", 0.5)],
    ],
    [
      "holdAll, each item",
      (ctx) =>
        limiter.holdAll(ctx, [
          { name: "dryPlace", key: "new" },
          { name: "dryPlace", key },
          { name: "dry", key },
        ]),
      [of("dryPlace"), of("dry")],
    ],
    [
      "limitAll, each item that its own limit would deny",
      (ctx) =>
        limiter.limitAll(ctx, [
          { name: "dryOther", key: "new" },
          { name: "dry", key, count: 0 },
          { name: "one" },
          { name: "dry", key },
          { name: "dryOther", key, count: 0.5 },
        ]),
      [of("dry"), of("dryOther", 0.5)],
    ],
    [
      "schedule",
      (ctx) => limiter.schedule(ctx, "dryBounded", { key, ...work }),
      [of("dryBounded")],
    ],
    [
      "holdAll, the items that were not held before",
      async (ctx) => {
        const once = "job";
        await limiter.hold(ctx, "one", { once });
        const before = { name: "one", once } as const;
        await limiter.holdAll(ctx, [before, { name: "dry", key, once }]);
      },
      [of("dry")],
    ],
    ["no grant", (ctx) => limiter.limit(ctx, "dry"), []],
    [
      "no check",
      async (ctx) => {
        await limiter.check(ctx, "dry", { key });
        const answer = await limiter.checkAll(ctx, [{ name: "dry", key }]);
        expect(answer).toEqual({ ok: true, wouldDeny: true });
      },
      [],
    ],
    [
      "no debt by charge or settle",
      async (ctx) => {
        await limiter.charge(ctx, "dry", { key });
        const { id } = await limiter.hold(ctx, "dryOther");
        await limiter.settle(ctx, id!, { count: 9 });
      },
      [],
    ],
  ])("%s", expectTold("onWouldDeny"));
});

const warning = (name: string, share: number, remaining: number, limit = 10) =>
  ({ name, ...anna, share, limit, remaining }) as const;
const nine = { ...anna, count: 9 };

test("onWarning is called once each time the share is reached, in the grant's transaction", async () => {
  const t = startHost();
  const grant = async (count: number) => {
    const request = { ...anna, count };
    const status = await t.mutation((ctx) =>
      limiter.limit(ctx, "eighty", request),
    );
    expect(status).toStrictEqual({ ok: true });
    return (await t.run((ctx) => ctx.db.query("notes").collect())).length;
  };
  expect([await grant(7), await grant(1), await grant(1)]).toEqual([0, 1, 1]);
  const given = { ...anna, count: 5 };
  await t.mutation((ctx) => limiter.credit(ctx, "eighty", given));
  expect(await grant(5)).toBe(2);
  vi.setSystemTime(MIDNIGHT + HOUR);
  expect(await grant(8)).toBe(3);
  const each = [2, 1, 2].map((left) => warning("eighty", 0.8, left));
  expect(told.onWarning).toEqual(each);
});

describe("onWarning is called for", () => {
  const item = { name: "eighty", ...nine } as const;
  const four = { ...item, count: 4 };
  const single = { ...item, count: 1 };
  const grants: Record<string, Verb> = {
    "limit with stats": (ctx) => limiter.limit(ctx, "counted", nine),
    charge: (ctx) => limiter.charge(ctx, "eighty", nine),
    "limit with a config": (ctx) =>
      limiter.limit(ctx, "any", { ...nine, config: eighty }),
    "limit up to more than there is": (ctx) =>
      limiter.limit(ctx, "eighty", { ...anna, count: 99, upTo: true }),
    "a reservation": (ctx) =>
      limiter.limit(ctx, "eighty", { ...anna, count: 12, reserve: true }),
    "a dry run that takes": (ctx) => limiter.limit(ctx, "dryEighty", nine),
    limitAll: (ctx) => limiter.limitAll(ctx, [{ name: "plain" }, item]),
    hold: (ctx) => limiter.hold(ctx, "eighty", nine),
    holdAll: (ctx) => limiter.holdAll(ctx, [item, { name: "render", ...anna }]),
    "holdAll of a limit twice": (ctx) =>
      limiter.holdAll(ctx, [four, four, single]),
    schedule: (ctx) => limiter.schedule(ctx, "eighty", { ...nine, ...work }),
    "a settleAll that costs more": async (ctx) => {
      const throws = { throws: true } as const;
      const { ids } = await limiter.holdAll(ctx, [single, single], throws);
      expect(told.onWarning).toEqual([]);
      const used = ids.map((id) => ({ id, count: 5 }));
      const settled = await limiter.settleAll(ctx, used);
      expect(settled).toStrictEqual({ settled: [true, true] });
    },
    "several calls in one transaction": async (ctx) => {
      for (let i = 0; i < 10; i++) await limiter.limit(ctx, "eighty", anna);
    },
    "a guarded function": async (ctx) =>
      rateLimited(limiter, "eighty", { count: 9, key: () => anna.key }).input(
        ctx,
        {},
        {},
      ),
    "a limited route": (ctx) => {
      const options = { key: () => anna.key, count: 9 };
      const limited = limitHttp(
        limiter,
        "eighty",
        options,
        () => new Response(),
      );
      return limited(ctx, new Request("https://example.com"));
    },
  };

  test.each(Object.entries(grants))("%s, once", async (_, grant) => {
    await inBoth(startHost(), async (ctx) => void (await grant(ctx)));
    const once = expect.objectContaining({ ...anna, share: 0.8 }) as unknown;
    expect(told.onWarning).toEqual([once]);
  });

  test("Better Auth's requests, if it names a limit that warns", async () => {
    await inBoth(startHost(), async (ctx) => {
      const storage = rateLimitStorage(ctx, limiter, { name: "three" });
      const rule = { window: 10, max: 3 };
      for (let i = 0; i < 5; i++) await storage.consume("key", rule);
    });
    expect(told.onWarning).toMatchObject([{ name: "three", share: 0.5 }]);
  });

  test("leases, by hold and by whileHolding", async () => {
    await startHost().action(async (ctx) => {
      const hold = (count: number) =>
        limiter.hold(ctx, "render", { ...anna, count, throws: true });
      await hold(3);
      const { id } = await hold(1);
      expect(told.onWarning).toEqual([warning("render", 0.8, 1, 5)]);
      await limiter.release(ctx, id);
      const ran = await limiter.whileHolding(ctx, "render", anna, () => 1);
      expect(ran).toStrictEqual({ ok: true, result: 1 });
    });
    expect(told.onWarning).toHaveLength(2);
  });

  test.each<Case>([
    [
      "no checkAll, and no check of a concurrency limit",
      async (ctx) => {
        const five = { ...anna, count: 5 };
        for (const status of [
          await limiter.checkAll(ctx, [item]),
          await limiter.check(ctx, "render", five),
        ]) {
          expect(status).toStrictEqual({ ok: true });
        }
      },
      [],
    ],
    [
      "no count that a dry run does not take",
      async (ctx) => {
        await limiter.limit(ctx, "dryEighty", { ...anna, count: 7 });
        const four = { ...anna, count: 4 };
        const status = await limiter.limit(ctx, "dryEighty", four);
        expect(status).toStrictEqual({ ok: true, wouldDeny: true });
        expect(told.onWouldDeny.splice(0)).toHaveLength(1);
      },
      [],
    ],
    [
      "no denied list, and no banned key",
      async (ctx) => {
        const plain = { name: "plain", count: 6 } as const;
        await limiter.limitAll(ctx, [item, plain, plain]);
        await limiter.setOverride(ctx, "overridden", { ...anna, deny: true });
        await limiter.limit(ctx, "overridden", nine);
        expect(told.onDenied.splice(0)).toHaveLength(2);
      },
      [],
    ],
    [
      "no call that takes nothing, or of an unlimited key",
      async (ctx) => {
        await limiter.limit(ctx, "eighty", { ...anna, count: 0 });
        const unlimited = { ...anna, unlimited: true } as const;
        await limiter.setOverride(ctx, "overridden", unlimited);
        await limiter.limit(ctx, "overridden", nine);
        await limiter.charge(ctx, "overridden", { ...anna, count: 90 });
      },
      [],
    ],
    [
      "no limit without warnAt",
      (ctx) => limiter.limit(ctx, "plain", { ...anna, count: 10 }),
      [],
    ],
  ])("%s", expectTold("onWarning"));
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
      await limiter.setOverride(ctx, "overridden", { ...anna, config });
      await limiter.limit(ctx, "overridden", { ...anna, count: before });
      expect(told.onWarning).toEqual([]);
      await limiter.limit(ctx, "overridden", anna);
    });
    const once = [warning("overridden", 0.8, remaining, capacity)];
    expect(told.onWarning).toEqual(once);
  },
);

test("a clock that steps back warns only once", async () => {
  await inBoth(startHost(), async (ctx) => {
    await limiter.limit(ctx, "eighty", { ...anna, count: 8 });
    vi.setSystemTime(MIDNIGHT - 2 * HOUR);
    await limiter.limit(ctx, "eighty", anna);
  });
  expect(told.onWarning).toHaveLength(1);
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

test("what a callback writes is lost if the caller's transaction throws", async () => {
  const t = await start();
  await t.mutation((ctx) => limiter.limit(ctx, "dry", { key }));
  await t.mutation((ctx) => limiter.limit(ctx, "one", { key }));
  const throws = { key, throws: true };
  await expect(
    t.mutation((ctx) => limiter.limit(ctx, "one", throws)),
  ).rejects.toThrow("RateLimited");
  expect(told.onDenied).toHaveLength(2);
  const notes = await t.run((ctx) => ctx.db.query("notes").collect());
  expect(notes.map(({ text }) => text)).toEqual(["dry", "one"]);
});

test("no answer shows which items a dry run let through", async () => {
  const t = await start();
  const items = [{ name: "dry", key }] as const;
  const answers = await t.mutation(async (ctx) => [
    await limiter.limit(ctx, "dry", { key, details: true }),
    await limiter.limitAll(ctx, items),
    Object.keys(await limiter.hold(ctx, "dry", { key })).sort(),
    Object.keys(await limiter.holdAll(ctx, items)).sort(),
  ]);
  expect(answers).toEqual([
    { ok: true, wouldDeny: true, limit: 1, remaining: 0, resetAfter: MINUTE },
    { ok: true, wouldDeny: true },
    ["id", "ok", "wouldDeny"],
    ["ids", "ok", "wouldDeny"],
  ]);
});

describe("an error that a callback throws", () => {
  const fail = () => {
    throw new Error("no mail");
  };
  const failing = new RateLimiter(components.rateLimiter, limits, {
    onDenied: fail,
    onWarning: fail,
    onWouldDeny: fail,
  });
  const all = { ...anna, count: 10 };

  test.each<[Callback, Verb]>([
    ["onDenied", (ctx) => failing.limit(ctx, "one", { key })],
    ["onWouldDeny", (ctx) => failing.limit(ctx, "dry", { key })],
    ["onWarning", (ctx) => failing.limit(ctx, "eighty", all)],
  ])("fails the caller's mutation: %s", async (_, call) => {
    const t = await start();
    const before = await storedRows(t);
    const failed = inBoth(t, async (ctx) => {
      await failing.limit(ctx, "other", anna);
      await call(ctx);
    });
    await expect(failed).rejects.toThrow("no mail");
    expect(await storedRows(t)).toEqual(before);
  });

  test("keeps work from running, and frees its lease", async () => {
    const t = startHost();
    const five = { ...anna, count: 5 };
    const never = () => expect.fail("It ran.");
    await expect(
      t.action((ctx) => failing.whileHolding(ctx, "render", five, never)),
    ).rejects.toThrow("no mail");
    expect(await stored(t, "holds")).toEqual([]);
  });

  const lease = { name: "render", ...anna, count: 5 } as const;
  const lenient = { name: "dryPlain", ...all } as const;
  const taking: Record<
    string,
    (of: typeof limiter, ctx: SchedulingCtx) => Promise<{ ok: boolean }>
  > = {
    hold: (of, ctx) => of.hold(ctx, "eighty", all),
    "hold with a config": (of, ctx) =>
      of.hold(ctx, "any", { ...all, config: eighty }),
    "hold of a lease": (of, ctx) => of.hold(ctx, "render", lease),
    holdAll: (of, ctx) => of.holdAll(ctx, [{ name: "eighty", ...all }, lease]),
    schedule: (of, ctx) => of.schedule(ctx, "eighty", { ...all, ...work }),
    "what a dry run lets through": (of, ctx) =>
      of.holdAll(ctx, [lenient, lenient]),
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
    const once = "job";
    const four = { ...anna, count: 4, once };
    const list = [
      { name: "plain", ...four },
      { name: "eighty", ...all, once },
    ] as const;
    const { id } = await t.mutation((ctx) => limiter.hold(ctx, "plain", four));
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
