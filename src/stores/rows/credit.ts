import { type Credit, creditRows, gatheredIfOwing } from "../../core/decide.js";
import {
  balancesOf,
  isBusy,
  isCrowded,
  POLICY,
  randomOf,
  roomIn,
  rowsToCredit,
  tookLong,
} from "../../core/policy.js";
import {
  allBalances,
  type Balance,
  balanceOf,
  leavesOf,
  mayOwe,
  type SplitRow,
} from "../../core/rows.js";
import type { Leaf } from "../../core/tree.js";
import { readSeen, type Rows } from "./decide.js";
import { readLeaf, readOtherLeaf } from "./walk.js";

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
 * Gives to a row of a split limit that has room: to the one that gave the tokens, to a random one,
 * or to one that a look shows. If none has room for all, gives to the emptiest rows, and in a busy
 * bucket to one of them: what it cannot hold is lost, since it would soon have refilled. Undefined
 * if all rows must be read: one is in debt, was split since the look, or has less room than it
 * showed.
 */
async function creditSomeRows(
  rows: Rows,
  root: SplitRow,
  count: number,
  random: () => number,
  shard: number | undefined,
): Promise<Credit | undefined> {
  const { limit, now } = rows;
  // In debt although no row may be: all must be read.
  const isOff = ({ value }: Balance) => value < 0 && !mayOwe(root);
  const room = (row: Balance) => roomIn(limit, [row]);
  const refills = (perSecond: number, leaves: readonly Leaf[]) =>
    isCrowded(limit, leaves, perSecond * count, now);
  const { atOncePerSecond } = POLICY.credit;
  // Where calls take long, each row that is read counts.
  const looksFirst = shard === undefined && rows.canLook && tookLong(root);
  if (!looksFirst) {
    const first = await readLeaf(rows, root, shard ?? 0, random);
    const one = balanceOf(limit, first, now);
    if (isOff(one)) return undefined;
    // The row that gave the tokens has refilled by what no longer fits.
    const hasRefilled =
      shard !== undefined && refills(POLICY.slowCountsPerSecond, [first]);
    if (hasRefilled || room(one) >= count) {
      return creditRows(limit, [one], count, now);
    }
    const second = await readOtherLeaf(rows, root, first, random);
    const other = balanceOf(limit, second, now);
    if (isOff(other)) return undefined;
    const emptiest = room(one) < room(other) ? other : one;
    if (room(emptiest) >= count || refills(atOncePerSecond, [first, second])) {
      return creditRows(limit, [emptiest], count, now);
    }
  }
  const leaves = leavesOf(limit, await rows.look(), now);
  rows.noteContested(leaves);
  // A window does not refill before it ends.
  const isHot =
    limit.kind === "token bucket" && isBusy(limit, leaves, count, now);
  const seen = balancesOf(limit, leaves, now);
  const chosen =
    looksFirst && refills(atOncePerSecond, leaves)
      ? randomOf(seen, random)
      : rowsToCredit(limit, seen, count, isHot, random);
  const balances: Balance[] = [];
  for (const one of chosen) {
    const row = await readSeen(rows, root, one, random);
    if (row === undefined || isOff(row)) return undefined;
    balances.push(row);
  }
  const wanted = Math.min(count, roomIn(limit, chosen)) - limit.tolerance;
  return isHot || roomIn(limit, balances) >= wanted
    ? creditRows(limit, balances, count, now)
    : undefined;
}
