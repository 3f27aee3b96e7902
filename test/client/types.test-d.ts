import {
  calculateRateLimit,
  isRateLimitError,
  limitHttp,
  MINUTE,
  RateLimiter,
  type ActionCtx,
  type ConcurrencyConfig,
  type GetValueReturns,
  type HoldAllItem,
  type HoldId,
  type LeaseId,
  type LimitAllItem,
  type LimitConfig,
  type MutationCtx,
  type QueryCtx,
  type RateLimitArgs,
  type RateLimitConfig,
  type RateLimitDetails,
  type RateLimitError,
  type RateLimitReturns,
  type RateLimitStats,
  type RateLimitWarning,
  type RunMutationCtx,
  type RunQueryCtx,
  type SettleAllItem,
} from "convex-rate-limiter";
import * as peer from "@convex-dev/rate-limiter";
import {
  anyApi,
  type DataModelFromSchemaDefinition,
  type FunctionReference,
  type FunctionReference_future,
  type GenericActionCtx,
  type GenericDataModel,
  type GenericMutationCtx,
  type GenericQueryCtx,
  type RegisteredQuery,
  type SchemaDefinition,
  type TableDefinition,
} from "convex/server";
import { describe, expectTypeOf, test } from "vitest";
import type { ComponentApi } from "../../src/component/_generated/component.js";

declare const component: ComponentApi;
declare const query: GenericQueryCtx<GenericDataModel>;
declare const mutation: GenericMutationCtx<GenericDataModel>;
declare const action: GenericActionCtx<GenericDataModel>;

const limiter = new RateLimiter(component, {
  message: { kind: "token bucket", rate: 10, period: MINUTE },
  signUp: { kind: "fixed window", rate: 100, period: MINUTE },
});
declare const work: {
  fn: FunctionReference<"mutation", "internal", { text: string }>;
  args: { text: string };
};
const config = { kind: "fixed window", rate: 1, period: MINUTE } as const;
type BlockedBy = { index: number; name: string };

describe("names", () => {
  test("schedule takes what the scheduler takes", () => {
    type Args = { text: string };
    const fn = {} as FunctionReference_future<"action", "internal", Args>;
    const args = { text: "hello" };
    void mutation.scheduler.runAfter(0, fn, args);
    void limiter.schedule(mutation, "message", { fn, args });
    // @ts-expect-error not the arguments of the function
    void limiter.schedule(mutation, "message", { fn, args: {} });
    const query = {} as FunctionReference_future<"query", "internal", Args>;
    // @ts-expect-error a query is not scheduled
    void limiter.schedule(mutation, "message", { fn: query, args });
    void limiter.schedule(mutation, "message", { fn: anyApi.a!.b!, args });
  });

  test("a config that may be undefined does not stand in for a name", () => {
    const options: { config?: RateLimitConfig } = {};
    // @ts-expect-error no such limit, and perhaps no config
    void limiter.limit(mutation, "mesage", options);
    // @ts-expect-error no such limit, and perhaps no config
    void limiter.limit(mutation, "mesage", { config: options.config });
    // @ts-expect-error no such limit, and perhaps no config
    void limiter.limitAll(mutation, [{ name: "mesage", ...options }]);
    void limiter.limit(mutation, "message", options);
    void limiter.limitAll(mutation, [{ name: "message", ...options }]);
  });

  test("a limiter without names takes any name with a config", () => {
    const unnamed = new RateLimiter(component);
    // @ts-expect-error no config
    void unnamed.limit(mutation, "any");
    // @ts-expect-error no config
    void unnamed.limitAll(mutation, [{ name: "any" }]);
  });

  test("setOverride and penalize take the limits whose config has overrides", () => {
    const some = new RateLimiter(component, {
      on: { ...config, overrides: true },
      off: { ...config, overrides: false },
      without: config,
      perhaps: config as RateLimitConfig,
    });
    void some.setOverride(mutation, "on", { deny: true });
    void some.setOverride(mutation, "perhaps", { deny: true });
    // @ts-expect-error overrides: false
    void some.setOverride(mutation, "off", { deny: true });
    const ban = { key: "k", bans: [1, 2], forgetAfter: 3 };
    void some.penalize(mutation, "on", ban);
    void some.penalize(mutation, "perhaps", { ...ban, bans: [1] as const });
    // @ts-expect-error no overrides
    void some.penalize(mutation, "without", ban);
    // @ts-expect-error no key
    void some.penalize(mutation, "on", { bans: [1], forgetAfter: 1 });
    void some.clearOverride(mutation, "without");
    // @ts-expect-error no such limit
    void some.clearOverride(mutation, "mesage");
  });

  test("stats and topDenied take the limits whose config has stats", () => {
    const some = new RateLimiter(component, {
      on: { ...config, stats: true },
      sampled: { ...config, stats: 0.1 },
      held: { kind: "concurrency", capacity: 1, lease: MINUTE, stats: true },
      off: { ...config, stats: false },
      without: config,
      perhaps: config as RateLimitConfig,
    });
    const range = { from: 0, to: MINUTE };
    const asked = { ...range, by: "minute" } as const;
    expectTypeOf(some.stats(query, "on", asked)).resolves.toEqualTypeOf<
      RateLimitStats[]
    >();
    expectTypeOf(some.topDenied(query, "on", range)).resolves.toEqualTypeOf<
      { key: string; denied: number }[]
    >();
    void some.stats(query, "sampled", { ...range, by: "hour" });
    void some.stats(action, "held", asked);
    void some.stats(mutation, "perhaps", asked);
    void some.topDenied(query, "sampled", { ...range, numKeys: 3 });
    // @ts-expect-error stats: false
    void some.stats(query, "off", asked);
    // @ts-expect-error no such limit
    void some.stats(query, "onn", asked);
    // @ts-expect-error stats: false
    void some.topDenied(query, "off", range);
    // @ts-expect-error how long an interval is
    void some.stats(query, "on", range);
    // @ts-expect-error no such length
    void some.stats(query, "on", { ...range, by: "day" });
    // @ts-expect-error until when
    void some.topDenied(query, "on", { from: 0 });
    void new RateLimiter(component).stats(query, "any", asked);
  });

  test("list and listOverrides take the names of inline configs too", () => {
    const page = {
      name: "another",
      paginationOpts: { numItems: 10, cursor: null },
    };
    void limiter.list(query, { ...page, prefix: "a" });
    void limiter.listOverrides(query, { ...page, key: null });
    // @ts-expect-error A prefix is a text.
    void limiter.list(query, { ...page, prefix: null });
  });

  test("limitAll takes a list that was made elsewhere", () => {
    const items: LimitAllItem<typeof limiter.limits & object>[] = [];
    void limiter.limitAll(mutation, items);
    const names = ["message", "signUp"] as const;
    const named = names.map((name) => ({ name }));
    void limiter.limitAll(mutation, named);
    const inline = ["a", "b"].map((name) => ({ name, config }));
    void limiter.limitAll(mutation, inline);
    const any = ["a", "b"].map((name) => ({ name }));
    // @ts-expect-error any name, and no config
    void limiter.limitAll(mutation, any);
  });

  test("a function for any limiter takes one of any names", () => {
    function use(of: RateLimiter<Record<string, LimitConfig>>, name: string) {
      void of.limit(mutation, name);
      void of.limitAll(mutation, [{ name }]);
      void of.getValue(query, name);
      of.hookAPI(name);
    }
    use(limiter, "message");
  });
});

