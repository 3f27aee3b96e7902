import {
  MINUTE,
  RateLimiter,
  type LimitConfig,
  type MutationCtx,
  type RateLimitDenial,
  type RateLimitWouldDeny,
  type SchedulingCtx,
} from "convex-rate-limiter";
import { beforeEach, describe, expect, test } from "vitest";
import {
  components,
  startHost,
  storedRows,
  useStillClock,
  type Host,
  type HostCtx,
} from "../support/host.js";
import { note, noteModules } from "../support/noteJob.js";

useStillClock();

const one = { kind: "token bucket", rate: 1, period: MINUTE } as const;
const place = { kind: "concurrency", capacity: 1, lease: MINUTE } as const;
const enforce = false;
const limits = {
  one,
  other: one,
  bounded: { ...one, maxReserved: 0 },
  warning: { ...one, warnAt: 0.5 },
  dry: { ...one, enforce },
  dryOther: { ...one, enforce },
  dryBounded: { ...one, maxReserved: 0, enforce },
  banned: { ...one, overrides: true, enforce },
  split: { ...one, capacity: 4, shards: 2, enforce },
  place,
  dryPlace: { ...place, enforce },
} satisfies Record<string, LimitConfig>;

const denied: RateLimitDenial[] = [];
const letThrough: RateLimitWouldDeny[] = [];
const noted = async (ctx: MutationCtx, text: string) => {
  if ("db" in ctx) await (ctx as HostCtx).db.insert("notes", { text });
};
const limiter = new RateLimiter(components.rateLimiter, limits, {
  onDenied: (ctx, denial) => {
    denied.push(denial);
    return noted(ctx, denial.name);
  },
  onWouldDeny: (ctx, one) => {
    letThrough.push(one);
    return noted(ctx, one.name);
  },
});
const key = "k";
const work = { fn: note, args: { text: "It ran." } };

/** An app in which the key has used up all of each limit. */
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
  expect([...denied, ...letThrough]).toEqual([]);
  return t;
}
beforeEach(() => {
  denied.length = 0;
  letThrough.length = 0;
});

const notes = async (t: Host) => {
  const rows = await t.run((ctx) => ctx.db.query("notes").collect());
  return rows.map(({ text }) => text);
};

type Verb = (ctx: HostCtx & SchedulingCtx) => Promise<unknown>;

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
    await t.mutation(async (ctx) => void (await verb(ctx)));
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
    await t.mutation(async (ctx) => void (await verb(ctx)));
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
  ["onWarning", "warning", "new"],
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
      await failing.limit(ctx, name, { key });
    });
    await expect(failed).rejects.toThrow("no room for notes");
    expect(await storedRows(t)).toEqual(before);
  },
);
