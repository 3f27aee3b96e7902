import { trickle } from "./arrivals.js";
import {
  isLive,
  partOf,
  project,
  timeWhenAbsent,
  type Bucket,
  type State,
} from "./bucket.js";
import type { Limit } from "./limit.js";

/** One stored row of a limit and key. */
export type Row = State & {
  /** Which one, from 0 up; 0 for a limit that is not split. */
  shard: number;
  /** When it was last written, where `ts` does not tell. */
  usedAt?: number | undefined;
  /** Over how many rows the limit was split when it was written: see {@link splitOf}. */
  of?: number | undefined;
  /** The capacity of the whole limit when it was written; the config's if not said. */
  capacity?: number | undefined;
};

/** The sum of many numbers, without the rounding errors of their addition. */
export function sum(numbers: readonly number[]): number {
  let all = 0;
  let lost = 0;
  for (const n of numbers) {
    const next = all + n;
    lost += Math.abs(all) >= Math.abs(n) ? all - next + n : n - next + all;
    all = next;
  }
  return all + lost;
}

/** When a row was last written. */
export function lastUse({ usedAt, ts }: Row): number {
  return usedAt ?? ts;
}

/** The time of a limit: the clock's, unless a row was written at a later one. */
function timeOf(rows: readonly Row[], now: number): number {
  let time = now;
  for (const { ts } of rows) time = Math.max(time, ts);
  return time;
}

/** The rows that still say something. */
export function liveRows(rows: readonly Row[], now: number): Row[] {
  return rows.filter((row) => isLive(row, now));
}

/**
 * Over how many rows the limit was split when a row was written. Without `of` it was the only
 * one, unless `@convex-dev/rate-limiter` wrote it: that stores no `fullAt`, and nothing of the
 * split.
 */
function splitOf({ of, fullAt }: Row): number | undefined {
  return of ?? (fullAt === undefined ? undefined : 1);
}

/**
 * The row that tells how the limit was split and in which windows it is: of those that still say
 * something the one that was written last, and rather one that says its split than one that
 * does not.
 */
export function newest(rows: readonly Row[], at: number): Row | undefined {
  let last: Row | undefined;
  for (const row of rows) {
    if (!isLive(row, at)) continue;
    if (last === undefined || tellsMore(row, last)) last = row;
  }
  return last;
}

/** Whether one row tells how the limit is split, rather than another. */
function tellsMore(row: Row, other: Row): boolean {
  const tells = splitOf(row) !== undefined;
  if (tells !== (splitOf(other) !== undefined)) return tells;
  return lastUse(row) > lastUse(other);
}

/**
 * Whether these rows were written under another split or capacity than the limit has now.
 * Then absent rows are not full by what it says now, and all rows are to be written anew: under a
 * lowered capacity also those that are full, which would be taken at their word when it ends; and of
 * a limit that is not split, as its row would go on to say of how many it was.
 */
export function isOutdated(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): boolean {
  // Most limits never change: a look at each row, whether it is in use or not.
  if (rows.every((row) => isOfThisSplit(limit, row))) return false;
  return isBehind(limit, rows, newest(rows, timeOf(rows, now)));
}

/** The same, given which of them is the newest. */
function isBehind(
  limit: Limit,
  rows: readonly Row[],
  last: Row | undefined,
): boolean {
  if (last !== undefined) return !isOfThisSplit(limit, last);
  const isLowered = limit.whole.capacity < limit.usualCapacity;
  return (
    (isLowered || limit.shards === 1) &&
    rows.some((row) => !isOfThisSplit(limit, row))
  );
}

/** One that does not tell its split counts as of this one. */
function isOfThisSplit(
  { shards, whole, usualCapacity }: Limit,
  row: Row,
): boolean {
  const { capacity = usualCapacity } = row;
  const of = splitOf(row) ?? shards;
  return of === shards && (shards === 1 || capacity === whole.capacity);
}

/**
 * Whether a row of a split limit tells in which windows it is. A change of `start`, kind or calendar
 * leaves a key in the windows of its newest row: beside that one, rows of another kind or calendar
 * tell theirs, and full ones that are not where windows start now.
 */
function tellsWindows({ kind, share }: Limit, row: Row, now: number): boolean {
  if (kind !== "fixed window") return true;
  const { arrivals } = share;
  const { ts, nextAt } = row;
  const isInUse = isLive(row, now);
  // Until then nothing comes, by whatever calendar.
  if (arrivals.isCalendar && isInUse && now < (nextAt ?? now)) return true;
  if (isOfBucket(row) || nextAt !== nextAfter(share, ts)) return false;
  return isInUse || arrivals.startAt(ts) === ts;
}

/** Of a calendar, when the first window that begins at `ts` or later ends. */
function nextAfter({ arrivals, rate }: Bucket, ts: number): number | undefined {
  return arrivals.isCalendar && arrivals.when(ts, rate, rate);
}

