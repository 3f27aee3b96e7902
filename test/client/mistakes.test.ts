import { MINUTE, RateLimiter, type RateLimitConfig } from "convex-rate-limiter";
import { afterEach, expect, test, vi } from "vitest";
import {
  components,
  freezeClock,
  MIDNIGHT,
  startHost,
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
  ["what can never be granted", 11, "Rate limit message count 11 exceeds 10."],
])("the error of %s can be read", async (_what, count, message) => {
  freezeClock(MIDNIGHT);
  await startHost().run(async (ctx) => {
    const take = (count: number) =>
      limiter.limit(ctx, "message", { key: "ann", count, throws: true });
    await take(1);
    await expect(take(count)).rejects.toMatchObject({ message });
  });
});
