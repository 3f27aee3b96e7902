import { firstOf, secondOf } from "../../core/policy.js";
import {
  childOf,
  isSignpost,
  leafBelow,
  pathTo,
  type Leaf,
} from "../../core/tree.js";
import type { Ledger } from "../stores/ledger.js";

/** Whether a limit is split over several rows. Reads row 0. */
export async function isSplit(ledger: Ledger): Promise<boolean> {
  const [root] = await ledger.read(0);
  return root !== undefined && isSignpost(root);
}

/** Reads a random row of a split limit: below another child of row 0 than `first`, if given. */
export function readAny(
  ledger: Ledger,
  random: () => number,
  first?: Leaf,
): Promise<Leaf> {
  const not = first && pathTo(first.shard)[0]!;
  return walk(ledger, (n, depth) =>
    not === undefined || depth > 0
      ? firstOf(n, random)
      : secondOf(n, not, random),
  );
}

/** Reads one row of a split limit. */
export function readLeaf(ledger: Ledger, shard: number): Promise<Leaf> {
  const path = pathTo(shard);
  return walk(ledger, (_, depth) => path[depth] ?? 0);
}

/** Goes from row 0 down to a row that is not split; `choose` picks a child on each level. */
async function walk(
  ledger: Ledger,
  choose: (n: number, depth: number) => number,
): Promise<Leaf> {
  const [root] = await ledger.read(0);
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
