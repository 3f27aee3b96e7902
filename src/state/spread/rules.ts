import { timeOfArrival } from "../../core/bucket.js";
import { toleratedDeficit, partOfLimit, type Limit } from "../../core/limit.js";
import { sum } from "../../core/sum.js";
import { lastUsedAt } from "../row/row.js";
import { FREE_SHARE, IN_USE_MS, RECALL_MS } from "./numbers.js";
import { type Balance, balancesOf, total } from "./rows.js";
import { type Write, writeOf } from "./split.js";
import type { Leaf } from "./tree.js";

/*
 * Which rows of a split limit serve a call:
 *
 * 1. The first of two random rows that holds the count. What is given back goes to one, if it has room.
 * 2. Otherwise a look at all of them. If together they are short, deny.
 * 3. Otherwise a random one of those that hold the count, or as many of the fullest as it takes.
 * 4. But while the limit is busy, no call goes far for a token: step 3 only if more than 3/8 of the
 *    rows hold the count, or have room. Otherwise a call is denied, a debt is that of the fuller of
 *    the two random rows, and the one that takes back keeps what it has room for.
 * 5. While the limit is not busy, debts are those of all rows together.
 */

/**
 * Whether callers compete: the limit is in use, and calls overlap or did so a few seconds ago. A row
 * written in this very ms does not count, so answers are exact on a frozen clock, as in unit tests.
 */
export function isBusy(leaves: readonly Leaf[], time: number): boolean {
  const isRecalled = ({ row }: Leaf) =>
    isWithin(RECALL_MS, row?.overlappedAt, time);
  const writes = recentWrites(leaves, time);
  return (
    writes.length > 0 && (haveOverlapped(writes) || leaves.some(isRecalled))
  );
}

/** Whether two calls wrote these rows at the same time. A caller alone does not. */
export function doOverlap(leaves: readonly Leaf[], time: number): boolean {
  return haveOverlapped(recentWrites(leaves, time));
}

function recentWrites(leaves: readonly Leaf[], time: number): Write[] {
  return leaves.flatMap(({ row }) => {
    const write = row && writeOf(row);
    return write && isWithin(IN_USE_MS, write.from, time) ? write : [];
  });
}

function isWithin(ms: number, then: number = -Infinity, time: number): boolean {
  return time > then && time < then + ms;
}

function haveOverlapped(writes: readonly Write[]): boolean {
  const inOrder = writes.toSorted((a, b) => a.from - b.from);
  // A call that wrote two rows left the same times in both.
  return inOrder.some(({ from, to }, i) => {
    const before = inOrder[i - 1];
    return before && to !== before.to && from < before.to;
  });
}

/** Whether these rows serve a count that the rows read do not: by steps 2 to 4. */
export function doServe(
  limit: Limit,
  leaves: readonly Leaf[],
  count: number,
  time: number,
): boolean {
  const balances = balancesOf(limit, leaves, time);
  if (total(balances) - count < -toleratedDeficit(limit, count)) return false;
  if (!isBusy(leaves, time)) return true;
  return isLarge(limit, balances, count)
    ? total(balances) > FREE_SHARE * limit.whole.capacity
    : areMany(withAll(limit, balances, held, count), balances);
}

/** Whether a count exceeds the capacity of each of these rows. */
export function isLarge(
  limit: Limit,
  rows: readonly { parts: number }[],
  count: number,
): boolean {
  return rows.every(({ parts }) => count > partOfLimit(limit, parts).capacity);
}

/** Whether callers who each search one of these rows, of all, hardly meet. */
export function areMany(
  some: readonly Balance[],
  all: readonly Balance[],
): boolean {
  return some.length > FREE_SHARE * all.length;
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
  return Math.max(enough, Math.max(...used) + IN_USE_MS);
}

/** Two random parts of a row that was split into so many, from 0 up. */
export function drawTwo(into: number, random: () => number): number[] {
  const first = Math.floor(random() * into);
  const step = 1 + Math.floor(random() * (into - 1));
  return [first, (first + step) % into];
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
  const able = withAll(limit, balances, amountOf, count);
  const one = able[Math.floor(random() * able.length)];
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

/** The factor that scales the total of these rows up to the whole limit. */
export function scaleToWhole(rows: readonly { parts: number }[]): number {
  // In rows of the smallest size, so that no rounding error remains if all have that size.
  const most = Math.max(...rows.map(({ parts }) => parts));
  return most / sum(rows.map(({ parts }) => most / parts));
}
