import type { RateLimitConfig } from "../../src/core/config.js";
import type { Demand } from "../../src/core/demand.js";
import { MINUTE } from "../../src/core/periods.js";

/** A token a second, over `shards` rows that hold up to 10 each. */
export const tenEach = (shards: number, more: Partial<RateLimitConfig> = {}) =>
  ({
    kind: "token bucket",
    rate: 60,
    period: MINUTE,
    capacity: 10 * shards,
    shards,
    ...more,
  }) as RateLimitConfig;

/** A demand for `count` tokens, without a debt. */
export const demandFor = (
  count: number,
  more: Partial<Demand> = {},
): Demand => ({
  count,
  debt: "none",
  leave: 0,
  upTo: false,
  ...more,
});
