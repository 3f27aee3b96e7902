import { describe, expect, test } from "vitest";
import {
  firstWait,
  firstWaitIn,
  fullAtOf,
  timeWhenFull,
  trickle,
  windows,
} from "../../src/core/bucket.js";
import { calendar } from "../../src/core/calendar.js";
import { DAY } from "../../src/core/periods.js";

test.each([
  ["at once if it is", 20, 100],
  ["at once if it holds more", 25, 100],
  ["at the last whole ms", -1e300, Number.MAX_SAFE_INTEGER],
])("a row is full again %s", (_claim, value, expected) => {
  const bucket = { rate: 10, capacity: 20, arrivals: trickle(1000) };
  expect(timeWhenFull(bucket, { value, ts: 100 })).toBe(expected);
});

test("a row that is full is so since its window began, whatever windows are listed", () => {
  const bucket = { rate: 2, capacity: 4, arrivals: windows(10, 0, [3, 5, 20]) };
  expect(timeWhenFull(bucket, { value: 4, ts: 3 })).toBe(3);
});

test("by a calendar, a row is kept for one window more than it takes to fill", () => {
  const arrivals = calendar({ period: "day" });
  const bucket = { rate: 1, capacity: 5, arrivals };
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
