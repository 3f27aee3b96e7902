import { describe, expect, test } from "vitest";
import {
  firstWait,
  firstWaitIn,
  fullAtOf,
  timeWhenFull,
  continuousRefill,
  windowRefill,
} from "../../src/core/bucket.js";
import { calendarRefill } from "../../src/core/calendar.js";
import { DAY, HOUR, MINUTE } from "../../src/core/periods.js";

test.each([
  ["at once if it is", 20, 100],
  ["at once if it holds more", 25, 100],
  ["at the last whole ms", -1e300, Number.MAX_SAFE_INTEGER],
])("a row is full again %s", (_claim, value, expected) => {
  const bucket = { rate: 10, capacity: 20, refill: continuousRefill(1000) };
  expect(timeWhenFull(bucket, { value, ts: 100 })).toBe(expected);
});

test("a row that is full is so since its window began, whatever windows are listed", () => {
  const bucket = {
    rate: 2,
    capacity: 4,
    refill: windowRefill(10, 0, [3, 5, 20]),
  };
  expect(timeWhenFull(bucket, { value: 4, ts: 3 })).toBe(3);
});

test("by a calendar, a row is kept for one window more than it takes to fill", () => {
  const refill = calendarRefill({ period: "day" });
  const bucket = { rate: 1, capacity: 5, refill };
  expect(fullAtOf(bucket, { value: 3, ts: 0 })).toBe(3 * DAY);
});

test("in a later phase, too, a guess that is right is asked, and the ms before it", () => {
  const asked: number[] = [];
  const holds = (_: object, time: number) => {
    asked.push(time);
    return time >= 5000;
  };
  const guess = ({ until }: { until: number }) =>
    until === Infinity ? 5000 : undefined;
  const phases = [{ until: 1000 }, { until: Infinity }];
  expect(firstWaitIn(phases, 0, holds, guess)).toBe(5000);
  expect(asked).toEqual([5000, 4999]);
});

describe("the first whole ms at which something holds", () => {
  /** What is asked, when it holds from `from` on. */
  const find = (from: number, guess: number, last?: number) => {
    const asked: number[] = [];
    const holds = (wait: number) => {
      asked.push(wait);
      return wait >= from;
    };
    return { found: firstWait(holds, guess, last), asked };
  };

  const froms = [1, 2, 3, 4, 5, 7, 8, 9, 100, 1000];
  const guesses = [-5, 0, 0.5, 1, 2, 3, 4, 6, 7, 8, 99, 99.5, 101, 5000, NaN];

  test.each(froms)("%i is found, whatever the guess", (from) => {
    for (const guess of guesses) {
      expect(find(from, guess).found, `guess ${guess}`).toBe(from);
      expect(find(from, guess, 1000).found, `guess ${guess}`).toBe(from);
    }
  });

  test("it is 1 if it holds already", () => {
    expect(find(-10, 1)).toEqual({ found: 1, asked: [1] });
  });

  test("a guess that is right is asked, and the ms before it", () => {
    expect(find(100, 100)).toEqual({ found: 100, asked: [100, 99] });
    expect(find(100, 99.2)).toEqual({ found: 100, asked: [100, 99] });
  });

  test("a guess that is wrong by 1 needs no third step", () => {
    expect(find(100, 99)).toEqual({ found: 100, asked: [99, 100] });
    expect(find(99, 100)).toEqual({ found: 99, asked: [100, 99, 97, 98] });
  });

  test.each([
    ["too early", 1_000_000, 1],
    ["too late", 1, 1_000_000],
    ["too late by half", 500_000, 1_000_000],
  ])("a guess far %s takes steps that double", (_claim, from, guess) => {
    const { found, asked } = find(from, guess);
    expect(found).toBe(from);
    expect(asked.length).toBeLessThanOrEqual(45);
    expect(Math.min(...asked)).toBeGreaterThanOrEqual(1);
  });

  test.each([
    ["not before the last ms", 11, 1, 10, undefined],
    ["at the last ms", 10, 1, 10, 10],
    ["a guess after the last ms, though it holds there", 10, 50, 10, 10],
    ["a guess after the last ms, and it never holds", 11, 50, 10, undefined],
    ["the only ms", 1, 1, 1, 1],
    ["no ms at all", 1, 1, 0, undefined],
  ])("%s", (_claim, from, guess, last, expected) => {
    const { found, asked } = find(from, guess, last);
    expect(found).toBe(expected);
    expect(asked.every((wait) => wait >= 1 && wait <= last)).toBe(true);
  });
});

describe("what divides to whole numbers is not rounded up", () => {
  test("to ms of a bucket", () => {
    expect(continuousRefill(100).when(0, 27.25, 6.25)).toBe(436);
    expect(continuousRefill(MINUTE).when(1000, 1, 180)).toBe(1000 + 334);
  });

  test("to windows", () => {
    expect(2.1 / 0.7).toBeGreaterThan(3);
    expect(windowRefill(10, 3).when(3, 2.1, 0.7)).toBe(33);
  });
});

test("nothing arrives while the clock steps back", () => {
  const none = { tokens: 0, ts: 23 };
  expect(continuousRefill(MINUTE).between(23, 3, 10)).toEqual(none);
  expect(windowRefill(10, 3).between(23, 3, 10)).toEqual(none);
});

test("windows that begin between two ms are told in the first whole one", () => {
  expect(windowRefill(2.5, 0).when(0, 1, 1)).toBe(3);
});

test("windows that are no whole number of ms lose none to a write when one begins", () => {
  const { between, startAt } = windowRefill(HOUR / 7, 0);
  const hour = Date.UTC(2026, 0, 1, 9);
  const { tokens, ts } = between(startAt(hour - 2.5 * (HOUR / 7)), hour, 1);
  expect(tokens).toBe(3);
  expect(between(ts, hour, 1)).toEqual({ tokens: 0, ts });
});

test.each([
  ["a bucket", continuousRefill(10), 1],
  ["windows", windowRefill(10, 0), 2],
])("%s that was written at 25 has tokens again at 30", (_, refill, tokens) => {
  const { between, when } = refill;
  expect(between(0, 25, 2, undefined, 25).tokens).toBe(0);
  expect(between(0, 30, 2, undefined, 25).tokens).toBe(tokens);
  expect(when(0, tokens, 2, undefined, 25)).toBe(30);
});

describe("windows that are listed, then each 10 ms", () => {
  const listed = windowRefill(10, 0, [3, 5, 20]);

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
