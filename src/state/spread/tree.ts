import { heldByPart } from "../../core/held.js";
import type { Row } from "../../core/view.js";

/*
 * The state of a limit key is row 0, or a tree of rows below it. A row that is split stays: it
 * stores what it held, and into how many parts it was split (`into`). A part that is not stored
 * holds an equal share of that. So a split writes one row, and is never half done.
 *
 * Row 0 of a tree, the root, also stores the rule under which its rows count. Only gathering all
 * rows in a new row 0, which then replaces them, undoes a split.
 */

/** A row that was split. */
export type SplitRow = Row & { into: number };

/** One of the rows that a limit is split over. */
export type Leaf = {
  shard: number;
  /** How many such rows make up the whole limit. */
  parts: number;
  row: Row | undefined;
};

/** Row 0 as a leaf. */
export function rootLeaf(row: Row | undefined): Leaf {
  return { shard: 0, parts: 1, row };
}

export function isSplitRow(row: Row): row is SplitRow {
  return row.into !== undefined;
}

/** The numbering leaves room for this many parts of a row. */
const MOST_NUMBERED = 1024;

/** The number of a row's nth part, from 0 up. */
export function partShard(shard: number, nth: number): number {
  return shard * MOST_NUMBERED + 1 + nth;
}

/** The row that a row was split from; that of row 0 has no number of a row. */
export function parentOf(shard: number): number {
  return Math.floor((shard - 1) / MOST_NUMBERED);
}

/** Which part to take on each level to get to a row, from row 0 down. */
export function pathTo(shard: number): number[] {
  const path: number[] = [];
  for (let row = shard; row > 0; row = parentOf(row)) {
    path.unshift((row - 1) % MOST_NUMBERED);
  }
  return path;
}

/** A part of a split row. One that is not stored holds an equal share of what that row held. */
export function leafBelow(
  split: SplitRow,
  parts: number,
  shard: number,
  stored: Row | undefined,
): Leaf & { row: Row } {
  const { value, ts, nextAt, fullAt, usedAt, at, overlappedAt, into } = split;
  const times = { ts, nextAt, fullAt, usedAt, at, overlappedAt };
  const held = heldByPart(split.held, into);
  const row = stored ?? { shard, value: value / into, ...times, held };
  return { shard, parts: parts * into, row };
}

/** The rows that a limit is split over. */
export function leavesOfTree(rows: readonly Row[]): Leaf[] {
  const byShard = new Map(rows.map((row) => [row.shard, row]));
  const leavesBelow = (leaf: Leaf): Leaf[] => {
    const { shard, parts, row } = leaf;
    if (row === undefined || !isSplitRow(row)) return [leaf];
    const children = Array.from({ length: row.into }, (_, nth) => {
      const child = partShard(shard, nth);
      return leafBelow(row, parts, child, byShard.get(child));
    });
    return children.flatMap(leavesBelow);
  };
  return leavesBelow(rootLeaf(byShard.get(0)));
}
