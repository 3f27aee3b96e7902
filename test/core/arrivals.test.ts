import { describe, expect, test } from "vitest";
import { trickle, windows } from "../../src/core/arrivals.js";
import { MINUTE } from "../../src/core/periods.js";

describe("tokens that trickle, 10 a minute", () => {
  const arrivals = trickle(MINUTE);

  test.each([
    ["one in 6 s", 1000, 7000, { tokens: 1, ts: 7000 }],
    ["a half in 3 s", 1000, 4000, { tokens: 0.5, ts: 4000 }],
    ["none at once", 1000, 1000, { tokens: 0, ts: 1000 }],
    ["none while the clock steps back", 1000, 400, { tokens: 0, ts: 1000 }],
  ])("%s", (_claim, since, now, expected) => {
    expect(arrivals.between(since, now, 10)).toEqual(expected);
  });

  test.each([
    ["one after 6 s", 1, 10, 7000],
    ["none at once", 0, 10, 1000],
    ["a third of a ms is waited for", 1, 180, 1000 + 334],
  ])("%s", (_claim, tokens, rate, expected) => {
    expect(arrivals.when(1000, tokens, rate)).toBe(expected);
  });

  test("whole numbers that divide to whole ms are not rounded up by 1", () => {
    expect(trickle(100).when(0, 27.25, 6.25)).toBe(436);
  });

  test("a bucket that was never used counts from now", () => {
    expect(arrivals.startAt(12_345)).toBe(12_345);
  });
});

describe("tokens that arrive in windows of 10 ms, one of which starts at 3", () => {
  const arrivals = windows(10, 3);

  test.each([
    ["none in the window", 3, 12, { tokens: 0, ts: 3 }],
    ["a rate at its end", 3, 13, { tokens: 5, ts: 13 }],
    ["a rate for each that has begun", 3, 39, { tokens: 15, ts: 33 }],
    ["none while the clock steps back", 23, 3, { tokens: 0, ts: 23 }],
  ])("%s", (_claim, since, now, expected) => {
    expect(arrivals.between(since, now, 5)).toEqual(expected);
  });

  test.each([
    ["none at once", 0, 3],
    ["one needs a window", 1, 13],
    ["5 need a window", 5, 13],
    ["6 need two", 6, 23],
  ])("%s", (_claim, tokens, expected) => {
    expect(arrivals.when(3, tokens, 5)).toBe(expected);
  });

  test("what divides to a whole number of windows needs no further one", () => {
    expect(2.1 / 0.7).toBeGreaterThan(3);
    expect(arrivals.when(3, 2.1, 0.7)).toBe(33);
  });

  test("windows that begin between two ms are told in the first whole one", () => {
    expect(windows(2.5, 0).when(0, 1, 1)).toBe(3);
  });

  test.each([
    [3, 3],
    [12, 3],
    [13, 13],
    [2, -7],
    [-8, -17],
  ])("at %i a bucket that was never used counts from %i", (now, expected) => {
    expect(arrivals.startAt(now)).toBe(expected);
  });
});

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
