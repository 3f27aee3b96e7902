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
import { verbsOfKey, type Ctx } from "../support/verbsOfKey.js";

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
      const failed = t.mutation((ctx) => call(limiter, ctx as HostCtx & Ctx));
      await expect(failed).rejects.toThrow(sentence);
    }
  },
);

describe("a call fails before it takes anything, and says what it needs:", () => {
  const items = { name: "message" } as never;
  const nothing = undefined as never;
  const cases: Record<string, (ctx: HostCtx & Ctx) => Promise<unknown>> = {
    "limitAll takes a list, such as [{ name }], but was given a value of type object.":
      (ctx) => limiter.limitAll(ctx, items),
    "checkAll takes a list, such as [{ name }], but was given a value of type string.":
      (ctx) => limiter.checkAll(ctx, "message" as never),
    "limitAll: the list is empty. Name at least one limit.": (ctx) =>
      limiter.limitAll(ctx, []),
    "checkAll: the list is empty. Name at least one limit.": (ctx) =>
      limiter.checkAll(ctx, []),
    "holdAll takes a list, such as [{ name }], but was given a value of type object.":
      (ctx) => limiter.holdAll(ctx, items),
    "settleAll takes a list, such as [{ id }], but was given a value of type undefined.":
      (ctx) => limiter.settleAll(ctx, nothing),
    "whileHoldingAll takes a list, such as [{ name }], but was given a value of type null.":
      (ctx) => limiter.whileHoldingAll(ctx, null as never, () => expect.fail()),
    "Rate limit message: whileHolding needs the work to run, but got none.": (
      ctx,
    ) => limiter.whileHolding(ctx, "message", {}, nothing),
    "Rate limit message: schedule needs fn, the function to run, but got none.":
      (ctx) => limiter.schedule(ctx, "message", { fn: nothing, args: nothing }),
    "Rate limit message: the options must be an object, such as { fn }, but are of type undefined.":
      (ctx) => limiter.schedule(ctx, "message", nothing),
  };

  test.each(Object.entries(cases))("%s", async (sentence, call) => {
    const t = startHost();
    const failed = inBoth(t, call);
    await expect(failed).rejects.toThrow(new Error(sentence));
    expect(await storedRows(t)).toEqual([]);
  });
});

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

test.each([undefined, null, 10])(
  "new RateLimiter throws if a config is %s",
  (bad) => {
    const message = bad as unknown as RateLimitConfig;
    expect(() => new RateLimiter(components.rateLimiter, { message })).toThrow(
      `Rate limit message: its config must be an object, but is ${bad}.`,
    );
  },
);

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

test.each<[field: string, nearest: string, kind: LimitConfig]>([
  ["capacityy", "capacity", config],
  ["maxReservd", "maxReserved", config],
  ["reqiureKey", "requireKey", config],
  ["timezone", "timeZone", config],
  ["periodMs", "period", config],
  ["leese", "lease", render],
])(
  "the error of an unknown field suggests the nearest: %s, %s",
  (field, nearest, bad) => {
    const message = { ...bad, [field]: 1 };
    expect(() => new RateLimiter(components.rateLimiter, { message })).toThrow(
      `Rate limit message: there is no field ${field} in a config. Did you mean ${nearest}?`,
    );
  },
);

