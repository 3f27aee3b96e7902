import type { RateLimitConfig } from "convex-rate-limiter";
import { describe, expect, test } from "vitest";
import {
  heldAt,
  pointOf,
  restsAt,
  withMark,
  withState,
  type History,
} from "../../demo/page/kinds/history.js";

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

const NOTHING: History = { segments: [], marks: [] };

type State = [now: number, value: number, ts: number, config: RateLimitConfig];

const historyOf = (...held: State[]): History =>
  held.reduce(
    (history, [now, value, ts, config]) =>
      withState(history, { value, ts, config }, now),
    NOTHING,
  );

describe("the course of a balance", () => {
  /** Balances by time. */
  type Balances = Record<number, number | undefined>;

  test.each`
    claim                                                                                  | states                                                        | balances
    ${"of a bucket rises until it is full"}                                                | ${[[0, 4, 0, bucket]]}                                        | ${{ 1000: 5, 6000: 10, 9000: 10 }}
    ${"of a bucket falls at the server's time of a grant, not when the page learns of it"} | ${[[0, 10, 0, bucket], [5200, 5, 5000, bucket]]}              | ${{ 4999: 10, 5000: 5, 7000: 7 }}
    ${"of a window steps at each window's start until it is full"}                         | ${[[0, 2, 0, window]]}                                        | ${{ 9999: 2, 10_000: 7, 19_999: 7, 20_000: 10, 60_000: 10 }}
    ${"of a window falls when the page learns of a grant, as ts is the window's start"}    | ${[[0, 10, 0, window], [3000, 6, 0, window]]}                 | ${{ 2999: 10, 3000: 6 }}
    ${"is unknown before the first state"}                                                 | ${[[9000, 4, 8000, bucket]]}                                  | ${{ 7999: undefined, 8000: 4, 10_000: 6 }}
    ${"follows a config from the moment at which it was changed"}                          | ${[[0, 0, 0, bucket], [2000, 0, 0, { ...bucket, rate: 20 }]]} | ${{ 1000: 1, 2000: 4, 3000: 6 }}
  `(
    "$claim",
    ({ states, balances }: { states: State[]; balances: Balances }) => {
      const history = historyOf(...states);
      const times = Object.keys(balances).map(Number);
      const seen = times.map((time) => [time, heldAt(history, time)]);
      expect(Object.fromEntries(seen)).toStrictEqual(balances);
    },
  );
});

describe("a call on the chart", () => {
  const history = historyOf([0, 10, 0, bucket], [5000, 5, 5000, bucket]);

  test("is at the foot of the drop that its grant made", () => {
    const mark = { time: 4950, count: 5, outcome: "granted" } as const;
    expect(pointOf(history, mark)).toEqual([5000, 5]);
  });

  test("is at its own time if it was denied", () => {
    const mark = { time: 5100, count: 9, outcome: "denied" } as const;
    expect(pointOf(history, mark)).toEqual([5100, 5.1]);
  });
});

test.each<[string, History, number]>([
  ["nothing is known", NOTHING, 30_000],
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
  [
    "its last mark has left it",
    withMark(historyOf([0, 10, 0, bucket]), {
      time: 7000,
      outcome: "denied",
      count: 20,
    }),
    37_000,
  ],
])("a picture of 30 s rests when %s", (_name, history, expected) => {
  expect(restsAt(history, 30_000)).toBe(expected);
});
