import {
  limitHttp,
  MINUTE,
  RateLimiter,
  type LimitConfig,
  type RateLimitArgs,
  type RateLimitConfig,
  type RateLimiterOptions,
} from "convex-rate-limiter";
import { rateLimitStorage } from "convex-rate-limiter/better-auth";
import { registerDashboard } from "convex-rate-limiter/dashboard";
import { rateLimited } from "convex-rate-limiter/helpers";
import {
  componentsGeneric,
  httpRouter,
  makeFunctionReference,
} from "convex/server";
import type { GenericId } from "convex/values";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  components,
  inBoth,
  startHost,
  stored,
  storedRows,
  type Host,
  type HostCtx,
} from "../support/host.js";
import { note } from "../support/noteJob.js";
import { verbsOfKey, type Ctx as KeyCtx } from "../support/verbsOfKey.js";

const config = { kind: "token bucket", rate: 10, period: MINUTE } as const;

afterEach(() => void vi.useRealTimers());

// A name that only a compiler without types lets pass.
const mesage = "mesage" as "message";
const render = { kind: "concurrency", capacity: 1, lease: MINUTE } as const;
const limiter = new RateLimiter(components.rateLimiter, {
  message: { ...config, overrides: true, stats: true },
  render,
});
const jobId = "job" as GenericId<"_scheduled_functions">;
const paginationOpts = { numItems: 10, cursor: null };
const range = { from: 0, to: MINUTE };

type Ctx = HostCtx & KeyCtx;

/** What the query of `hookAPI` shows a browser. */
const hookOf = (api: object): Promise<unknown> =>
  startHost({ modules: { "./limits.ts": async () => ({ ...api }) } }).query(
    makeFunctionReference<"query">("limits:getRateLimit"),
  );

test.each<[what: string, given: unknown, sentence: string]>([
  ["undefined", undefined, "the component is undefined. Mount it"],
  ["null", null, "the component is null. Mount it"],
  ["a string", "rateLimiter", "what it was given is not this component."],
  ["all components", componentsGeneric(), "and not components."],
  [
    "an object of components",
    { rateLimiter: components.rateLimiter },
    "and not components.",
  ],
])(
  "a module with a limiter of %s loads, and its first call says what to give",
  async (_, given, sentence) => {
    const component = given as typeof components.rateLimiter;
    const limiter = new RateLimiter(component, {
      message: { ...config, overrides: true, stats: true },
      render,
    });
    limiter.hookAPI("message");
    limitHttp(limiter, "message", {}, () => new Response());
    const t = startHost();
    for (const [verb, call] of verbs) {
      // They look for the job first, or need an action.
      if (/^(cancelScheduled|whileHolding)/.test(verb)) continue;
      const failed = t.mutation((ctx) => call(limiter, ctx as Ctx));
      await expect(failed).rejects.toThrow(sentence);
    }
  },
);

test("a component may have any name", () => {
  const { quotas } = componentsGeneric() as unknown as Record<
    string,
    typeof components.rateLimiter
  >;
  expect(() => new RateLimiter(quotas!)).not.toThrow();
});

describe("a period that was surely meant in seconds", () => {
  const warn = vi.fn<typeof console.warn>();
  beforeEach(() => {
    warn.mockClear();
    vi.spyOn(console, "warn").mockImplementation(warn);
  });
  afterEach(() => void vi.restoreAllMocks());
  const make = (period: number, options?: RateLimiterOptions) =>
    new RateLimiter(
      components.rateLimiter,
      { message: { ...config, period } },
      options,
    );

  test("is logged once, by new RateLimiter", async () => {
    const limiter = make(60);
    await startHost().run(async (ctx) => {
      await limiter.limit(ctx, "message");
    });
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^Rate limit message: its period is 60 ms/)],
    ]);
  });

  test("is logged neither with advice: false, nor if it is 100 ms or more", () => {
    make(60, { advice: false });
    make(600);
    make(100);
    new RateLimiter(components.rateLimiter, {
      day: { kind: "fixed window", rate: 1, period: "day" },
      render: { kind: "concurrency", capacity: 1, lease: 1 },
    });
    expect(warn).not.toHaveBeenCalled();
  });
});

