import { type Credit, creditRows } from "../../core/decide.js";
import {
  balancesOf,
  isBusy,
  isCrowded,
  roomIn,
  rowsToCredit,
} from "../../core/policy.js";
import {
  allBalances,
  type Balance,
  balanceOf,
  leavesOf,
  type SplitRow,
} from "../../core/rows.js";
import type { Rows } from "./decide.js";
import { readLeaf, readRandomLeaf } from "./walk.js";

/** Decides which rows of a limit key get tokens back. Changes nothing. */
export async function creditByRows(
  rows: Rows,
  count: number,
  random: () => number,
): Promise<Credit> {
  const { phases, now } = rows;
  const [{ limit }] = phases;
  const root = await rows.readSplitRoot();
  const some = root && (await creditSomeRows(rows, root, count, random));
  if (some !== undefined) return some;
  const balances = allBalances(limit, await rows.read(), now);
  return creditRows(limit, balances, count, now);
}

/**
 * Gives to a random row of a split limit that has room, of the first two read or of those seen by a
 * look. If none has room for all, gives to the emptiest rows, and in a busy limit to one of them:
 * what it cannot hold is lost, since it would soon have refilled. Undefined if all rows must be
 * read: one is in debt, was split since the look, or has less room than it showed.
 */
async function creditSomeRows(
  rows: Rows,
  root: SplitRow,
  count: number,
  random: () => number,
): Promise<Credit | undefined> {
  const { phases, now } = rows;
  const [{ limit }] = phases;
  const first = await readRandomLeaf(rows, root, random);
  const read = [first];
  for (let i = 0; i < 2; i++) {
    const row = balanceOf(limit, read[i]!, now);
    if (row.value < 0) return undefined;
    if (roomIn(limit, [row]) >= count) {
      return creditRows(limit, [row], count, now);
    }
    if (i === 0) read.push(await readRandomLeaf(rows, root, random, first));
  }
  if (isCrowded(limit, read, count, now)) {
    const [one, other] = balancesOf(limit, read, now) as [Balance, Balance];
    const row = roomIn(limit, [one]) < roomIn(limit, [other]) ? other : one;
    return creditRows(limit, [row], count, now);
  }
  const leaves = leavesOf(limit, await rows.look(), now);
  rows.noteContested(leaves);
  const isHot = isBusy(limit, leaves, count, now);
  const seen = balancesOf(limit, leaves, now);
  const chosen = rowsToCredit(limit, seen, count, isHot, random);
  const balances: Balance[] = [];
  for (const { shard } of chosen) {
    const row = balanceOf(limit, await readLeaf(rows, root, shard), now);
    // It may have been split since the look.
    if (row.shard !== shard || row.value < 0) return undefined;
    balances.push(row);
  }
  const wanted = Math.min(count, roomIn(limit, chosen));
  const hasRoom = roomIn(limit, balances) >= wanted - limit.tolerance;
  return isHot || hasRoom ? creditRows(limit, balances, count, now) : undefined;
}
