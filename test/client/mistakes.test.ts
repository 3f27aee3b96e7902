import { MINUTE, RateLimiter, type RateLimitConfig } from "convex-rate-limiter";
import { rateLimited } from "convex-rate-limiter/helpers";
import { afterEach, expect, test, vi } from "vitest";
import {
  components,
  freezeClock,
  MIDNIGHT,
  startHost,
  type HostCtx,
  storedRows,
} from "../host.js";

const config = { kind: "token bucket", rate: 10, period: MINUTE } as const;

afterEach(() => void vi.useRealTimers());

// A name that only a compiler without types lets pass.
const mesage = "mesage" as "message";
const limiter = new RateLimiter(components.rateLimiter, { message: config });

test.each([undefined, null])(
  "a component that is %s is an error where the limiter is made",
  (missing) => {
    const component = missing as unknown as typeof components.rateLimiter;
    expect(() => new RateLimiter(component, { message: config })).toThrow(
      `the component is ${missing}. Mount it`,
    );
  },
);

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

test.each([
  [
    "a denial",
    10,
    "RateLimited: Rate limit message for ann is used up. Retry after 6000 ms.",
  ],
  [
    "what can never be granted",
    11,
    "Rate limit message count 11 exceeds 10. No wait will help.",
  ],
])("the error of %s can be read", async (_what, count, message) => {
  freezeClock(MIDNIGHT);
  await startHost().run(async (ctx) => {
    const take = (count: number) =>
      limiter.limit(ctx, "message", { key: "ann", count, throws: true });
    await take(1);
    await expect(take(count)).rejects.toMatchObject({ message });
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
)("a key in the place of the options is an error: %s", async (_, call) => {
  const t = startHost();
  await t.run(async (ctx) => {
    await expect((async () => call(ctx))()).rejects.toThrow(
      "Rate limit message: the options must be an object, such as { key }, but are of type string.",
    );
  });
  expect(await storedRows(t)).toEqual([]);
});