test.each<[what: string, config: unknown, said: string | RegExp]>([
  ["undefined", undefined, "its config must be an object, but is undefined."],
  ["null", null, "its config must be an object, but is null."],
  ["10", 10, "its config must be an object, but is 10."],
  ...Object.entries({
    capacityy: "capacity",
    maxReservd: "maxReserved",
    reqiureKey: "requireKey",
    timezone: "timeZone",
    periodMs: "period",
  }).map(([field, nearest]): [string, unknown, string] => [
    `with ${field}`,
    { ...config, [field]: 1 },
    `there is no field ${field} in a config. Did you mean ${nearest}?`,
  ]),
  ["with leese", { ...render, leese: 1 }, "Did you mean lease?"],
  [
    "with a field that is like no other",
    { ...config, constructor: 1 },
    /there is no field constructor in a config\.$/,
  ],
])("new RateLimiter throws for a config: %s", (_, bad, said) => {
  const make = () =>
    new RateLimiter(components.rateLimiter, { message: bad as LimitConfig });
  expect(make).toThrow("Rate limit message: ");
  expect(make).toThrow(said);
});

describe("a config function that returns a bad config throws, called by", () => {
  const any = new RateLimiter(components.rateLimiter);
  const meta = { getRequestMetadata: async () => ({ ip: null }) };
  type Config = () => RateLimitConfig;
  const callers: Record<string, (config: Config) => Promise<unknown>> = {
    "a hook": (config) => hookOf(any.hookAPI("exports", { config })),
    "a guarded function": (config) =>
      startHost().run(async (ctx) =>
        rateLimited(any, "exports", { config }).input(ctx, {}, {}),
      ),
    limitHttp: (config) => {
      const never = () => expect.fail("It ran.");
      const handler = limitHttp(any, "exports", { config }, never);
      const request = new Request("https://example.com/");
      return startHost().run((ctx) =>
        handler({ ...ctx, meta } as never, request),
      );
    },
  };
  const mistakes: [found: unknown, words: string][] = [
    [{ ...config, rate: 0 }, "rate must be"],
    [{ ...config, timezone: "UTC" }, "timezone"],
    [null, "its config must be an object, but is null"],
    [undefined, "the config function returned undefined"],
  ];

  test.each(Object.entries(callers))("%s", async (who, call) => {
    const held: typeof mistakes = [[render, "are only held"]];
    for (const [found, words] of [
      ...mistakes,
      ...(who === "a hook" ? [] : held),
    ]) {
      const asked = call(() => found as RateLimitConfig);
      await expect(asked).rejects.toThrow("Rate limit exports: ");
      await expect(asked).rejects.toThrow(words);
    }
  });
});

test("reset and clearOverride of a limit that the constructor does not name throw", async () => {
  const said = "Rate limit mesage is not defined. The limits are message";
  const any = new RateLimiter(components.rateLimiter);
  const t = startHost();
  await t.run(async (ctx) => {
    await limiter.setOverride(ctx, "message", { key: "k", deny: true });
    await any.limit(ctx, "old", { config });
    await expect(limiter.reset(ctx, mesage, { key: "k" })).rejects.toThrow(
      said,
    );
    const clear = limiter.clearOverride(ctx, mesage, { key: "k" });
    await expect(clear).rejects.toThrow(said);
    // A config says that the name is meant, and so does a limiter that names none.
    await limiter.reset(ctx, "old", { config });
    expect(await any.check(ctx, "old", { config, count: 10 })).toEqual({
      ok: true,
    });
    await any.reset(ctx, "old");
    await any.clearOverride(ctx, "message", { key: "k" });
    expect(await limiter.check(ctx, "message", { key: "k" })).toEqual({
      ok: true,
    });
  });
});

