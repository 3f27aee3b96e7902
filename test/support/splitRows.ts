import type { RateLimitConfig } from "../../src/core/config.js";
import { ruleOf, toLimit } from "../../src/core/limit.js";
import { MINUTE } from "../../src/core/periods.js";
import { phasesOf } from "../../src/core/phases.js";
import type { TimedOverride } from "../../src/core/validators.js";
import type { Row } from "../../src/core/view.js";
import { leavesOf } from "../../src/state/spread/rows.js";
import { isBusy } from "../../src/state/spread/rules.js";
import type { SplitLimit } from "../../src/state/spread/spread.js";
import type { SplitRow } from "../../src/state/spread/tree.js";
import { tenEach } from "./demands.js";

/** When these rows were last written. */
export const NOW = 1_000_000;

/** The time of a commit, as a row stores it. */
export const commitAt = (ms: number) => BigInt(Math.round(ms * 1000)) * 1000n;

/** Row 0 of a limit that is split into `into` rows, and the first of the rows below it. */
export const tree = (
  into: number,
  value: number,
  below: readonly number[] = [],
) => {
  const rule = ruleOf(toLimit("api", tenEach(into)));
  const full = { ts: NOW, fullAt: NOW + MINUTE };
  const rows = below.map((value, i) => ({ shard: 1 + i, value, ...full }));
  return [{ shard: 0, value, into, rule, usedAt: 0, ...full }, ...rows];
};

/** The rows of a split limit, which hold up to 10 each. */
export const rows = (values: readonly number[]): Row[] =>
  tree(values.length, 10 * values.length, values);

/** The same, as calls at once have left them. */
export const busyRows = (values: readonly number[]): Row[] =>
  rows(values).map((row, i) => {
    const write = { usedAt: NOW - 50, at: commitAt(NOW - 40 + i) };
    return i === 0 ? row : { ...row, ...write };
  });

/** What each row that is written holds, by its number. */
export const written = (writes: readonly Pick<Row, "shard" | "value">[]) =>
  Object.fromEntries(writes.map(({ shard, value }) => [shard, value]));

/**
 * A split limit in memory, and what was read of it, in order: rows by their numbers, and looks.
 *
 * @param seen What a look shows, if that is older.
 */
export function splitLimitOf(
  config: RateLimitConfig,
  rows: readonly Row[],
  {
    now = NOW,
    seen = rows,
    overrides = [],
  }: { now?: number; seen?: readonly Row[]; overrides?: TimedOverride[] } = {},
) {
  const phases = phasesOf("api", undefined, config, overrides, now);
  const [{ limit }] = phases;
  const byRule = (row: Row) =>
    row.shard === 0 ? { ...row, rule: ruleOf(limit) } : row;
  const [root] = rows.map(byRule);
  const reads = new Set<number | "look" | "owes">();
  const split: SplitLimit = {
    ...{ phases, limit, now, root: root as SplitRow },
    async readRow(shard) {
      reads.add(shard);
      return rows.find((row) => row.shard === shard);
    },
    async look() {
      reads.add("look");
      const shown = seen.map(byRule);
      const leaves = leavesOf(limit, shown, now);
      return { rows: shown, leaves, isBusy: isBusy(leaves, now) };
    },
    noteOverlap() {},
    noteDebt: () => void reads.add("owes"),
  };
  return { ...split, reads };
}
