import { project, timeOfArrival } from "./bucket.js";
import { type Demand, lowest } from "./demand.js";
import { AMPLE_TOKENS, forgiven, partOfLimit, type Limit } from "./limit.js";
import {
  committedAt,
  type Balance,
  balanceOf,
  type Row,
  lastUsedAt,
  LONGEST_RUN_MS,
  runMsOf,
  gatherStates,
  total,
} from "./rows.js";
import { sum } from "./sum.js";
import type { Leaf } from "./tree.js";
import type { Forecast } from "./wait.js";

/**
 * Which rows of a split limit serve a request. In short:
 *
 * 1. Read one row at random. If it is well filled, it serves; otherwise read a second one, and the
 *    fuller of the two serves.
 * 2. If both are short, look at more rows and take the tokens where they are. But in a busy limit
 *    with few tokens left, deny: the last tokens go to callers who find them by step 1.
 * 3. In such a limit, what may go into debt is taken from one row.
 *
 * bench/RESULTS.md has the simulations behind these numbers.
 */
export const POLICY = {
  /**
   * A row is well filled if it holds this many times the count, or this share of its capacity.
   * Otherwise a second row is read: preferring the fuller one keeps full rows from wasting their
   * refill while others are empty.
   */
  wellFilledCounts: 2,
  wellFilledShare: 1 / 2,
  /** A limit is busy if it refills fast and some row was written within this many ms. */
  busyMs: 1000,
  /** And if calls were seen to overlap within this many ms: see `contestedAt` of a row. */
  contestedMs: 60_000,
  /**
   * A limit that refills at most this many counts a second is slow, and so never busy: few callers
   * wait for each new token, and their searches do not conflict.
   */
  slowCountsPerSecond: 1,
  /** The same for a count that exceeds one row's capacity, and so always needs a search. */
  slowLargeCountsPerSecond: 5,
  /**
   * A busy limit is searched only if its rows hold the count this many times per row. At
   * (3 - sqrt 5) / 2 = 0.38, reading two random rows just keeps up with the refill.
   */
  freeShare: 3 / 8,
  /** The same where a row has ample tokens for calls of that count. */
  freeShareIfAmple: 1 / 8,
  /**
   * If calls take at least this many ms, several run at a time, and each row that one reads may be
   * written meanwhile. So a call looks before it reads a second row, reads that only if
   * `freeShare` of the rows seen hold the count, and takes all from one row.
   */
  longRunMs: 100,
  /** The `freeShare` where calls take that long. */
  freeShareIfLong: 5 / 8,
  /** And at least this many times in all, so that two callers never fight over a lone token. */
  minFree: 2,
  /** How full a busy limit must be to serve a count that exceeds one row's capacity. */
  fullShare: 3 / 4,
  /** How many rows a search looks at first. If those are busy, the limit is. */
  lookRows: 16,
  /**
   * In a busy limit, a credit goes to a row with room for all of it if there are at least this many
   * such rows, and otherwise to one with room for this share of it. If calls overlap on a bucket
   * that refills this many counts a second, what does not fit into one of two rows is lost.
   */
  credit: { leastRows: 8, leastRoom: 1 / 4, atOncePerSecond: 50 },
} as const;

/** Which of `n` rows to read first. */
export function randomChild(n: number, random: () => number): number {
  return Math.floor(random() * n);
}

/** Which of them to read next, if the first one does not serve. */
export function otherRandomChild(
  n: number,
  first: number,
  random: () => number,
): number {
  const step = 1 + Math.floor(random() * (n - 1));
  return (first + step) % n;
}

/** Whether a row is well filled, so that no second one need be read. */
export function isWellFilled(
  limit: Limit,
  { value, parts }: Balance,
  count: number,
): boolean {
  // With two rows, reading the second one would read them all.
  if (parts <= 2) return true;
  const { wellFilledCounts, wellFilledShare } = POLICY;
  const { capacity } = partOfLimit(limit, parts);
  const wellFilled = Math.min(
    wellFilledCounts * count,
    wellFilledShare * capacity,
  );
  return value - Math.max(count, wellFilled) >= -limit.tolerance;
}

