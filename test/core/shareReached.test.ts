import { expect, test } from "vitest";
import type { RateLimitConfig } from "../../src/core/config.js";
import { parseLimit, shareReached } from "../../src/core/limit.js";

const config: RateLimitConfig = { kind: "token bucket", rate: 10, period: 60 };
const three = [0.5, 0.95, 0.8];

test.each([
  // capacity, warnAt, balance before, after, the share that is told
  [10, 0.8, 10, 3, undefined],
  [10, 0.8, 3, 2, 0.8],
  [10, 0.8, 2, 1, undefined],
  [10, 0.8, 10, -5, 0.8],
  [10, 0.8, 1, 5, undefined],
  [10, 1, 1, 0, 1],
  [10, 1, 1, 0.5, undefined],
  [10, three, 10, 5, 0.5],
  [10, three, 10, 0, 0.95],
  [10, three, 5, 2, 0.8],
  [10, three, 2, 2, undefined],
  // 0.55 * 100 is more than 55 in floats.
  [100, 0.55, 46, 45, 0.55],
  [100, 0.55, 45, 44, undefined],
  // With a capacity of nothing, every share is used from the beginning.
  [0, 1, 0, -3, undefined],
])(
  "of %d, at %j: from %d to %d it reaches %s",
  (capacity, warnAt, before, after, share) => {
    const limit = parseLimit("api", { ...config, capacity });
    expect(shareReached(limit, warnAt, before, after)).toBe(share);
  },
);