/**
 * Whether a row of a split limit was written while that was a token bucket: those of windows say
 * when. `@convex-dev/rate-limiter` stores neither that nor `fullAt`.
 */
function isOfBucket({ fullAt, usedAt }: Row): boolean {
  return fullAt !== undefined && usedAt === undefined;
}

/**
 * Whether one row of a split limit says by itself what it holds. An absent row does not: it
 * is full only if the others were written under the same split and capacity, and its windows are
 * theirs. Nor does a row from before the windows changed, or one of a release that let some rows
 * grant while others were in debt.
 */
export function speaksForItself(
  limit: Limit,
  row: Row | undefined,
  now: number,
): boolean {
  const isMarked = row !== undefined && row.of === limit.shards;
  if (!isMarked || !isOfThisSplit(limit, row)) return false;
  const isUsual =
    row.capacity === undefined && limit.whole.capacity === limit.usualCapacity;
  return (isUsual || isLive(row, now)) && tellsWindows(limit, row, now);
}

/** Whether all rows have to be read, since one of them would not tell: see {@link speaksForItself}. */
export function dependOnEachOther(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): boolean {
  return (
    isOutdated(limit, rows, now) ||
    rows.some((row) => holding(limit, row, row.shard, now).value < 0)
  );
}

/** What one row of a limit holds. */
export type Held = Pick<Row, "shard" | "value" | "ts" | "nextAt"> & {
  /** It is to be written anew, in whatever way it changes: see {@link isOutdated}. */
  isOutdated?: true;
};

/**
 * What each row of a limit holds at the time `now`, given all rows that are stored for
 * its key. Rows are projected to one time, that of the newest if a clock stepped back.
 *
 * Rows of another split or capacity are summed up as those that they were, and the sum is
 * held by all rows of the limit alike: a change adds no tokens and forgives no debt.
 */
export function holdings(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): Held[] {
  if (limit.kind === "concurrency") return [heldInLeases(limit, rows, now)];
  const at = timeOf(rows, now);
  const last = newest(rows, at);
  const isOld = isBehind(limit, rows, last);
  const held =
    isOld && last !== undefined
      ? heldBefore(limit, rows, last, at)
      : heldInRows(limit, rows, last, at);
  return isOld ? held.map((row) => ({ ...row, isOutdated: true })) : held;
}

function heldInRows(
  limit: Limit,
  rows: readonly Row[],
  last: Row | undefined,
  at: number,
): Held[] {
  if (limit.shards === 1) return [holding(limit, last, 0, at)];
  const byShard: (Row | undefined)[] = [];
  for (const row of rows) byShard[row.shard] = row;
  return upTo(limit.shards).map((shard) =>
    holding(limit, byShard[shard], shard, at, last),
  );
}

/**
 * What leases leave of a concurrency limit; negative where the capacity was lowered
 * below what is held. The clock's time counts: by a clock that stepped back, a lease that had
 * ended is held again.
 */
function heldInLeases(
  { whole }: Limit,
  leases: readonly Row[],
  now: number,
): Held {
  const taken = liveRows(leases, now).map(({ value }) => value);
  return { shard: 0, value: sum([whole.capacity, ...taken]), ts: now };
}

/**
 * A lease as a row of a concurrency limit: it takes so much from the whole until it
 * ends, and then nothing.
 */
export function toLease(count: number, ts: number, endsAt: number): Row {
  return { shard: 0, value: -count, ts, fullAt: endsAt };
}

/**
 * What one row of a limit holds; an absent one is full.
 *
 * @param last The {@link newest} row of the key, if this one does not speak for itself.
 */
export function holding(
  limit: Limit,
  row: Row | undefined,
  shard: number,
  now: number,
  last?: Row,
): Held {
  const state = last && besideLast(limit, row, last, now);
  const { value, ts, nextAt } = project(limit.share, state ?? row, now);
  return { shard, value, ts, nextAt };
}

/** A row as it is projected by itself: in the windows of the newest one, if it does not tell its own. */
function besideLast<Stored extends Row | undefined>(
  limit: Limit,
  row: Stored,
  last: Row,
  now: number,
): Stored | State {
  if (limit.kind !== "fixed window") return row;
  const live = row !== undefined && isLive(row, now) ? row : undefined;
  return live !== undefined && tellsWindows(limit, live, now)
    ? live
    : broughtTo(last, live, limit, limit.share);
}

/**
 * What a row held at the time of the newest one: the last write brings a limit in one row up to
 * date. It is full if it was absent or full then. From then on both gain tokens at the same times.
 *
 * @param share What a row could hold then.
 */
