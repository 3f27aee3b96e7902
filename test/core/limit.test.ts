import { describe, expect, test } from "vitest";
import { partOf, project } from "../../src/core/bucket.js";
import { toStored, type LimitConfig } from "../../src/core/config.js";
import {
  fullAtByAllRules,
  configByRule,
  toLimit,
  ruleOf,
  shareReached,
  snapped,
} from "../../src/core/limit.js";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/periods.js";
import { resolutionOf, toleranceOf } from "../../src/core/tolerance.js";

const bucket = { kind: "token bucket", rate: 10, period: MINUTE } as const;
const window = { kind: "fixed window", rate: 10, period: HOUR } as const;

describe("the deficit that counts as none", () => {
  type Case = {
    config: typeof bucket | typeof window;
    capacity: number;
    expected: number;
  };

  test.each`
    claim                                                                | config                                     | capacity | expected
    ${"is a millionth"}                                                  | ${{ ...bucket, rate: 10, period: SECOND }} | ${10}    | ${1e-6}
    ${"of a slow bucket is its refill in a hundredth of a ms"}           | ${{ ...bucket, rate: 1, period: DAY }}     | ${1}     | ${0.01 / DAY}
    ${"of a slow window is a millionth"}                                 | ${{ ...window, rate: 1, period: DAY }}     | ${1}     | ${1e-6}
    ${"of a bucket that gains next to nothing is 1e-12 of its capacity"} | ${{ ...bucket, rate: 1e-9, period: DAY }}  | ${1000}  | ${1e-9}
    ${"of a large bucket is an epsilon"}                                 | ${bucket}                                  | ${1e15}  | ${1e15 * Number.EPSILON}
    ${"of a large window is an epsilon"}                                 | ${window}                                  | ${1e15}  | ${1e15 * Number.EPSILON}
  `("$claim", ({ config, capacity, expected }: Case) => {
    expect(toleranceOf({ ...config, capacity })).toBe(expected);
  });

  test("is stored as 0, unlike a larger one", () => {
    const limit = toLimit("x", window);
    expect(limit.tolerance).toBe(1e-6);
    const stored = [-1e-6, -1.1e-6, -1, 0, 1e-7, 5].map((value) =>
      snapped(limit, value),
    );
    expect(stored).toEqual([0, -1.1e-6, -1, 0, 1e-7, 5]);
  });
});

test("the resolution of floats grows with the capacity", () => {
  expect(1e15 + 2 * resolutionOf(1e15)).toBeGreaterThan(1e15);
  expect(1e15 + resolutionOf(1e15) / 4).toBe(1e15);
});

describe("windows without a start", () => {
  const startOf = (name: string, key?: string, period = HOUR) =>
    toLimit(name, { ...window, period }, key).whole.refill.startAt(0);

  // At other times, an update of the package would cut short the windows in use.
  test("begin at a fixed time for each name and key", () => {
    expect([
      startOf("api"),
      startOf("api", "anna"),
      startOf("api", ""),
    ]).toEqual([-189_373, -332_575, -2_741_830]);
  });

  test("are spread over the period: in each quarter, some of 100 keys begin", () => {
    const quarters = Array.from({ length: 100 }, (_, i) =>
      Math.floor((4 * -startOf("api", `key ${i}`)) / HOUR),
    );
    expect(new Set(quarters).size).toBe(4);
  });
});