/** Whether a count exceeds the capacity of each of these rows. */
export function isLarge(
  limit: Limit,
  rows: readonly { parts: number }[],
  count: number,
): boolean {
  return rows.every(({ parts }) => count > partOfLimit(limit, parts).capacity);
}

/**
 * Whether many callers compete for each new token: the limit refills fast, was used within the last
 * second, and calls overlapped then or within the last minute. A row written in this very ms does
 * not count, so the search is exact on a frozen clock, as in unit tests.
 */
export function isBusy(
  limit: Limit,
  leaves: readonly Leaf[],
  count: number,
  time: number,
): boolean {
  return (
    recentOf(leaves, time).length > 0 && mayOverlap(limit, leaves, count, time)
  );
}

/**
 * Whether calls may overlap on a limit that refills fast: they did within the last minute. While
 * nobody gets through, no row is written.
 */
export function mayOverlap(
  limit: Limit,
  leaves: readonly Leaf[],
  count: number,
  time: number,
): boolean {
  const slow = isLarge(limit, leaves, count)
    ? POLICY.slowLargeCountsPerSecond
    : POLICY.slowCountsPerSecond;
  return (
    refillsFast(limit, slow * count) &&
    (wasContested(leaves, time) || isContested(leaves, time))
  );
}

/** The leaves that were written within the last second, but before this very ms. */
function recentOf(leaves: readonly Leaf[], time: number): Leaf[] {
  return leaves.filter(({ row }) => {
    const age = row ? time - lastUsedAt(row) : 0;
    return age > 0 && age < POLICY.busyMs;
  });
}

/** Whether the last write of a row took as long as `POLICY.longRunMs`. */
export function tookLong(row: Row | undefined): boolean {
  const ms = row && runMsOf(row);
  return ms !== undefined && ms >= POLICY.longRunMs && ms <= LONGEST_RUN_MS;
}

/** Whether calls were seen to overlap on the limit within the last minute, as these rows recall. */
function wasContested(leaves: readonly Leaf[], time: number): boolean {
  return leaves.some(({ row }) => {
    const age = time - (row?.contestedAt ?? -Infinity);
    return age > 0 && age < POLICY.contestedMs;
  });
}

/**
 * Whether the rows show that calls overlap now. Calls that fight over the same rows no longer show
 * it, since only one of them can commit: so rows recall it for a while.
 */
export function isContested(leaves: readonly Leaf[], time: number): boolean {
  return haveOverlapped(recentOf(leaves, time));
}

/**
 * Whether two of these rows were written at the same time. A lone caller writes them one after the
 * other.
 */
function haveOverlapped(leaves: readonly Leaf[]): boolean {
  const writes = leaves
    .flatMap(({ row }) =>
      row?.at === undefined
        ? []
        : { from: lastUsedAt(row), to: committedAt(row)! },
    )
    .sort((a, b) => a.from - b.from);
  // A call that wrote two rows left the same times in both.
  return writes.some(({ from, to }, i) => {
    const before = writes[i - 1];
    return before && from < before.to && to !== before.to;
  });
}

/**
 * Whether a search for room is not worth its conflicts: these rows recall that calls overlap, and
 * the limit is a bucket that refills more than `slow` tokens a second.
 */
export function isCrowded(
  limit: Limit,
  leaves: readonly Leaf[],
  slow: number,
  time: number,
): boolean {
  const refills = limit.kind === "token bucket" && refillsFast(limit, slow);
  return refills && wasContested(leaves, time);
}

/** Whether a limit refills more than `slow` tokens a second. */
export function refillsFast(limit: Limit, slow: number): boolean {
  return (limit.whole.rate * 1000) / limit.period > slow;
}

/**
 * Whether a search of these rows serves a request that the rows read before could not: if their
 * total suffices, and in a busy limit only if they hold the count many times over.
 */
