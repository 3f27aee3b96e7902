import { expect, test } from "vitest";
import { openLimitOf, rowsOf } from "../../memoryLedger.js";
import type { RateLimitConfig } from "../../../src/core/config.js";
import type { TimedOverride } from "../../../src/core/vOverride.js";
import { MINUTE } from "../../../src/core/periods.js";
import { detailsOf } from "../../../src/component/calls/details.js";

const kept = { applyUpdates: "asynchronously", headroom: 3 } as const;
const ban: TimedOverride = { override: { deny: true } };
const lift: TimedOverride = { override: { unlimited: true } };

type Case = {
  /** A token a second for each row, of up to 10. */
  values: number[];
  more?: Partial<RateLimitConfig>;
  override?: TimedOverride;
};

test.each<[string, Case, [limit: number, remaining: number, ms: number]]>([
  ["count whole tokens of all rows", { values: [4.5, 3.5] }, [20, 8, 6500]],
  ["count a rounding error as a token", { values: [5 - 1e-9] }, [10, 5, 5000]],
  ["show no debt", { values: [-2] }, [10, 0, 12_000]],
  ["leave out what is kept back", { values: [7.5], more: kept }, [10, 4, 2500]],
  ["under a ban show nothing", { values: [4], override: ban }, [10, 0, MINUTE]],
  [
    "of one that is lifted are those of a full one, of whole tokens",
    { values: [1], more: { capacity: 10.5 }, override: lift },
    [10.5, 10, 0],
  ],
  [
    "of one that is lifted leave out what is kept back",
    { values: [1], more: kept, override: lift },
    [10, 7, 0],
  ],
])(
  "details %s",
  async (_, { values, more, override }, [limit, remaining, resetAfter]) => {
    const shards = values.length;
    const config = {
      kind: "token bucket",
      rate: 60 * shards,
      period: MINUTE,
      capacity: 10 * shards,
      shards,
      ...more,
    } as RateLimitConfig;
    const overrides = override && [override];
    const opened = openLimitOf(config, rowsOf(values), { overrides });
    const details = { limit, remaining, resetAfter };
    expect(await detailsOf(opened)).toEqual(details);
    expect(opened.ledger.reads).toBe(override === lift ? "" : "look");
  },
);
