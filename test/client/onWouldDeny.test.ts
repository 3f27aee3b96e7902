import {
  MINUTE,
  RateLimiter,
  type MutationCtx,
  type RateLimitWouldDeny,
} from "convex-rate-limiter";
import { makeFunctionReference, mutationGeneric } from "convex/server";
import { expect, test } from "vitest";
import {
  components,
  startHost,
  stored,
  storedRows,
  useStillClock,
  type Host,
  type HostCtx,
} from "../host.js";

useStillClock();

const one = { kind: "token bucket", rate: 1, period: MINUTE } as const;
const dry = { ...one, enforce: false } as const;
const limits = {
  dry,
  other: dry,
  enforced: one,
  bounded: { ...dry, maxReserved: 0 },
  banned: { ...dry, overrides: true },
  split: { ...dry, rate: 4, shards: 2 },
  asynchronous: { ...dry, applyUpdates: "asynchronously" },
  held: { kind: "concurrency", capacity: 1, lease: MINUTE, enforce: false },
} as const;

const work = mutationGeneric({ handler: async () => null });
const fn = makeFunctionReference<"mutation">("jobs:work");

function start() {
  const told: RateLimitWouldDeny[] = [];
  const denied: unknown[] = [];
  const limiter = new RateLimiter(components.rateLimiter, limits, {
    onDenied: (_, denial) => void denied.push(denial),
    onWouldDeny: async (ctx: MutationCtx, spared) => {
      told.push(spared);
      if (!("db" in ctx)) return;
      await (ctx as HostCtx).db.insert("notes", { text: spared.name });
    },
  });
  const t = startHost({ modules: { "./jobs.ts": async () => ({ work }) } });
  return { t, limiter, told, denied };
}

const notes = async (t: Host) => {
  const rows = await t.run((ctx) => ctx.db.query("notes").collect());
  return rows.map(({ text }) => text);
};

test("is told whom a dry run would deny, and onDenied is not", async () => {
  const { t, limiter, told, denied } = start();
  const take = (key: string) =>
    t.mutation((ctx) => limiter.limit(ctx, "dry", { key }));
  expect(await take("anna")).toEqual({ ok: true });
  await take("bert");
  expect(told).toEqual([]);
  expect(await take("anna")).toEqual({ ok: true, wouldDeny: true });
  expect(told).toEqual([{ name: "dry", key: "anna", count: 1 }]);
  expect(await notes(t)).toEqual(["dry"]);
  expect(denied).toEqual([]);
});

type Verb = (
  ctx: HostCtx,
  limiter: ReturnType<typeof start>["limiter"],
) => Promise<unknown>;

