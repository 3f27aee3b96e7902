import { expect, test } from "vitest";
import type { State } from "../../src/core/bucket.js";
import { toStored } from "../../src/core/config.js";
import { DAY, HOUR, MINUTE } from "../../src/core/periods.js";
import { type Limit, toLimit } from "../../src/core/limit.js";
import type { Row } from "../../src/core/view.js";
import { lastUsedAt, toRow, viewOfRow } from "../../src/state/row/row.js";
import { NOW } from "../support/splitRows.js";

test.each`
  when                                | row                     | expected
  ${"at its usedAt"}                  | ${{ ts: 5, usedAt: 7 }} | ${7}
  ${"at its usedAt, even if it is 0"} | ${{ ts: 5, usedAt: 0 }} | ${0}
  ${"at its ts, without a usedAt"}    | ${{ ts: 5 }}            | ${5}
`("a row was last used $when", (one: { row: Row; expected: number }) => {
  expect(lastUsedAt(one.row)).toBe(one.expected);
});

const tokens = { rate: 60, period: MINUTE, capacity: 40, shards: 1 };
const config = { kind: "token bucket", ...tokens } as const;
const bucket = toLimit("one", config);
const window = toLimit("one", { kind: "fixed window", ...tokens, start: 0 });
const day = { kind: "fixed window", rate: 40, period: "day" } as const;
const days = toLimit("one", toStored(day));

const row = (value: number, more: object = {}) => ({
  shard: 0,
  value,
  ts: NOW,
  fullAt: NOW + MINUTE,
  ...more,
});

type Stored = { limit: Limit; state: State; parts: number; expected: object };
type Held = { stored?: Row; at: number; value: number; isIdle: boolean };

/** When a minute begins. */
const WINDOW = 960_000;

test.each`
  of                                         | limit     | state                                   | parts | expected
  ${"a bucket: when it is full"}             | ${bucket} | ${{ value: 4, ts: NOW }}                | ${1}  | ${{ fullAt: NOW + 36_000 }}
  ${"a quarter: when that is full"}          | ${bucket} | ${{ value: 4, ts: NOW }}                | ${4}  | ${{ fullAt: NOW + 24_000 }}
  ${"what is full: now, to be kept as long"} | ${bucket} | ${{ value: 40, ts: NOW - 5000 }}        | ${1}  | ${{ fullAt: NOW }}
  ${"a window: also when it was used"}       | ${window} | ${{ value: 4, ts: WINDOW }}             | ${1}  | ${{ fullAt: 1_020_000, usedAt: NOW }}
  ${"a window: no nextAt of a calendar"}     | ${window} | ${{ value: 4, ts: WINDOW, nextAt: 7 }}  | ${1}  | ${{ fullAt: 1_020_000, usedAt: NOW, nextAt: undefined }}
  ${"a day: the nextAt of the calendar"}     | ${days}   | ${{ value: 0, ts: 0 }}                  | ${1}  | ${{ fullAt: DAY, usedAt: NOW, nextAt: DAY }}
  ${"a day: the nextAt of its own window"}   | ${days}   | ${{ value: 0, ts: 0, nextAt: DAY - 1 }} | ${1}  | ${{ fullAt: DAY - 1, usedAt: NOW, nextAt: DAY - 1 }}
`("a row stores of $of", ({ limit, state, parts, expected }: Stored) => {
  const { value, ts } = state;
  const stored = toRow(limit, state, NOW, parts);
  expect(stored).toEqual({ shard: 0, value, ts, ...expected });
});

// test/core/decide.model.test.ts has what a row gains, and what a write leaves.
const idleAt = NOW + MINUTE + HOUR;
test.each`
  what                                        | stored                               | at               | value    | isIdle
  ${"all of it, if it is not stored"}         | ${undefined}                         | ${NOW}           | ${40}    | ${true}
  ${"what it says, if it has no fullAt"}      | ${row(5, { fullAt: undefined })}     | ${NOW}           | ${5}     | ${false}
  ${"a deep debt until it is idle"}           | ${row(-9999)}                        | ${idleAt - 1000} | ${-6340} | ${false}
  ${"a deep debt for ever, without a fullAt"} | ${row(-9999, { fullAt: undefined })} | ${idleAt}        | ${-6339} | ${false}
  ${"all of it, once it is idle"}             | ${row(-9999)}                        | ${idleAt}        | ${40}    | ${true}
`("one row holds $what", ({ stored, at, value, isIdle }: Held) => {
  const view = viewOfRow(stored);
  expect(view.balance(bucket, at)).toBe(value);
  expect(view.isIdle(at)).toBe(isIdle);
});
