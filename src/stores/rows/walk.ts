import { otherRandomChild, randomChild } from "../../core/policy.js";
import type { Row, SplitRow } from "../../core/rows.js";
import {
  childShard,
  isSplitRow,
  type Leaf,
  leafBelow,
  pathTo,
  rootLeaf,
} from "../../core/tree.js";

/** The rows of a split limit, read one by one on the way to a leaf. */
export interface Tree {
  /** Reads one row, or all of them. */
  read(shard?: number): Promise<Row[]>;
}

/**
 * Reads some random leaves of a split limit, below as many children of row 0 as possible. How many
 * leaves there are is not known, so one may be drawn twice. Undefined if these are all.
 */
export async function readSample(
  tree: Tree,
  root: SplitRow,
  size: number,
  random: () => number,
): Promise<Leaf[] | undefined> {
  const { into } = root;
  const children = Array.from({ length: into }, (_, nth) => nth);
  const sample = new Map<number, Leaf>();
  let covered = 0;
  for (let drawn = 0; drawn < size && covered < into; drawn++) {
    const first = drawn % into;
    const other = first + randomChild(into - first, random);
    [children[first], children[other]] = [children[other]!, children[first]!];
    const leaf = await walk(tree, root, (n, depth) =>
      depth === 0 ? children[first]! : randomChild(n, random),
    );
    if (sample.has(leaf.shard)) continue;
    sample.set(leaf.shard, leaf);
    covered += into / leaf.parts;
  }
  return covered < into ? [...sample.values()] : undefined;
}

/** Reads a random row that is not below the same child of row 0 as `first`. */
export function readOtherLeaf(
  tree: Tree,
  root: SplitRow,
  first: Leaf,
  random: () => number,
): Promise<Leaf> {
  const firstChild = pathTo(first.shard)[0]!;
  return walk(tree, root, (n, depth) =>
    depth > 0
      ? randomChild(n, random)
      : otherRandomChild(n, firstChild, random),
  );
}

/** Reads a row; a random one of its parts if it has been split, as row 0 always has. */
export function readLeaf(
  tree: Tree,
  root: SplitRow,
  shard: number,
  random: () => number,
): Promise<Leaf> {
  const path = pathTo(shard);
  return walk(tree, root, (n, depth) => path[depth] ?? randomChild(n, random));
}

/** Goes from row 0 down to a row that is not split; `choose` picks a child on each level. */
async function walk(
  tree: Tree,
  root: SplitRow,
  choose: (n: number, depth: number) => number,
): Promise<Leaf> {
  let leaf = rootLeaf(root);
  for (let depth = 0; leaf.row && isSplitRow(leaf.row); depth++) {
    const { shard, parts, row } = leaf;
    // Since the look that chose it, the rows may have been gathered and split anew.
    const child = childShard(shard, choose(row.into, depth) % row.into);
    const [stored] = await tree.read(child);
    leaf = leafBelow(row, parts, child, stored);
  }
  return leaf;
}