export function canServe(
  limit: Limit,
  leaves: readonly Leaf[],
  count: number,
  time: number,
  balances: readonly Balance[] = balancesOf(limit, leaves, time),
): boolean {
  const balance = total(balances);
  if (balance - count < -forgiven(limit, count)) return false;
  if (count === 0 || !isBusy(limit, leaves, count, time)) return true;
  if (isLarge(limit, balances, count)) {
    // By default, few calls ask for that many.
    if (limit.minRowTokens === AMPLE_TOKENS) return true;
    return balance >= POLICY.fullShare * capacityIn(limit, balances);
  }
  const { freeShare, freeShareIfAmple, freeShareIfLong } = POLICY;
  const share = !isLarge(limit, balances, AMPLE_TOKENS * count)
    ? freeShareIfAmple
    : leaves.some(({ row }) => tookLong(row))
      ? freeShareIfLong
      : freeShare;
  const free = countsIn(limit, balances, count);
  return free >= Math.max(POLICY.minFree, share * balances.length);
}

/** How many times rows hold a count, each row by itself. */
function countsIn(
  { tolerance }: Limit,
  balances: readonly Balance[],
  count: number,
): number {
  return sum(
    balances.map(({ value }) =>
      Math.max(0, Math.floor((value + tolerance) / count)),
    ),
  );
}

/** Whether a random one of the rows, of which these were seen, is likely enough to hold a count. */
export function holdsOften(
  limit: Limit,
  balances: readonly Balance[],
  count: number,
): boolean {
  const { freeShare } = POLICY;
  return countsIn(limit, balances, count) >= freeShare * balances.length;
}

/** How many tokens rows hold when they are full. */
function capacityIn(limit: Limit, rows: readonly { parts: number }[]): number {
  return sum(rows.map(({ parts }) => partOfLimit(limit, parts).capacity));
}

/** The factor that scales the total of these rows up to the whole limit. */
export function scaleToWhole(rows: readonly { parts: number }[]): number {
  const [first] = rows;
  return rows.every(({ parts }) => parts === first!.parts)
    ? first!.parts / rows.length
    : 1 / sum(rows.map(({ parts }) => 1 / parts));
}

/** The balances of leaves; those without a row are full. */
export function balancesOf(
  limit: Limit,
  leaves: readonly Leaf[],
  time: number,
): Balance[] {
  return leaves.map((leaf) => balanceOf(limit, leaf, time));
}

/**
 * About when a refused request will be served: when the total suffices and, if the limit is busy,
 * when it no longer is.
 */
export function timeWhenServed(
  limit: Limit,
  leaves: readonly Leaf[],
  count: number,
  from: number,
  balances: readonly Balance[] = balancesOf(limit, leaves, from),
): number {
  const missing = (count - total(balances)) * scaleToWhole(leaves);
  const enough =
    missing <= 0 ? from : timeOfArrival(limit.whole, balances[0]!, missing);
  if (!isBusy(limit, leaves, count, enough)) return enough;
  let lastUsed = from - POLICY.busyMs;
  for (const { row } of leaves) {
    if (row) lastUsed = Math.max(lastUsed, lastUsedAt(row));
  }
  return Math.max(enough, lastUsed + POLICY.busyMs);
}

/**
 * Predicts when a busy limit that refused a request after a look at a few rows will certainly grant
 * it, if nobody uses it: once it is no longer busy, and these rows and the refill suffice even if
 * all other rows are empty.
 */
export function forecastBySomeRows(
  limit: Limit,
  balances: readonly Balance[],
  count: number,
  now: number,
): Forecast {
  const gathered = gatherStates(balances);
  const missing = Math.max(0, count - gathered.value);
  const busyUntil = now + POLICY.busyMs;
  return {
    isGranted: (_, time) =>
      time >= busyUntil &&
      project(limit.whole, gathered, time).value - count >=
        -forgiven(limit, count),
    guess: () =>
      Math.max(busyUntil, timeOfArrival(limit.whole, gathered, missing)),
  };
}

/** A random one of the rows that hold a count; none if there is none. */
export function randomRow(
  limit: Limit,
  balances: readonly Balance[],
  count: number,
  random: () => number,
): Balance[] {
  const enough = balances.filter(
    ({ value }) => value - count >= -limit.tolerance,
  );
  return randomOf(enough, random);
}

/** A random one of these, if there is any. */
export function randomOf<T>(items: readonly T[], random: () => number): T[] {
  const nth = randomChild(items.length, random);
  return items.slice(nth, nth + 1);
}