describe("a limit that requires a key", () => {
  const keyed = { kind: "token bucket", rate: 10, period: MINUTE } as const;
  const some = new RateLimiter(component, {
    user: { ...keyed, requireKey: true, overrides: true, stats: true },
    all: { ...keyed, requireKey: false },
    without: keyed,
    render: { kind: "concurrency", capacity: 1, lease: 1, requireKey: true },
  });
  const key = "k";
  const maybe = undefined as string | undefined;
  const inline = { ...keyed, requireKey: true } as const;

  test("needs one if a call's own config requires it", () => {
    void some.limit(mutation, "other", { key, config: inline });
    // @ts-expect-error no key
    void some.limit(mutation, "other", { config: inline });
    // @ts-expect-error no key
    void some.limitAll(mutation, [{ name: "other", config: inline }]);
    // A config of the call comes before that of the constructor.
    void some.limit(mutation, "user", { config: keyed });
    // @ts-expect-error no key
    void some.limit(mutation, "all", { config: inline });
  });

  test("needs none of other limits, or of limits in a record of unknown names", () => {
    void some.limit(mutation, "all");
    void some.limit(mutation, "without", {});
    void some.limit(mutation, "all", { key: maybe });
    const record: Record<string, RateLimitConfig> = { user: inline };
    void new RateLimiter(component, record).limit(mutation, "user");
    const any: RateLimiter<Record<string, LimitConfig>> = some;
    void any.limit(mutation, "user");
    void any.limitAll(mutation, [{ name: "user" }]);
    const boolean: LimitConfig & { requireKey: boolean } = inline;
    void some.limit(mutation, "other", { config: keyed });
    void new RateLimiter(component, { boolean }).check(mutation, "boolean");
  });

  test("takes options and names of unknown types", () => {
    // eslint-disable-next-line @typescript-eslint/no-explicit-any
    const options: any = {};
    // eslint-disable-next-line @typescript-eslint/no-unsafe-argument
    void some.limit(mutation, "user", options);
    const either = "user" as "user" | "all";
    void some.limit(mutation, either, { key });
    const readonly = { key } as const;
    void some.limit(mutation, "user", readonly);
    const _use = (of: typeof some, name: "user", options: { key: string }) =>
      of.check(query, name, { ...options, count: 0 });
  });

  test("may be in a list that was made before", () => {
    const items: LimitAllItem<typeof some.limits & object>[] = [
      { name: "user", key },
      { name: "all" },
    ];
    void some.limitAll(mutation, items);
    // @ts-expect-error no key
    items.push({ name: "user" });
  });

  test("needs one in hookAPI, or a function that returns one", () => {
    some.hookAPI("user", { key });
    some.hookAPI("user", { key: () => key, sampleShards: 1 });
    some.hookAPI("user", {
      key: async (ctx) => (await ctx.auth.getUserIdentity())!.subject,
    });
    some.hookAPI("user", { key: () => key, config: () => inline });
    some.hookAPI("all", { key: () => null });
    some.hookAPI("all");
    // @ts-expect-error no key
    some.hookAPI("user", { sampleShards: 1 });
  });

  test("needs one in hookAPI with the app's own data model", () => {
    type DataModel = DataModelFromSchemaDefinition<
      SchemaDefinition<{ users: TableDefinition }, true>
    >;
    const users = new RateLimiter(component, {
      user: { ...keyed, requireKey: true },
      render: some.limits!.render,
    });
    users.hookAPI<DataModel>("user", { key });
    users.hookAPI<DataModel>("user", {
      key: async (ctx) => (await ctx.db.query("users").first())!._id,
    });
    some.hookAPI<DataModel>("all");
    limiter.hookAPI<DataModel>("message", { key: () => null });
  });

  test("has the caller's address in an HTTP action", () => {
    const hello = () => new Response();
    limitHttp(some, "user", {}, hello);
    limitHttp(some, "user", { key: () => key }, hello);
    limitHttp(some, "all", { key: () => null }, hello);
  });
});

