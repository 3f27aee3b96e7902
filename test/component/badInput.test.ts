import type { RateLimitConfig } from "convex-rate-limiter";
import type { FunctionArgs } from "convex/server";
import { describe, expect, test } from "vitest";
import { bucket, startApp, window } from "../support/startApp.js";
import {
  components,
  storedRows,
  useStillClock,
  type HostCtx,
} from "../support/host.js";

useStillClock();

const config = window(10, 2);

const { lib, verbs } = components.rateLimiter;
const { limiter } = startApp({});

const notFinite = [NaN, Infinity, -Infinity];
/** Twice as much is more than a float can hold. */
const HUGE = 1.7e308;

const badCounts = [...notFinite, -1, -1e-9];

/** What to schedule. */
const work = { fn: lib.clearAll, args: {} };

type Verb = (ctx: HostCtx) => Promise<unknown>;

type Options = { config: RateLimitConfig; count?: number; leave?: number };

/** Each verb that requests tokens of the limit, in the client and in the component. */
function asking(options: Options): Verb[] {
  const item = { name: "bad", ...options };
  const items = [{ name: "good", config }, item];
  return [
    (ctx) => limiter.limit(ctx, "bad", options),
    (ctx) => limiter.limit(ctx, "bad", { ...options, reserve: true }),
    (ctx) => limiter.check(ctx, "bad", options),
    (ctx) => limiter.limitAll(ctx, items),
    (ctx) => limiter.checkAll(ctx, items),
    (ctx) => ctx.runMutation(lib.rateLimit, item),
    (ctx) => ctx.runQuery(lib.checkRateLimit, item),
  ];
}

/** Each verb that moves tokens without a request. */
function moving(options: Options): Verb[] {
  const item = { name: "bad", ...options };
  return [
    (ctx) => limiter.credit(ctx, "bad", options),
    (ctx) => limiter.charge(ctx, "bad", options),
    (ctx) => ctx.runMutation(verbs.credit, item),
    (ctx) => ctx.runMutation(verbs.charge, item),
  ];
}

/** Functions of the component that take a limit of any kind. */
function ofAnyKind(item: FunctionArgs<typeof lib.getValue>): Verb[] {
  return [
    (ctx) => ctx.runQuery(lib.checkRateLimit, item),
    (ctx) => ctx.runQuery(lib.getValue, item),
    (ctx) => ctx.runMutation(verbs.holdAll, { limits: [item] }),
    (ctx) =>
      ctx.runMutation(verbs.holdAll, { limits: [{ ...item, once: "held" }] }),
  ];
}

/** Each verb throws an error with all of `messages`, and leaves each row as it was. */
async function expectRefused(verbs: Verb[], ...messages: string[]) {
  const { t, limit } = startApp({});
  await limit("bad", { config, count: 3 });
  // A later hold with the same `once` returns this one without opening the limit.
  await t.mutation((ctx) => limiter.hold(ctx, "bad", { config, once: "held" }));
  const before = await storedRows(t);
  for (const verb of verbs) {
    const error: unknown = await t.mutation(verb).then(
      () => expect.fail(`granted: ${verb.toString()}`),
      (error: unknown) => error,
    );
    for (const message of messages) {
      expect((error as Error).message).toContain(message);
    }
  }
  expect(await storedRows(t)).toEqual(before);
}

// test/core/config.test.ts has a table of what else a field must not be.
test.each<[keyof RateLimitConfig, number]>([
  ["rate", NaN],
  ["period", 0],
  ["capacity", -1],
  ["maxReserved", Infinity],
  ["shards", 1.5],
  ["start", 1e21],
])(
  "each verb that takes a config refuses a %s of %d and changes no row",
  async (field, value) => {
    const options = { config: { ...config, [field]: value } };
    const item = { name: "bad", ...options };
    const update = { kind: "consume" as const, ...item, count: 1, ts: 0 };
    const lists: Verb[] = [
      ...asking(options),
      ...moving(options),
      (ctx) => limiter.getValue(ctx, "bad", options),
      (ctx) => limiter.reset(ctx, "bad", options),
      (ctx) => limiter.hold(ctx, "bad", options),
      (ctx) => limiter.hold(ctx, "bad", { ...options, once: "held" }),
      (ctx) => limiter.holdAll(ctx, [item]),
      (ctx) => limiter.schedule(ctx, "bad", { ...options, ...work }),
      (ctx) => limiter.credit(ctx, "bad", { config, from: options.config }),
      (ctx) => ctx.runQuery(lib.getValue, item),
      (ctx) => ctx.runMutation(verbs.limitAll, { limits: [item] }),
      (ctx) => ctx.runQuery(verbs.checkAll, { limits: [item] }),
      (ctx) => ctx.runMutation(lib.enqueueUpdates, { updates: [update] }),
    ];
    const messages = ["Rate limit bad: ", `${field} must`, `but is ${value}.`];
    await expectRefused(lists, ...messages);
  },
);

