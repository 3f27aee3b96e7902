import { timeOfArrival } from "./bucket.js";
import { forgiven, partOfLimit, type Limit } from "./limit.js";
import {
  writeOf,
  type Balance,
  type RowWrite,
  balanceOf,
  lastUsedAt,
  total,
} from "./rows.js";
import { sum } from "./sum.js";
import type { Leaf } from "./tree.js";

/**
 * Which rows of a split limit serve a request:
 *
 * 1. One of two at random, the first that holds the count.
 * 2. Otherwise a look at all of them tells. If together they are short, deny.
 * 3. Take from a random one of those that hold the count, or else from the fullest.
 * 4. But in a busy limit, where calls come closely, leave the last tokens to those who find them by
 *    step 1, and touch no other row: deny, owe in one row, or give back what fits into one.
 */
export const POLICY = {
  /** Calls overlap if two did so within this many ms. */
  busyMs: 1000,
  /** Rows recall for this many ms that calls overlapped. */
  recallMs: 5000,
  /** In a busy limit, step 3 takes more than this share of the rows to hold the count. */
  freeShare: 3 / 8,
} as const;

/**
 * Whether callers compete: some row was written within the last second, and calls overlapped then or
 * within the last few seconds, as rows recall. A row written in this very ms does not count, so
 * answers are exact on a frozen clock, as in unit tests.
 */
export function isBusy(leaves: readonly Leaf[], time: number): boolean {
  const recent = writtenWithin(leaves, POLICY.busyMs, time);
  return (
    recent.length > 0 &&
    (haveOverlapped(recent) ||
      leaves.some(({ row }) => {
        const age = time - (row?.overlappedAt ?? -Infinity);
        return age > 0 && age < POLICY.recallMs;
      }))
  );
}

/** Whether these rows show that calls overlap. A caller alone writes one after the other. */
export function doOverlap(leaves: readonly Leaf[], time: number): boolean {
  return haveOverlapped(writtenWithin(leaves, POLICY.busyMs, time));
}

function writtenWithin(leaves: readonly Leaf[], ms: number, time: number) {
  return leaves.flatMap(({ row }) => {
    const write = row && writeOf(row);
    const age = time - (write?.from ?? time);
    return write && age > 0 && age < ms ? write : [];
  });
}

function haveOverlapped(writes: readonly RowWrite[]): boolean {
  const inOrder = writes.toSorted((a, b) => a.from - b.from);
  // A call that wrote two rows left the same times in both.
  return inOrder.some(({ from, to }, i) => {
    const before = inOrder[i - 1];
    return before && to !== before.to && from < before.to;
  });
}

/** Whether the rows seen serve a request that one row could not. */
export function canServe(
  limit: Limit,
  leaves: readonly Leaf[],
  count: number,
  time: number,
  balances: readonly Balance[] = balancesOf(limit, leaves, time),
): boolean {
  if (total(balances) - count < -forgiven(limit, count)) return false;
  if (!isBusy(leaves, time)) return true;
  return isLarge(limit, balances, count)
    ? total(balances) > POLICY.freeShare * limit.whole.capacity
    : areMany(withAll(limit, balances, held, count), balances);
}

/** Whether callers who each search one of these rows, of all, hardly meet. */
export function areMany(some: readonly Balance[], all: readonly Balance[]) {
  return some.length > POLICY.freeShare * all.length;
}

/** Whether a count exceeds the capacity of each of these rows. */
export function isLarge(
  limit: Limit,
  rows: readonly { parts: number }[],
  count: number,
): boolean {
  return rows.every(({ parts }) => count > partOfLimit(limit, parts).capacity);
}

/** What a row holds. */
export function held({ value }: Balance): number {
  return value;
}

/** The rows with the whole count of what `amountOf` tells. */
export function withAll(
  { tolerance }: Limit,
  balances: readonly Balance[],
  amountOf: (row: Balance) => number,
  count: number,
): Balance[] {
  return balances.filter((row) => amountOf(row) >= count - tolerance);
}

/** The factor that scales the total of these rows up to the whole limit. */
export function scaleToWhole(rows: readonly { parts: number }[]): number {
  return 1 / sum(rows.map(({ parts }) => 1 / parts));
}

/** The balances of leaves; those without a row are full. */
export function balancesOf(
  limit: Limit,
  leaves: readonly Leaf[],
  time: number,
): Balance[] {
  return leaves.map((leaf) => balanceOf(limit, leaf, time));
}

/** About when a refused request is served: there is enough, and the limit is no longer busy. */
export function timeWhenServed(
  limit: Limit,
  leaves: readonly Leaf[],
  count: number,
  from: number,
): number {
  const balances = balancesOf(limit, leaves, from);
  const missing = count - total(balances);
  const enough =
    missing <= 0 ? from : timeOfArrival(limit.whole, balances[0]!, missing);
  if (!isBusy(leaves, enough)) return enough;
  const used = leaves.map(({ row }) => (row ? lastUsedAt(row) : 0));
  return Math.max(enough, Math.max(...used) + POLICY.busyMs);
}

/** Two random parts of a row that was split into so many, from 0 up. */
export function drawTwo(into: number, random: () => number): number[] {
  const first = Math.floor(random() * into);
  const step = 1 + Math.floor(random() * (into - 1));
  return [first, (first + step) % into];
}

/** A random one of these; undefined if there is none. */
export function randomOf<T>(
  items: readonly T[],
  random: () => number,
): T | undefined {
  return items[Math.floor(random() * items.length)];
}

/**
 * A random one of the rows with the whole count of what `amountOf` tells. If there is none, as few as
 * have it together, those with most first.
 */
export function rowsWith(
  limit: Limit,
  balances: readonly Balance[],
  amountOf: (row: Balance) => number,
  count: number,
  random: () => number,
): Balance[] {
  const one = randomOf(withAll(limit, balances, amountOf, count), random);
  if (one) return [one];
  const chosen: Balance[] = [];
  let missing = count;
  for (const row of balances.toSorted((a, b) => amountOf(b) - amountOf(a))) {
    if (missing <= limit.tolerance || amountOf(row) <= 0) break;
    chosen.push(row);
    missing -= amountOf(row);
  }
  return chosen;
}

/** How many tokens fit into a row. */
export function roomIn(limit: Limit, { value, parts }: Balance): number {
  return partOfLimit(limit, parts).capacity - value;
}