describe("the rule of a limit", () => {
  const day = { kind: "fixed window", rate: 10, period: "day" } as const;
  const rule = (config: object) =>
    ruleOf(toLimit("x", toStored(config as LimitConfig), "k"));

  test.each<[string, object, object]>([
    ["kind", bucket, { ...bucket, kind: "fixed window" }],
    ["rate", bucket, { ...bucket, rate: 11, capacity: 10 }],
    ["period", bucket, { ...bucket, period: HOUR }],
    ["capacity", bucket, { ...bucket, capacity: 11 }],
    ["calendar", { ...window, period: DAY }, day],
    ["calendar's period", day, { ...day, period: "month" }],
    ["time zone", day, { ...day, timeZone: "Asia/Kolkata" }],
    [
      "week's start",
      { ...day, period: "week" },
      { ...day, period: "week", weekStart: "sunday" },
    ],
    ["calendar's start", day, { ...day, start: HOUR }],
  ])("changes with its %s", (_field, before, after) => {
    expect(rule(before)).toBe(rule({ ...before }));
    expect(rule(after)).not.toBe(rule(before));
  });

  test.each<[string, object]>([
    ["shards", { shards: 3 }],
    ["reserve", { maxReserved: 3 }],
    ["applyUpdates", { applyUpdates: "asynchronously" }],
    ["dry run", { enforce: false }],
    ["explicit capacity, if that is its rate", { capacity: 10 }],
  ])("does not change with its %s", (_field, change) => {
    expect(rule({ ...bucket, ...change })).toBe(rule(bucket));
  });

  // Row 0 says when the windows in use begin.
  test("does not change with the start of plain windows", () => {
    expect(rule({ ...window, start: 7 })).toBe(rule(window));
  });

  test.each<[string, object]>([
    ["a bucket", { ...bucket, capacity: 70 }],
    ["a window", { ...window, start: 7 }],
    ["a day", { ...day, timeZone: "Asia/Kolkata", capacity: 70 }],
    ["a day with a start", { ...day, start: HOUR }],
  ])("restores the limit that rows were written by: %s", (_of, config) => {
    const before = toLimit("x", toStored(config as LimitConfig), "k");
    const ts = before.whole.refill.startAt(50 * DAY);
    const again = toLimit("x", configByRule(ruleOf(before), ts));
    expect(ruleOf(again)).toBe(ruleOf(before));
    // Jobs get it as an argument, in the form of a stored config.
    expect(configByRule(ruleOf(before), ts)).not.toHaveProperty(
      "calendar.start",
    );
    for (const ms of [0, 1, DAY - 1, DAY, 2.5 * DAY]) {
      const now = ts + ms;
      const held = [before, again].map(({ whole }) =>
        project(whole, { value: 3, ts }, now),
      );
      expect(held[1]).toEqual(held[0]);
    }
  });
});

test("a row is full once it is full by the slowest known rule", () => {
  const limit = toLimit("x", bucket);
  const state = { value: 0, ts: 0 };
  expect(fullAtByAllRules(limit, 1, state)).toBe(MINUTE);
  expect(fullAtByAllRules(limit, 2, { value: 3, ts: 0 })).toBe(0.4 * MINUTE);
  const { whole } = toLimit("x", { ...bucket, rate: 1, capacity: 10 });
  const both = [whole, partOf(limit.whole, 2)];
  for (const others of [both, both.toReversed()]) {
    expect(fullAtByAllRules({ ...limit, knownWholes: others }, 1, state)).toBe(
      10 * MINUTE,
    );
    expect(fullAtByAllRules({ ...limit, knownWholes: others }, 5, state)).toBe(
      10 * MINUTE,
    );
  }
});

const three = [0.5, 0.95, 0.8];

test.each<
  [
    capacity: number,
    warnAt: number | number[],
    before: number,
    after: number,
    share: number | undefined,
  ]
>([
  [10, 0.8, 10, 3, undefined],
  [10, 0.8, 3, 2, 0.8],
  [10, 0.8, 10, -5, 0.8],
  [10, 0.8, 1, 5, undefined],
  [10, 1, 1, 0, 1],
  [10, three, 10, 5, 0.5],
  [10, three, 10, 0, 0.95],
  [10, three, 5, 2, 0.8],
  // 0.55 * 100 is more than 55 in floats.
  [100, 0.55, 46, 45, 0.55],
  [100, 0.55, 45, 44, undefined],
  // With a capacity of 0, every share is used from the beginning.
  [0, 1, 0, -3, undefined],
])(
  "with a capacity of %d and warnAt %j, a balance from %d to %d reaches %s",
  (capacity, warnAt, before, after, share) => {
    const limit = toLimit("x", { ...bucket, capacity });
    expect(shareReached(limit, before, after, warnAt)).toBe(share);
  },
);
