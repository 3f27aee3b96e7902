import { describe, expect, test } from "vitest";
import { openLimitOf, rowsOf } from "../../memoryLedger.js";
import type { RateLimitConfig } from "../../../src/core/config.js";
import type { TimedOverride } from "../../../src/core/vOverride.js";
import { MINUTE } from "../../../src/core/periods.js";
import { detailsOf } from "../../../src/component/calls/details.js";

/** A token a second for each row, of up to 10. */
const config = (shards: number, more: Partial<RateLimitConfig> = {}) =>
  ({
    kind: "token bucket",
    rate: 60 * shards,
    period: MINUTE,
    capacity: 10 * shards,
    shards,
    ...more,
  }) as RateLimitConfig;

const details = async (
  values: number[],
  { more = {}, overrides = undefined as TimedOverride[] | undefined } = {},
) => {
  const account = openLimitOf(config(values.length, more), rowsOf(values), {
    overrides,
  });
  return { ...(await detailsOf(account)), reads: account.ledger.reads };
};

const kept = { applyUpdates: "asynchronously", headroom: 3 } as const;

describe("the details of a limit", () => {
  test.each([
    [
      "are its capacity, whole tokens, and when it is full",
      [4.5],
      {},
      { limit: 10, remaining: 4, resetAfter: 5500 },
    ],
    [
      "are those of all rows",
      [4.5, 3.5],
      {},
      { limit: 20, remaining: 8, resetAfter: 6500 },
    ],
    [
      "count a rounding error as a token",
      [5 - 1e-9],
      {},
      { limit: 10, remaining: 5, resetAfter: 5000 },
    ],
    ["show no debt", [-2], {}, { limit: 10, remaining: 0, resetAfter: 12_000 }],
    [
      "leave out what is kept back",
      [7.5],
      { more: kept },
      { limit: 10, remaining: 4, resetAfter: 2500 },
    ],
    [
      "show nothing, if less is left than is kept back",
      [2],
      { more: kept },
      { limit: 10, remaining: 0, resetAfter: 8000 },
    ],
    [
      "under a ban show nothing",
      [4],
      { overrides: [{ override: { deny: true as const } }] },
      { limit: 10, remaining: 0, resetAfter: MINUTE },
    ],
  ])("%s", async (_claim, values, setting, expected) => {
    expect(await details(values, setting)).toEqual({
      ...expected,
      reads: "look",
    });
  });

  test.each([
    ["of whole tokens", { capacity: 10.5 }, 10.5, 10],
    ["without what is kept back", kept, 10, 7],
  ])(
    "of one that is lifted are those of a full one, %s, and nothing is read",
    async (_claim, more, limit, remaining) => {
      const overrides = [{ override: { unlimited: true as const } }];
      expect(await details([1], { more, overrides })).toEqual({
        limit,
        remaining,
        resetAfter: 0,
        reads: "",
      });
    },
  );
});