test("the error of an undefined name lists up to ten others, the nearest first", async () => {
  const names = Array.from({ length: 12 }, (_, i) => `limit${i}`);
  const many = new RateLimiter(
    components.rateLimiter,
    Object.fromEntries([...names, "sendMessage"].map((name) => [name, config])),
  );
  const none: Record<string, LimitConfig> = {};
  const misspelt =
    "Rate limit mesage is not defined. The limits are message, render. Name it in the constructor, or give a config.";
  const t = startHost();
  await t.run(async (ctx) => {
    await expect(limiter.limit(ctx, mesage)).rejects.toThrow(misspelt);
    const list = [{ name: "message" }, { name: mesage }] as const;
    await expect(limiter.limitAll(ctx, list)).rejects.toThrow(misspelt);
    await expect(limiter.checkAll(ctx, list)).rejects.toThrow(misspelt);
    await expect(many.check(ctx, "sendMesage")).rejects.toThrow(
      "Rate limit sendMesage is not defined. The limits are sendMessage, limit0, limit1, limit2, limit3, limit4, limit5, limit6, limit7, limit8, and 3 more. Name it",
    );
    await expect(
      new RateLimiter(components.rateLimiter, none).check(ctx, "any"),
    ).rejects.toThrow("Rate limit any is not defined. Name it");
  });
  expect(await storedRows(t)).toEqual([]);
});

test("an override with both deny and unlimited throws", async () => {
  const both = { deny: true, unlimited: true } as const;
  await startHost().run(async (ctx) => {
    // @ts-expect-error one or the other
    const set = limiter.setOverride(ctx, "message", both);
    await expect(set).rejects.toThrow("unlimited");
    expect(await limiter.limit(ctx, "message")).toEqual({ ok: true });
  });
});

const noCtx = undefined as unknown as Ctx;
type Verb = (of: typeof limiter, ctx: Ctx) => Promise<unknown>;
const others: Record<string, Verb> = {
  settle: (of, ctx) => of.settle(ctx, "id", { count: 1 }),
  release: (of, ctx) => of.release(ctx, "id"),
  settleAll: (of, ctx) => of.settleAll(ctx, [{ id: "id" }]),
  renew: (of, ctx) => of.renew(ctx, "id"),
  cancelScheduled: (of, ctx) => of.cancelScheduled(ctx, jobId),
  setOverride: (of, ctx) => of.setOverride(ctx, "message", { deny: true }),
  penalize: (of, ctx) =>
    of.penalize(ctx, "message", { key: "k", bans: [1], forgetAfter: 1 }),
  clearOverride: (of, ctx) => of.clearOverride(ctx, "message"),
  forget: (of, ctx) => of.forget(ctx, "k"),
  isForgetting: (of, ctx) => of.isForgetting(ctx, "k"),
  listOverrides: (of, ctx) => of.listOverrides(ctx, { paginationOpts }),
  list: (of, ctx) => of.list(ctx, { paginationOpts }),
  stats: (of, ctx) => of.stats(ctx, "message", { ...range, by: "minute" }),
  topDenied: (of, ctx) => of.topDenied(ctx, "message", range),
};
const verbs = [
  ...Object.entries(others),
  ...Object.entries(verbsOfKey).map(([name, verb]): [string, Verb] => [
    name,
    (of, ctx) => verb(of, ctx, { key: "k" }),
  ]),
];

/** The limiter, with the arguments of each verb changed. */
function calledWith(change: (args: unknown[]) => unknown[]): typeof limiter {
  return new Proxy(limiter, {
    get: (of, verb) => {
      const method = Reflect.get(of, verb) as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => method.apply(of, change(args));
    },
  });
}

