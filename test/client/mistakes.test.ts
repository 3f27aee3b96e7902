import {
  MINUTE,
  RateLimiter,
  type LimitConfig,
  type RateLimitConfig,
  type RateLimiterOptions,
} from "convex-rate-limiter";
import { rateLimited } from "convex-rate-limiter/helpers";
import { componentsGeneric } from "convex/server";
import type { GenericId } from "convex/values";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { components, startHost, type HostCtx, storedRows } from "../host.js";
import { verbsOfKey, type Ctx } from "./verbsOfKey.js";

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

test.each([undefined, null])(
  "a component that is %s is an error where the limiter is made",
  (missing) => {
    const component = missing as unknown as typeof components.rateLimiter;
    expect(() => new RateLimiter(component, { message: config })).toThrow(
      `the component is ${missing}. Mount it`,
    );
  },
);

test.each<[what: string, all: unknown]>([
  ["Convex's proxy", componentsGeneric()],
  ["an object", { rateLimiter: components.rateLimiter }],
])("all components instead of one are an error: %s", (_, all) => {
  const component = all as typeof components.rateLimiter;
  expect(() => new RateLimiter(component)).toThrow(
    "Give components.rateLimiter, from ./_generated/api, as the first argument, and not components.",
  );
});

test("a component may have any name", () => {
  const { quotas } = componentsGeneric() as unknown as Record<
    string,
    typeof components.rateLimiter
  >;
  new RateLimiter(quotas!);
});

describe("a period in ms that is less than a second", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  beforeEach(() => void warn.mockClear());
  const make = (period: number, options?: RateLimiterOptions) =>
    new RateLimiter(
      components.rateLimiter,
      { message: { ...config, period } },
      options,
    );

  test("is told of once, where the limiter is made", async () => {
    const limiter = make(60);
    await startHost().run(async (ctx) => {
      await limiter.limit(ctx, "message");
    });
    expect(warn.mock.calls).toEqual([
      [expect.stringMatching(/^Rate limit message: its period is 60 ms/)],
    ]);
  });

  test("is not told of with advice: false, nor is any other", () => {
    make(60, { advice: false });
    make(1000);
    new RateLimiter(components.rateLimiter, {
      day: { kind: "fixed window", rate: 1, period: "day" },
      render: { kind: "concurrency", capacity: 1, lease: 1 },
    });
    expect(warn).not.toHaveBeenCalled();
  });
});

test.each([undefined, null, 10])(
  "a config that is %s is an error where the limiter is made",
  (bad) => {
    const message = bad as unknown as RateLimitConfig;
    expect(() => new RateLimiter(components.rateLimiter, { message })).toThrow(
      `Rate limit message: its config must be an object, but is ${bad}.`,
    );
  },
);

test("a misspelt name is not defined, in a list as in a single call", async () => {
  const t = startHost();
  const undefinedName = "Rate limit mesage is not defined";
  await t.run(async (ctx) => {
    await expect(limiter.limit(ctx, mesage)).rejects.toThrow(undefinedName);
    await expect(
      limiter.limitAll(ctx, [{ name: "message" }, { name: mesage }]),
    ).rejects.toThrow(undefinedName);
    await expect(limiter.checkAll(ctx, [{ name: mesage }])).rejects.toThrow(
      undefinedName,
    );
  });
  expect(await storedRows(t)).toEqual([]);
});

test("a name that is not defined lists those that are, the nearest first and at most ten", async () => {
  const names = Array.from({ length: 12 }, (_, i) => `limit${i}`);
  const many = new RateLimiter(
    components.rateLimiter,
    Object.fromEntries([...names, "sendMessage"].map((name) => [name, config])),
  );
  const none: Record<string, LimitConfig> = {};
  await startHost().run(async (ctx) => {
    await expect(limiter.limit(ctx, mesage)).rejects.toThrow(
      "Rate limit mesage is not defined. The limits are message, render. Name it in the constructor, or give a config.",
    );
    await expect(many.check(ctx, "sendMesage")).rejects.toThrow(
      "Rate limit sendMesage is not defined. The limits are sendMessage, limit0, limit1, limit2, limit3, limit4, limit5, limit6, limit7, limit8, and 3 more. Name it",
    );
    await expect(
      new RateLimiter(components.rateLimiter, none).check(ctx, "any"),
    ).rejects.toThrow("Rate limit any is not defined. Name it");
  });
});