describe("configs", () => {
  test("only a fixed window takes a calendar period", () => {
    const day = { kind: "fixed window", rate: 1, period: "day" } as const;
    const limiter = new RateLimiter(component, {
      day,
      week: { ...day, period: "week", timeZone: "UTC", weekStart: "sunday" },
      month: { ...day, period: "month", timeZone: "UTC", start: 0 },
    });
    void limiter.limit(mutation, "week");
    void limiter.limit(mutation, "other", { config: day });
    void limiter.hold(mutation, "day");
    // @ts-expect-error no such period
    new RateLimiter(component, { hour: { ...day, period: "hour" } });
    // @ts-expect-error a start is in ms
    new RateLimiter(component, { now: { ...day, start: "now" } });
    const moon = { ...day, period: "week", weekStart: "moonday" } as const;
    // @ts-expect-error no such day
    new RateLimiter(component, { moon });
    const zoned = { ...day, period: 1000, timeZone: "UTC" } as const;
    // @ts-expect-error a period in ms has no time zone
    new RateLimiter(component, { zoned });
  });

  test("a calendar window shows its period in ms", async () => {
    const day = { kind: "fixed window", rate: 1, period: "day" } as const;
    const limiter = new RateLimiter(component, { day });
    const { config } = await limiter.getValue(query, "day");
    expectTypeOf(config.period).toEqualTypeOf<number>();
    calculateRateLimit(null, config, 0);
    calculateRateLimit(null, day, 0);
  });

  test("enforce, stats and warnAt take no strings", () => {
    // @ts-expect-error a number
    new RateLimiter(component, { bad: { ...config, enforce: "5%" } });
    // @ts-expect-error not a share
    new RateLimiter(component, { bad: { ...config, stats: "10%" } });
    // @ts-expect-error numbers
    new RateLimiter(component, { bad: { ...config, warnAt: "80%" } });
  });

  test("onWarning gets the ctx of a mutation and a typed warning", () => {
    new RateLimiter(component, undefined, {
      onWarning: (ctx, warning) => {
        expectTypeOf(ctx).toEqualTypeOf<MutationCtx>();
        expectTypeOf(warning).toEqualTypeOf<RateLimitWarning>();
      },
    });
  });

  test("a field that does not exist does not compile", () => {
    // @ts-expect-error capacity
    void limiter.getValue(query, "a", { config: { ...config, capacityy: 5 } });
    // @ts-expect-error capacity
    limiter.hookAPI("a", { config: { ...config, capacityy: 5 } });
  });
});

