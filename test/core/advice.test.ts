import { expect, test } from "vitest";
import { adviceOn } from "../../src/core/advice.js";
import type { StoredConfig } from "../../src/core/config.js";
import { toLimit } from "../../src/core/limit.js";
import { ageOfCloseWrite } from "../../src/core/rows.js";

const NOW = 1_000_000;
const bucket = { kind: "token bucket", rate: 20, period: 1000 } as const;
const window = { ...bucket, kind: "fixed window", start: 0 } as const;

/** What is said of rows that were written so many ms ago, where a random number wants it. */
function said(
  config: StoredConfig,
  ages: number[],
  { random = 0, usedAt = false } = {},
) {
  const read = ages.map((age, shard) => ({
    shard,
    value: 1,
    ts: NOW - age,
    ...(usedAt && { usedAt: NOW - age, ts: 0 }),
  }));
  const limit = toLimit("api", config);
  const age = ageOfCloseWrite(limit, read, NOW);
  return age && adviceOn(config, limit, age, () => random);
}

test.each([
  [[1], true],
  [[50], true],
  [[51], false],
  [[1000], false],
  // This transaction itself, whose clock stands still; a clock that has stepped back; no row.
  [[0], false],
  [[-20], false],
  [[], false],
  // The latest of those that others wrote counts.
  [[0, 30, 300], true],
  [[0, -20, 300], false],
])("of rows written %j ms ago something is said: %s", (ages, isSaid) => {
  expect(said(bucket, ages) !== undefined).toBe(isSaid);
});

test("one in a hundred calls says it", () => {
  expect(said(bucket, [7], { random: 0.0099 })).toContain("within 7 ms");
  expect(said(bucket, [7], { random: 0.01 })).toBeUndefined();
});

test("it names the limit, the gap and both ways out", () => {
  expect(said({ ...bucket, shards: 4 }, [300, 12])).toBe(
    'Rate limit api: calls came within 12 ms on one row, where they can conflict. Try shards: "auto", or applyUpdates: "asynchronously". See docs/scaling.md of convex-rate-limiter (advice: false silences this).',
  );
});

test.each([
  ["that it splits itself", bucket, 'Try shards: "auto", or'],
  [
    "so of a fixed split, too",
    { ...bucket, shards: 7 },
    'Try shards: "auto", or',
  ],
  ["none, where more would hold less", { ...bucket, shards: 10 }, "Try apply"],
  ["none of three tokens", { ...bucket, capacity: 3 }, "Try applyUpdates"],
  ["none beyond the most", many(1024), "Try applyUpdates"],
  ["none of a limit that warns", { ...bucket, warnAt: 1 }, "Try applyUpdates"],
] as const)("of rows it suggests %s", (_, config, words) => {
  expect(said(config, [5])).toContain(words);
});

function many(shards: number) {
  return { ...bucket, capacity: 1e6, shards };
}

test.each([1, 2])("windows in %i rows say when they were written", (shards) => {
  const config = { ...window, shards };
  expect(said(config, [5], { usedAt: true })).toContain("within 5 ms");
  expect(said(config, [51], { usedAt: true })).toBeUndefined();
});

test("the start of a window is not when it was written", () => {
  expect(said(window, [5])).toBeUndefined();
});

test("advice: false silences it", () => {
  expect(said({ ...bucket, advice: false }, [5])).toBeUndefined();
});

test("it says nothing about concurrency limits", () => {
  const places = { kind: "concurrency", capacity: 9, lease: 100 } as const;
  expect(said(places, [5])).toBeUndefined();
});
