import type { RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import { History, type Point } from "../../demo/page/kinds/history.js";

const bucket: RateLimitConfig = {
  kind: "token bucket",
  rate: 10,
  period: 10_000,
};
const window: RateLimitConfig = {
  kind: "fixed window",
  rate: 5,
  period: 10_000,
  capacity: 10,
  start: 0,
};

function historyOf(
  ...held: [now: number, value: number, ts: number, config: RateLimitConfig][]
): History {
  const history = new History();
  for (const [now, value, ts, config] of held) {
    history.hold({ value, ts, config }, now);
  }
  return history;
}

describe("the course of a balance", () => {
  test.each<[string, History, [from: number, to: number], Point[]]>([
    [
      "of a bucket bends where it is full",
      historyOf([0, 4, 0, bucket]),
      [1000, 9000],
      [
        [1000, 5],
        [6000, 10],
        [9000, 10],
      ],
    ],
    [
      "of a bucket falls at the server's time of a grant, not when it was heard of",
      historyOf([0, 10, 0, bucket], [5200, 5, 5000, bucket]),
      [0, 7000],
      [
        [0, 10],
        [5000, 10],
        [5000, 5],
        [7000, 7],
      ],
    ],
    [
      "of a window steps at each window's start until it is full",
      historyOf([0, 2, 0, window]),
      [5000, 60_000],
      [
        [5000, 2],
        [10_000, 2],
        [10_000, 7],
        [20_000, 7],
        [20_000, 10],
        [60_000, 10],
      ],
    ],
    [
      "of a window falls when a grant was heard of, as its ts is the window's start",
      historyOf([0, 10, 0, window], [3000, 6, 0, window]),
      [0, 5000],
      [
        [0, 10],
        [3000, 10],
        [3000, 6],
        [5000, 6],
      ],
    ],
    [
      "is unknown before the first state",
      historyOf([9000, 4, 8000, bucket]),
      [0, 10_000],
      [
        [8000, 4],
        [10_000, 6],
      ],
    ],
  ])("%s", (_name, history, [from, to], points) => {
    expect(history.curve(from, to)).toEqual(points);
  });

  test("follows a config from the moment at which it was changed", () => {
    const fast: RateLimitConfig = { ...bucket, rate: 20 };
    const history = historyOf([0, 0, 0, bucket], [2000, 0, 0, fast]);
    expect(history.curve(0, 3000)).toEqual([
      [0, 0],
      [2000, 2],
      [2000, 4],
      [3000, 6],
    ]);
  });
});

describe("a call on the chart", () => {
  const history = historyOf([0, 10, 0, bucket], [5000, 5, 5000, bucket]);

  test("is at the foot of the drop that its grant made", () => {
    const at = 4950;
    expect(history.pointOf({ at, count: 5, outcome: "granted" })).toEqual([
      5000, 5,
    ]);
  });

  test("is at its own time if it was denied", () => {
    const at = 5100;
    expect(history.pointOf({ at, count: 9, outcome: "denied" })).toEqual([
      5100, 5.1,
    ]);
  });
});

test.each<[string, History, number]>([
  ["nothing is known", new History(), 30_000],
  [
    "the last change has left the picture, if it left the limit full",
    historyOf([0, 10, 0, bucket], [5000, 10, 5000, bucket]),
    35_000,
  ],
  [
    "the limit has been full for as long as the picture shows",
    historyOf([0, 10, 0, bucket], [5000, 4, 5000, bucket]),
    41_000,
  ],
  ["a window has filled up", historyOf([0, 2, 0, window]), 50_000],
])("a picture of 30 s rests when %s", (_name, history, restsAt) => {
  expect(history.restsAt(30_000)).toBe(restsAt);
});

test("a picture rests no sooner than its last mark has left it", () => {
  const history = historyOf([0, 10, 0, bucket]);
  history.mark({ at: 7000, outcome: "denied", count: 20 });
  expect(history.restsAt(30_000)).toBe(37_000);
});

test("a listener is told of each change until it leaves", () => {
  const history = new History();
  const versions: number[] = [];
  const leave = history.subscribe(() => versions.push(history.getVersion()));
  history.hold({ value: 1, ts: 0, config: bucket }, 0);
  history.mark({ at: 1, outcome: "granted", count: 1 });
  leave();
  history.mark({ at: 2, outcome: "granted", count: 1 });
  expect(new Set(versions).size).toBe(2);
});
