import type { Limit } from "../../core/limit.js";
import { firstOf, secondOf } from "../../core/policy.js";
import {
  dependOnEachOther,
  holding,
  newest,
  speaksForItself,
  type Held,
} from "../../core/rows.js";
import {
  childOf,
  isSignpost,
  leafBelow,
  pathTo,
  type Leaf,
} from "../../core/tree.js";
import type { Ledger } from "../stores/ledger.js";

/** Whether a limit is split over several rows. Reads row 0 if the limit splits itself. */
export async function isSplit(ledger: Ledger, limit: Limit): Promise<boolean> {
  if (!limit.isAuto) return limit.shards > 1;
  const [root] = await ledger.read(0);
  return root !== undefined && isSignpost(root);
}

/** Reads a random row of a split limit, other than `first` if that is given. */
export async function readAny(
  ledger: Ledger,
  limit: Limit,
  random: () => number,
  first?: Leaf,
): Promise<Leaf> {
  const { shards, isAuto } = limit;
  // In a tree, another child of row 0 is enough.
  const not = first && (isAuto ? pathTo(first.shard)[0]! : first.shard);
  const choose = (n: number, depth: number) =>
    not === undefined || depth > 0
      ? firstOf(n, random)
      : secondOf(n, not, random);
  if (isAuto) return walk(ledger, choose);
  return readShard(ledger, shards, choose(shards, 0));
}

/** Reads one row of a split limit. */
export function readLeaf(
  ledger: Ledger,
  limit: Limit,
  shard: number,
): Promise<Leaf> {
  if (!limit.isAuto) return readShard(ledger, limit.shards, shard);
  const path = pathTo(shard);
  return walk(ledger, (_, depth) => path[depth] ?? 0);
}

async function readShard(
  ledger: Ledger,
  parts: number,
  shard: number,
): Promise<Leaf> {
  const [row] = await ledger.read(shard);
  return { shard, parts, row };
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

/** What one row holds; undefined if that depends on the other rows. */
export async function heldIn(
  ledger: Ledger,
  limit: Limit,
  leaf: Leaf,
  now: number,
): Promise<Held | undefined> {
  if (speaksForItself(limit, leaf.row, now)) return holding(limit, leaf, now);
  const rows = await ledger.look();
  if (dependOnEachOther(limit, rows, now)) return undefined;
  return holding(limit, leaf, now, newest(rows, now));
}