describe("options", () => {
  test("that do not exist do not compile", () => {
    // @ts-expect-error count
    void limiter.limit(mutation, "another", { config, cuont: 2 });
    // @ts-expect-error reserve is limit's
    void limiter.charge(mutation, "message", { reserve: true });
  });

  test("leave is for each request, upTo for a single one", () => {
    void limiter.limit(mutation, "message", { leave: 2, reserve: true });
    void limiter.check(query, "message", { leave: 2, upTo: true, count: 9 });
    void limiter.limit(mutation, "another", { config, upTo: true });
    void limiter.limit(mutation, "message", { upTo: false, reserve: true });
    void limiter.limitAll(mutation, [{ name: "message", leave: 2 }]);
    // @ts-expect-error not of a list
    void limiter.limitAll(mutation, [{ name: "message", upTo: true }]);
    // @ts-expect-error not of a list
    void limiter.checkAll(query, [{ name: "another", config, upTo: true }]);
    expectTypeOf(limiter.charge(mutation, "message")).resolves.toEqualTypeOf<{
      retryAfter?: number | undefined;
      forgiven?: number | undefined;
    }>();
    // @ts-expect-error charge takes more than there is
    void limiter.charge(mutation, "message", { leave: 2 });
  });

  test("of an override are one change, not two", () => {
    const some = new RateLimiter(component, {
      on: { ...config, overrides: true },
    });
    void some.setOverride(mutation, "on", { config: { rate: 1 }, note: "n" });
    // @ts-expect-error one or the other
    void some.setOverride(mutation, "on", { deny: true, unlimited: true });
    // @ts-expect-error one or the other
    void some.setOverride(mutation, "on", { deny: true, config: { rate: 1 } });
    // @ts-expect-error rate
    void some.setOverride(mutation, "on", { config: { raet: 1 } });
    // @ts-expect-error no change
    void some.setOverride(mutation, "on", { key: "k" });
  });

  test("of an override with a credit say how much was given", () => {
    const some = new RateLimiter(component, {
      on: { ...config, overrides: true },
    });
    const change = { key: "k", config: { rate: 1 } };
    expectTypeOf(
      some.setOverride(mutation, "on", { ...change, credit: true }),
    ).toEqualTypeOf<Promise<{ credited: number }>>();
    expectTypeOf(some.setOverride(mutation, "on", change)).toEqualTypeOf<
      Promise<void>
    >();
    const perhaps = { ...change, credit: true as boolean };
    expectTypeOf(
      some.setOverride(mutation, "on", perhaps),
    ).resolves.toEqualTypeOf<{ credited: number } | void>();
  });
});

describe("results", () => {
  test("are the peer's", async () => {
    const status = await limiter.limit(mutation, "message");
    expectTypeOf(status).toEqualTypeOf<RateLimitReturns>();
    expectTypeOf(status).toExtend<peer.RateLimitReturns>();
    expectTypeOf(status.retryAfter).toEqualTypeOf<number | undefined>();
    if (!status.ok) expectTypeOf(status.retryAfter).toEqualTypeOf<number>();
    // @ts-expect-error no details: true
    expectTypeOf(status.remaining);
  });

  test("have details if requested", async () => {
    const status = await limiter.check(query, "message", { details: true });
    expectTypeOf(status).toExtend<RateLimitDetails>();
  });

  test("say what was taken only with upTo", async () => {
    const upTo = await limiter.limit(mutation, "message", { upTo: true });
    if (upTo.ok) expectTypeOf(upTo.taken).toEqualTypeOf<number>();
    // @ts-expect-error not known to be granted
    expectTypeOf(upTo.taken);
    const status = await limiter.limit(mutation, "message", { upTo: false });
    expectTypeOf(status).toEqualTypeOf<RateLimitReturns>();
    // @ts-expect-error not asked for
    if (status.ok) expectTypeOf(status.taken);
    const both = { upTo: true, details: true } as const;
    const detailed = await limiter.check(query, "message", both);
    expectTypeOf(detailed).toEqualTypeOf<RateLimitReturns<true, true>>();
  });

  test("of a denied list name the item that blocked", async () => {
    const status = await limiter.limitAll(mutation, [{ name: "message" }]);
    if (!status.ok) expectTypeOf(status.blockedBy).toEqualTypeOf<BlockedBy>();
    // @ts-expect-error not known to be denied
    expectTypeOf(status.blockedBy);
  });

  test("are known to be granted if denials throw", async () => {
    const throws = { throws: true } as const;
    const one = await limiter.limit(mutation, "message", throws);
    expectTypeOf(one).toEqualTypeOf<RateLimitReturns<false, false, true>>();
    expectTypeOf(one.ok).toEqualTypeOf<true>();
    const details = { throws: true, details: true, upTo: true } as const;
    const checked = await limiter.check(query, "message", details);
    expectTypeOf(checked.taken).toEqualTypeOf<number>();
    expectTypeOf(checked.remaining).toEqualTypeOf<number>();
    const list = [{ name: "message" }] as const;
    const all = await limiter.limitAll(mutation, list, throws);
    expectTypeOf(all.ok).toEqualTypeOf<true>();
    const allChecked = await limiter.checkAll(query, list, throws);
    expectTypeOf(allChecked.ok).toEqualTypeOf<true>();
    const held = await limiter.hold(mutation, "message", throws);
    void limiter.settle(mutation, held.id, { count: 1 });
    const job = { ...work, ...throws };
    const scheduled = await limiter.schedule(mutation, "message", job);
    void limiter.cancelScheduled(mutation, scheduled.scheduledId);
  });

  test("are not known to be granted if denials return, or may", async () => {
    const perhaps = { throws: true as boolean };
    const status = await limiter.limit(mutation, "message", perhaps);
    expectTypeOf(status.ok).toEqualTypeOf<boolean>();
    const held = await limiter.hold(mutation, "message", { throws: false });
    expectTypeOf(held.id).toEqualTypeOf<HoldId | undefined>();
    const { ok: _ok, id: _id, retryAfter } = held;
    expectTypeOf(retryAfter).toEqualTypeOf<number | undefined>();
  });

  test("follow from the options, not from what the caller expects", async () => {
    // @ts-expect-error no details
    const _1: RateLimitReturns<true> = await limiter.limit(mutation, "message");
    // @ts-expect-error It may be denied.
    const _2: { ok: true } = await limiter.limit(mutation, "message");
    // @ts-expect-error It may be denied.
    const _3: { ok: true } = await limiter.hold(mutation, "message");
    // @ts-expect-error It may be denied.
    const _4: { ok: true } = await limiter.schedule(mutation, "message", work);
    const list = [{ name: "message" }] as const;
    // @ts-expect-error It may be denied.
    const _5: { ok: true } = await limiter.limitAll(mutation, list);
    // @ts-expect-error It may be denied.
    const _6: { ok: true } = await limiter.checkAll(query, list);
    // @ts-expect-error It may be denied.
    const _7: { ok: true } = await limiter.holdAll(mutation, list);
    expectTypeOf(
      limiter.check(query, "message", {}),
    ).resolves.toEqualTypeOf<RateLimitReturns>();
  });

  test("errors carry what was denied", () => {
    const error: unknown = undefined;
    if (isRateLimitError(error)) {
      expectTypeOf(error.data).toEqualTypeOf<RateLimitError>();
      expectTypeOf(error.data).toExtend<peer.RateLimitError>();
    }
  });

  test("of calculateRateLimit are the peer's, too", () => {
    expectTypeOf(calculateRateLimit(null, config, 0)).toEqualTypeOf<
      ReturnType<typeof peer.calculateRateLimit>
    >();
  });
});

