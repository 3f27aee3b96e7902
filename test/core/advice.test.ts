import { expect, test } from "vitest";
import { adviceOn } from "../../src/core/advice.js";
import type { StoredConfig } from "../../src/core/config.js";
import { toLimit } from "../../src/core/limit.js";
import { ageOfCloseWrite } from "../../src/core/rows.js";

const NOW = 1_000_000;
const bucket = { kind: "token bucket", rate: 20, period: 1000 } as const;
const window = { ...bucket, kind: "fixed window", start: 0 } as const;

/** The advice on rows that others wrote these ms ago, to a call with this random number. */
function adviceFor(
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
  return age === undefined
    ? undefined
    : adviceOn(config, "api", age, () => random);
}

// Of several rows, the latest that another transaction wrote counts.
test.each([[[1]], [[50]], [[0, 30, 300]]])(
  "advice is given on rows written %j ms ago",
  (ages) => expect(adviceFor(bucket, ages)).toBeDefined(),
);

test.each([
  [[51]],
  [[1000]],
  // This transaction itself, whose clock stands still; a clock that has stepped back; no row.
  [[0]],
  [[-20]],
  [[]],
  [[0, -20, 300]],
])("no advice is given on rows written %j ms ago", (ages) => {
  expect(adviceFor(bucket, ages)).toBeUndefined();
});

test("one call in a hundred gives advice", () => {
  expect(adviceFor(bucket, [7], { random: 0.0099 })).toContain("within 7 ms");
  expect(adviceFor(bucket, [7], { random: 0.01 })).toBeUndefined();
});

test("advice names the limit, the gap between calls and a way out", () => {
  expect(adviceFor({ ...bucket, shards: 1 }, [300, 12])).toBe(
    'Rate limit api: calls came within 12 ms on one row, where they can conflict. Try shards: "auto". See docs/scaling.md of convex-rate-limiter (advice: false silences this).',
  );
});

test.each([
  ["of 20", true, bucket],
  ["of 4", true, { ...bucket, capacity: 4 }],
  ["of 3", false, { ...bucket, capacity: 3 }],
  ["with warnAt", false, { ...bucket, warnAt: 1 }],
] as const)(
  'advice on a limit %s suggests shards: "auto": %s',
  (_, suggests, config) => {
    const says = /Try shards: "auto"/.test(adviceFor(config, [5])!);
    expect(says).toBe(suggests);
  },
);

test.each([1, 2])("advice on a window in %i rows goes by usedAt", (shards) => {
  const config = { ...window, shards };
  expect(adviceFor(config, [5], { usedAt: true })).toContain("within 5 ms");
  expect(adviceFor(config, [51], { usedAt: true })).toBeUndefined();
});

test("no advice is given on a window without usedAt, whose ts is its start", () => {
  expect(adviceFor(window, [5])).toBeUndefined();
});

test("advice: false silences advice", () => {
  expect(adviceFor({ ...bucket, advice: false }, [5])).toBeUndefined();
});

test("no advice is given on concurrency limits", () => {
  const places = { kind: "concurrency", capacity: 9, lease: 100 } as const;
  expect(adviceFor(places, [5])).toBeUndefined();
});
