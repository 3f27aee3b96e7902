import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, WEEK } from "../../src/core/periods.js";
import { decideAlone } from "../decideAlone.js";
import { rulesOf } from "../../src/core/rules.js";

describe("the wait for one token is right to the ms, however slow the limit", () => {
  test.each([
    [10, MINUTE, 6_000],
    [10, HOUR, 360_000],
    [3, DAY, 8 * HOUR],
    [7, WEEK, DAY],
    [1, WEEK, WEEK],
    [1, 100 * DAY, 100 * DAY],
    [1, 10_000 * DAY, 10_000 * DAY],
  ])("%d per %d ms", (rate, period, retryAfter) => {
    const config = { kind: "token bucket", rate, period } as const;
    const rules = rulesOf("slow", undefined, config, undefined, 0);
    const one = { count: 1, debt: "none", leave: 0, upTo: false } as const;
    const take = (now: number) =>
      decideAlone(rules, [{ shard: 0, value: 0, ts: 0 }], [one], now);
    expect(take(0)).toEqual({ ok: false, refused: [0], retryAfter });
    expect(take(retryAfter - 1).ok).toBe(false);
    expect(take(retryAfter).ok).toBe(true);
  });
});
