import { forgiven, type Limit } from "./limit.js";
import {
  holding,
  lastUse,
  newest,
  total,
  type Held,
  type Row,
} from "./rows.js";

/**
 * Which rows of a split limit serve a request. In short:
 *
 * 1. Read one row at random. If it is well filled, it serves; else read a second one, and the
 *    fuller of the two serves.
 * 2. If both are short, look at more rows and take the tokens where they are. But in a busy limit
 *    with few tokens left, deny: the last tokens go to callers who find them by step 1.
 *
 * bench/RESULTS.md has the measurements behind these numbers.
 */
export const POLICY = {
  /**
   * A row is well filled if it holds this many times the count, or this share of its capacity.
   * Else a second row is read: preferring the fuller one keeps full rows from wasting their
   * refill while others are empty.
   */
  ampleCounts: 2,
  ampleShare: 1 / 2,
  /** A limit is busy if it refills fast and some row was written within this many ms. */
  busyMs: 1000,
  /**
   * A limit that refills at most this many counts a second is slow, and so never busy: few
   * callers wait for each new token, and their searches do not conflict.
   */
  calmCountsPerSecond: 1,
  /** The same for a count that exceeds one row's capacity, and so always needs a search. */
  calmLargeCountsPerSecond: 5,
  /**
   * A busy limit is searched only if its rows hold the count this many times per row. At
   * (3 - sqrt 5) / 2 = 0.38, reading two random rows just keeps up with the refill.
   */
  freeShare: 3 / 8,
  /** And at least this many times in all, so that two callers never fight over a lone token. */
  minFree: 2,
  /** How full a busy limit must be to serve a count that exceeds one row's capacity. */
  fullShare: 3 / 4,
  /** How many rows a search looks at first. If those are busy, the limit is. */
  lookRows: 16,
} as const;

/** The row to read first. */
export function firstRow({ shards }: Limit, random: () => number): number {
  return Math.floor(random() * shards);
}

/** The row to read next, if the first one does not serve. */
export function secondRow(
  { shards }: Limit,
  first: number,
  random: () => number,
): number {
  const step = 1 + Math.floor(random() * (shards - 1));
  return (first + step) % shards;
}

/** Whether a row is so well filled that no second one need be read. */
export function isAmple(limit: Limit, value: number, count: number): boolean {
  // With two rows, reading the second one would read them all.
  if (limit.shards <= 2) return true;
  const { ampleCounts, ampleShare } = POLICY;
  const ample = Math.min(
    ampleCounts * count,
    ampleShare * limit.share.capacity,
  );
  return value - Math.max(count, ample) >= -limit.tolerance;
}

/**
 * How many rows to look at first: all for a count that exceeds one row's capacity, else a sample
 * that shows whether the limit is busy.
 */
export function rowsToLookAt(limit: Limit, count: number): number {
  const isLarge = count > limit.share.capacity;
  return isLarge ? limit.shards : Math.min(limit.shards, POLICY.lookRows);
}

/** Rows that were read, each with its number; `row` is undefined if it is absent. */
export type Seen = { shard: number; row: Row | undefined }[];

/**
 * Whether many callers wait for each new token. A row written at this very ms does not make a
 * limit busy, so the search is exact on a frozen clock, as in unit tests.
 */
export function isBusy(
  limit: Limit,
  seen: Seen,
  count: number,
  at: number,
): boolean {
  const calm =
    count > limit.share.capacity
      ? POLICY.calmLargeCountsPerSecond
      : POLICY.calmCountsPerSecond;
  const refillPerSecond = (limit.whole.rate * 1000) / limit.period;
  if (refillPerSecond <= calm * count) return false;
  return seen.some(({ row }) => {
    const age = row === undefined ? 0 : at - lastUse(row);
    return age > 0 && age < POLICY.busyMs;
  });
}

/**
 * Whether a search of these rows serves a request that the rows read before could not: if their
 * total suffices, and in a busy limit only if they hold the count many times over.
 */
export function isServed(
  limit: Limit,
  seen: Seen,
  count: number,
  at: number,
  held: readonly Held[] = heldBy(limit, seen, at),
): boolean {
  const together = total(held);
  if (together - count < -forgiven(limit, count)) return false;
  if (count === 0 || !isBusy(limit, seen, count, at)) return true;
  const { capacity } = limit.share;
  if (count > capacity) {
    return together >= POLICY.fullShare * capacity * held.length;
  }
  let free = 0;
  for (const { value } of held) {
    free += Math.max(0, Math.floor((value + limit.tolerance) / count));
  }
  return free >= Math.max(POLICY.minFree, POLICY.freeShare * held.length);
}

/** The balances of the rows that were read; absent ones are full. */
export function heldBy(limit: Limit, seen: Seen, at: number): Held[] {
  const last =
    limit.kind === "fixed window"
      ? newest(
          seen.flatMap(({ row = [] }) => row),
          at,
        )
      : undefined;
  return seen.map(({ shard, row }) => holding(limit, row, shard, at, last));
}

/**
 * About when a refused request will be served: when the total suffices and, if the limit is busy,
 * when it is calm again.
 */
export function timeWhenServed(
  limit: Limit,
  seen: Seen,
  count: number,
  from: number,
  held: readonly Held[] = heldBy(limit, seen, from),
): number {
  const { arrivals, rate } = limit.whole;
  const { ts, nextAt } = held[0]!;
  const missing = (count - total(held)) * (limit.shards / seen.length);
  const enough = missing <= 0 ? from : arrivals.when(ts, missing, rate, nextAt);
  if (!isBusy(limit, seen, count, enough)) return enough;
  let lastUsed = from - POLICY.busyMs;
  for (const { row } of seen) {
    if (row !== undefined) lastUsed = Math.max(lastUsed, lastUse(row));
  }
  return Math.max(enough, lastUsed + POLICY.busyMs);
}

/**
 * The rows to take a count from, given rows whose total suffices: a random one of those that hold
 * all of it, so that callers do not conflict. Else as few as possible, beginning with rows that
 * the call has read already, then the fullest.
 */
export function rowsToTakeFrom(
  limit: Limit,
  held: readonly Held[],
  read: readonly Held[],
  count: number,
  random: () => number,
): number[] {
  const holding = held.filter(({ value }) => value - count >= -limit.tolerance);
  if (holding.length > 0) {
    return [holding[Math.floor(random() * holding.length)]!.shard];
  }
  const isRead = ({ shard }: Held) =>
    read.some((row) => row.shard === shard) ? 1 : 0;
  const inOrder = held
    .filter(({ value }) => value > 0)
    .sort((a, b) => isRead(b) - isRead(a) || b.value - a.value);
  const chosen: number[] = [];
  let missing = count;
  for (const { shard, value } of inOrder) {
    if (missing <= limit.tolerance) break;
    chosen.push(shard);
    missing -= value;
  }
  return chosen;
}

/** The rows to give a count back to: as few as have room for it, the emptiest first. */
export function rowsToFill(
  { share, tolerance }: Limit,
  held: readonly Held[],
  count: number,
): Held[] {
  const chosen: Held[] = [];
  let missing = count;
  for (const row of [...held].sort((a, b) => a.value - b.value)) {
    const room = share.capacity - row.value;
    if (missing <= tolerance || room <= 0) break;
    chosen.push(row);
    missing -= room;
  }
  return chosen;
}
