import { describe, expect, test } from "vitest";
import { project, type LimitConfig } from "./exact.js";
import { Oracle, SafetyError } from "./oracle.js";
import type { Write } from "./store.js";

const bucket: LimitConfig = {
  kind: "token bucket",
  rate: 10,
  period: 1000,
  shards: 2,
};
const window: LimitConfig = { ...bucket, kind: "fixed window" };

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
function grantAt(config: LimitConfig, times: readonly number[]) {
  const oracle = new Oracle(config, 2);
  for (const now of times) oracle.granted(1, now, now, [row(2, 1, now)]);
  return oracle;
}

describe("project", () => {
  test.each([
    [bucket, undefined, 0, 10],
    [bucket, { value: 3, ts: 0 }, 250, 5.5],
    [bucket, { value: 3, ts: 0 }, 5000, 10],
    [bucket, { value: -3, ts: 0 }, 100, -2],
    [bucket, { value: 3, ts: 500 }, 0, 3],
    [window, { value: 3, ts: 0 }, 999, 3],
    [window, { value: 3, ts: 0 }, 1000, 10],
    [{ ...window, rate: 2, capacity: 10 }, { value: 3, ts: 999 }, 2000, 7],
  ])("%j %j at %i is %d", (config, balance, now, expected) => {
    expect(project(balance, config, now)).toBe(expected);
  });
});

describe("the oracle", () => {
  test("accepts as many grants as the limit allows", () => {
    const burst = Array.from({ length: 10 }, () => 0);
    expect(() => grantAt(bucket, [...burst, 100, 200]).finish()).not.toThrow();
    expect(() => grantAt(window, [...burst, 1000]).finish()).not.toThrow();
  });

  test.each([
    ["a burst above the capacity", bucket, Array.from({ length: 11 }, () => 5)],
    [
      "a token ahead of its time",
      bucket,
      [...Array.from({ length: 10 }, () => 0), 99],
    ],
    [
      "a second window in the first",
      window,
      [...Array.from({ length: 10 }, () => 0), 999],
    ],
    [
      "grants that were committed out of order",
      bucket,
      [99, ...Array.from({ length: 10 }, () => 0)],
    ],
  ])("refuses %s", (_, config, times) => {
    expect(() => grantAt(config, times).finish()).toThrow(SafetyError);
  });

  test.each([
    ["loses a token", [row(0.5, 0), row(1.5, 0)]],
    ["mints a token", [row(0.25, 0), row(0.25, 0)]],
    ["takes nothing", []],
  ])("refuses a grant that %s", (_, writes) => {
    const oracle = new Oracle(bucket, 2);
    expect(() => oracle.granted(1, 0, 0, writes)).toThrow(SafetyError);
  });

  test("accepts a merge that loses nothing", () => {
    const oracle = new Oracle(bucket, 2);
    oracle.granted(1, 0, 0, [row(0.75, 0), row(0.5, 0.25)]);
    oracle.granted(2, 0, 0, [row(undefined, 3)]);
    expect(() => oracle.finish()).not.toThrow();
  });

  test("refuses a denial that wrote", () => {
    const oracle = new Oracle(bucket, 2);
    expect(() => oracle.denied(1, 0, [row(1, 1)])).toThrow(SafetyError);
  });

  test("calls a denial false if the whole limit held enough", () => {
    const oracle = grantAt(bucket, [0, 0, 0, 0, 0, 0, 0, 0]);
    expect(oracle.denied(2, 0, [])).toBe(true);
    expect(oracle.denied(3, 0, [])).toBe(false);
    expect(oracle.denied(3, 100, [])).toBe(true);
  });
});
