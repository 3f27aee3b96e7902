import type { Row } from "../../core/view.js";
import { drawTwo } from "./rules.js";
import {
  isSplitRow,
  type Leaf,
  leafBelow,
  partShard,
  pathTo,
  rootLeaf,
  type SplitRow,
} from "./tree.js";

/* The way from row 0 of a split limit down to a row that is not split. */

/** The rows of a split limit, read one by one. */
export interface Tree {
  readonly root: SplitRow;
  readRow(shard: number): Promise<Row | undefined>;
}

/**
 * Reads the row at the end of a path, or a random one of its parts if it has been split, as row 0
 * always has.
 */
export async function readLeaf(
  tree: Tree,
  path: readonly number[],
  random: () => number,
): Promise<Leaf> {
  let leaf = rootLeaf(tree.root);
  for (let depth = 0; leaf.row && isSplitRow(leaf.row); depth++) {
    const { shard, parts, row } = leaf;
    const nth = path[depth] ?? Math.floor(random() * row.into);
    // Since the path was found, the rows may have been gathered and split anew.
    const part = partShard(shard, nth % row.into);
    leaf = leafBelow(row, parts, part, await tree.readRow(part));
  }
  return leaf;
}

/** Reads the row with this number, or one that it was split into since. */
export function readShard(
  tree: Tree,
  shard: number,
  random: () => number,
): Promise<Leaf> {
  return readLeaf(tree, pathTo(shard), random);
}

/**
 * Reads some random leaves of a split limit, below as many parts of row 0 as possible. Undefined if
 * these are all.
 */
export async function readSample(
  tree: Tree,
  size: number,
  random: () => number,
): Promise<Leaf[] | undefined> {
  const { into } = tree.root;
  const sample = new Map<number, Leaf>();
  let covered = 0;
  const [first] = drawTwo(into, random) as [number];
  for (let drawn = 0; drawn < size && covered < into; drawn++) {
    const leaf = await readLeaf(tree, [(first + drawn) % into], random);
    if (sample.has(leaf.shard)) continue;
    sample.set(leaf.shard, leaf);
    covered += into / leaf.parts;
  }
  return covered < into ? [...sample.values()] : undefined;
}
