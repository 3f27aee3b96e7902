import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  intervalsOf,
  heavyHitters,
  checkRange,
  truncateKey,
  sumStats,
} from "../../src/core/stats.js";
import type { Resolution, DeniedKey } from "../../src/core/validators.js";
import { DAY, HOUR, MINUTE } from "../../src/core/periods.js";

const call = (time: number, tokens = 1) => ({
  time,
  granted: 1,
  denied: 0,
  tokens,
});

describe("intervals", () => {
  test.each<[string, Resolution, from: number, to: number, starts: number[]]>([
    ["cover one ms", "minute", 0, 1, [0]],
    ["cover the last ms of one", "minute", MINUTE - 1, MINUTE, [0]],
    ["include both ends", "minute", MINUTE - 1, MINUTE + 1, [0, MINUTE]],
    ["cover a fraction of a ms", "minute", MINUTE - 0.5, MINUTE, [0]],
    ["may lie before the epoch", "minute", -1, 0, [-MINUTE]],
    ["may be hours", "hour", HOUR + 1, 3 * HOUR, [HOUR, 2 * HOUR]],
  ])("%s", (_, by, from, to, starts) => {
    const intervals = intervalsOf([], { from, to, by }, 0);
    expect(intervals.map((one) => one.from)).toEqual(starts);
    const size = by === "minute" ? MINUTE : HOUR;
    for (const one of intervals) {
      expect(one).toEqual({
        from: one.from,
        to: one.from + size,
        granted: 0,
        denied: 0,
        tokens: 0,
      });
    }
  });

  test("sum up the calls within them, and no others", () => {
    const counted = [
      call(-1),
      call(0, 2),
      { time: MINUTE - 1, granted: 0, denied: 3, tokens: 0 },
      { ...call(MINUTE, 0), wouldDeny: 1, closeCalls: 0.6 },
      call(2 * MINUTE),
    ];
    expect(
      intervalsOf(counted, { from: 0, to: 2 * MINUTE, by: "minute" }, 0),
    ).toEqual([
      { from: 0, to: MINUTE, granted: 1, denied: 3, tokens: 2 },
      {
        from: MINUTE,
        to: 2 * MINUTE,
        granted: 1,
        denied: 0,
        tokens: 0,
        wouldDeny: 1,
        closeCalls: 1,
      },
    ]);
  });

  test.each<[Resolution, number]>([
    ["minute", DAY],
    ["hour", 30 * DAY],
  ])("by the %s are 0 once they are too old to be kept", (by, keptFor) => {
    const size = by === "minute" ? MINUTE : HOUR;
    const now = 100 * DAY + 1;
    const oldest = 100 * DAY - keptFor;
    const range = { from: oldest - size, to: oldest + size, by };
    const counted = [call(oldest - 1), call(oldest)];
    const granted = (time: number) =>
      intervalsOf(counted, range, time).map((one) => one.granted);
    expect(granted(now)).toEqual([0, 1]);
    expect(granted(now + size - 2)).toEqual([0, 1]);
    expect(granted(now + size - 1)).toEqual([0, 0]);
  });

  test("round the calls that a share stands for, but not their tokens", () => {
    const third = { time: 0, granted: 10 / 3, denied: 5 / 3, tokens: 2.5 };
    const range = { from: 0, to: MINUTE, by: "minute" } as const;
    expect(intervalsOf([third], range, 0)[0]).toMatchObject({
      granted: 3,
      denied: 2,
      tokens: 2.5,
    });
  });
});

test("a sum has wouldDeny only if there was one", () => {
  const one = { granted: 1, denied: 2, tokens: 3 };
  expect(sumStats(one, one)).toEqual({ granted: 2, denied: 4, tokens: 6 });
  expect(sumStats(one, { ...one, wouldDeny: 1 })).toMatchObject({
    wouldDeny: 1,
  });
});

