import { describe, expect, test } from "vitest";
import { projectExact, type ScenarioLimit } from "../../bench/exact.js";
import { Oracle, SafetyError, type Guarantee } from "../../bench/oracle.js";
import type { Write } from "../../sim/store.js";

const bucket: ScenarioLimit = {
  kind: "token bucket",
  rate: 10,
  period: 1000,
  shards: 2,
};
const window: ScenarioLimit = { ...bucket, kind: "fixed window" };
const exact: Guarantee = { kind: "exact", rows: 2 };

/** A transaction that runs alone. */
function at(now: number, writes: Write[] = []) {
  return { now, committedAt: now, writes };
}

function row(before: number | undefined, after: number, ts = 0): Write {
  const document = (value: number) => ({
    _id: "rateLimits|1",
    _creationTime: 0,
    value,
    ts,
  });
  return {
    table: "rateLimits",
    before: before === undefined ? undefined : document(before),
    after: document(after),
  };
}

/** Grants of one token each, from rows that always hold enough. */
function grantAt(config: ScenarioLimit, times: readonly number[]) {
  const oracle = new Oracle(config, exact);
  for (const now of times) oracle.granted(1, at(now, [row(2, 1, now)]));
  return oracle;
}

describe("projectExact", () => {
  test.each([
    [bucket, undefined, 0, 10],
    [bucket, { value: 3, ts: 0 }, 250, 5.5],
    [bucket, { value: 3, ts: 0 }, 5000, 10],
    [bucket, { value: -3, ts: 0 }, 100, -2],
    [bucket, { value: 3, ts: 500 }, 0, 3],
    [window, { value: 3, ts: 0 }, 999, 3],
    [window, { value: 3, ts: 0 }, 1000, 10],
    [{ ...window, rate: 2, capacity: 10 }, { value: 3, ts: 999 }, 2000, 7],
  ])("of %j, from %j, at %i ms is %d", (config, balance, now, expected) => {
    expect(projectExact(balance, config, now)).toBe(expected);
  });
});

describe("the oracle", () => {
  const burst = Array.from({ length: 10 }, () => 0);

  test("accepts as many grants as the limit allows", () => {
    expect(() => grantAt(bucket, [...burst, 100, 200]).finish()).not.toThrow();
    expect(() => grantAt(window, [...burst, 1000]).finish()).not.toThrow();
  });

  test.each([
    ["a burst above the capacity", bucket, [...burst, 0]],
    ["a grant before its token is due", bucket, [...burst, 99]],
    ["a grant of the next window before it begins", window, [...burst, 999]],
    ["grants that committed out of order", bucket, [99, ...burst]],
  ])("refuses %s", (_, config, times) => {
    expect(() => grantAt(config, times).finish()).toThrow(SafetyError);
  });

  test.each([
    ["loses a token", [row(0.5, 0), row(1.5, 0)]],
    ["mints a token", [row(0.25, 0), row(0.25, 0)]],
    ["takes nothing", []],
  ])("refuses a grant that %s", (_, writes) => {
    const oracle = new Oracle(bucket, exact);
    expect(() => oracle.granted(1, at(0, writes))).toThrow(SafetyError);
  });

  test("accepts a merge of rows that loses no token", () => {
    const oracle = new Oracle(bucket, exact);
    oracle.granted(1, at(0, [row(0.75, 0), row(0.5, 0.25)]));
    oracle.granted(2, at(0, [row(undefined, 3)]));
    expect(() => oracle.finish()).not.toThrow();
  });

  test("refuses a denial that writes", () => {
    const oracle = new Oracle(bucket, exact);
    expect(() => oracle.denied(1, at(0, [row(1, 1)]))).toThrow(SafetyError);
  });

  test.each<[count: number, now: number, falseDenials: number]>([
    [2, 0, 1],
    [3, 0, 0],
    [3, 100, 1],
  ])(
    "counts a denial of %i, %i ms after 8 of 10 tokens were taken, as %i false denials",
    (count, now, falseDenials) => {
      const oracle = grantAt(bucket, [0, 0, 0, 0, 0, 0, 0, 0]);
      oracle.denied(count, at(now));
      expect(oracle.finish()).toMatchObject({ falseDenials });
    },
  );
});

describe("the oracle of a limiter without guarantees", () => {
  const oracle = () => new Oracle(bucket, { kind: "none" });

  test("accepts and reports any overshoot", () => {
    const watched = oracle();
    for (let i = 0; i < 500; i++) watched.granted(1, at(0));
    expect(watched.finish()).toMatchObject({ overshootTokens: 490 });
  });

  test("counts a denial as false if all grants before it, seen or not, leave enough", () => {
    const watched = oracle();
    for (let i = 0; i < 9; i++) watched.granted(1, at(0));
    watched.denied(1, at(0));
    watched.granted(1, at(0));
    watched.denied(1, at(50));
    watched.denied(1, at(100));
    expect(watched.finish()).toMatchObject({ falseDenials: 1 });
  });
});