describe("each verb refuses, without changing a row,", () => {
  test.each(badCounts)("a count of %d", async (count) => {
    const item = { name: "bad", config, count };
    const verbs: Verb[] = [
      // Of these, a negative one gives back.
      ...(count < 0 && count > -Infinity ? [] : asking({ config, count })),
      (ctx) => limiter.hold(ctx, "bad", { config, count }),
      (ctx) => limiter.hold(ctx, "bad", { config, count, once: "held" }),
      (ctx) => limiter.holdAll(ctx, [item]),
      (ctx) => limiter.schedule(ctx, "bad", { config, count, ...work }),
    ];
    await expectRefused(verbs, "Rate limit bad: count", `but is ${count}.`);
  });

  test.each([...badCounts, "2"])("a leave of %s", async (bad) => {
    const verbs = asking({ config, leave: bad as number });
    // The component's validator refuses a string with a message of its own.
    const messages =
      bad === "2" ? ["Validator error"] : ["bad: leave", `${bad}`];
    await expectRefused(verbs, ...messages);
  });

  test.each([...badCounts, 0])("an amount of %d", async (count) => {
    const verbs = moving({ config, count });
    await expectRefused(verbs, "Rate limit bad: count", `but is ${count}.`);
  });
});

const running = { kind: "concurrency", capacity: 2, lease: 1000 } as const;

test.each([
  ["lease", bucket(10), 1000],
  ["lease", config, 1000],
  ["calendar", bucket(10), { period: "day" }],
  ["rate", running, 1],
  ["period", running, 1000],
  ["maxReserved", running, 1],
  ["maxDebt", running, 1],
  ["shards", running, 2],
  ["start", running, 0],
  ["calendar", running, { period: "day" }],
] as const)(
  "a %s of another kind than %j is refused by the component",
  async (field, of, value) => {
    const args = { name: "bad", config: { ...of, [field]: value } };
    const message = `Rate limit bad: there is no ${field} in a limit of kind "${of.kind}".`;
    await expectRefused(ofAnyKind(args), message);
  },
);

test.each([
  ["rate", { kind: "token bucket", period: 1000 }],
  ["period", { kind: "fixed window", rate: 1 }],
  ["capacity", { kind: "concurrency", lease: 1000 }],
  ["lease", { kind: "concurrency", capacity: 2 }],
] as const)(
  "a lack of %s in %j is refused by the component",
  (field, lacking) =>
    expectRefused(
      ofAnyKind({ name: "bad", config: lacking }),
      `Rate limit bad: ${field} must be`,
      "but is undefined.",
    ),
);

test("a hold is not settled by a bad config, and stays", async () => {
  const { t } = startApp({});
  const id = await t.mutation(async (ctx) => {
    const held = await limiter.hold(ctx, "bad", { config });
    return held.ok ? held.id : expect.fail("denied");
  });
  const settle = (given: RateLimitConfig) =>
    t.mutation((ctx) =>
      ctx.runMutation(verbs.settleAll, {
        holds: [{ id, count: 0, config: given }],
      }),
    );
  await expect(settle({ ...config, rate: -1 })).rejects.toThrow(
    "Rate limit bad: rate must be a finite number above 0, but is -1.",
  );
  expect(await settle(config)).toEqual({ settled: [true] });
});

describe("upTo", () => {
  const alone = (more: object): Verb[] => {
    const options = { config, upTo: true, ...more } as Options;
    return [
      (ctx) => limiter.limit(ctx, "bad", options),
      (ctx) => limiter.check(ctx, "bad", options),
      (ctx) => ctx.runMutation(lib.rateLimit, { name: "bad", ...options }),
    ];
  };

  test.each([
    [{ count: 0 }, "count must be at least 1 with upTo"],
    [{ count: 0.5 }, "count must be at least 1 with upTo"],
    [{ reserve: true }, "bad: upTo and reserve exclude each other"],
  ])("with %j is refused", async (more, message) => {
    await expectRefused(alone(more), message);
  });

  test("is refused in a list", async () => {
    const item = { name: "bad", config, upTo: true };
    const limits = [item] as { name: string; config: typeof config }[];
    const lists: Verb[] = [
      (ctx) => limiter.limitAll(ctx, limits),
      (ctx) => limiter.checkAll(ctx, limits),
    ];
    await expectRefused(lists, "Rate limit bad: ", "All does not take upTo.");
    const direct: Verb = (ctx) => ctx.runMutation(verbs.limitAll, { limits });
    await expectRefused([direct], "Validator error");
  });
});