test.each(verbs)(
  "a ctx that is missing or was forgotten throws, and says what belongs there: %s",
  async (_, call) => {
    const next =
      'is ("message"|"render"|"id"|"job"|"k"|undefined)|has no run(Query|Mutation)';
    for (const [of, it] of [
      [limiter, "is undefined"],
      [calledWith(([, ...others]) => others), next],
      [calledWith(([, first]) => [first]), next],
      [calledWith(() => [[]]), next],
      [calledWith(() => []), next],
    ] as const) {
      await expect(call(of, noCtx)).rejects.toThrow(
        new RegExp(
          `^RateLimiter: the first argument must be the ctx that Convex gives to .*action, but it (${it})\\.$`,
        ),
      );
    }
  },
);

test.each<[ctx: unknown, is: string]>([
  ["message", 'it is "message"'],
  [null, "it is null"],
  [{ runQuery: () => 1 }, "it has no runMutation"],
])("the ctx %j throws, and says what it is", async (ctx, is) => {
  await expect(limiter.limit(ctx as HostCtx, "message")).rejects.toThrow(
    `RateLimiter: the first argument must be the ctx that Convex gives to a mutation or an action, but ${is}.`,
  );
});

describe("a field that a call does not take throws, and changes nothing:", () => {
  const list = [message] as const;
  const work = { fn: note, args: { text: "a" } };
  const ban = { key: "k", bans: [MINUTE], forgetAfter: MINUTE };
  const secret = "a secret of more than 16 characters";
  const page = { name: "message", paginationOpts } as const;
  const fail = () => expect.fail("It ran.");

  /** `bad` is an object with the field, as only code without types passes it. */
  type Call = (ctx: Ctx, bad: Record<string, never>, holdId: string) => unknown;

  /** Calls, each by what it does not take, and the field that was meant. */
  const ofLimit: Record<string, Call> = {
    "limit: cuont, count": (ctx, bad) => limiter.limit(ctx, "message", bad),
    "limit: throw, throws": (ctx, bad) => limiter.limit(ctx, "message", bad),
    "limit: detials, details": (ctx, bad) => limiter.limit(ctx, "message", bad),
    "limit: confg, config": (ctx, bad) => limiter.limit(ctx, "message", bad),
    "check: user": (ctx, bad) => limiter.check(ctx, "message", bad),
    "limitAll: cuont, count": (ctx, bad) =>
      limiter.limitAll(ctx, [message, { ...message, ...bad }]),
    "limitAll: throw, throws": (ctx, bad) => limiter.limitAll(ctx, list, bad),
    "checkAll: name": (ctx, bad) => limiter.checkAll(ctx, list, bad),
    "reset: keys, key": (ctx, bad) => limiter.reset(ctx, "message", bad),
    "getValue: sampleShard, sampleShards": (ctx, bad) =>
      limiter.getValue(ctx, "message", bad),
    "credit: form, from": (ctx, bad) => limiter.credit(ctx, "message", bad),
    "charge: throws": (ctx, bad) => limiter.charge(ctx, "message", bad),
    "hold: expireAfter, expiresAfter": (ctx, bad) =>
      limiter.hold(ctx, "message", bad),
    "holdAll: cuont, count": (ctx, bad) =>
      limiter.holdAll(ctx, [{ ...message, ...bad }]),
    "holdAll: expireAfter, expiresAfter": (ctx, bad) =>
      limiter.holdAll(ctx, list, bad),
    "settle: cuont, count": (ctx, bad, id) =>
      limiter.settle(ctx, id, { count: 1, ...bad }),
    "settleAll: cuont, count": (ctx, bad, id) =>
      limiter.settleAll(ctx, [{ id }, { id, ...bad }]),
    "whileHolding: confg, config": (ctx, bad) =>
      limiter.whileHolding(ctx, "message", bad, fail),
    "whileHoldingAll: throw, throws": (ctx, bad) =>
      limiter.whileHoldingAll(ctx, list, fail, bad),
    "schedule: jiter, jitter": (ctx, bad) =>
      limiter.schedule(ctx, "message", { ...work, ...bad }),
    "setOverride: expireAt, expiresAt": (ctx, bad) =>
      limiter.setOverride(ctx, "message", { unlimited: true, ...bad }),
    "an override's config: capcity, capacity": (ctx, bad) =>
      limiter.setOverride(ctx, "message", { config: bad }),
    "penalize: nota, note": (ctx, bad) =>
      limiter.penalize(ctx, "message", { ...ban, ...bad }),
    "clearOverride: kye": (ctx, bad) =>
      limiter.clearOverride(ctx, "message", bad),
    "listOverrides: keys, key": (ctx, bad) =>
      limiter.listOverrides(ctx, { ...page, ...bad }),
    "list: perfix, prefix": (ctx, bad) =>
      limiter.list(ctx, { ...page, ...bad }),
    "stats: too, to": (ctx, bad) =>
      limiter.stats(ctx, "message", { ...range, by: "hour", ...bad }),
    "topDenied: numKey, numKeys": (ctx, bad) =>
      limiter.topDenied(ctx, "message", { ...range, ...bad }),
    "hookAPI: kee, key": (_, bad) => limiter.hookAPI("message", bad),
    "limitHttp: kee, key": (_, bad) => limitHttp(limiter, "message", bad, fail),
    "rateLimited: kee, key": (_, bad) => rateLimited(limiter, "message", bad),
  };
  const others: Record<string, Call> = {
    "list: odrer, order": (ctx, bad) =>
      limiter.list(ctx, { paginationOpts, ...bad }),
    "registerDashboard: paht, path": (_, bad) =>
      registerDashboard(httpRouter(), limiter, { secret, ...bad }),
    "new RateLimiter: onDenid, onDenied": (_, bad) =>
      new RateLimiter(components.rateLimiter, {}, bad),
    "rateLimitStorage: nmae, name": (ctx, bad) =>
      rateLimitStorage(ctx, limiter, bad),
  };

  /** What the fields are that a call takes, if none of them is likely meant. */
  const taken: Record<string, string> = {
    "check: user":
      "key, upTo, reserve, name, count, leave, config, throws, details.",
    "checkAll: name": "throws, details.",
    "charge: throws": "",
    "clearOverride: kye": "key,",
  };

  const tables = ["rateLimits", "holds", "overrides", "events"] as const;
  const everything = (t: Host) =>
    Promise.all(tables.map((table) => stored(t, table)));

  test.each([
    ...Object.entries(ofLimit).map(
      ([what, call]) => ["Rate limit message: ", what, call] as const,
    ),
    ...Object.entries(others).map(([what, call]) => ["", what, call] as const),
  ])("%s%s", async (of, what, call) => {
    const [, verb, field, meant] = /^(.*): (\w+)(?:, (\w+))?$/.exec(what)!;
    const t = startHost();
    const id = await t.run(async (ctx) => {
      const held = await limiter.hold(ctx, "message", { throws: true });
      await limiter.setOverride(ctx, "message", { unlimited: true });
      return held.id;
    });
    const before = await everything(t);
    const said = `${of}${verb} does not take ${field}. ${meant === undefined ? `It takes ${taken[what]}` : `Did you mean ${meant}?`}`;
    for (const value of [1, null, false, "message"]) {
      const bad = { [field!]: value } as Record<string, never>;
      const asked = inBoth(t, async (ctx) => call(ctx, bad, id));
      await expect(asked).rejects.toThrow(said);
    }
    expect(await everything(t)).toEqual(before);
  });
});

