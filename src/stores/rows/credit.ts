import { type Credit, creditRows, gatheredIfOwing } from "../../core/decide.js";
import {
  areMany,
  balancesOf,
  doOverlap,
  drawTwo,
  isBusy,
  roomIn,
  rowsWith,
  withAll,
} from "../../core/policy.js";
import {
  allBalances,
  type Balance,
  balanceOf,
  leavesOf,
  type SplitRow,
} from "../../core/rows.js";
import { pathTo } from "../../core/tree.js";
import type { Rows } from "./decide.js";
import { readLeaf, readShard } from "./walk.js";

/**
 * Decides which rows of a limit key get tokens back. Changes nothing.
 *
 * @param shard The row that gave the tokens, if that is known.
 */
export async function creditByRows(
  rows: Rows,
  count: number,
  random: () => number,
  shard?: number,
): Promise<Credit> {
  const { limit, now } = rows;
  const root = await rows.readSplitRoot();
  const some = root && (await creditSomeRows(rows, root, count, random, shard));
  if (some) return some;
  const balances = allBalances(limit, await rows.read(), now);
  return creditRows(limit, gatheredIfOwing(balances), count, now);
}

/**
 * Gives to a row of a split limit that has room: to the one that gave the tokens, or a random one,
 * or those that a look shows. In a busy limit to one row: what does not fit is lost. Undefined if
 * all rows must be read: a row has less room than the look showed.
 */
async function creditSomeRows(
  rows: Rows,
  root: SplitRow,
  count: number,
  random: () => number,
  shard: number | undefined,
): Promise<Credit | undefined> {
  const { limit, now } = rows;
  const room = (row: Balance) => roomIn(limit, row);
  const read = async (shard: number) =>
    balanceOf(limit, await readShard(rows, root, shard, random), now);
  const tried: Balance[] = [];
  for (const path of shard === undefined
    ? drawTwo(root.into, random).map((nth) => [nth])
    : [pathTo(shard)]) {
    const row = balanceOf(limit, await readLeaf(rows, root, path, random), now);
    if (row.value >= 0 && room(row) >= count) {
      return creditRows(limit, [row], count, now);
    }
    tried.push(row);
  }
  const one = tried.reduce((a, b) => (room(b) > room(a) ? b : a));
  const leaves = leavesOf(limit, await rows.look(), now);
  if (doOverlap(leaves, now)) rows.noteOverlap();
  const seen = balancesOf(limit, leaves, now);
  const busy = isBusy(leaves, now);
  // All debts are paid first.
  if (!busy && seen.some(({ value }) => value < 0)) return undefined;
  // A window does not refill before it ends.
  const isSearched =
    limit.kind === "fixed window" ||
    !busy ||
    areMany(withAll(limit, seen, room, count), seen);
  if (!isSearched) return creditRows(limit, [one], count, now);
  const chosen = rowsWith(limit, seen, room, count, random);
  const balances: Balance[] = [];
  for (const { shard } of chosen) balances.push(await read(shard));
  const isAsSeen = balances.every(
    (row, i) => room(row) >= room(chosen[i]!) - limit.tolerance,
  );
  return isAsSeen ? creditRows(limit, balances, count, now) : undefined;
}