/**
 * The rows to take a count from, given rows whose total suffices: a random one of those that hold
 * all of it, so that callers do not conflict. Otherwise as few as possible, beginning with rows
 * that the call has read already, then the fullest.
 */
export function rowsToTakeFrom(
  limit: Limit,
  balances: readonly Balance[],
  read: readonly Balance[],
  count: number,
  random: () => number,
): Balance[] {
  const one = randomRow(limit, balances, count, random);
  const rank = ({ shard }: Balance) =>
    read.some((row) => row.shard === shard) ? 1 : 0;
  const inOrder = balances
    .filter(({ value }) => value > 0)
    .sort((a, b) => rank(b) - rank(a) || b.value - a.value);
  return one.length > 0
    ? one
    : untilEnough(limit, inOrder, ({ value }) => value, count);
}

/** The first of these items that add up to a count. */
function untilEnough<T>(
  limit: Limit,
  items: readonly T[],
  amountOf: (item: T) => number,
  count: number,
): T[] {
  const chosen: T[] = [];
  let missing = count;
  for (const item of items) {
    if (missing <= limit.tolerance) break;
    chosen.push(item);
    missing -= amountOf(item);
  }
  return chosen;
}

/**
 * What each row can give where others may be in debt: its share of the total. So calls at once that
 * take from different rows cannot take more than the total together.
 */
export function withoutDebts(balances: readonly Balance[]): Balance[] {
  const held = balances.filter(({ value }) => value > 0);
  const share = Math.max(0, total(balances)) / total(held);
  return held.map((row) => ({ ...row, value: share * row.value }));
}

/**
 * The row to take a count from that it may not hold: `one`, a random row. If that would owe two
 * counts more than another random one, or may not owe so much, the other. (If callers always
 * preferred the fuller one, they would meet there, and the less it was written the fuller it would
 * get.) Undefined if no row may owe so much.
 */
export function rowToOwe(
  limit: Limit,
  one: Balance,
  others: readonly Balance[],
  demand: Demand,
  random: () => number,
): Balance | undefined {
  const { count } = demand;
  const floor = lowest(limit, demand);
  const isAble = ({ value, parts }: Balance) => value - count >= floor / parts;
  const other = rowByShare(others.filter(isAble), random);
  if (!isAble(one)) return other;
  if (!other || one.value >= count) return one;
  const ahead = other.value * other.parts - one.value * one.parts;
  return ahead > 2 * count * one.parts ? other : one;
}

/** A random row, drawn by its share of the limit; undefined if there is none. */
function rowByShare(
  balances: readonly Balance[],
  random: () => number,
): Balance | undefined {
  let rest = random() * sum(balances.map(({ parts }) => 1 / parts));
  return balances.find(({ parts }) => (rest -= 1 / parts) < 0) ?? balances[0];
}

/**
 * The rows to give a count back to: a random one of those that have room for it, so that callers do
 * not conflict. If there is none, as few as have room for it, those with most room first. In a busy
 * limit always one row: if only few have room for all, then one that has room for a part, though
 * the rest is lost.
 */
export function rowsToCredit(
  limit: Limit,
  balances: readonly Balance[],
  count: number,
  isHot: boolean,
  random: () => number,
): Balance[] {
  const all = balances
    .map((row) => ({ row, room: roomIn(limit, [row]) }))
    .filter(({ room }) => room > limit.tolerance)
    .sort((a, b) => b.room - a.room);
  const { leastRows, leastRoom } = POLICY.credit;
  const least = leastRoom * Math.min(count, all[0]?.room ?? 0);
  const withRoom = all.filter(({ room }) => room >= count - limit.tolerance);
  const candidates =
    isHot && withRoom.length < leastRows
      ? all.filter(({ room }) => room >= least)
      : withRoom;
  const one = randomOf(candidates, random);
  const chosen =
    one.length > 0 ? one : untilEnough(limit, all, ({ room }) => room, count);
  return chosen.map(({ row }) => row);
}

/** How many tokens fit into rows. */
export function roomIn(limit: Limit, balances: readonly Balance[]): number {
  return capacityIn(limit, balances) - total(balances);
}
