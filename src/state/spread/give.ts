import type { Credit } from "../../core/decide.js";
import { roomSince } from "../../core/held.js";
import type { Place } from "../state.js";
import {
  type Balance,
  balanceOfLeaf,
  balancesOf,
  given,
  roomIn,
} from "./rows.js";
import { areMany, rowsWith, withAll } from "./rules.js";
import type { SplitLimit } from "./spread.js";
import { pathTo } from "./tree.js";
import { readLeaf, readShard } from "./walk.js";

/**
 * Gives tokens to a row of a split limit that has room: to the one that held them or a random one,
 * or to those that a look shows. For a hold, only the least room since then counts, in whichever
 * rows. A busy limit gives what fits into one row, and the rest is lost. Changes nothing. Undefined
 * if all rows must be read: some row owes, or has less room than the look showed.
 */
export async function giveToSome(
  all: SplitLimit,
  count: number,
  random: () => number,
  place: Place | undefined,
): Promise<Credit | undefined> {
  const { limit, now, root } = all;
  const room = (row: Balance) =>
    place
      ? roomSince(row.held, place.since, row.shard === place.shard)
      : roomIn(limit, row);
  const giveTo = (rows: readonly Balance[]) =>
    given(limit, rows, count, place, now);
  const path = pathTo(place?.shard ?? 0);
  const one = balanceOfLeaf(limit, await readLeaf(all, path, random), now);
  if (!root.owes && one.value >= 0 && room(one) >= count) {
    return giveTo([one]);
  }
  const { leaves, isBusy } = await all.look();
  const seen = balancesOf(limit, leaves, now);
  // All debts are paid first.
  if (!isBusy && seen.some(({ value }) => value < 0)) return undefined;
  // A window does not refill before it ends.
  const isSearched =
    limit.kind === "fixed window" ||
    !isBusy ||
    areMany(withAll(limit, seen, room, count), seen);
  if (!isSearched) return giveTo([one]);
  const chosen = rowsWith(limit, seen, room, count, random);
  const rows: Balance[] = [];
  for (const { shard } of chosen) {
    const leaf = await readShard(all, shard, random);
    rows.push(balanceOfLeaf(limit, leaf, now));
  }
  const isAsSeen = rows.every(
    (row, i) => room(row) >= room(chosen[i]!) - limit.tolerance,
  );
  return isAsSeen ? giveTo(rows) : undefined;
}
