import { drawTwo } from "../../core/policy.js";
import type { Row, SplitRow } from "../../core/rows.js";
import {
  isSplitRow,
  type Leaf,
  leafBelow,
  partShard,
  pathTo,
  rootLeaf,
} from "../../core/tree.js";

/** The rows of a split limit, read one by one on the way to a leaf. */
export interface Tree {
  /** Reads one row, or all of them. */
  read(shard?: number): Promise<Row[]>;
}

/**
 * Reads a row: the one at the end of a path, or a random one of its parts if it has been split, as
 * row 0 always has.
 */
export async function readLeaf(
  tree: Tree,
  root: SplitRow,
  path: readonly number[],
  random: () => number,
): Promise<Leaf> {
  let leaf = rootLeaf(root);
  for (let depth = 0; leaf.row && isSplitRow(leaf.row); depth++) {
    const { shard, parts, row } = leaf;
    const nth = path[depth] ?? Math.floor(random() * row.into);
    // Since the path was found, the rows may have been gathered and split anew.
    const part = partShard(shard, nth % row.into);
    const [stored] = await tree.read(part);
    leaf = leafBelow(row, parts, part, stored);
  }
  return leaf;
}

/** Reads the row with this number, or what it has been split into or gathered in since. */
export function readShard(
  tree: Tree,
  root: SplitRow,
  shard: number,
  random: () => number,
): Promise<Leaf> {
  return readLeaf(tree, root, pathTo(shard), random);
}

/**
 * Reads some random leaves of a split limit, below as many parts of row 0 as possible. Undefined if
 * these are all.
 */
export async function readSample(
  tree: Tree,
  root: SplitRow,
  size: number,
  random: () => number,
): Promise<Leaf[] | undefined> {
  const { into } = root;
  const sample = new Map<number, Leaf>();
  let covered = 0;
  const first = drawTwo(into, random)[0]!;
  for (let drawn = 0; drawn < size && covered < into; drawn++) {
    const leaf = await readLeaf(tree, root, [(first + drawn) % into], random);
    if (sample.has(leaf.shard)) continue;
    sample.set(leaf.shard, leaf);
    covered += into / leaf.parts;
  }
  return covered < into ? [...sample.values()] : undefined;
}