test("calls accept fields that are undefined, and a name beside the name", async () => {
  const args: RateLimitArgs = { name: "other", config, count: 2 };
  const none: object = { cuont: undefined };
  await startHost().run(async (ctx) => {
    await limiter.limit(ctx, args.name, args);
    await limiter.limit(ctx, "message", none);
    const peek = { ...args, details: true, count: 0 } as const;
    expect(await limiter.check(ctx, args.name, peek)).toMatchObject({
      remaining: 8,
    });
    const ban = { deny: true, name: "message" } as const;
    await limiter.setOverride(ctx, "message", ban);
    expect(await limiter.check(ctx, "message")).toMatchObject({ ok: false });
  });
});

const stray = "user" as unknown as Record<string, never>;
test.each(
  Object.entries<(ctx: HostCtx) => unknown>({
    limit: (ctx) => limiter.limit(ctx, "message", stray),
    check: (ctx) => limiter.check(ctx, "message", stray),
    credit: (ctx) => limiter.credit(ctx, "message", stray),
    charge: (ctx) => limiter.charge(ctx, "message", stray),
    hold: (ctx) => limiter.hold(ctx, "message", stray),
    reset: (ctx) => limiter.reset(ctx, "message", stray),
    "reset of any name": (ctx) =>
      new RateLimiter(components.rateLimiter).reset(ctx, "message", stray),
    getValue: (ctx) => limiter.getValue(ctx, "message", stray),
    clearOverride: (ctx) => limiter.clearOverride(ctx, "message", stray),
    hookAPI: () => limiter.hookAPI("message", stray),
    rateLimited: () => rateLimited(limiter, "message", stray),
  }),
)("a key in the place of the options throws: %s", async (_, call) => {
  const t = startHost();
  await t.run(async (ctx) => {
    await expect((async () => call(ctx))()).rejects.toThrow(
      "Rate limit message: the options must be an object, such as { key }, but are of type string.",
    );
  });
  expect(await storedRows(t)).toEqual([]);
});

