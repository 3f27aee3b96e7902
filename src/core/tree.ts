import { MIN_TOKENS_PER_ROW } from "./limit.js";
import type { Row } from "./row.js";

/*
 * A limit with `shards: "auto"` is one row while it is calm. The write that finds a row hot splits
 * it: the row becomes a signpost, which stores what it held and how many children it has (`into`).
 * A child that is not stored holds an equal part of that. So a split writes one row, and is never
 * half done.
 *
 * A signpost stays as it is until all rows are gathered in row 0, which then replaces them.
 */

/** One of the rows that a limit is split over. */
export type Leaf = {
  shard: number;
  /** How many such rows make up the whole limit. */
  parts: number;
  row: Row | undefined;
  /** In a limit that splits itself: the row that this one was split from. */
  parent?: Signpost;
};

/** A row that was split. */
export type Signpost = Row & { into: number };

/** The most children of a row: the numbering of rows leaves room for this many. */
const MOST_CHILDREN = 64;

/** The most rows that one of this capacity can be split into. */
export function mostChildren(capacity: number): number {
  return Math.min(MOST_CHILDREN, Math.floor(capacity / MIN_TOKENS_PER_ROW));
}

export function isSignpost(row: Row): row is Signpost {
  return row.into !== undefined;
}

/** The number of a row's nth child, from 0 up. */
export function childOf(shard: number, nth: number): number {
  return shard * MOST_CHILDREN + 1 + nth;
}

/** Whether a row is the child of a signpost: all other rows above number 0 store their split. */
export function isChild({
  shard,
  of,
  fullAt,
}: Pick<Row, "shard" | "of" | "fullAt">): boolean {
  return shard > 0 && of === undefined && fullAt !== undefined;
}

/** The path to a row: which child to take on each level, from row 0 down. */
export function pathTo(shard: number): number[] {
  const path: number[] = [];
  for (let at = shard; at > 0; at = Math.floor((at - 1) / MOST_CHILDREN)) {
    path.unshift((at - 1) % MOST_CHILDREN);
  }
  return path;
}

/** A child of a signpost. One that is not stored holds an equal part of what the signpost held. */
export function leafBelow(
  parent: Signpost,
  parts: number,
  shard: number,
  stored: Row | undefined,
): Leaf & { row: Row } {
  const { at: _, into, ...state } = parent;
  const row = stored ?? { ...state, shard, value: state.value / into };
  return { shard, parts: parts * into, row, parent };
}

/** The rows that a limit has split itself over. */
export function leavesOfTree(rows: readonly Row[]): Leaf[] {
  const byShard = new Map(rows.map((row) => [row.shard, row]));
  const leaves: Leaf[] = [];
  const visit = (leaf: Leaf) => {
    const { shard, parts, row } = leaf;
    if (row === undefined || !isSignpost(row)) {
      leaves.push(leaf);
      return;
    }
    for (let nth = 0; nth < row.into; nth++) {
      const child = childOf(shard, nth);
      visit(leafBelow(row, parts, child, byShard.get(child)));
    }
  };
  visit({ shard: 0, parts: 1, row: byShard.get(0) });
  return leaves;
}

/** A range of rows. In a fixed split it continues with row 0 after the last one. */
export type Range = { first: number; count: number };

/**
 * A few rows near a row, itself included: in a limit that splits itself, rows with the same
 * parent. Undefined if all rows together are hardly more.
 */
export function rangeNear(
  { shard, parent }: Leaf,
  shards: number,
  most: number,
): Range | undefined {
  if (parent === undefined) {
    return shards > most ? { first: shard, count: most } : undefined;
  }
  const { into } = parent;
  const isAlone = parent.shard === 0 && into <= most;
  if (isAlone) return undefined;
  const count = Math.min(most, into);
  const eldest = childOf(parent.shard, 0);
  const first = Math.min(shard, eldest + into - count);
  return { first, count };
}

/** The rows of such a range, without those that were split. */
export function leavesNear(
  { parts, parent }: Leaf,
  { first, count }: Range,
  shards: number,
  rows: readonly Row[],
): Leaf[] {
  const byShard = new Map(rows.map((row) => [row.shard, row]));
  const numbers = Array.from({ length: count }, (_, i) => first + i);
  if (parent === undefined) {
    return numbers.map((number) => {
      const shard = number % shards;
      return { shard, parts, row: byShard.get(shard) };
    });
  }
  return numbers
    .map((shard) =>
      leafBelow(parent, parts / parent.into, shard, byShard.get(shard)),
    )
    .filter(({ row }) => !isSignpost(row));
}
