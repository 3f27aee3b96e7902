import {
  MINUTE,
  RateLimiter,
  type FixedWindowConfig,
  type RateLimitConfig,
} from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import {
  components,
  startHost,
  storedRows,
  useStillClock,
  type Host,
  type HostCtx,
} from "../host.js";

useStillClock();

const config: FixedWindowConfig = {
  kind: "fixed window",
  rate: 10,
  period: MINUTE,
  shards: 2,
};

const { lib } = components.rateLimiter;
const limiter = new RateLimiter(components.rateLimiter);

const notFinite = [NaN, Infinity, -Infinity];
const badFields: [keyof FixedWindowConfig, number[]][] = [
  ["rate", [...notFinite, -1, 0]],
  ["period", [...notFinite, -1, 0]],
  ["capacity", [...notFinite, -1, 2 ** 52]],
  ["maxReserved", [...notFinite, -1]],
  ["shards", [...notFinite, -1, 0, 1.5, 1025]],
  ["start", [...notFinite, 1e21]],
];
const badConfigs = badFields.flatMap(([field, values]) =>
  values.map((value) => ({ field, value, bad: { ...config, [field]: value } })),
);
const badCounts = [...notFinite, -1, -1e-9];

/** A limit that has been used: its rows must survive what follows. */
async function startUsed(): Promise<Host> {
  const t = startHost();
  await t.mutation((ctx) => limiter.limit(ctx, "bad", { config, count: 3 }));
  return t;
}

type Verb = (ctx: HostCtx) => Promise<unknown>;

type Options = { config: RateLimitConfig; count?: number; leave?: number };

/** Each verb that asks for tokens of the limit, and each function that answers it. */
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

/** Each verb that moves tokens without asking. */
function moving(options: Options): Verb[] {
  const item = { name: "bad", ...options };
  return [
    (ctx) => limiter.credit(ctx, "bad", options),
    (ctx) => limiter.charge(ctx, "bad", options),
    (ctx) => ctx.runMutation(lib.credit, item),
    (ctx) => ctx.runMutation(lib.charge, item),
  ];
}

