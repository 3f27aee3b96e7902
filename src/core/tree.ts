import type { Row, SplitRow } from "./rows.js";

/*
 * The state of a limit key is row 0, or a tree of rows below it. A row that is split stays: it
 * stores what it held, and how many children it has (`into`). A child that is not stored holds an
 * equal part of that. So a split writes one row, and is never half done.
 *
 * Row 0 of a tree, the root, also stores the rule under which its rows are counted. A split row
 * stays as it is until all rows are gathered in a new row 0, which then replaces them.
 *
 * With `shards: n` the first write of a key splits it. Otherwise, and from then on, the write that
 * finds a row hot does: see core/heat.ts.
 */

/** One of the rows that a limit is split over. */
export type Leaf = {
  shard: number;
  /** How many such rows make up the whole limit. */
  parts: number;
  row: Row | undefined;
  /** The row that this one was split from; absent for row 0. */
  parent?: SplitRow;
};

/** Row 0 as a leaf. */
export function rootLeaf(row: Row | undefined): Leaf {
  return { shard: 0, parts: 1, row };
}

/** The most children of a row that the numbering leaves room for. */
const MAX_CHILDREN = 1024;

/** The most levels below row 0: the numbers of rows stay below 2 ** 53. */
export const MAX_LEVELS = 5;

/** Heat splits row 0 into this many rows, if its tokens are ample, and no row into more. */
export const MAX_FAN_OUT = 64;

export function isSplitRow(row: Row): row is SplitRow {
  return row.into !== undefined;
}

/** The number of a row's nth child, from 0 up. */
export function childShard(shard: number, nth: number): number {
  return shard * MAX_CHILDREN + 1 + nth;
}

/** The row that a row was split from; that of row 0 has no number of a row. */
export function parentOf(shard: number): number {
  return Math.floor((shard - 1) / MAX_CHILDREN);
}

/** The path to a row: which child to take on each level, from row 0 down. */
export function pathTo(shard: number): number[] {
  const path: number[] = [];
  for (let row = shard; row > 0; row = parentOf(row)) {
    path.unshift((row - 1) % MAX_CHILDREN);
  }
  return path;
}

/** A child of a split row. One that is not stored holds an equal part of what its parent held. */
export function leafBelow(
  parent: SplitRow,
  parts: number,
  shard: number,
  stored: Row | undefined,
): Leaf & { row: Row } {
  const row = stored ?? partOfSplitRow(parent, shard);
  return { shard, parts: parts * parent.into, row, parent };
}

function partOfSplitRow(
  { value, ts, nextAt, fullAt, usedAt, calm, contestedAt, into }: SplitRow,
  shard: number,
): Row {
  const rest = { ts, nextAt, fullAt, usedAt, calm, contestedAt };
  return { shard, value: value / into, ...rest };
}

/** The rows that a limit is split over. */
export function leavesOfTree(rows: readonly Row[]): Leaf[] {
  const byShard = new Map(rows.map((row) => [row.shard, row]));
  const leaves: Leaf[] = [];
  const visit = (leaf: Leaf) => {
    const { shard, parts, row } = leaf;
    if (row === undefined || !isSplitRow(row)) {
      leaves.push(leaf);
      return;
    }
    for (let nth = 0; nth < row.into; nth++) {
      const child = childShard(shard, nth);
      visit(leafBelow(row, parts, child, byShard.get(child)));
    }
  };
  visit(rootLeaf(byShard.get(0)));
  return leaves;
}

export type RowRange = { first: number; size: number };

/**
 * A few rows with the same parent as a leaf, itself included. Undefined if all rows together are
 * hardly more.
 */
export function rangeNear(
  { shard, parent }: Leaf,
  most: number,
): RowRange | undefined {
  if (parent === undefined) return undefined;
  const { into } = parent;
  if (parent.shard === 0 && into <= most) return undefined;
  const size = Math.min(most, into);
  const eldest = childShard(parent.shard, 0);
  return { first: Math.min(shard, eldest + into - size), size };
}

/** The rows of such a range, without those that were split. */
export function leavesNear(
  { parts, parent }: Leaf,
  { first, size }: RowRange,
  rows: readonly Row[],
): Leaf[] {
  const byShard = new Map(rows.map((row) => [row.shard, row]));
  return Array.from({ length: size }, (_, i) => first + i)
    .map((shard) =>
      leafBelow(parent!, parts / parent!.into, shard, byShard.get(shard)),
    )
    .filter(({ row }) => !isSplitRow(row));
}
