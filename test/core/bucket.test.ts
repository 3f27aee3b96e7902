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
  ["from its ts on if it holds the capacity", 20, 100],
  ["from its ts on if it holds more", 25, 100],
  ["at 2 ** 53 - 1 if its debt is immense", -1e300, Number.MAX_SAFE_INTEGER],
])("a row is full %s", (_claim, value, expected) => {
  const bucket = { rate: 10, capacity: 20, refill: continuousRefill(1000) };
  expect(timeWhenFull(bucket, { value, ts: 100 })).toBe(expected);
});

test("a full row has been full since its window began, even if windows are listed", () => {
  const bucket = {
    rate: 2,
    capacity: 4,
    refill: windowRefill(10, 0, [3, 5, 20]),
  };
  expect(timeWhenFull(bucket, { value: 4, ts: 3 })).toBe(3);
});

test.each([
  [undefined, 2 * DAY],
  [true, 2 * DAY + 26 * HOUR],
] as const)(
  "fullAt of a calendar row that mayMove: %s is %d",
  (mayMove, at) => {
    const refill = { ...calendarRefill({ period: "day" }), mayMove };
    const bucket = { rate: 1, capacity: 5, refill };
    expect(fullAtOf(bucket, { value: 3, ts: 0 })).toBe(at);
  },
);

test("a right guess in a later phase costs two checks: at it and at the ms before", () => {
  const checked: number[] = [];
  const holds = (_: object, time: number) => {
    checked.push(time);
    return time >= 5000;
  };
  const guess = ({ until }: { until: number }) =>
    until === Infinity ? 5000 : undefined;
  const phases = [{ until: 1000 }, { until: Infinity }];
  expect(firstWaitIn(phases, 0, holds, guess)).toBe(5000);
  expect(checked).toEqual([5000, 4999]);
});

describe("the first whole ms at which something holds", () => {
  /** Finds the first ms of what holds from `from` on, and which ms were checked. */
  const find = (from: number, guess: number, last?: number) => {
    const checked: number[] = [];
    const holds = (wait: number) => {
      checked.push(wait);
      return wait >= from;
    };
    return { found: firstWait(holds, guess, last), checked };
  };

  const froms = [1, 2, 3, 4, 5, 7, 8, 9, 100, 1000];
  const guesses = [-5, 0, 0.5, 1, 2, 3, 4, 6, 7, 8, 99, 99.5, 101, 5000, NaN];

  test.each(froms)("is found at %i, whatever the guess", (from) => {
    for (const guess of guesses) {
      expect(find(from, guess).found, `guess ${guess}`).toBe(from);
      expect(find(from, guess, 1000).found, `guess ${guess}`).toBe(from);
    }
  });

  test("is 1 if it holds already", () => {
    expect(find(-10, 1)).toEqual({ found: 1, checked: [1] });
  });

  test("is found in two checks by a right guess: at it and at the ms before", () => {
    expect(find(100, 100)).toEqual({ found: 100, checked: [100, 99] });
    expect(find(100, 99.2)).toEqual({ found: 100, checked: [100, 99] });
  });

  test("is found in at most four checks by a guess that is off by 1", () => {
    expect(find(100, 99)).toEqual({ found: 100, checked: [99, 100] });
    expect(find(99, 100)).toEqual({ found: 99, checked: [100, 99, 97, 98] });
  });

  test.each([
    ["far too early", 1_000_000, 1],
    ["far too late", 1, 1_000_000],
    ["twice as late", 500_000, 1_000_000],
  ])("is found in at most 45 checks by a guess %s", (_claim, from, guess) => {
    const { found, checked } = find(from, guess);
    expect(found).toBe(from);
    expect(checked.length).toBeLessThanOrEqual(45);
    expect(Math.min(...checked)).toBeGreaterThanOrEqual(1);
  });

  test.each<[string, from: number, guess: number, last: number, at?: number]>([
    ["is not found after the last ms", 11, 1, 10, undefined],
    ["is found at the last ms", 10, 1, 10, 10],
    ["is found by a guess after the last ms", 10, 50, 10, 10],
    ["is not found after the last ms by a late guess", 11, 50, 10, undefined],
    ["is found in a range of one ms", 1, 1, 1, 1],
    ["is not found in an empty range", 1, 1, 0, undefined],
  ])("%s", (_claim, from, guess, last, at) => {
    const { found, checked } = find(from, guess, last);
    expect(found).toBe(at);
    expect(checked.every((wait) => wait >= 1 && wait <= last)).toBe(true);
  });
});

describe("a wait that is whole but for float errors is not rounded up", () => {
  test("in ms of a bucket", () => {
    expect(continuousRefill(100).when({ ts: 0 }, 27.25, 6.25)).toBe(436);
    expect(continuousRefill(MINUTE).when({ ts: 1000 }, 1, 180)).toBe(
      1000 + 334,
    );
  });

  test("in windows", () => {
    expect(2.1 / 0.7).toBeGreaterThan(3);
    expect(windowRefill(10, 3).when({ ts: 3 }, 2.1, 0.7)).toBe(33);
  });
});

test("a window that begins between two ms counts from the later one", () => {
  expect(windowRefill(2.5, 0).when({ ts: 0 }, 1, 1)).toBe(3);
});

test("windows of a fractional length lose no tokens to a write when one begins", () => {
  const { between, startAt } = windowRefill(HOUR / 7, 0);
  const hour = Date.UTC(2026, 0, 1, 9);
  const since = { ts: startAt(hour - 2.5 * (HOUR / 7)) };
  const { tokens, ts } = between(since, hour, 1);
  expect(tokens).toBe(3);
  expect(between({ ts }, hour, 1)).toEqual({ tokens: 0, ts });
});

test.each([
  ["a bucket", continuousRefill(10), 1],
  ["a window", windowRefill(10, 0), 2],
])(
  "%s written at 25 counts no tokens from before that",
  (_, refill, tokens) => {
    const { between, when } = refill;
    const since = { ts: 0, usedAt: 25 };
    expect(between(since, 25, 2).tokens).toBe(0);
    expect(between(since, 30, 2).tokens).toBe(tokens);
    expect(when(since, tokens, 2)).toBe(30);
  },
);

describe("of windows as listed and then every 10 ms,", () => {
  const listed = windowRefill(10, 0, [3, 5, 20]);

  test.each<[since: number, now: number, n: number, ts: number]>([
    [3, 3, 0, 3],
    [3, 5, 1, 5],
    [3, 19, 1, 5],
    [3, 20, 2, 20],
    [4, 30, 3, 30],
    [20, 19, 0, 20],
    [40, 20, 0, 40],
    [40, 51, 1, 50],
  ])("between %d and %d, %d begin, the last at %d", (since, now, n, ts) => {
    expect(listed.between({ ts: since }, now, 2)).toEqual({
      tokens: 2 * n,
      ts,
    });
  });

  test.each<[since: number, tokens: number, then: number]>([
    [3, 1, 5],
    [3, 3, 20],
    [3, 5, 30],
    [4, 1, 5],
    [20, 2, 30],
    [40, 5, 70],
  ])("those after %d have brought %d tokens at %d", (since, tokens, then) => {
    expect(listed.when({ ts: since }, tokens, 2)).toBe(then);
  });

  test.each([
    [3, 3],
    [4, 3],
    [5, 5],
    [20, 20],
    [30, 30],
  ])("the one at %d began at %d", (now, start) => {
    expect(listed.startAt(now)).toBe(start);
  });
});
