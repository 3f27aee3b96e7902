import { calculateRateLimit, MINUTE, SECOND } from "convex-rate-limiter";
import { describe, expect, test } from "vitest";

const bucket = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const window = {
  kind: "fixed window",
  rate: 3,
  period: 10 * SECOND,
  start: 0,
} as const;

const ts = 600_000;

test.each([
  ["a full limit", null, bucket, ts, 4, { value: 6, ts }],
  [
    "a balance that grows",
    { value: 1, ts },
    bucket,
    ts + 6_000,
    0,
    { value: 2, ts: ts + 6_000 },
  ],
  [
    "a balance that does not suffice",
    { value: 1, ts },
    bucket,
    ts,
    3,
    { value: -2, ts, retryAfter: 12_000 },
  ],
  [
    "a time before the balance's",
    { value: 1, ts },
    bucket,
    ts - 9_000,
    0,
    { value: 1, ts },
  ],
  [
    "a window that has not ended",
    { value: 1, ts },
    window,
    ts + 9_999,
    3,
    { value: -2, ts, windowStart: ts, retryAfter: 1 },
  ],
  [
    "two windows later",
    { value: -4, ts },
    window,
    ts + 25_000,
    0,
    { value: 2, ts: ts + 20_000, windowStart: ts + 20_000 },
  ],
  [
    "a full window, on its grid",
    null,
    window,
    ts + 1_234,
    1,
    { value: 2, ts, windowStart: ts },
  ],
])("%s", (_, state, config, now, count, expected) => {
  expect(calculateRateLimit(state, config, now, count)).toEqual({
    retryAfter: undefined,
    windowStart: undefined,
    ...expected,
  });
});

test("takes nothing unless told how much", () => {
  expect(calculateRateLimit(null, bucket, ts).value).toBe(10);
});

test("a deficit that is a rounding error is none, as on the server", () => {
  const state = { value: 1 - 1e-9, ts };
  expect(calculateRateLimit(state, bucket, ts, 1)).toMatchObject({
    value: 0,
    retryAfter: undefined,
  });
});

test("a bad config is refused, by field and value", () => {
  expect(() => calculateRateLimit(null, { ...bucket, rate: NaN }, ts)).toThrow(
    "rate must be a finite number above 0, but is NaN",
  );
});

const banned = { effect: "banned", config: bucket } as const;
const lifted = { effect: "unlimited", config: bucket } as const;
const limited = { effect: "limited", config: bucket } as const;

describe("when a request would be granted", () => {
  test.each([
    ["at once, of what a limit is lifted for", [lifted], 50, undefined],
    ["never, of what is banned for ever", [banned], 1, Infinity],
    ["when the ban ends", [{ ...banned, until: ts + 500 }, limited], 1, 500],
    [
      "never, if a ban follows",
      [{ ...limited, until: ts + 500 }, banned],
      2,
      Infinity,
    ],
    [
      "never, of the whole capacity, if it is not there before a ban",
      [{ ...limited, until: ts + 500 }, banned],
      10,
      Infinity,
    ],
    ["when it is lifted", [{ ...limited, until: ts + 500 }, lifted], 50, 500],
    [
      "of more than it ever holds when a debt of it is paid",
      [limited],
      11,
      60_000,
    ],
  ])("%s", (_claim, rules, count, retryAfter) => {
    const stored = { shards: 1, rows: [{ value: 1, ts }] };
    const segments = rules.map((rule) => ({ ...stored, ...rule }));
    const state = { value: 1, ts, segments };
    expect(calculateRateLimit(state, bucket, ts, count).retryAfter).toBe(
      retryAfter,
    );
  });
});

test("a bad config is refused, without the name of a limit", () => {
  expect(() => calculateRateLimit(null, { ...bucket, rate: 0 }, ts)).toThrow(
    "Rate limit : rate must be",
  );
});

test("more at once than the capacity of what runs at once is never granted", () => {
  const config = { kind: "concurrency", capacity: 3, lease: MINUTE } as const;
  expect(calculateRateLimit(null, config, ts, 3).retryAfter).toBeUndefined();
  expect(calculateRateLimit(null, config, ts, 4).retryAfter).toBe(Infinity);
});