test("the error of a field that is like no other suggests none", () => {
  const message = { ...config, constructor: 1 } as unknown as LimitConfig;
  expect(() => new RateLimiter(components.rateLimiter, { message })).toThrow(
    /there is no field constructor in a config\.$/,
  );
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

const noCtx = undefined as unknown as HostCtx;
type Verb = (of: typeof limiter, ctx: HostCtx & Ctx) => Promise<unknown>;
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
      await expect(call(of, noCtx as HostCtx & Ctx)).rejects.toThrow(
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

describe("a field that a call does not take", () => {
  const message = [{ name: "message" }] as const;
  const work = { fn: note, args: { text: "a" } };
  const ban = { key: "k", bans: [MINUTE], forgetAfter: MINUTE };
  const hello = () => new Response();
  const secret = "a secret of more than 16 characters";
  const page = { name: "message", paginationOpts } as const;

  /** `wrong` is an object with the field, as only code without types passes it. */
  type Call = (
    ctx: HostCtx & Ctx,
    wrong: Record<string, never>,
    holdId: string,
  ) => unknown;
  const limit: Call = (ctx, wrong) => limiter.limit(ctx, "message", wrong);

  /** Calls by the errors that they throw, which name the limit. */
  const ofLimit: Record<string, Call> = {
    "limit does not take cuont. Did you mean count?": limit,
    "limit does not take throw. Did you mean throws?": limit,
    "limit does not take detials. Did you mean details?": limit,
    "limit does not take confg. Did you mean config?": limit,
    "check does not take user. It takes key, upTo, reserve, name, count, leave, config, throws, details.":
      (ctx, wrong) => limiter.check(ctx, "message", wrong),
    "limitAll does not take cuont. Did you mean count?": (ctx, wrong) =>
      limiter.limitAll(ctx, [...message, { name: "message", ...wrong }]),
    "limitAll does not take throw. Did you mean throws?": (ctx, wrong) =>
      limiter.limitAll(ctx, message, wrong),
    "checkAll does not take name. It takes throws, details.": (ctx, wrong) =>
      limiter.checkAll(ctx, message, wrong),
    "reset does not take keys. Did you mean key?": (ctx, wrong) =>
      limiter.reset(ctx, "message", wrong),
    "getValue does not take sampleShard. Did you mean sampleShards?": (
      ctx,
      wrong,
    ) => limiter.getValue(ctx, "message", wrong),
    "credit does not take form. Did you mean from?": (ctx, wrong) =>
      limiter.credit(ctx, "message", wrong),
    "charge does not take throws. It takes ": (ctx, wrong) =>
      limiter.charge(ctx, "message", wrong),
    "hold does not take expireAfter. Did you mean expiresAfter?": (
      ctx,
      wrong,
    ) => limiter.hold(ctx, "message", wrong),
    "holdAll does not take cuont. Did you mean count?": (ctx, wrong) =>
      limiter.holdAll(ctx, [{ name: "message", ...wrong }]),
    "holdAll does not take expireAfter. Did you mean expiresAfter?": (
      ctx,
      wrong,
    ) => limiter.holdAll(ctx, message, wrong),
    "settle does not take cuont. Did you mean count?": (ctx, wrong, id) =>
      limiter.settle(ctx, id, { count: 1, ...wrong }),
    "settleAll does not take cuont. Did you mean count?": (ctx, wrong, id) =>
      limiter.settleAll(ctx, [{ id }, { id, ...wrong }]),
    "whileHolding does not take confg. Did you mean config?": (ctx, wrong) =>
      limiter.whileHolding(ctx, "message", wrong, () => expect.fail()),
    "whileHoldingAll does not take throw. Did you mean throws?": (ctx, wrong) =>
      limiter.whileHoldingAll(ctx, message, () => expect.fail(), wrong),
    "schedule does not take jiter. Did you mean jitter?": (ctx, wrong) =>
      limiter.schedule(ctx, "message", { ...work, ...wrong }),
    "setOverride does not take expireAt. Did you mean expiresAt?": (
      ctx,
      wrong,
    ) => limiter.setOverride(ctx, "message", { unlimited: true, ...wrong }),
    "an override's config does not take capcity. Did you mean capacity?": (
      ctx,
      wrong,
    ) => limiter.setOverride(ctx, "message", { config: wrong }),
    "penalize does not take nota. Did you mean note?": (ctx, wrong) =>
      limiter.penalize(ctx, "message", { ...ban, ...wrong }),
    "clearOverride does not take kye. It takes key,": (ctx, wrong) =>
      limiter.clearOverride(ctx, "message", wrong),
    "listOverrides does not take keys. Did you mean key?": (ctx, wrong) =>
      limiter.listOverrides(ctx, { ...page, ...wrong }),
    "list does not take perfix. Did you mean prefix?": (ctx, wrong) =>
      limiter.list(ctx, { ...page, ...wrong }),
    "stats does not take too. Did you mean to?": (ctx, wrong) =>
      limiter.stats(ctx, "message", { ...range, by: "hour", ...wrong }),
    "topDenied does not take numKey. Did you mean numKeys?": (ctx, wrong) =>
      limiter.topDenied(ctx, "message", { ...range, ...wrong }),
    "hookAPI does not take kee. Did you mean key?": (_, wrong) =>
      limiter.hookAPI("message", wrong),
    "limitHttp does not take kee. Did you mean key?": (_, wrong) =>
      limitHttp(limiter, "message", wrong, hello),
    "rateLimited does not take kee. Did you mean key?": (_, wrong) =>
      rateLimited(limiter, "message", wrong),
  };
  const others: typeof ofLimit = {
    "list does not take odrer. Did you mean order?": (ctx, wrong) =>
      limiter.list(ctx, { paginationOpts, ...wrong }),
    "registerDashboard does not take paht. Did you mean path?": (_, wrong) =>
      registerDashboard(httpRouter(), limiter, { secret, ...wrong }),
    "new RateLimiter does not take onDenid. Did you mean onDenied?": (
      _,
      wrong,
    ) => new RateLimiter(components.rateLimiter, {}, wrong),
    "rateLimitStorage does not take nmae. Did you mean name?": (ctx, wrong) =>
      rateLimitStorage(ctx, limiter, wrong),
  };

  const tables = ["rateLimits", "holds", "overrides", "events"] as const;
  const everything = (t: Host) =>
    Promise.all(tables.map((table) => stored(t, table)));

  test.each([
    ...Object.entries(ofLimit).map(
      ([said, call]) => [`Rate limit message: ${said}`, call] as const,
    ),
    ...Object.entries(others),
  ])("throws and changes nothing: %s", async (said, call) => {
    const [, field] = / take (\w+)\. /.exec(said)!;
    const t = startHost();
    const id = await t.run(async (ctx) => {
      const held = await limiter.hold(ctx, "message", { throws: true });
      await limiter.setOverride(ctx, "message", { unlimited: true });
      return held.id;
    });
    const before = await everything(t);
    const asked = (value: unknown) =>
      inBoth(t, async (ctx) =>
        call(ctx, { [field!]: value } as Record<string, never>, id),
      );
    for (const value of [1, null, false, "message"]) {
      await expect(asked(value)).rejects.toThrow(said);
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

describe("a list of more than 256 items is refused, even if it is longer than Convex's lists:", () => {
  const some = <Item>(item: Item) => Array.from({ length: 9000 }, () => item);
  const message = { name: "message" } as const;
  const cases: Record<string, (ctx: HostCtx & Ctx) => Promise<unknown>> = {
    limitAll: (ctx) => limiter.limitAll(ctx, some(message)),
    checkAll: (ctx) => limiter.checkAll(ctx, some(message)),
    holdAll: (ctx) => limiter.holdAll(ctx, some(message)),
    settleAll: (ctx) => limiter.settleAll(ctx, some({ id: "id" })),
    whileHoldingAll: (ctx) =>
      limiter.whileHoldingAll(ctx, some(message), () => expect.fail()),
  };

  test.each(Object.entries(cases))("%s", async (verb, call) => {
    const failed = inBoth(startHost(), call);
    await expect(failed).rejects.toThrow(
      new Error(`${verb} takes at most 256 items, but was given 9000.`),
    );
  });

  test("256 holds are settled in one call, 257 in none", async () => {
    const t = startHost();
    await t.run(async (ctx) => {
      const items = some(message).slice(0, 256);
      const { ids } = await limiter.holdAll(
        ctx,
        items.map((item, i) => ({ ...item, key: `${i}` })),
        { throws: true },
      );
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
});

describe("half of a character throws, and names the field but not the text:", () => {
  // What is left of an emoji that slice has cut.
  const key = "user 😀".slice(0, 6);
  const said = (name: string, field: string) =>
    new Error(
      `${name}: ${field} contains half of a character, as text does that is cut within an emoji. Cut it by characters: [...text].slice(0, n).join("").`,
    );
  const ban = { bans: [1], forgetAfter: 1 };
  const more: Record<string, [field: string, call: Verb]> = {
    clearOverride: [
      "key",
      (of, ctx) => of.clearOverride(ctx, "message", { key }),
    ],
    setOverride: [
      "note",
      (of, ctx) => of.setOverride(ctx, "message", { deny: true, note: key }),
    ],
    penalize: [
      "key",
      (of, ctx) => of.penalize(ctx, "message", { key, ...ban }),
    ],
    "hold, once": ["once", (of, ctx) => of.hold(ctx, "message", { once: key })],
    list: [
      "prefix",
      (of, ctx) =>
        of.list(ctx, { name: "message", prefix: key, paginationOpts }),
    ],
  };

  test.each([
    ...Object.entries(verbsOfKey).map(([verb, call]) => {
      const withKey: Verb = (of, ctx) => call(of, ctx, { key });
      return [verb, "key", withKey] as const;
    }),
    ...Object.entries(more).map(([verb, one]) => [verb, ...one] as const),
  ])("%s: %s", async (_, field, call) => {
    const failed = inBoth(startHost(), (ctx) => call(limiter, ctx));
    const error: unknown = await failed.catch((error: unknown) => error);
    const name = String(error).includes("render") ? "render" : "message";
    expect(error).toEqual(said(`Rate limit ${name}`, field));
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
    await startHost().run(async (ctx) => {
      const whole = { key: "user 😀" };
      expect(await limiter.limit(ctx, "message", whole)).toEqual({ ok: true });
    });
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
