import { describe, expect, test } from "vitest";
import { trickle, windows } from "../../src/core/bucket.js";
import { HOUR, MINUTE } from "../../src/core/periods.js";

describe("what divides to whole numbers is not rounded up", () => {
  test("to ms of a bucket", () => {
    expect(trickle(100).when(0, 27.25, 6.25)).toBe(436);
    expect(trickle(MINUTE).when(1000, 1, 180)).toBe(1000 + 334);
  });

  test("to windows", () => {
    expect(2.1 / 0.7).toBeGreaterThan(3);
    expect(windows(10, 3).when(3, 2.1, 0.7)).toBe(33);
  });
});

test("nothing arrives while the clock steps back", () => {
  const none = { tokens: 0, ts: 23 };
  expect(trickle(MINUTE).between(23, 3, 10)).toEqual(none);
  expect(windows(10, 3).between(23, 3, 10)).toEqual(none);
});

test("windows that begin between two ms are told in the first whole one", () => {
  expect(windows(2.5, 0).when(0, 1, 1)).toBe(3);
});

test("windows that are no whole number of ms lose none to a write when one begins", () => {
  const { between, startAt } = windows(HOUR / 7, 0);
  const hour = Date.UTC(2026, 0, 1, 9);
  const { tokens, ts } = between(startAt(hour - 2.5 * (HOUR / 7)), hour, 1);
  expect(tokens).toBe(3);
  expect(between(ts, hour, 1)).toEqual({ tokens: 0, ts });
});

test.each([
  ["a bucket", trickle(10), 1],
  ["windows", windows(10, 0), 2],
])(
  "%s that was written at 25 has tokens again at 30",
  (_, arrivals, tokens) => {
    const { between, when } = arrivals;
    expect(between(0, 25, 2, undefined, 25).tokens).toBe(0);
    expect(between(0, 30, 2, undefined, 25).tokens).toBe(tokens);
    expect(when(0, tokens, 2, undefined, 25)).toBe(30);
  },
);

describe("windows that are listed, then each 10 ms", () => {
  const listed = windows(10, 0, [3, 5, 20]);

  test.each([
    [3, 3, 0, 3],
    [3, 4, 0, 3],
    [3, 5, 1, 5],
    [3, 19, 1, 5],
    [3, 20, 2, 20],
    [4, 29, 2, 20],
    [4, 30, 3, 30],
    [5, 55, 4, 50],
    [20, 19, 0, 20],
    [20, 30, 1, 30],
    [40, 20, 0, 40],
    [40, 51, 1, 50],
  ])("between %d and %d come %d, the last at %d", (since, now, n, ts) => {
    expect(listed.between(since, now, 2)).toEqual({ tokens: 2 * n, ts });
  });

  test.each([
    [3, 1, 5],
    [3, 2, 5],
    [3, 3, 20],
    [3, 4, 20],
    [3, 5, 30],
    [4, 1, 5],
    [0, 8, 30],
    [20, 2, 30],
    [40, 5, 70],
  ])("after %d there are %d at %d", (since, tokens, then) => {
    expect(listed.when(since, tokens, 2)).toBe(then);
  });

  test.each([
    [1, 3],
    [3, 3],
    [4, 3],
    [5, 5],
    [19, 5],
    [20, 20],
    [29, 20],
    [30, 30],
  ])("at %d the window is that of %d", (now, start) => {
    expect(listed.startAt(now)).toBe(start);
  });
});