test("counts whose value is not known compile", () => {
  const count: number = Math.random();
  const maybe: number | undefined = count > 0 ? count : undefined;
  const request = { count, leave: maybe, key: "k" };
  void limiter.charge(mutation, "message", { count: maybe });
  void limiter.settle(mutation, "id", { count });
  void limiter.limit(mutation, "message", request);
  void limiter.limitAll(mutation, [{ name: "message", ...request }]);
  void limiter.holdAll(mutation, [{ name: "message", ...request }]);
  void limiter.schedule(mutation, "message", { ...work, count, jitter: maybe });
  void limiter.settleAll(mutation, [{ id: "id", count: maybe }, { id: "a" }]);
});

describe("limiters of which one is chosen", () => {
  const own = { ...config, overrides: true, stats: true } as const;
  const user = { ...config, requireKey: true } as const;
  const free = new RateLimiter(component, { message: own, user, a: config });
  const pro = new RateLimiter(component, { message: own, user, b: config });
  const team = new RateLimiter(component, {
    message: { ...own, period: "day" },
    c: { kind: "concurrency", capacity: 1, lease: MINUTE },
  });
  const either = Math.random() > 0.5 ? free : pro;
  const any: typeof free | typeof pro | typeof team =
    Math.random() > 0.5 ? either : team;

  test("are called with the names and options that all of them take", () => {
    expectTypeOf(
      any.limit(mutation, "message"),
    ).resolves.toEqualTypeOf<RateLimitReturns>();
    const asked = { details: true, upTo: true, throws: true } as const;
    expectTypeOf(any.limit(mutation, "message", asked)).resolves.toEqualTypeOf<
      RateLimitReturns<true, true, true>
    >();
    expectTypeOf(
      any.check(query, "other", { config, details: true }),
    ).resolves.toEqualTypeOf<RateLimitReturns<true>>();
    void either.limit(mutation, "user", { key: "k" });
    void any.getValue(query, "message");
    void any.credit(mutation, "message", { count: 2 });
    void any.charge(mutation, "message", { key: "k" });
    void any.reset(mutation, "message");
    expectTypeOf(any.hold(mutation, "message")).resolves.toExtend<
      { ok: true; id: HoldId } | { ok: false }
    >();
    void any.settle(mutation, "id", { count: 1 });
    void any.settleAll(mutation, [{ id: "id", count: 1 }]);
    void any.schedule(mutation, "message", work);
    void any.limitAll(mutation, [{ name: "other", config }]);
    void any.checkAll(query, [{ name: "message" }], { details: true });
    void any.holdAll(mutation, [{ name: "message", count: 2 }]);
    void any.setOverride(mutation, "message", { deny: true });
    void any.clearOverride(mutation, "message");
    void any.stats(query, "message", { from: 0, to: 1, by: "hour" });
    void any.list(query, { paginationOpts: { numItems: 1, cursor: null } });
  });

  test("refuse what one of them refuses", () => {
    // @ts-expect-error not a limit of both
    void either.limitAll(mutation, [{ name: "a" }]);
    // @ts-expect-error no key
    void either.limit(mutation, "user");
    // @ts-expect-error no such option
    void either.limit(mutation, "message", { cuont: 1 });
    // @ts-expect-error a concurrency limit of one of them
    void any.hold(mutation, "c");
  });

  test("have a type that they share", () => {
    void either.whileHolding(action, "message", {}, () => 1);
    const chosen: RateLimiter<{ message: RateLimitConfig }> = either;
    void chosen.whileHolding(action, "message", {}, () => 1);
    chosen.hookAPI("message");
    void chosen.limit(mutation, "message");
    // @ts-expect-error not a limit of both
    void chosen.limit(mutation, "a");
  });
});