test.each<[string, Verb, RateLimitWouldDeny[]]>([
  [
    "a split limit",
    (ctx, limiter) => limiter.limit(ctx, "split", { key: "k", count: 4 }),
    [{ name: "split", key: "k", count: 4 }],
  ],
  [
    "an asynchronous limit",
    (ctx, limiter) => limiter.limit(ctx, "asynchronous", { key: "k" }),
    [{ name: "asynchronous", key: "k", count: 1 }],
  ],
  [
    "hold",
    (ctx, limiter) => limiter.hold(ctx, "dry", { count: 0.5 }),
    [{ name: "dry", key: undefined, count: 0.5 }],
  ],
  [
    "hold of a concurrency limit",
    (ctx, limiter) => limiter.hold(ctx, "held", { key: "k" }),
    [{ name: "held", key: "k", count: 1 }],
  ],
  [
    "holdAll, each item",
    (ctx, limiter) =>
      limiter.holdAll(ctx, [
        { name: "held", key: "new" },
        { name: "held", key: "k" },
        { name: "dry" },
      ]),
    [
      { name: "held", key: "k", count: 1 },
      { name: "dry", key: undefined, count: 1 },
    ],
  ],
  [
    "limitAll, each item that its own limit would deny",
    (ctx, limiter) =>
      limiter.limitAll(ctx, [
        { name: "other", key: "new" },
        { name: "dry", count: 0 },
        { name: "enforced" },
        { name: "dry" },
        { name: "other", key: "k", count: 0.5 },
      ]),
    [
      { name: "dry", key: undefined, count: 1 },
      { name: "other", key: "k", count: 0.5 },
    ],
  ],
  [
    "schedule",
    (ctx, limiter) =>
      limiter.schedule(ctx, "bounded", { key: "k", fn, args: {} }),
    [{ name: "bounded", key: "k", count: 1 }],
  ],
  [
    "a banned key",
    async (ctx, limiter) => {
      await limiter.setOverride(ctx, "banned", { key: "k", deny: true });
      await limiter.limit(ctx, "banned", { key: "k" });
    },
    [{ name: "banned", key: "k", count: 1 }],
  ],
  [
    "no check",
    async (ctx, limiter) => {
      await limiter.check(ctx, "dry");
      const answer = await limiter.checkAll(ctx, [{ name: "dry" }]);
      expect(answer).toEqual({ ok: true, wouldDeny: true });
    },
    [],
  ],
  [
    "no debt that is made unasked",
    async (ctx, limiter) => {
      await limiter.charge(ctx, "dry");
      const { id } = await limiter.hold(ctx, "other", { key: "new" });
      await limiter.settle(ctx, id!, { count: 9 });
    },
    [],
  ],
])("of %s", async (_, verb, expected) => {
  const { t, limiter, told, denied } = start();
  await t.mutation(async (ctx) => {
    await limiter.limit(ctx, "dry");
    await limiter.limit(ctx, "other", { key: "k" });
    await limiter.limit(ctx, "bounded", { key: "k" });
    await limiter.limit(ctx, "split", { key: "k", count: 4 });
    await limiter.limit(ctx, "asynchronous", { key: "k" });
    await limiter.hold(ctx, "held", { key: "k" });
  });
  expect(told).toEqual([]);
  await t.mutation(async (ctx) => void (await verb(ctx, limiter)));
  expect(told).toEqual(expected);
  expect(denied).toEqual([]);
});

test("of a list that an enforced limit denies it is told nothing", async () => {
  const { t, limiter, told, denied } = start();
  await t.mutation(async (ctx) => {
    await limiter.limit(ctx, "dry");
    await limiter.limit(ctx, "enforced");
    await limiter.limitAll(ctx, [{ name: "dry" }, { name: "enforced" }]);
  });
  expect(told).toEqual([]);
  expect(denied).toMatchObject([{ name: "enforced" }]);
});

test("no answer shows which items a dry run let through", async () => {
  const { t, limiter } = start();
  const said = await t.mutation(async (ctx) => {
    await limiter.limit(ctx, "dry");
    return [
      await limiter.limit(ctx, "dry", { details: true }),
      await limiter.limitAll(ctx, [{ name: "dry" }]),
      Object.keys(await limiter.hold(ctx, "dry")).sort(),
      Object.keys(await limiter.holdAll(ctx, [{ name: "dry" }])).sort(),
    ];
  });
  expect(said).toEqual([
    { ok: true, wouldDeny: true, limit: 1, remaining: 0, resetAfter: MINUTE },
    { ok: true, wouldDeny: true },
    ["id", "ok", "wouldDeny"],
    ["ids", "ok", "wouldDeny"],
  ]);
});

const failing = new RateLimiter(components.rateLimiter, limits, {
  onWouldDeny: () => {
    throw new Error("no room for notes");
  },
});

test("an error that it throws fails the caller's mutation", async () => {
  const t = startHost();
  await t.mutation((ctx) => failing.limit(ctx, "dry"));
  const before = await storedRows(t);
  const failed = t.mutation(async (ctx) => {
    await failing.limit(ctx, "other");
    await failing.limit(ctx, "dry");
  });
  await expect(failed).rejects.toThrow("no room for notes");
  expect(await storedRows(t)).toEqual(before);
});

test("an error that it throws in an action leaves no hold behind", async () => {
  const t = startHost();
  await t.action(async (ctx) => {
    await failing.limit(ctx, "dry");
    for (const hold of [
      () => failing.hold(ctx, "dry"),
      () => failing.holdAll(ctx, [{ name: "other" }, { name: "dry" }]),
      () => failing.whileHolding(ctx, "dry", {}, () => "done"),
    ]) {
      await expect(hold()).rejects.toThrow("no room for notes");
    }
  });
  expect(await stored(t, "holds")).toEqual([]);
});
