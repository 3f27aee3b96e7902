import { firstOf, secondOf } from "../../core/policy.js";
import type { Signpost } from "../../core/row.js";
import {
  childOf,
  isSignpost,
  leafBelow,
  pathTo,
  type Leaf,
} from "../../core/tree.js";
import type { Ledger } from "../stores/ledger.js";

/** Row 0 of a limit that is split over several rows; undefined if it is not. */
export async function rootOfSplit(
  ledger: Ledger,
): Promise<Signpost | undefined> {
  const [root] = await ledger.read(0);
  return root !== undefined && isSignpost(root) ? root : undefined;
}

/** Reads a random row below row 0: below another child of it than `first`, if given. */
export function readAny(
  ledger: Ledger,
  root: Signpost,
  random: () => number,
  first?: Leaf,
): Promise<Leaf> {
  const not = first && pathTo(first.shard)[0]!;
  return walk(ledger, root, (n, depth) =>
    not === undefined || depth > 0
      ? firstOf(n, random)
      : secondOf(n, not, random),
  );
}

/** Reads one row below row 0. */
export function readLeaf(
  ledger: Ledger,
  root: Signpost,
  shard: number,
): Promise<Leaf> {
  const path = pathTo(shard);
  return walk(ledger, root, (_, depth) => path[depth] ?? 0);
}

/** Goes from row 0 down to a row that is not split; `choose` picks a child on each level. */
async function walk(
  ledger: Ledger,
  root: Signpost,
  choose: (n: number, depth: number) => number,
): Promise<Leaf> {
  let leaf: Leaf = { shard: 0, parts: 1, row: root };
  for (let depth = 0; leaf.row && isSignpost(leaf.row); depth++) {
    const { shard, parts, row } = leaf;
    // Since the look that chose it, the rows may have been gathered and split anew.
    const child = childOf(shard, choose(row.into, depth) % row.into);
    const [stored] = await ledger.read(child);
    leaf = leafBelow(row, parts, child, stored);
  }
  return leaf;
}