test.each<[field: string, nearest: string, kind: LimitConfig]>([
  ["capacityy", "capacity", config],
  ["maxReservd", "maxReserved", config],
  ["reqiureKey", "requireKey", config],
  ["timezone", "timeZone", config],
  ["periodMs", "period", config],
  ["leese", "lease", render],
])(
  "a field that does not exist is told the nearest that does: %s, %s",
  (field, nearest, bad) => {
    const message = { ...bad, [field]: 1 };
    expect(() => new RateLimiter(components.rateLimiter, { message })).toThrow(
      `Rate limit message: there is no field ${field} in a config. Did you mean ${nearest}?`,
    );
  },
);

test("a field that is like none that exists is told none", () => {
  const message = { ...config, constructor: 1 } as unknown as LimitConfig;
  expect(() => new RateLimiter(components.rateLimiter, { message })).toThrow(
    /there is no field constructor in a config\.$/,
  );
});

test("an empty list is an error, whether it takes or asks", async () => {
  await startHost().run(async (ctx) => {
    await expect(limiter.limitAll(ctx, [])).rejects.toThrow(
      "limitAll: the list is empty",
    );
    await expect(limiter.checkAll(ctx, [])).rejects.toThrow(
      "checkAll: the list is empty",
    );
  });
});

test("a ban and no limit in one override are an error", async () => {
  const both = { deny: true, unlimited: true } as const;
  await startHost().run(async (ctx) => {
    // @ts-expect-error one or the other
    const set = limiter.setOverride(ctx, "message", both);
    await expect(set).rejects.toThrow();
    expect(await limiter.limit(ctx, "message")).toEqual({ ok: true });
  });
});

const noCtx = undefined as unknown as HostCtx;
const others: Record<string, (ctx: HostCtx) => Promise<unknown>> = {
  settle: (ctx) => limiter.settle(ctx, "id", { count: 1 }),
  release: (ctx) => limiter.release(ctx, "id"),
  settleAll: (ctx) => limiter.settleAll(ctx, [{ id: "id" }]),
  renew: (ctx) => limiter.renew(ctx, "id"),
  cancelScheduled: (ctx) => limiter.cancelScheduled(ctx, jobId),
  setOverride: (ctx) => limiter.setOverride(ctx, "message", { deny: true }),
  penalize: (ctx) =>
    limiter.penalize(ctx, "message", { key: "k", bans: [1], forgetAfter: 1 }),
  clearOverride: (ctx) => limiter.clearOverride(ctx, "message"),
  forget: (ctx) => limiter.forget(ctx, "k"),
  isForgetting: (ctx) => limiter.isForgetting(ctx, "k"),
  listOverrides: (ctx) => limiter.listOverrides(ctx, { paginationOpts }),
  list: (ctx) => limiter.list(ctx, { paginationOpts }),
  stats: (ctx) => limiter.stats(ctx, "message", { ...range, by: "minute" }),
  topDenied: (ctx) => limiter.topDenied(ctx, "message", range),
};

test.each([
  ...Object.entries(others),
  ...Object.entries(verbsOfKey).map(
    ([name, verb]) =>
      [
        name,
        (ctx: HostCtx) => verb(limiter, ctx as HostCtx & Ctx, { key: "k" }),
      ] as const,
  ),
])(
  "a ctx that is missing is an error that says what belongs there: %s",
  async (_, call) => {
    await expect(call(noCtx)).rejects.toThrow(
      /^RateLimiter: the first argument must be the ctx that Convex gives to .*action, but it is undefined\.$/,
    );
  },
);

test.each<[ctx: unknown, is: string]>([
  ["message", 'it is "message"'],
  [null, "it is null"],
  [{ runQuery: () => 1 }, "it has no runMutation"],
])(
  "a ctx that is none, or cannot write, says what it is: %j",
  async (ctx, is) => {
    await expect(limiter.limit(ctx as HostCtx, "message")).rejects.toThrow(
      `RateLimiter: the first argument must be the ctx that Convex gives to a mutation or an action, but ${is}.`,
    );
  },
);

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
)("a key in the place of the options is an error: %s", async (_, call) => {
  const t = startHost();
  await t.run(async (ctx) => {
    await expect((async () => call(ctx))()).rejects.toThrow(
      "Rate limit message: the options must be an object, such as { key }, but are of type string.",
    );
  });
  expect(await storedRows(t)).toEqual([]);
});
