import {
  HOUR,
  limitHttp,
  MINUTE,
  RateLimiter,
  type LimitConfig,
  type MutationCtx,
  type RateLimitDenial,
  type RateLimitWarning,
  type RateLimitWouldDeny,
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
  type Host,
  type HostCtx,
} from "../support/host.js";
import { note, noteModules } from "../support/noteJob.js";

useStillTimers();

const one = { kind: "token bucket", rate: 1, period: MINUTE } as const;
const ten = { kind: "fixed window", rate: 10, period: HOUR, start: 0 } as const;
const eighty = { ...ten, warnAt: 0.8 } as const;
const place = { kind: "concurrency", capacity: 1, lease: MINUTE } as const;
const enforce = false;
/** Of all of these a key is used up by `start`. */
const single = {
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
} satisfies Record<string, LimitConfig>;
const limits = {
  ...single,
  eighty,
  three: { ...ten, warnAt: [0.5, 0.95, 0.8] },
  overridden: { ...eighty, overrides: true },
  counted: { ...eighty, stats: true },
  dryEighty: { ...eighty, enforce },
  lenient: { ...ten, enforce },
  render: { kind: "concurrency", capacity: 5, lease: MINUTE, warnAt: 0.8 },
  plain: ten,
} satisfies Record<string, LimitConfig>;

const denied: RateLimitDenial[] = [];
const letThrough: RateLimitWouldDeny[] = [];
const warnings: RateLimitWarning[] = [];
const noting =
  <Told extends { name: string }>(told: Told[]) =>
  async (ctx: MutationCtx, it: Told) => {
    told.push(it);
    if ("db" in ctx) {
      await (ctx as HostCtx).db.insert("notes", { text: it.name });
    }
  };
const limiter = new RateLimiter(components.rateLimiter, limits, {
  onDenied: noting(denied),
  onWouldDeny: noting(letThrough),
  onWarning: noting(warnings),
});
const key = "k";
const work = { fn: note, args: { text: "It ran." } };

/** An app in which the key has used up all of each limit of `single`. */
async function start() {
  const t = startHost({ modules: noteModules });
  await t.mutation(async (ctx) => {
    for (const [name, { kind }] of Object.entries(single)) {
      if (kind === "concurrency") {
        await limiter.hold(ctx, name as "place", { key });
      } else await limiter.charge(ctx, name as "one", { key, count: 1 });
    }
    await limiter.charge(ctx, "split", { key, count: 3 });
  });
  expect([...denied, ...letThrough, ...warnings]).toEqual([]);
  return t;
}
beforeEach(() => {
  for (const told of [denied, letThrough, warnings]) told.length = 0;
});

const notes = async (t: Host) => {
  const rows = await t.run((ctx) => ctx.db.query("notes").collect());
  return rows.map(({ text }) => text);
};

type Ctx = Parameters<Parameters<typeof inBoth>[1]>[0];
type Verb = (ctx: Ctx) => Promise<unknown>;

describe("onDenied is called for", () => {
  const of = (name: string, count = 1, retryAfter = MINUTE) => [
    { name, key, count, retryAfter },
  ];

  test.each<[string, Verb, RateLimitDenial[]]>([
    ["limit", (ctx) => limiter.limit(ctx, "one", { key }), of("one")],
    [
      "limitAll, with the item that blocks",
      (ctx) => limiter.limitAll(ctx, [{ name: "one" }, { name: "other", key }]),
      of("other"),
    ],
    [
      "hold",
      (ctx) => limiter.hold(ctx, "place", { key }),
      of("place", 1, MINUTE),
    ],
    [
      "holdAll, with the item that blocks and its count",
      (ctx) =>
        limiter.holdAll(ctx, [
          { name: "one" },
          { name: "other", key, count: 0.5 },
        ]),
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
  ])("%s", async (_, verb, expected) => {
    const t = await start();
    await inBoth(t, async (ctx) => void (await verb(ctx)));
    expect(denied).toEqual(expected);
    expect(letThrough).toEqual([]);
  });
});

describe("onWouldDeny is called for", () => {
  const of = (name: string, count = 1) => ({ name, key, count });
  const limit =
    (name: "dry" | "split", count = 1): Verb =>
    (ctx) =>
      limiter.limit(ctx, name, { key, count });

  test.each<[string, Verb, RateLimitWouldDeny[]]>([
    ["a limit", limit("dry"), [of("dry")]],
    ["a split limit", limit("split", 4), [of("split", 4)]],
    [
      "hold",
      (ctx) => limiter.hold(ctx, "dry", { key, count: 0.5 }),
      [of("dry", 0.5)],
    ],
    [
      "hold of a concurrency limit",
      (ctx) => limiter.hold(ctx, "dryPlace", { key }),
      [of("dryPlace")],
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
  ])("%s", async (_, verb, expected) => {
    const t = await start();
    await inBoth(t, async (ctx) => void (await verb(ctx)));
    expect(letThrough).toEqual(expected);
    expect(denied).toEqual([]);
  });
});

test("what a callback writes is lost if the caller's transaction throws", async () => {
  const t = await start();
  const throws = { key, throws: true };
  await t.mutation((ctx) => limiter.limit(ctx, "dry", { key }));
  await t.mutation((ctx) => limiter.limit(ctx, "one", { key }));
  await expect(
    t.mutation((ctx) => limiter.limit(ctx, "one", throws)),
  ).rejects.toThrow("RateLimited");
  expect(denied).toHaveLength(2);
  expect(await notes(t)).toEqual(["dry", "one"]);
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

test.each([
  ["onDenied", "one", key],
  ["onWouldDeny", "dry", key],
  ["onWarning", "eighty", "new"],
] as const)(
  "an error that %s throws fails the caller's mutation",
  async (callback, name, key) => {
    const t = await start();
    const before = await storedRows(t);
    const failing = new RateLimiter(components.rateLimiter, limits, {
      [callback]: async () => {
        throw new Error("no room for notes");
      },
    });
    const failed = t.mutation(async (ctx) => {
      await failing.limit(ctx, "other", { key: "new" });
      await failing.limit(ctx, name, { key, count: name === "eighty" ? 8 : 1 });
    });
    await expect(failed).rejects.toThrow("no room for notes");
    expect(await storedRows(t)).toEqual(before);
  },
);

const warned = (
  name: string,
  share: number,
  remaining: number,
  limit = 10,
) => ({
  name,
  key,
  share,
  limit,
  remaining,
});
const take = (ctx: Ctx, name: "eighty" | "plain", count: number) =>
  limiter.limit(ctx, name, { key, count });

test("onWarning is called once each time the share is reached, in the grant's transaction", async () => {
  const name = "eighty";
  const t = startHost();
  const grant = async (count: number) => {
    const status = await inBoth(t, (ctx) => take(ctx, name, count));
    expect(status).toStrictEqual({ ok: true });
    return (await notes(t)).length;
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
  expect(warnings).toEqual([2, 1, 2].map((left) => warned(name, 0.8, left)));
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
    "a dry run that takes": (ctx) => limiter.limit(ctx, "dryEighty", nine),
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
      expect(warnings).toEqual([warned("render", 0.8, 1, 5)]);
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
      await limiter.limit(ctx, "dryEighty", { key, count: 7 });
      const status = await limiter.limit(ctx, "dryEighty", { key, count: 4 });
      expect(status).toStrictEqual({ ok: true, wouldDeny: true });
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
    expect(warnings).toEqual([warned("overridden", 0.8, remaining, capacity)]);
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