test.each([...notFinite, -1])("a jitter of %d is refused", async (jitter) => {
  await expectRefused(
    [(ctx) => limiter.schedule(ctx, "bad", { config, jitter, ...work })],
    "Rate limit bad: jitter",
    `but is ${jitter}.`,
  );
});

describe.each([
  ['"__proto__"', "__proto__"],
  ['""', ""],
  ["of 1,000 letters", "a".repeat(1000)],
])("the name %s", (_title, name) => {
  test("is a limit like any other if it is defined", async () => {
    const { limit, reset, t } = startApp(Object.fromEntries([[name, config]]));
    expect(await limit(name, { count: 10 })).toEqual({ ok: true });
    expect(await limit(name)).toMatchObject({ ok: false });
    await reset(name);
    expect(await storedRows(t)).toEqual([]);
  });

  test("is an error if it is not defined", async () => {
    const { limit, limiter, t } = startApp({ other: config });
    const message = `Rate limit ${name} is not defined`;
    await expect(limit(name)).rejects.toThrow(message);
    expect(await storedRows(t)).toEqual([]);
    expect(() => limiter.hookAPI(name)).toThrow("is not defined");
  });
});

test.each([
  ['""', ""],
  ['"__proto__"', "__proto__"],
  ["of 1,000 letters", "k".repeat(1000)],
  ['"\\u0000"', "\u0000"],
  ['"🔑"', "🔑"],
])("the key %s has a balance of its own", async (_title, key) => {
  const { limit, reset } = startApp({ keyed: config });
  const take = async (of: string | undefined) =>
    (await limit("keyed", { count: 10, key: of })).ok;
  expect(await take(key)).toBe(true);
  expect(await take(key)).toBe(false);
  expect(await take(undefined)).toBe(true);
  expect(await take(`${key}2`)).toBe(true);
  await reset("keyed", { key });
  expect(await take(key)).toBe(true);
  expect(await take(undefined)).toBe(false);
});

type Odd = { bad: RateLimitConfig; words: string; value?: string };

test.each`
  bad                                             | words                             | value
  ${{ kind: "leaky bucket", rate: 1, period: 1 }} | ${"bad: kind must be"}            | ${undefined}
  ${{ ...config, size: 1 }}                       | ${"no field size"}                | ${undefined}
  ${{ ...config, requireKey: "yes" }}             | ${"bad: requireKey must be true"} | ${undefined}
  ${null}                                         | ${"bad: its config must be"}      | ${undefined}
  ${{ ...config, rate: "10" }}                    | ${"bad: rate must be"}            | ${"`10`"}
  ${{ kind: "token bucket", rate: 1 }}            | ${"bad: period must be"}          | ${"`period`"}
`(
  "the constructor and a call refuse $bad",
  async ({ bad, words, value }: Odd) => {
    expect(() => startApp({ bad })).toThrow(words);
    const call: Verb = (ctx) => limiter.limit(ctx, "bad", { config: bad });
    await expectRefused([call], words);
    if (value === undefined) return;
    // In the component, Convex's validator refuses it.
    const direct: Verb = (ctx) =>
      ctx.runMutation(lib.rateLimit, { name: "bad", config: bad });
    await expectRefused([direct], "Validator error", value);
  },
);

test.each<[string, (id: string) => Verb]>([
  [
    "charge",
    () => (ctx) => limiter.charge(ctx, "bad", { config, count: HUGE }),
  ],
  ["settle", (id) => (ctx) => limiter.settle(ctx, id, { count: HUGE })],
])(
  "a %s that makes a debt larger than any number names its limit",
  async (_, again) => {
    const { t } = startApp({});
    const { id } = await t.mutation((ctx) =>
      limiter.hold(ctx, "bad", { config, throws: true }),
    );
    const charge = { config, count: HUGE };
    await t.mutation((ctx) => limiter.charge(ctx, "bad", charge));
    await expect(t.mutation(again(id))).rejects.toThrow(
      /^Rate limit bad: count must be small enough for its debt to be a finite number, but is 1\.7e\+308\.$/,
    );
  },
);