const message = { name: "message" } as const;
type List = readonly (typeof message)[];
const lists = {
  limitAll: (ctx, list) => limiter.limitAll(ctx, list),
  checkAll: (ctx, list) => limiter.checkAll(ctx, list),
  holdAll: (ctx, list) => limiter.holdAll(ctx, list),
  whileHoldingAll: (ctx, list) =>
    limiter.whileHoldingAll(ctx, list, () => expect.fail()),
  settleAll: (ctx, list) => limiter.settleAll(ctx, list as never),
} satisfies Record<string, (ctx: Ctx, list: List) => Promise<unknown>>;

/** Expects a call to fail with this message, before it takes anything. */
async function expectFailure(call: (ctx: Ctx) => unknown, message: string) {
  const t = startHost();
  const failed = inBoth(t, async (ctx) => void (await call(ctx)));
  await expect(failed).rejects.toThrow(new Error(message));
  expect(await storedRows(t)).toEqual([]);
}

describe.each(Object.entries(lists))(
  "%s fails before it takes anything",
  (verb, call) => {
    test.each([
      ["object", message],
      ["string", "message"],
      ["undefined", undefined],
      ["null", null],
    ])("if its list is a value of type %s", async (type, list) => {
      const item = verb === "settleAll" ? "id" : "name";
      await expectFailure(
        (ctx) => call(ctx, list as never),
        `${verb} takes a list, such as [{ ${item} }], but was given a value of type ${type}.`,
      );
    });

    test("if its list has more than 256 items, even if it is longer than Convex's lists", async () => {
      await expectFailure(
        (ctx) =>
          call(
            ctx,
            Array.from({ length: 9000 }, () => message),
          ),
        `${verb} takes at most 256 items, but was given 9000.`,
      );
    });
  },
);

const { settleAll: _, ...taking } = lists;
test.each(Object.entries(taking))(
  "%s fails if its list is empty",
  async (verb, call) => {
    await expectFailure(
      (ctx) => call(ctx, []),
      `${verb}: the list is empty. Name at least one limit.`,
    );
  },
);

const nothing = undefined as never;
test.each<[sentence: string, call: (ctx: Ctx) => unknown]>([
  [
    "whileHolding needs the work to run, but got none.",
    (ctx) => limiter.whileHolding(ctx, "message", {}, nothing),
  ],
  [
    "schedule needs fn, the function to run, but got none.",
    (ctx) => limiter.schedule(ctx, "message", { fn: nothing, args: nothing }),
  ],
  [
    "the options must be an object, such as { fn }, but are of type undefined.",
    (ctx) => limiter.schedule(ctx, "message", nothing),
  ],
])(
  "a call fails before it takes anything, and says: %s",
  async (sentence, call) => {
    await expectFailure(call, `Rate limit message: ${sentence}`);
  },
);