test("Parameters of a call are those of any name and config", () => {
  const _unnamed = new RateLimiter(component);
  type Args<Call extends (...args: never[]) => unknown> = Parameters<Call>;
  expectTypeOf<Args<typeof _unnamed.limit>[0]>().toEqualTypeOf<MutationCtx>();
  expectTypeOf<Args<typeof limiter.limit>[1]>().toEqualTypeOf<
    "message" | "signUp"
  >();
});

describe("drop-in", () => {
  test("a config of the peer is a config", () => {
    expectTypeOf<peer.RateLimitConfig>().toExtend<RateLimitConfig>();
  });

  test("each ctx of the peer's types is a ctx", () => {
    expectTypeOf<peer.QueryCtx>().toExtend<QueryCtx>();
    expectTypeOf<peer.MutationCtx>().toExtend<MutationCtx>();
    expectTypeOf<peer.ActionCtx>().toExtend<ActionCtx>();
    expectTypeOf<ActionCtx>().toExtend<MutationCtx>();
    expectTypeOf<RunQueryCtx>().toEqualTypeOf<QueryCtx>();
    expectTypeOf<RunMutationCtx>().toEqualTypeOf<MutationCtx>();
  });

  test("arguments of the peer are arguments, and options made of ours are options", () => {
    type Options = NonNullable<Parameters<typeof limiter.limit>[2]>;
    expectTypeOf<peer.RateLimitArgs>().toExtend<Options>();
    const made: Omit<RateLimitArgs, "name" | "config"> = { key: "k", count: 2 };
    void limiter.limit(mutation, "message", made);
    void limiter.check(query, "message", { ...made, throws: true });
  });

  test("limits may be written in every form that the peer takes", () => {
    const limits = {
      message: { kind: "token bucket", rate: 1, period: MINUTE, start: null },
      signUp: { kind: "fixed window", rate: 1, period: MINUTE, start: 0 },
    } satisfies Record<string, peer.RateLimitConfig>;
    const frozen = { message: { ...config, start: 0 } } as const;
    const record: Record<string, peer.RateLimitConfig> = limits;
    class AppLimiter extends RateLimiter<typeof limits> {
      constructor() {
        super(component, limits);
      }
    }
    const limiter: RateLimiter<typeof limits> = new AppLimiter();
    for (const named of [
      new RateLimiter(component, limits),
      new RateLimiter<typeof limits>(component, limits),
      new RateLimiter(component, frozen),
      limiter,
    ]) {
      void named.limit(mutation, "message");
      // @ts-expect-error no such limit
      void named.limit(mutation, "mesage");
    }
    const { rate } = new RateLimiter(component, frozen).limits!.message;
    expectTypeOf(rate).toEqualTypeOf<1>();
    void new RateLimiter(component, record).limit(mutation, "any");
  });

  test("what migrating.md lists does not compile, and nothing else", () => {
    const limits = { message: config };
    const there = new peer.RateLimiter(component as never, limits);
    const here = new RateLimiter(component, limits);
    const args: peer.RateLimitArgs = { name: "message", config };
    void there.limit(mutation, "message", args);
    void here.limit(mutation, "message", args);
    void there.limit<"message">(mutation, "message", { key: "k" });
    void here.limit<"message">(mutation, "message", { key: "k" });
    void there.reset(mutation, "message", { key: "k", config });
    void here.reset(mutation, "message", { key: "k", config });
    void there.limit(mutation, "other", { config });
    void here.limit(mutation, "other", { config });
    there.hookAPI("other", { config, key: (_ctx, key) => key! });
    here.hookAPI("other", { config, key: (_ctx, key) => key! });

    peer.calculateRateLimit(null, config);
    // @ts-expect-error no time
    calculateRateLimit(null, config);
    void there.reset(mutation, "other");
    // @ts-expect-error no config
    void here.reset(mutation, "other");
    void there.limit<"other">(mutation, "other", { config });
    // @ts-expect-error a name as a type argument
    void here.limit<"other">(mutation, "other", { config });
    there.limits = undefined;
    // @ts-expect-error read-only
    here.limits = undefined;
    there.component = component as never;
    // @ts-expect-error read-only
    here.component = component;
  });

  test("functions may be generic in the limits, as with the peer", () => {
    function _make<Limits extends Record<string, RateLimitConfig>>(
      limits: Limits,
    ) {
      return new RateLimiter<Limits>(component, limits);
    }
    function use<Limits extends Record<string, RateLimitConfig>>(
      _limiter: RateLimiter<Limits>,
      _name: keyof Limits,
    ) {}
    use(_make({ message: config }), "message");
    // @ts-expect-error no such limit
    use(limiter, "mesage");
  });
});

