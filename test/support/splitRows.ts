import { ruleOf, toLimit } from "../../src/core/limit.js";
import { MINUTE } from "../../src/core/periods.js";
import type { Row } from "../../src/core/rows.js";
import { tenEach } from "./demands.js";

/** When these rows were last written. */
export const NOW = 1_000_000;

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