test("256 holds are settled in one call, 257 in none", async () => {
  await startHost().run(async (ctx) => {
    const items = Array.from({ length: 256 }, (_, i) => `${i}`).map((key) => ({
      ...message,
      key,
    }));
    const { ids } = await limiter.holdAll(ctx, items, { throws: true });
    const holds = ids.map((id) => ({ id, count: 1 }));
    const tooMany = [...holds, { id: ids[0]! }];
    const { settleAll } = components.rateLimiter.verbs;
    await expect(limiter.settleAll(ctx, tooMany)).rejects.toThrow("256");
    await expect(
      ctx.runMutation(settleAll, { holds: tooMany }),
    ).rejects.toThrow("A list takes at most 256 items, but was given 257.");
    const { settled } = await limiter.settleAll(ctx, holds);
    expect(settled).toEqual(ids.map(() => true));
  });
});

describe("half of a character throws, and names the field but not the text:", () => {
  // What is left of an emoji that slice has cut.
  const key = "user 😀".slice(0, 6);
  const said = (name: string, field: string) =>
    new Error(
      `${name}: ${field} contains half of a character, as text does that is cut within an emoji. Cut it by characters: [...text].slice(0, n).join("").`,
    );
  const ban = { bans: [1], forgetAfter: 1 };
  const page = { name: "message", prefix: key, paginationOpts } as const;
  /** By the field that has the text. */
  const more: Record<string, Verb> = {
    "clearOverride: key": (of, ctx) =>
      of.clearOverride(ctx, "message", { key }),
    "setOverride: note": (of, ctx) =>
      of.setOverride(ctx, "message", { deny: true, note: key }),
    "penalize: key": (of, ctx) => of.penalize(ctx, "message", { key, ...ban }),
    "hold: once": (of, ctx) => of.hold(ctx, "message", { once: key }),
    "list: prefix": (of, ctx) => of.list(ctx, page),
  };

  test.each([
    ...Object.entries(verbsOfKey).map(([verb, call]): [string, Verb] => [
      `${verb}: key`,
      (of, ctx) => call(of, ctx, { key }),
    ]),
    ...Object.entries(more),
  ])("%s", async (verb, call) => {
    const failed = inBoth(startHost(), (ctx) => call(limiter, ctx));
    const error: unknown = await failed.catch((error: unknown) => error);
    const name = String(error).includes("render") ? "render" : "message";
    expect(error).toEqual(said(`Rate limit ${name}`, verb.split(": ")[1]!));
  });

  test("of a key without a limit, and of one that a function returns", async () => {
    const hook = limiter.hookAPI("message", { key: () => key });
    await startHost().run(async (ctx) => {
      await expect(limiter.forget(ctx, key)).rejects.toThrow(
        said("forget", "the key"),
      );
      await expect(limiter.isForgetting(ctx, key)).rejects.toThrow(
        said("isForgetting", "the key"),
      );
    });
    await expect(hookOf(hook)).rejects.toThrow(
      said("Rate limit message", "key"),
    );
  });

  test("a whole emoji is text like any other", async () => {
    const whole = { key: "user 😀" };
    const limited = startHost().mutation((ctx) =>
      limiter.limit(ctx, "message", whole),
    );
    expect(await limited).toEqual({ ok: true });
  });
});

test("cancelScheduled in an action says that it is for mutations", async () => {
  const t = startHost();
  const failed = t.action((ctx) =>
    limiter.cancelScheduled(ctx as unknown as HostCtx, jobId),
  );
  await expect(failed).rejects.toThrow(
    new Error(
      "RateLimiter: cancelScheduled is for mutations, and was called in an action. Call a mutation there that calls it.",
    ),
  );
});