describe("concurrency limits", () => {
  const lease = 5 * MINUTE;
  const held = new RateLimiter(component, {
    message: { kind: "token bucket", rate: 10, period: MINUTE },
    quota: { kind: "fixed window", rate: 100, period: "month" },
    render: { kind: "concurrency", capacity: 3, lease },
  });
  const inline = { kind: "concurrency", capacity: 3, lease } as const;

  test("are held, checked, shown and reset by their names or by a config", () => {
    void held.check(query, "other", { config: inline });
    void held.reset(mutation, "render");
    void held.whileHolding(action, "other", { config: inline }, () => 1);
  });

  test("are only held, without reserve", () => {
    // @ts-expect-error only held
    void held.credit(mutation, "render");
    // @ts-expect-error only held
    void held.checkAll(query, [{ name: "message" }, { name: "render" }]);
    // @ts-expect-error what is held cannot be reserved
    void held.hold(mutation, "render", { reserve: true });
    void held.hold(mutation, "message", { expiresAfter: 1000 });
  });

  test("have a capacity and a lease, and nothing of the other kinds", () => {
    // @ts-expect-error no lease
    new RateLimiter(component, { a: { kind: "concurrency", capacity: 3 } });
    // @ts-expect-error no capacity
    new RateLimiter(component, { a: { kind: "concurrency", lease } });
    // @ts-expect-error no shards
    new RateLimiter(component, { a: { ...inline, shards: 2 } });
    // @ts-expect-error no rate
    new RateLimiter(component, { a: { ...inline, rate: 2 } });
    // @ts-expect-error misspelt
    new RateLimiter(component, { a: { ...inline, enforced: false } });
    // @ts-expect-error a lease is of what is held
    new RateLimiter(component, { a: { ...config, lease } });
    new RateLimiter(component, { a: { ...inline, enforce: false } });
  });

  test("are released and renewed, but not settled", async () => {
    const place = await held.hold(mutation, "render");
    const estimate = await held.hold(mutation, "message");
    if (!place.ok || !estimate.ok) return;
    void held.release(mutation, place.id);
    void held.renew(mutation, place.id);
    void held.settle(mutation, estimate.id, { count: 2 });
    void held.release(mutation, estimate.id);
    const stored: string = place.id;
    void held.renew(mutation, stored);
  });

  test("give a LeaseId, where other limits give a HoldId", async () => {
    const throws = { throws: true } as const;
    const place = await held.hold(mutation, "render", throws);
    expectTypeOf(place.id).toEqualTypeOf<LeaseId>();
    const estimate = await held.hold(mutation, "message", throws);
    expectTypeOf(estimate.id).toEqualTypeOf<HoldId>();
    // @ts-expect-error it has no lease
    void held.renew(mutation, estimate.id);
    const inlined = { config, ...throws };
    const other = await limiter.hold(mutation, "other", inlined);
    const ids = [estimate, other].map(({ id }) => ({ id, count: 1 }));
    expectTypeOf(ids).toEqualTypeOf<{ id: HoldId; count: number }[]>();
    void held.settleAll(mutation, ids);
    const mixed = [estimate, place].map(({ id }) => ({ id }));
    void held.settleAll(mutation, mixed);
    void held.release(mutation, mixed[0]!.id);
    // @ts-expect-error one of them may be a place
    void held.settle(mutation, mixed[0]!.id, { count: 1 });
    const any: RateLimiter<Record<string, LimitConfig>> = held;
    const unknown = await any.hold(mutation, "whatever", throws);
    expectTypeOf(unknown.id).toEqualTypeOf<string>();
    void any.settle(mutation, unknown.id, { count: 1 });
    void any.renew(mutation, unknown.id);
  });

  test("can be in a list of holds, in which each id has the type of its kind", async () => {
    const all = await held.holdAll(mutation, [
      { name: "message", count: 3, expiresAfter: 1000 },
      { name: "render", key: "k" },
      { name: "quota" },
      { name: "other", config: inline },
      { name: "another", config },
    ]);
    if (!all.ok) {
      expectTypeOf(all.blockedBy).toEqualTypeOf<BlockedBy>();
      return;
    }
    type Ids = [HoldId, LeaseId, HoldId, LeaseId, HoldId];
    expectTypeOf(all.ids).toEqualTypeOf<Ids>();
    const [tokens, place] = all.ids;
    const stored: string = place;
    void held.settleAll(mutation, [
      { id: tokens, count: 2 },
      { id: tokens },
      { id: place },
      { id: stored, count: 2 },
    ]);
    // @ts-expect-error a place is not used up
    void held.settleAll(mutation, [{ id: place, count: 2 }]);
    void held.renew(mutation, place);
  });

  test("a list of holds takes what hold takes, and no more", async () => {
    void held.holdAll(mutation, [
      { name: "message", leave: 1, once: "job" },
      { name: "render", leave: 1, once: "job" },
    ]);
    // @ts-expect-error no upTo
    void held.holdAll(mutation, [{ name: "message", upTo: true }]);
    // @ts-expect-error no details
    void held.holdAll(mutation, [{ name: "message" }], { details: true });
    const items: HoldAllItem<typeof held.limits & object>[] = [];
    items.push({ name: "render" }, { name: "any", config });
    const throws = { throws: true, expiresAfter: 1000 } as const;
    const { ids } = await held.holdAll(mutation, items, throws);
    const settled: SettleAllItem[] = ids.map((id) => ({ id }));
    expectTypeOf(held.settleAll(mutation, settled)).resolves.toEqualTypeOf<{
      settled: boolean[];
      forgiven?: number[] | undefined;
    }>();
    const any: RateLimiter<Record<string, LimitConfig>> = held;
    const all = await any.holdAll(mutation, [{ name: "whatever" }], throws);
    expectTypeOf(all.ids).toEqualTypeOf<[string]>();
  });

  test("show their own config, which limits of other kinds never show", async () => {
    const { config: shown } = await held.getValue(query, "render");
    expectTypeOf(shown).toEqualTypeOf<ConcurrencyConfig>();
    const refills = "message" as "message" | "quota";
    const { config: usual } = await held.getValue(query, refills);
    expectTypeOf(usual).toEqualTypeOf<RateLimitConfig>();
    const any = "message" as "message" | "render";
    const { config: either } = await held.getValue(query, any);
    expectTypeOf(either).toEqualTypeOf<RateLimitConfig | ConcurrencyConfig>();
  });

  test("show the config of the call, whatever the named limits are", async () => {
    const { config: brought } = await limiter.getValue(query, "other", {
      config: inline,
    });
    expectTypeOf(brought).toEqualTypeOf<ConcurrencyConfig>();
    const { config: usual } = await held.getValue(query, "other", { config });
    expectTypeOf(usual).toEqualTypeOf<RateLimitConfig>();
    const options: { config?: ConcurrencyConfig } = {};
    const { config: either } = await held.getValue(query, "message", options);
    expectTypeOf(either).toEqualTypeOf<RateLimitConfig | ConcurrencyConfig>();
    const any: { config: LimitConfig } = { config };
    const { config: unknown } = await held.getValue(query, "other", any);
    expectTypeOf(unknown).toEqualTypeOf<RateLimitConfig | ConcurrencyConfig>();
  });

  test("leave functions assignable that return what getValue returns", () => {
    type Value = Awaited<ReturnType<typeof limiter.getValue>>;
    const _get = async (): Promise<Value> => limiter.getValue(query, "message");
  });

  test("have functions for the hook that show the same config", () => {
    type Shown<Query> =
      Query extends RegisteredQuery<"public", never, Promise<infer Value>>
        ? Value
        : never;
    const _render = held.hookAPI("render").getRateLimit;
    expectTypeOf<Shown<typeof _render>>().toEqualTypeOf<
      GetValueReturns<ConcurrencyConfig>
    >();
    const _quota = held.hookAPI("quota").getRateLimit;
    expectTypeOf<Shown<typeof _quota>>().toEqualTypeOf<GetValueReturns>();
  });

  test("are in no list of requests that was made before", () => {
    const items: LimitAllItem<typeof held.limits & object>[] = [];
    // @ts-expect-error only held
    items.push({ name: "render" });
  });

  test("whileHolding returns what the work returns", async () => {
    const status = await held.whileHolding(action, "render", {}, async () => 1);
    if (status.ok) expectTypeOf(status.result).toEqualTypeOf<number>();
    else expectTypeOf(status.retryAfter).toEqualTypeOf<number>();
    const throws = { throws: true } as const;
    const done = await held.whileHolding(action, "render", throws, () => 1);
    expectTypeOf(done.result).toEqualTypeOf<number>();
  });

  test("whileHolding gives the work the id, whileHoldingAll the ids", async () => {
    void held.whileHolding(action, "message", { count: 2 }, ({ id }) =>
      held.settle(action, id, { count: 1 }),
    );
    void held.whileHolding(action, "render", {}, ({ id }) =>
      // @ts-expect-error a place is not used up
      held.settle(action, id, { count: 1 }),
    );
    const items = [{ name: "message" }, { name: "render" }] as const;
    const status = await held.whileHoldingAll(action, items, ({ ids }) => ids);
    if (status.ok) {
      expectTypeOf(status.result).toEqualTypeOf<[HoldId, LeaseId]>();
    } else expectTypeOf(status.blockedBy).toEqualTypeOf<BlockedBy>();
    const options = { throws: true, expiresAfter: 1000 } as const;
    const all = await held.whileHoldingAll(action, items, () => 1, options);
    expectTypeOf(all.result).toEqualTypeOf<number>();
  });
});
