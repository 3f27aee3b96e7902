import { describe, expect, test } from "vitest";
import { isInShare } from "../../src/core/limitKey.js";

const N = 4000;

/** Ways in which apps name their keys. */
const keys: [string, (i: number) => string][] = [
  ["numbers", (i) => `${i}`],
  ["user-1, user-2", (i) => `user-${i}`],
  ["padded numbers", (i) => `user-${String(i).padStart(6, "0")}`],
  ["numbers in front", (i) => `${i}@example.com`],
  ["ids that differ in one letter at the end", (i) => `j57${i.toString(36)}`],
  ["addresses", (i) => `192.0.${i >> 8}.${i & 255}`],
  ["networks", (i) => `2001:db8:${i.toString(16)}::/64`],
];

function inShare(of: (i: number) => string, share: number, from = 0, n = N) {
  let count = 0;
  for (let i = from; i < from + n; i++) {
    if (isInShare("api", of(i), share)) count += 1;
  }
  return count;
}

describe.each(keys)("of keys that are %s,", (_, of) => {
  // Within four standard deviations of what independent draws come to.
  const spread = (n: number, share: number) =>
    4 * Math.sqrt(n * share * (1 - share));

  test.each([0.01, 0.05, 0.25, 0.5, 0.9])(
    "a share of %d holds that many",
    (share) => {
      const off = Math.abs(inShare(of, share) - N * share);
      expect(off).toBeLessThan(spread(N, share));
    },
  );

  test("each hundred has its share", () => {
    let squares = 0;
    for (let from = 0; from < N; from += 100) {
      const off = inShare(of, 0.5, from, 100) - 50;
      expect(Math.abs(off)).toBeLessThanOrEqual(spread(100, 0.5));
      squares += off ** 2;
    }
    // 25 is the variance of 100 draws: neither lumps nor a pattern.
    const variance = squares / (N / 100);
    expect(variance).toBeGreaterThan(10);
    expect(variance).toBeLessThan(40);
  });

  test("a larger share includes all of a smaller one", () => {
    const ways = new Set<string>();
    for (let i = 0; i < 1000; i++) {
      const shares = [0, 0.05, 0.2, 0.5, 0.8, 1];
      const is = shares.map((share) => isInShare("api", of(i), share));
      ways.add(is.join(" "));
    }
    expect(
      [...ways].filter((is) => !/^false( false)*( true)+$/.test(is)),
    ).toEqual([]);
  });

  test("two limits choose independently", () => {
    let both = 0;
    for (let i = 0; i < N; i++) {
      const a = isInShare("api", of(i), 0.5);
      if (a && isInShare("search", of(i), 0.5)) both += 1;
    }
    expect(Math.abs(both - N / 4)).toBeLessThan(spread(N, 1 / 4));
  });
});

test("a share holds the same keys in every release", () => {
  const chosen = Array.from({ length: 40 }, (_, i) => i + 1).filter((i) =>
    isInShare("api", `user-${i}`, 0.25),
  );
  expect(chosen).toMatchInlineSnapshot(`
    [
      12,
      17,
      18,
      22,
      25,
      28,
      29,
      31,
      34,
      39,
    ]
  `);
  expect(isInShare("api", undefined, 0.5)).toMatchInlineSnapshot(`false`);
});
