import fc from "fast-check";
import { expect, test } from "vitest";
import { aKind, optional } from "../support/arbitraries.js";
import { calculateRateLimit } from "../../src/core/calculateRateLimit.js";
import type { RateLimitConfig } from "../../src/core/config.js";
import type { GetValueReturns } from "../../src/core/value.js";
import { createCheck } from "../../src/react/check.js";

const HOUR = 3_600_000;
const NOON = 1_700_000_000_000;

const bucket: RateLimitConfig = {
  kind: "token bucket",
  rate: 10,
  period: 60_000,
  capacity: 3,
};
const at = (config: RateLimitConfig, value: number): GetValueReturns => ({
  value,
  ts: NOON,
  shard: 0,
  config,
});

test.each([NaN, -1, Infinity])("a count of %d is never granted", (count) => {
  const result = createCheck(at(bucket, 3), 0, () => NOON)(NOON, count);
  expect(result).toMatchObject({ ok: false, retryAt: Infinity });
});

const configs: fc.Arbitrary<RateLimitConfig> = fc.record({
  kind: aKind,
  rate: fc.oneof(
    fc.integer({ min: 1, max: 1000 }),
    fc.double({ min: 0.01, max: 1000, noNaN: true }),
  ),
  period: fc.integer({ min: 1, max: 86_400_000 }),
  capacity: optional(fc.integer({ min: 0, max: 1000 })),
});

const cases = fc
  .record({
    config: configs,
    share: fc.double({ min: -2, max: 1, noNaN: true }),
    elapsed: fc.integer({ min: -10_000, max: 100_000 }),
    ahead: fc.integer({ min: -HOUR, max: HOUR }),
    wanted: fc.double({ min: 0, max: 1, noNaN: true }),
  })
  .map(({ config, share, wanted, ...rest }) => {
    const capacity = config.capacity ?? config.rate;
    return {
      ...rest,
      data: at(config, share * capacity),
      count: wanted * capacity,
    };
  });

test("check returns what calculateRateLimit does, by default now and for no tokens, by the page's clock", () => {
  fc.assert(
    fc.property(cases, ({ data, elapsed, ahead, count }) => {
      const now = NOON + elapsed;
      const check = createCheck(data, ahead, () => now - ahead);
      const { value, ts } = calculateRateLimit(data, data.config, now, count);
      expect(check(now - ahead, count)).toMatchObject({
        value,
        ts: ts - ahead,
      });
      expect(check()).toEqual(check(now - ahead, 0));
    }),
  );
});

test("a denied request is granted at retryAt, not 1 ms before", () => {
  fc.assert(
    fc.property(cases, ({ data, elapsed, ahead, count }) => {
      const now = NOON + elapsed - ahead;
      const check = createCheck(data, ahead, () => now);
      const { ok, retryAt } = check(now, count)!;
      expect(ok).toBe(retryAt === undefined);
      if (retryAt === undefined) return;
      expect(check(retryAt, count)!.ok).toBe(true);
      expect(check(retryAt - 1, count)).toMatchObject({ ok: false, retryAt });
    }),
  );
});