function broughtTo(
  last: Row,
  row: Row | undefined,
  { period }: Limit,
  share: Bucket,
): State {
  const { ts, nextAt } = last;
  if (row === undefined || !isLive(row, lastUse(last))) {
    return { value: share.capacity, ts, nextAt };
  }
  // Beside one that is full by now, or by a clock that was ahead.
  if (row.ts > ts) return { value: row.value, ts: row.ts, nextAt: row.nextAt };
  const before = isOfBucket(row)
    ? { ...share, arrivals: trickle(period) }
    : share;
  return { value: project(before, row, ts).value, ts, nextAt };
}

/** The tokens of rows together. */
export function total(held: readonly Held[]): number {
  return held.length === 1 ? held[0]!.value : sum(held.map((row) => row.value));
}

/** What a limit held in rows of another split or capacity, held by all of its rows alike. */
function heldBefore(
  limit: Limit,
  rows: readonly Row[],
  last: Row,
  at: number,
): Held[] {
  const { states, of } = rowsBefore(limit, rows, last, at);
  const share = partOf(limit.whole, of);
  const held = states.map((state) => project(share, state, at));
  const { value, ts, nextAt } = together(held);
  const { shards } = limit;
  return upTo(shards).map((shard) => ({
    shard,
    value: value / shards,
    ts,
    nextAt,
  }));
}

/** What rows hold together, as if one held it. */
export function together(held: readonly State[]): State {
  const nexts = held.flatMap(({ nextAt = [] }) => nextAt);
  return {
    value: sum(held.map(({ value }) => value)),
    ts: Math.max(...held.map(({ ts }) => ts)),
    nextAt: nexts.length > 0 ? Math.max(...nexts) : undefined,
  };
}

/**
 * The rows of another split or capacity, with those that are absent or say nothing any more: each as
 * it was when the limit was last written, since what arrived until then found no more room than
 * there was.
 */
function rowsBefore(
  limit: Limit,
  rows: readonly Row[],
  last: Row,
  at: number,
): { states: State[]; of: number } {
  const { whole, usualCapacity } = limit;
  const of = splitOf(last) ?? limit.shards;
  const { capacity = usualCapacity } = last;
  const before = partOf({ ...whole, capacity }, of);
  const byShard = new Map(rows.map((row) => [row.shard, row]));
  // To a page, full is what a row can hold now; when it was written, that may have been less.
  const isRaised = capacity < whole.capacity;
  const states = upTo(of).map((shard) => {
    const row = byShard.get(shard);
    if (isRaised) return broughtTo(last, row, limit, before);
    const live = row && isLive(row, at) ? row : undefined;
    const { fullAt } = live ?? {};
    return { ...broughtTo(last, live, limit, before), fullAt };
  });
  return { states, of };
}

/**
 * The rows that say what a limit holds, as a client can project them: over how many it is
 * split, and those of them that are not full. `fullFrom` is when all of them will be.
 */
export function shownRows(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): { shards: number; rows: State[]; fullFrom?: number } {
  if (limit.kind === "concurrency") {
    const { capacity } = limit.whole;
    const leases = rows.map((lease) => ({
      ...asState(lease),
      value: capacity + lease.value,
    }));
    return { shards: 1, rows: leases };
  }
  const at = timeOf(rows, now);
  const last = newest(rows, at);
  if (last === undefined) return { shards: limit.shards, rows: [] };
  const fullFrom = rows.reduce(
    (time, { fullAt = Infinity }) => Math.max(time, fullAt),
    -Infinity,
  );
  if (isOfThisSplit(limit, last)) {
    const stored = rows.filter(({ shard }) => shard < limit.shards);
    return {
      shards: limit.shards,
      rows: stored.map((row) => {
        const state = besideLast(limit, row, last, at);
        return state === row ? asState(row) : { ...state, fullAt: fullFrom };
      }),
    };
  }
  const { states, of } = rowsBefore(limit, rows, last, at);
  return { shards: of, rows: states, fullFrom };
}

function asState({ value, ts, fullAt, nextAt }: State): State {
  return { value, ts, fullAt, nextAt };
}

/** What is stored of a row that holds so much. */
export function toRow(
  limit: Limit,
  { shard, value, ts, nextAt, isOutdated }: Held,
  now: number,
): Row {
  const { shards, share, whole, usualCapacity } = limit;
  const next = nextAfter(share, ts);
  // A row that is not of a calendar forgets the next tokens of one.
  const state = { value, ts, nextAt: next && (nextAt ?? next) };
  const fullAt = Math.max(now, timeWhenAbsent(share, state));
  if (shards === 1 && !isOutdated) return { shard, ...state, fullAt };
  const isWindow = limit.kind === "fixed window" && shards > 1;
  const isOverridden = whole.capacity !== usualCapacity && shards > 1;
  return {
    shard,
    ...state,
    fullAt,
    of: shards,
    usedAt: isWindow ? now : undefined,
    capacity: isOverridden ? whole.capacity : undefined,
  };
}

function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i);
}
