import fc from "fast-check";
import { expect, test } from "vitest";
import { aKind } from "../support/arbitraries.js";
import type { RateLimitConfig } from "../../src/core/config.js";
import { createCheck } from "../../src/react/check.js";
import { rateLimitAt } from "../../src/react/rateLimitAt.js";

const NOON = 1_700_000_000_000;

const perMinute = (rate: number, capacity = rate): RateLimitConfig => ({
  kind: "token bucket",
  rate,
  period: 60_000,
  capacity,
});
const window5: RateLimitConfig = {
  kind: "fixed window",
  rate: 5,
  period: 10_000,
  capacity: 20,
};
const dryRun: RateLimitConfig = { ...perMinute(10), enforce: false };

const bucket = perMinute(10);
const fast = perMinute(60_000);
const soon = { until: 6000 };

/** What a request for `count` (1) shows after `after` (0) ms: when it is granted, and how long that holds. */
type Case = {
  after?: number;
  count?: number;
  retryAt?: number;
  until?: number;
};

type Row = {
  config: RateLimitConfig;
  value: number;
  left: number;
  expected: Case;
};

test.each`
  limit                                  | config                | value       | left   | expected
  ${"full"}                              | ${bucket}             | ${10}       | ${10}  | ${{}}
  ${"not full"}                          | ${bucket}             | ${4.5}      | ${4}   | ${{ until: 3000 }}
  ${"empty"}                             | ${bucket}             | ${0}        | ${0}   | ${{ retryAt: 6000, ...soon }}
  ${"in debt"}                           | ${bucket}             | ${-2.5}     | ${0}   | ${{ retryAt: 21_000, until: 21_000 }}
  ${"short of five"}                     | ${bucket}             | ${2}        | ${2}   | ${{ count: 5, retryAt: 18_000, ...soon }}
  ${"always short"}                      | ${bucket}             | ${10}       | ${10}  | ${{ count: 11, retryAt: Infinity }}
  ${"banned"}                            | ${perMinute(10, 0)}   | ${0}        | ${0}   | ${{ retryAt: Infinity }}
  ${"less than a token in all"}          | ${perMinute(10, 0.5)} | ${0.5}      | ${0}   | ${{ count: 0.5 }}
  ${"a rounding error short of a token"} | ${bucket}             | ${3 - 5e-7} | ${3}   | ${soon}
  ${"a dry run, empty"}                  | ${dryRun}             | ${0}        | ${0}   | ${soon}
  ${"a dry run, with too large a count"} | ${dryRun}             | ${10}       | ${10}  | ${{ count: 11 }}
  ${"a dry run, with a negative count"}  | ${dryRun}             | ${10}       | ${10}  | ${{ count: -1, retryAt: Infinity }}
  ${"fast"}                              | ${fast}               | ${500}      | ${500} | ${{ until: 1000 }}
  ${"fast and empty: never late"}        | ${fast}               | ${0}        | ${0}   | ${{ retryAt: 1, until: 1 }}
  ${"in a window"}                       | ${window5}            | ${0}        | ${0}   | ${{ after: 4000, retryAt: 10_000, until: 10_000 }}
  ${"short of two windows"}              | ${window5}            | ${0}        | ${0}   | ${{ count: 6, retryAt: 20_000, until: 10_000 }}
`(
  "rateLimitAt shows a limit: $limit",
  ({ config, value, left, expected }: Row) => {
    const { count = 1, after = 0, retryAt, until = Infinity } = expected;
    const data = { value, ts: NOON, shard: 0, config };
    const check = createCheck(data, 0, () => NOON);
    expect(rateLimitAt(check, count, NOON + after)).toMatchObject({
      value: {
        status:
          retryAt === undefined
            ? { ok: true, retryAt: undefined }
            : { ok: false, retryAt: NOON + retryAt },
        remaining: left,
      },
      until: NOON + until,
    });
  },
);

test("rateLimitAt has nothing to wait for while loading", () => {
  const check = createCheck(undefined, 0, () => NOON);
  expect(rateLimitAt(check, 1, NOON)).toEqual({
    value: { status: undefined, remaining: undefined, check },
    until: Infinity,
  });
});

test("rateLimitAt returns the same object while its value stays the same", () => {
  const data = { value: 0, ts: NOON, shard: 0, config: perMinute(10) };
  const check = createCheck(data, 0, () => NOON);
  const { value: first } = rateLimitAt(check, 2, NOON);
  const { value: second } = rateLimitAt(check, 2, NOON + 5999, first);
  expect(second).toBe(first);
  const { value: third } = rateLimitAt(check, 2, NOON + 6000, second);
  expect(third).not.toBe(second);
  expect(third).toMatchObject({ status: second.status, remaining: 1 });
  expect(third.status).toBe(second.status);
});

test("following rateLimitAt from change to change misses none, up to the full limit", () => {
  fc.assert(
    fc.property(
      fc.record({
        kind: aKind,
        rate: fc.integer({ min: 1, max: 20 }),
        period: fc.integer({ min: 5000, max: 100_000 }),
        capacity: fc.integer({ min: 0, max: 20 }),
      }),
      fc.double({ min: -20, max: 20, noNaN: true }),
      fc.integer({ min: 0, max: 20 }),
      (config, value, count) => {
        const data = { value, ts: NOON, shard: 0, config };
        const check = createCheck(data, 0, () => NOON);
        let now = NOON;
        for (let steps = 0; steps < 200; steps++) {
          const { value: shown, until } = rateLimitAt(check, count, now);
          expect(until).toBeGreaterThan(now);
          if (until === Infinity) {
            expect(shown.remaining).toBe(config.capacity);
            expect(shown.status?.ok).toBe(count <= config.capacity);
            return;
          }
          const before = rateLimitAt(check, count, until - 1).value;
          expect(before.status).toEqual(shown.status);
          if (until - now > 1000) expect(before).toEqual(shown);
          now = until;
        }
        throw new Error("it never ends");
      },
    ),
  );
});
