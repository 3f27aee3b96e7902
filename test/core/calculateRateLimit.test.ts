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

const month = {
  kind: "fixed window",
  rate: 3,
  period: "month",
  timeZone: "Europe/Berlin",
} as const;
// March lacks an hour there.
const february = Date.UTC(2026, 0, 31, 23);
const march = Date.UTC(2026, 1, 28, 23);
const april = Date.UTC(2026, 2, 31, 22);

type Case = {
  state: { value: number; ts: number } | null;
  config: typeof bucket | typeof window | typeof month;
  now: number;
  count: number;
  expected: object;
};

test.each`
  what                               | state                          | config    | now            | count | expected
  ${"a full limit"}                  | ${null}                        | ${bucket} | ${ts}          | ${4}  | ${{ value: 6, ts }}
  ${"a balance that grows"}          | ${{ value: 1, ts }}            | ${bucket} | ${ts + 6_000}  | ${0}  | ${{ value: 2, ts: ts + 6_000 }}
  ${"a balance below the count"}     | ${{ value: 1, ts }}            | ${bucket} | ${ts}          | ${3}  | ${{ value: -2, ts, retryAfter: 12_000 }}
  ${"a balance to an earlier time"}  | ${{ value: 1, ts }}            | ${bucket} | ${ts - 9_000}  | ${0}  | ${{ value: 1, ts }}
  ${"a window to its last ms"}       | ${{ value: 1, ts }}            | ${window} | ${ts + 9_999}  | ${3}  | ${{ value: -2, ts, windowStart: ts, retryAfter: 1 }}
  ${"a window to two windows later"} | ${{ value: -4, ts }}           | ${window} | ${ts + 25_000} | ${0}  | ${{ value: 2, ts: ts + 20_000, windowStart: ts + 20_000 }}
  ${"a full window to its start"}    | ${null}                        | ${window} | ${ts + 1_234}  | ${1}  | ${{ value: 2, ts, windowStart: ts }}
  ${"an unused month to its start"}  | ${null}                        | ${month}  | ${march + 5}   | ${4}  | ${{ value: -1, ts: march, windowStart: march, retryAfter: april - march - 5 }}
  ${"a month to its last ms"}        | ${{ value: -4, ts: february }} | ${month}  | ${march - 1}   | ${0}  | ${{ value: -4, ts: february, windowStart: february, retryAfter: april - march + 1 }}
  ${"a month to two months later"}   | ${{ value: -4, ts: february }} | ${month}  | ${april}       | ${0}  | ${{ value: 2, ts: april, windowStart: april }}
`(
  "calculateRateLimit projects $what",
  ({ state, config, now, count, expected }: Case) => {
    expect(calculateRateLimit(state, config, now, count)).toEqual({
      retryAfter: undefined,
      windowStart: undefined,
      ...expected,
    });
  },
);

test("calculateRateLimit takes nothing without a count", () => {
  expect(calculateRateLimit(null, bucket, ts).value).toBe(10);
});

test("a deficit within rounding counts as none, as on the server", () => {
  const state = { value: 1 - 1e-9, ts };
  expect(calculateRateLimit(state, bucket, ts, 1)).toMatchObject({
    value: 0,
    retryAfter: undefined,
  });
});

test("a bad config throws with its field and value", () => {
  expect(() => calculateRateLimit(null, { ...bucket, rate: NaN }, ts)).toThrow(
    "Rate limit : rate must be a finite number above 0, but is NaN",
  );
});

test.each([
  ["for 0 under an endless ban is never granted", "banned", 0, Infinity],
  ["above the capacity waits until its debt is paid", "limited", 11, 60_000],
] as const)("a request %s", (_claim, effect, count, retryAfter) => {
  const row = { value: 1, ts };
  const phase = { effect, config: bucket, shards: 1, rows: [row] };
  const state = { ...row, phases: [phase] };
  const told = calculateRateLimit(state, bucket, ts, count);
  expect(told.retryAfter).toBe(retryAfter);
});

test("a concurrency limit never grants more than its capacity", () => {
  const config = { kind: "concurrency", capacity: 3, lease: MINUTE } as const;
  expect(calculateRateLimit(null, config, ts, 3).retryAfter).toBeUndefined();
  expect(calculateRateLimit(null, config, ts, 4).retryAfter).toBe(Infinity);
});

describe.each([
  { kind: "token bucket", rate: 10, period: 1000 },
  { kind: "fixed window", rate: 10, period: 1000 },
  { kind: "fixed window", rate: 10, period: "month" },
] as const)("calculateRateLimit of %j", (config) => {
  const empty = { value: 0, ts: 0 };

  test("never grants an infinite count", () => {
    const { retryAfter } = calculateRateLimit(empty, config, 5, Infinity);
    expect(retryAfter).toBe(Infinity);
  });

  test("is full at time Infinity, when an endless ban is over", () => {
    const { value, retryAfter } = calculateRateLimit(empty, config, Infinity);
    expect(value).toBe(10);
    expect(retryAfter).toBeUndefined();
    expect(calculateRateLimit(empty, config, Infinity, 11).retryAfter).toBe(
      Infinity,
    );
  });
});