describe("a range", () => {
  type Case = { by: Resolution; from: number; to: number; message: string };

  test.each`
    by          | from   | to          | message
    ${"minute"} | ${NaN} | ${1}        | ${"from must be a time in ms since the epoch, but is NaN"}
    ${"minute"} | ${0}   | ${Infinity} | ${"to must be a time in ms since the epoch, but is Infinity"}
    ${"minute"} | ${5}   | ${5}        | ${"from must be before to, which is 5, but is 5"}
    ${"minute"} | ${0}   | ${DAY + 1}  | ${"from and to may be at most 1440 minutes apart, but are 1441"}
    ${"hour"}   | ${0}   | ${31 * DAY} | ${"from and to may be at most 720 hours apart, but are 744"}
    ${"hour"}   | ${DAY} | ${32 * DAY} | ${"from and to may be at most 720 hours apart, but are 744"}
  `(
    "by the $by is refused from $from to $to",
    ({ by, from, to, message }: Case) => {
      expect(() => checkRange("api", { from, to, by })).toThrow(
        new Error(`Rate limit api: ${message}.`),
      );
    },
  );

  test.each([
    ["minute", DAY, 1440],
    ["hour", 30 * DAY, 720],
  ] as const)(
    "by the %s may be of the longest length, and begin within an interval",
    (by, length, most) => {
      for (const from of [0, 12_345, -0.5]) {
        const range = { from, to: from + length, by };
        checkRange("api", range);
        const listed = intervalsOf([], range, 0).length;
        expect(listed).toBe(from === 0 ? most : most + 1);
      }
    },
  );
});

describe("a denied key is shown", () => {
  test.each([
    ["as it is, up to 128 bytes", "k".repeat(128), "k".repeat(128)],
    ["by its beginning if longer", "k".repeat(129), `${"k".repeat(125)}…`],
    ["as it is, up to 126 bytes of UTF-8", "限".repeat(42), "限".repeat(42)],
    ["cut, in 126 bytes with the mark", "限".repeat(43), `${"限".repeat(41)}…`],
    ["cut between characters", "🙂".repeat(33), `${"🙂".repeat(31)}…`],
  ])("%s", (_, key, shown) => {
    expect(truncateKey(key)).toBe(shown);
  });
});

describe("the keys that were denied most", () => {
  test("are sorted by key if they were denied equally often", () => {
    const wanted = ["a", "b", "c"].map(one);
    for (const order of ["cab", "abc", "bca", "acb"]) {
      expect(heavyHitters([...order].map(one), 3)).toEqual(wanted);
    }
  });

  const toMap = (keys: readonly DeniedKey[]) =>
    new Map(keys.map(({ key, denied }) => [key, denied]));
  const one = (key: string) => ({ key, denied: 1 });

  test("are exact as long as there is room", () => {
    expect(heavyHitters(["b", "a", "b", "c"].map(one), 3)).toEqual([
      { key: "b", denied: 2 },
      { key: "a", denied: 1 },
      { key: "c", denied: 1 },
    ]);
  });

  const vDenials = fc.array(
    fc.record({
      // Few are frequent, and many are not.
      key: fc.oneof(
        fc.constantFrom("a", "b", "c"),
        fc.integer({ min: 0, max: 60 }).map(String),
      ),
      denied: fc.integer({ min: 1, max: 5 }),
    }),
    { maxLength: 40 },
  );

  // The oracle counts all denials of each key.
  test("are told too low by at most all denials / (kept + 1), and never too high", () => {
    fc.assert(
      fc.property(
        fc.array(vDenials, { maxLength: 12 }),
        fc.integer({ min: 1, max: 8 }),
        (folds, most) => {
          let kept: DeniedKey[] = [];
          const exact = new Map<string, number>();
          let all = 0;
          for (const denials of folds) {
            kept = heavyHitters([...kept, ...denials], most);
            expect(kept.length).toBeLessThanOrEqual(most);
            for (const { key, denied } of denials) {
              exact.set(key, (exact.get(key) ?? 0) + denied);
              all += denied;
            }
          }
          const told = toMap(kept);
          for (const [key, denied] of exact) {
            const lost = denied - (told.get(key) ?? 0);
            expect(lost).toBeGreaterThanOrEqual(0);
            expect(lost).toBeLessThanOrEqual(all / (most + 1));
          }
          for (const key of told.keys()) expect(exact.has(key)).toBe(true);
        },
      ),
    );
  });
});