/** Each verb throws an error with all of `messages`, and leaves each row as it was. */
async function expectRefused(verbs: Verb[], ...messages: string[]) {
  const t = await startUsed();
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

describe.each(badConfigs)("$field: $value", ({ field, value, bad }) => {
  const names = ["Rate limit bad: ", `${field} must be `, `but is ${value}.`];

  test("is refused by the constructor, which names limit, field and value", () => {
    const construct = () => new RateLimiter(components.rateLimiter, { bad });
    for (const name of names) expect(construct).toThrow(name);
  });

  test("is refused by each verb that takes a config, and no row changes", async () => {
    const options = { config: bad };
    const item = { name: "bad", ...options };
    const update = { kind: "consume" as const, ...item, count: 1, ts: 0 };
    const verbs: Verb[] = [
      ...asking(options),
      ...moving(options),
      (ctx) => limiter.getValue(ctx, "bad", options),
      (ctx) => ctx.runQuery(lib.getValue, item),
      (ctx) => ctx.runMutation(lib.limitAll, { limits: [item] }),
      (ctx) => ctx.runQuery(lib.checkAll, { limits: [item] }),
      (ctx) => ctx.runMutation(lib.enqueueUpdates, { updates: [update] }),
    ];
    await expectRefused(verbs, ...names);
  });
});

describe("is refused by each verb, and no row changes:", () => {
  test.each(badCounts)("a count of %d", async (count) => {
    const verbs = asking({ config, count });
    await expectRefused(verbs, "Rate limit bad: count", `but is ${count}.`);
  });

  test.each([...badCounts, "2"])("leave: %s", async (bad) => {
    const verbs = asking({ config, leave: bad as number });
    // The component's validator refuses a text in words of its own.
    const messages = bad === "2" ? [] : ["bad: leave", `${bad}`];
    await expectRefused(verbs, ...messages);
  });

  test.each([...badCounts, 0])("an amount of %d", async (count) => {
    const verbs = moving({ config, count });
    await expectRefused(verbs, "Rate limit bad: count", `but is ${count}.`);
  });
});

describe("upTo", () => {
  test.each([0, 0.5])("with a count of %d is refused", async (count) => {
    const options = { config, count, upTo: true };
    const verbs: Verb[] = [
      (ctx) => limiter.limit(ctx, "bad", options),
      (ctx) => limiter.check(ctx, "bad", options),
    ];
    await expectRefused(verbs, `count must be at least 1 with upTo`);
  });

  test("and reserve are refused together", async () => {
    const item = { name: "bad", config, upTo: true, reserve: true };
    const options = item as unknown as { config: typeof config };
    const verbs: Verb[] = [
      (ctx) => limiter.limit(ctx, "bad", options),
      (ctx) => limiter.check(ctx, "bad", options),
      (ctx) => ctx.runMutation(lib.rateLimit, item),
    ];
    await expectRefused(verbs, "bad: upTo and reserve exclude each other");
  });

  test("is refused in a list", async () => {
    const item = { name: "bad", config, upTo: true };
    const items = [item] as { name: string; config: typeof config }[];
    const verbs: Verb[] = [
      (ctx) => limiter.limitAll(ctx, items),
      (ctx) => limiter.checkAll(ctx, items),
    ];
    await expectRefused(verbs, "bad: upTo is for limit and check");
    await expectRefused([
      (ctx) => ctx.runMutation(lib.limitAll, { limits: items }),
    ]);
  });
});

test("a count of 0 asks whether the limit is out of debt, and writes nothing", async () => {
  const t = startHost();
  const single = { kind: "token bucket", rate: 10, period: MINUTE } as const;
  const ask = (count: number, reserve = false) =>
    t.mutation((ctx) =>
      limiter.limit(ctx, "zero", { config: single, count, reserve }),
    );
  expect(await ask(0)).toEqual({ ok: true });
  expect(await storedRows(t)).toEqual([]);
  await ask(11, true);
  const before = await storedRows(t);
  expect(await ask(0)).toEqual({ ok: false, retryAfter: 6_000 });
  expect(await storedRows(t)).toEqual(before);
});

test.each([...notFinite, -1])("a jitter of %d is refused", async (jitter) => {
  const work = { fn: lib.clearAll, args: {} };
  await expectRefused(
    [(ctx) => limiter.schedule(ctx, "bad", { config, jitter, ...work })],
    "Rate limit bad: jitter",
    `but is ${jitter}.`,
  );
});

const oddNames = ["__proto__", "constructor", "toString", "", "a".repeat(1000)];

describe.each(oddNames.map((name) => [name.slice(0, 20), name]))(
  'the name "%s"',
  (_, name) => {
    test("is a limit like any other if it is defined", async () => {
      const limits = Object.fromEntries([[name, config]]);
      const named = new RateLimiter(components.rateLimiter, limits);
      const t = startHost();
      expect(
        await t.mutation((ctx) => named.limit(ctx, name, { count: 10 })),
      ).toEqual({ ok: true });
      expect(await t.mutation((ctx) => named.limit(ctx, name))).toMatchObject({
        ok: false,
      });
      await t.mutation((ctx) => named.reset(ctx, name));
      expect(await storedRows(t)).toEqual([]);
    });

    test("is not defined unless it is", async () => {
      const named: RateLimiter<Record<string, RateLimitConfig>> =
        new RateLimiter(components.rateLimiter, { other: config });
      await expectRefused(
        [(ctx) => named.limit(ctx, name)],
        `Rate limit ${name} is not defined`,
      );
      expect(() => named.hookAPI(name)).toThrow("is not defined");
    });
  },
);

test.each(["", " ", "__proto__", "k".repeat(1000), "\u0000", "🔑"])(
  "the key %j is a key of its own",
  async (key) => {
    const t = startHost();
    const take = (of: string | undefined) =>
      t.mutation((ctx) =>
        limiter.limit(ctx, "keyed", { config, count: 10, key: of }),
      );
    expect(await take(key)).toEqual({ ok: true });
    expect(await take(key)).toMatchObject({ ok: false });
    expect(await take(undefined)).toEqual({ ok: true });
    expect(await take(`${key}2`)).toEqual({ ok: true });
    await t.mutation((ctx) => limiter.reset(ctx, "keyed", { key }));
    expect(await take(key)).toEqual({ ok: true });
    expect(await take(undefined)).toMatchObject({ ok: false });
  },
);

test.each([
  ["an unknown kind", { kind: "leaky bucket", rate: 1, period: 1 }],
  ["a rate that is text", { ...config, rate: "10" }],
  ["no period", { kind: "token bucket", rate: 1 }],
  ["nothing", null],
])("%s is refused by the constructor and by the component", async (_, odd) => {
  const bad = odd as unknown as RateLimitConfig;
  expect(() => new RateLimiter(components.rateLimiter, { bad })).toThrow();
  const t = await startUsed();
  const before = await storedRows(t);
  await expect(
    t.mutation((ctx) => limiter.limit(ctx, "bad", { config: bad })),
  ).rejects.toThrow();
  expect(await storedRows(t)).toEqual(before);
});
