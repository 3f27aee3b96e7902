import { expect, onTestFinished, test, vi } from "vitest";
import type { StoredRefillingConfig } from "../../src/core/config.js";
import { toLimit } from "../../src/core/limit.js";
import { adviceOn, adviseIfClose } from "../../src/state/one/advice.js";
import { NOW } from "../support/splitRows.js";

const bucket = { kind: "token bucket", rate: 20, period: 1000 } as const;
const window = { ...bucket, kind: "fixed window", start: 0 } as const;

/** Whether a write of this age is close, and what it logs. */
function adviseOn(config: StoredRefillingConfig, age: number, isUsed = false) {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  const random = vi.spyOn(Math, "random").mockReturnValue(0);
  onTestFinished(() => [warn, random].forEach((spy) => spy.mockRestore()));
  const at = isUsed ? { usedAt: NOW - age, ts: 0 } : { ts: NOW - age };
  const target = { name: "api", key: undefined, config };
  const row = { shard: 0, value: 1, ...at };
  const isClose = adviseIfClose(target, toLimit("api", config), row, NOW);
  return { isClose, logged: warn.mock.calls.flat() };
}

type Written = {
  config: StoredRefillingConfig;
  age: number;
  isUsed: boolean;
  isClose: boolean;
};

// Of age 0 is a row of this very transaction; a clock that stepped back shows a later one.
test.each`
  row                | config    | age    | isUsed   | isClose
  ${"bucket"}        | ${bucket} | ${1}   | ${false} | ${true}
  ${"bucket"}        | ${bucket} | ${50}  | ${false} | ${true}
  ${"bucket"}        | ${bucket} | ${51}  | ${false} | ${false}
  ${"bucket"}        | ${bucket} | ${0}   | ${false} | ${false}
  ${"bucket"}        | ${bucket} | ${-20} | ${false} | ${false}
  ${"window"}        | ${window} | ${5}   | ${true}  | ${true}
  ${"window"}        | ${window} | ${51}  | ${true}  | ${false}
  ${"peer's window"} | ${window} | ${5}   | ${false} | ${false}
`(
  "a write of a $row $age ms after another is close: $isClose",
  ({ config, age, isUsed, isClose }: Written) => {
    const advised = adviseOn(config, age, isUsed);
    expect(advised.isClose).toBe(isClose);
    expect(advised.logged).toHaveLength(isClose ? 1 : 0);
  },
);

test("one call in a hundred gives advice", () => {
  const advice = (random: number) => adviceOn(bucket, "api", 7, () => random);
  expect(advice(0.0099)).toContain("within 7 ms");
  expect(advice(0.01)).toBeUndefined();
});

test("advice names the limit, the gap between calls and a way out", () => {
  expect(adviseOn({ ...bucket, shards: 1 }, 12).logged).toEqual([
    'Rate limit api: calls came within 12 ms on one row, where they can conflict. Try shards: "auto". See docs/scaling.md of convex-rate-limiter (advice: false silences this).',
  ]);
});

test.each`
  of               | more               | suggests
  ${"of 20"}       | ${{}}              | ${true}
  ${"of 4"}        | ${{ capacity: 4 }} | ${true}
  ${"of 3"}        | ${{ capacity: 3 }} | ${false}
  ${"with warnAt"} | ${{ warnAt: 1 }}   | ${false}
`(
  'advice on a limit $of suggests shards: "auto": $suggests',
  (one: { more: object; suggests: boolean }) => {
    const { logged } = adviseOn({ ...bucket, ...one.more }, 5);
    expect(/Try shards: "auto"/.test(logged.join())).toBe(one.suggests);
  },
);

test("advice: false silences advice, and the call is close", () => {
  const silent = { ...bucket, advice: false };
  expect(adviseOn(silent, 5)).toEqual({ isClose: true, logged: [] });
});
