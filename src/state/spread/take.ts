import { timeOfArrival } from "../../core/bucket.js";
import type { Decision } from "../../core/decide.js";
import {
  countFrom,
  type Demand,
  mayMakeDebt,
  takeInTurn,
} from "../../core/demand.js";
import { partOfLimit } from "../../core/limit.js";
import type { Forecast } from "../../core/wait.js";
import { isIdle } from "../row/row.js";
import {
  areIdle,
  type Balance,
  balanceOfLeaf,
  balancesOf,
  drained,
  leavesOf,
  total,
} from "./rows.js";
import {
  doServe,
  drawTwo,
  held,
  isLarge,
  rowsWith,
  timeWhenServed,
  withAll,
} from "./rules.js";
import type { Seen, SplitLimit } from "./spread.js";
import type { Leaf } from "./tree.js";
import { readLeaf, readShard } from "./walk.js";

/**
 * Decides on a demand by some rows of a split limit. Changes nothing. Undefined if all rows must be
 * read.
 */
export async function takeFromSome(
  all: SplitLimit,
  demand: Demand,
  random: () => number,
): Promise<Decision | undefined> {
  const { limit, now, root } = all;
  const leaves: Leaf[] = [];
  const read: Balance[] = [];
  let seen: Seen | undefined;
  for (const nth of drawTwo(root.into, random)) {
    const leaf = await readLeaf(all, [nth], random);
    leaves.push(leaf);
    // If the key is idle, so is each of its rows: then the others have to be known.
    if (read.length === 0 && isIdle(leaf.row?.fullAt, now)) {
      seen = await all.look();
      if (areIdle(seen.rows, now)) return undefined;
    }
    all.noteOverlap(leaves);
    const row = balanceOfLeaf(limit, leaf, now);
    // Where rows owe, one of them does not tell what there is.
    const found = root.owes ? undefined : takeFrom(all, [row], demand);
    if (found) return found;
    read.push(row);
  }
  seen ??= await all.look();
  if (root.owes && !seen.isBusy) return undefined;
  const least = demand.upTo ? 1 : demand.count;
  if (!doServe(limit, seen.leaves, least, now)) {
    return mayMakeDebt(demand)
      ? oweInOne(all, demand, read, seen)
      : refuse(all, least, seen);
  }
  const balances = balancesOf(limit, seen.leaves, now);
  // In a busy limit, calls that took whatever there is would meet in all rows.
  const isGreedy = demand.upTo && limit.enforce && seen.isBusy;
  const own = isGreedy ? withAll(limit, read, held, least) : [];
  const from = !isGreedy
    ? balances
    : rowsWith(limit, own.length > 0 ? own : balances, held, least, random);
  // Where others owe, a row may hold more than all of them together.
  const there = Math.min(total(from), total(balances));
  const count = countFrom(limit, there, demand);
  const chosen: Balance[] = [];
  for (const { shard } of rowsWith(limit, from, held, count, random)) {
    const leaf = await readShard(all, shard, random);
    chosen.push(balanceOfLeaf(limit, leaf, now));
  }
  return takeFrom(all, chosen, { ...demand, count });
}

/** Takes from rows that were read, without a debt. Undefined if they do not hold enough. */
function takeFrom(
  { limit, now }: SplitLimit,
  rows: readonly Balance[],
  demand: Demand,
): Decision | undefined {
  const plain: Demand = { ...demand, debt: "none", upTo: false };
  const { left, refused } = takeInTurn(limit, total(rows), [plain]);
  if (refused.length > 0) return undefined;
  const writes = drained(limit, rows, left, now);
  return { ok: true, taken: [demand.count], writes };
}

/**
 * Takes a debt from the fuller of two rows, in a busy limit: it is paid when that row has paid it.
 * Each row may owe its part of `maxReserved`, or `maxDebt`, so that calls at the same time owe no
 * more than that together. Undefined if all rows must be read: if the limit is not busy, if the
 * count is larger than a row, or if a charge may not owe all of it.
 */
function oweInOne(
  all: SplitLimit,
  demand: Demand,
  read: readonly Balance[],
  { leaves, isBusy }: Seen,
): Decision | undefined {
  const { phases, limit, now } = all;
  if (!isBusy || isLarge(limit, read, demand.count)) return undefined;
  if (phases.length > 1 || !limit.enforce) return undefined;
  const share = ({ value, parts }: Balance) => value * parts;
  const fuller = read.reduce((a, b) => (share(b) > share(a) ? b : a));
  const { parts, value } = fuller;
  const maxReserved = limit.maxReserved / parts;
  const part = { ...limit, maxReserved, maxDebt: limit.maxDebt / parts };
  const { taken, left, refused } = takeInTurn(part, value, [demand]);
  const there = total(balancesOf(limit, leaves, now));
  const most = Math.min(taken[0]!, countFrom(limit, there, demand));
  if (refused.length > 0 || most < demand.count) return undefined;
  all.noteDebt();
  const wait = timeOfArrival(partOfLimit(limit, parts), fuller, -left) - now;
  return {
    ok: true,
    taken,
    writes: drained(limit, [fuller], left, now),
    retryAfter: left < 0 && wait > 0 ? wait : undefined,
  };
}

/** Refuses a demand that the rows do not serve; a dry run lets it through. */
function refuse(
  { limit }: SplitLimit,
  least: number,
  { rows }: Seen,
): Decision {
  if (!limit.enforce) {
    return { ok: true, taken: [0], writes: [], letThrough: [0] };
  }
  // A later phase may count the rows by another rule, or gather them.
  const forecast: Forecast = {
    isGranted: ({ limit: later }, at) =>
      doServe(later, leavesOf(later, rows, at), least, at),
    guess: ({ limit: later }, from) =>
      timeWhenServed(later, leavesOf(later, rows, from), least, from),
  };
  return { ok: false, refused: [0], forecast };
}
