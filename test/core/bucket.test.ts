import { describe, expect, test } from "vitest";
import { trickle, windows } from "../../src/core/arrivals.js";
import {
  firstTime,
  isLive,
  project,
  timeWhenFull,
} from "../../src/core/bucket.js";

const bucket = { rate: 10, capacity: 20, arrivals: trickle(1000) };
const window = { rate: 10, capacity: 20, arrivals: windows(1000, 0) };

describe("a row says something", () => {
  test.each([
    ["always, if it does not say when it is full", undefined, true],
    ["until it is full", 501, true],
    ["no more when it is full", 500, false],
    ["no more after it", 499, false],
  ])("%s", (_claim, fullAt, expected) => {
    const state = { value: 0, ts: 0 };
    const isSaying = isLive(
      fullAt === undefined ? state : { ...state, fullAt },
      500,
    );
    expect(isSaying).toBe(expected);
  });
});

describe("a row at 500, of 10 a second up to 20", () => {
  test.each([
    ["absent, it is full", bucket, undefined, { value: 20, ts: 500 }],
    [
      "absent, a window is full from its start",
      window,
      undefined,
      { value: 20, ts: 0 },
    ],
    [
      "it has gained 4 in 400 ms",
      bucket,
      { value: 1, ts: 100 },
      { value: 5, ts: 500 },
    ],
    [
      "in debt it gains as much",
      bucket,
      { value: -7, ts: 100 },
      { value: -3, ts: 500 },
    ],
    [
      "it gains no more than it can hold",
      bucket,
      { value: 18, ts: 100 },
      { value: 20, ts: 500 },
    ],
    [
      "it gains nothing before its time",
      bucket,
      { value: 1, ts: 900 },
      { value: 1, ts: 900 },
    ],
    [
      "a window gains at its end",
      window,
      { value: 1, ts: -1000 },
      { value: 11, ts: 0 },
    ],
    [
      "full already, it is as good as absent",
      bucket,
      { value: 1, ts: 100, fullAt: 500 },
      { value: 20, ts: 500 },
    ],
    [
      "almost full, it says itself what it holds",
      bucket,
      { value: 1, ts: 100, fullAt: 501 },
      { value: 5, ts: 500 },
    ],
  ])("%s", (_claim, bucket, state, expected) => {
    expect(project(bucket, state, 500)).toEqual(expected);
  });
});

describe("a row is full again", () => {
  test.each([
    [
      "when all that is missing has arrived",
      bucket,
      { value: 5, ts: 100 },
      1600,
    ],
    ["with a debt later", bucket, { value: -5, ts: 100 }, 2600],
    ["at once if it is full", bucket, { value: 20, ts: 100 }, 100],
    ["at once if it holds more", bucket, { value: 25, ts: 100 }, 100],
    ["at the end of a window", window, { value: 5, ts: 1000 }, 3000],
    [
      "at no time that is no whole number",
      bucket,
      { value: -1e300, ts: 0 },
      Number.MAX_SAFE_INTEGER,
    ],
  ])("%s", (_claim, bucket, state, expected) => {
    expect(timeWhenFull(bucket, state)).toBe(expected);
  });
});

describe("the first whole ms at which something holds", () => {
  /** What is asked, when it holds from `from` on. */
  const find = (from: number, guess: number, last?: number) => {
    const asked: number[] = [];
    const holds = (wait: number) => {
      asked.push(wait);
      return wait >= from;
    };
    return { found: firstTime(holds, guess, last), asked };
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
