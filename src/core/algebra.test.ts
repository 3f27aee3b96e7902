import { describe, expect, test } from "vitest";
import { DAY, HOUR, MINUTE, WEEK } from "./periods.js";
import { decide } from "./algebra.js";
import { parseLimit } from "./config.js";

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
    const limit = parseLimit("slow", { kind: "token bucket", rate, period });
    const request = { count: 1, reserve: false };
    const empty = [{ value: 0, ts: 0 }];
    expect(decide(limit, empty, request, 0)).toEqual({ ok: false, retryAfter });
    expect(decide(limit, empty, request, retryAfter - 1).ok).toBe(false);
    expect(decide(limit, empty, request, retryAfter).ok).toBe(true);
  });
});
