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
 * 1. One row, at random, serves alone if it is well filled; else the fuller of two.
 * 2. If they are short, all rows are looked at. What they hold is searched for, unless the
 *    limit is busy and has little: then the last tokens are left to those who meet them.
 *
 * bench/RESULTS.md has the figures behind these numbers.
 */
export const POLICY = {
  /**
   * A row is well filled with this many times the count, or with this share of its
   * capacity. Else a second one is read, so that no row loses its refill for being full
   * while others are empty.
   */
  ampleCounts: 2,
  ampleShare: 1 / 2,
  /** A limit is busy if some row was written within this many ms, and it refills fast. */
  busyMs: 1000,
  /**
   * Slow is a limit that refills at most so many counts a second. Few wait for each new
   * token then, and do not collide when they search.
   */
  calmCountsPerSecond: 1,
  /** The same for a count that no single row can hold: it depends on a search. */
  calmLargeCountsPerSecond: 5,
  /**
   * The share of the rows that must hold the count before a busy limit is searched. At
   * (3 - sqrt 5) / 2 = 0.38 two looks at random rows just keep up with the refill.
   */
  freeShare: 3 / 8,
  /** And at least so many, so that two callers never fight over a lone token. */
  minFree: 2,
  /** How full a busy limit must be to serve a count that no single row holds. */
  fullShare: 3 / 4,
  /** How many rows are looked at first. If those are busy, they speak for all. */
  lookRows: 16,
} as const;

/** The row that is read first. */
export function firstRow({ shards }: Limit, random: () => number): number {
  return Math.floor(random() * shards);
}

/** The row that is read next, if the first one does not serve alone. */
export function secondRow(
  { shards }: Limit,
  first: number,
  random: () => number,
): number {
  const step = 1 + Math.floor(random() * (shards - 1));
  return (first + step) % shards;
}

/** Whether a row has so much that it serves without a second one being read. */
export function isAmple(limit: Limit, value: number, count: number): boolean {
  // With two rows the second one would be the whole rest.
  if (limit.shards <= 2) return true;
  const { ampleCounts, ampleShare } = POLICY;
  const ample = Math.min(
    ampleCounts * count,
    ampleShare * limit.share.capacity,
  );
  return value - Math.max(count, ample) >= -limit.tolerance;
}

/** How many rows are looked at to begin with: all, or so few that they only tell whether they are busy. */
export function rowsToLookAt(limit: Limit, count: number): number {
  const isLarge = count > limit.share.capacity;
  return isLarge ? limit.shards : Math.min(limit.shards, POLICY.lookRows);
}

/** Some rows of a limit: which they are, and what is stored of them. */
export type Seen = { shard: number; row: Row | undefined }[];

/**
 * Whether many wait for each new token. A row written at this very instant does not make a
 * limit busy: on a frozen clock, as in unit tests, the search is exact.
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
 * Whether a request is served out of these rows, which no row at hand could serve: if they
 * hold it together, and in a busy limit only if they hold it many times over.
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

/** What the rows that were seen hold; absent ones are full. */
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
 * About when a request will be served that is not now: when they hold it together, and the
 * limit is calm again.
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
 * The rows to take a count from, of rows that hold it together: a random one of those that
 * hold all of it, so that callers do not meet; else as few as it takes, those that are read
 * already first.
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

/** The rows to give a count to: as few as have room for it, the emptiest first. */
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
