import { trickle } from "./arrivals.js";
import {
  isLive,
  partOf,
  project,
  timeWhenAbsent,
  type Bucket,
  type State,
} from "./bucket.js";
import { lastUse, type Row } from "./row.js";
import { shareOf, type Limit } from "./limit.js";
import { isSignpost, leavesOfTree, mostChildren, type Leaf } from "./tree.js";

/** Sums numbers without piling up rounding errors: Neumaier's summation. */
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

/** The time of a limit: the clock's, or the latest `ts` of its rows if the clock stepped back. */
function timeOf(rows: readonly Row[], now: number): number {
  let time = now;
  for (const { ts } of rows) time = Math.max(time, ts);
  return time;
}

/** The rows that still count: see {@link isLive}. */
export function liveRows(rows: readonly Row[], now: number): Row[] {
  return rows.filter((row) => isLive(row, now));
}

/**
 * How many rows the limit was split over when a row was written. A row without `of` was the only
 * one. Undefined if `@convex-dev/rate-limiter` wrote the row: it stores neither the split nor
 * `fullAt`.
 */
function splitOf({ of, fullAt }: Row): number | undefined {
  return of ?? (fullAt === undefined ? undefined : 1);
}

/**
 * The live row that was written last: its split and windows are those of the key. Rows that store
 * their split come before rows that do not.
 */
export function newest(rows: readonly Row[], at: number): Row | undefined {
  let last: Row | undefined;
  for (const row of rows) {
    if (!isLive(row, at)) continue;
    if (last === undefined || tellsMore(row, last)) last = row;
  }
  return last;
}

/** Whether `row` is a better source than `other` for the split and windows of the key. */
function tellsMore(row: Row, other: Row): boolean {
  const tells = splitOf(row) !== undefined;
  if (tells !== (splitOf(other) !== undefined)) return tells;
  return lastUse(row) > lastUse(other);
}

/**
 * Whether these rows were written under another split or capacity than the limit has now.
 *
 * After such a change, absent rows are not full by the new config, and the next write rewrites all
 * rows. Under a lowered capacity that includes full rows, which would count as they stand once the
 * capacity is raised again. In a limit that is no longer split it includes the one row, whose
 * stored split would otherwise stay wrong.
 */
export function isOutdated(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): boolean {
  // A shortcut, since most limits never change.
  const isSplit = isSplitOver(limit, rows);
  if (rows.every((row) => isOfThisSplit(limit, row, isSplit))) return false;
  return isBehind(limit, rows, newest(rows, timeOf(rows, now)));
}

/** Whether the limit is split: always, or by itself in these rows. */
function isSplitOver({ shards, isAuto }: Limit, rows: readonly Row[]): boolean {
  return shards > 1 || (isAuto && rows.some(isSignpost));
}

/** As {@link isOutdated}, given the newest row. */
function isBehind(
  limit: Limit,
  rows: readonly Row[],
  last: Row | undefined,
): boolean {
  if (!limit.isAuto && rows.some(isSignpost)) return true;
  const isSplit = isSplitOver(limit, rows);
  if (last !== undefined) return !isOfThisSplit(limit, last, isSplit);
  const isLowered = limit.whole.capacity < limit.usualCapacity;
  return (
    (isLowered || limit.shards === 1) &&
    rows.some((row) => !isOfThisSplit(limit, row, isSplit))
  );
}

/** Whether a row has the limit's split and capacity. A row that stores no split counts as such. */
function isOfThisSplit(
  { shards, isAuto, whole, usualCapacity }: Limit,
  row: Row,
  isSplit: boolean,
): boolean {
  if (isSignpost(row) && !isAuto) return false;
  const { capacity = usualCapacity } = row;
  const of = splitOf(row) ?? shards;
  return of === shards && (!isSplit || capacity === whole.capacity);
}

/**
 * Whether the windows of a row in a split limit are those of the key. After a change of `start`,
 * kind or calendar, the key stays in the windows of its newest row. So the windows of a row do not
 * count if it was written by another kind or calendar, or if it has expired and its `ts` is not
 * where a window starts now.
 */
function tellsWindows({ kind, share }: Limit, row: Row, now: number): boolean {
  if (kind !== "fixed window") return true;
  const { arrivals } = share;
  const { ts, nextAt } = row;
  const isInUse = isLive(row, now);
  // No tokens arrive before `nextAt`, whatever the calendar.
  if (arrivals.isCalendar && isInUse && now < (nextAt ?? now)) return true;
  if (isOfBucket(row) || nextAt !== nextAfter(share, ts)) return false;
  return isInUse || arrivals.startAt(ts) === ts;
}

/** For a calendar, when the first window that begins at `ts` or later ends; else undefined. */
function nextAfter({ arrivals, rate }: Bucket, ts: number): number | undefined {
  return arrivals.isCalendar && arrivals.when(ts, rate, rate);
}

/**
 * Whether a row of a split limit was written while the limit was a token bucket: rows of windows
 * store `usedAt`. Rows of `@convex-dev/rate-limiter` store neither `usedAt` nor `fullAt`.
 */
function isOfBucket({ fullAt, usedAt }: Row): boolean {
  return fullAt !== undefined && usedAt === undefined;
}

/**
 * Whether the balance of one row in a split limit can be told without reading the others. Not that
 * of an absent row: it is full only if the others have the same split and capacity, and it shares
 * their windows. Nor that of a row from before the windows changed, or of a row by a release that
 * let some rows grant while others were in debt.
 */
export function speaksForItself(
  limit: Limit,
  row: Row | undefined,
  now: number,
): boolean {
  const { isAuto, shards } = limit;
  const isMarked = row !== undefined && (isAuto || row.of === shards);
  if (!isMarked || !isOfThisSplit(limit, row, true)) return false;
  const isUsual =
    row.capacity === undefined && limit.whole.capacity === limit.usualCapacity;
  return (isUsual || isLive(row, now)) && tellsWindows(limit, row, now);
}

/** Whether all rows have to be read: they are outdated, or some row is in debt. */
export function dependOnEachOther(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): boolean {
  return (
    isOutdated(limit, rows, now) ||
    leavesOf(limit, rows).some(
      (leaf) => leaf.row !== undefined && holding(limit, leaf, now).value < 0,
    )
  );
}

/** The rows that a limit is split over now, with what is stored of them. */
export function leavesOf(limit: Limit, rows: readonly Row[]): Leaf[] {
  return limit.isAuto ? leavesOfTree(rows) : equalLeaves(rows, limit.shards);
}

function equalLeaves(rows: readonly Row[], parts: number): Leaf[] {
  const byShard: (Row | undefined)[] = [];
  for (const row of rows) byShard[row.shard] = row;
  const leaves: Leaf[] = [];
  for (let shard = 0; shard < parts; shard++) {
    leaves.push({ shard, parts, row: byShard[shard] });
  }
  return leaves;
}

/** The balance of one row of a limit. */
export type Held = Pick<Row, "shard" | "value" | "ts" | "nextAt" | "into"> & {
  /** How many such rows make up the whole limit. */
  parts: number;
  /** The next write rewrites the row even if its balance stays: see {@link isOutdated}. */
  isOutdated?: true;
};

/**
 * The balance of each row of a limit at the time `now`, given all rows stored for its key. All are
 * projected to the same time: `now`, or the latest `ts` if the clock stepped back.
 *
 * Rows of another split or capacity are summed under their old terms, and the sum is divided
 * evenly: a change adds no tokens and forgives no debt.
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
  if (!isSplitOver(limit, rows)) {
    return [holding(limit, { shard: 0, parts: 1, row: last }, at)];
  }
  return leavesOf(limit, rows).map((leaf) => holding(limit, leaf, at, last));
}

/**
 * What leases leave of a concurrency limit; negative if the capacity was lowered below what is
 * held. Uses the clock's time even if the clock stepped back: a lease that had ended is then held
 * again.
 */
function heldInLeases(
  { whole }: Limit,
  leases: readonly Row[],
  now: number,
): Held {
  const taken = liveRows(leases, now).map(({ value }) => value);
  const value = sum([whole.capacity, ...taken]);
  return { shard: 0, parts: 1, value, ts: now };
}

/**
 * A lease as a row of a concurrency limit: it takes `count` from the capacity until it ends.
 */
export function toLease(count: number, ts: number, endsAt: number): Row {
  return { shard: 0, value: -count, ts, fullAt: endsAt };
}

/**
 * The balance of one row of a limit; an absent one is full.
 *
 * @param last The {@link newest} row of the key, if this one needs it: {@link speaksForItself}.
 */
export function holding(
  limit: Limit,
  { shard, parts, row }: Leaf,
  now: number,
  last?: Row,
): Held {
  const share = shareOf(limit, parts);
  const state = last && besideLast(limit, share, row, last, now);
  const { value, ts, nextAt } = project(share, state ?? row, now);
  return { shard, parts, value, ts, nextAt };
}

/** A row's state, moved to the windows of the newest row if its own do not count. */
function besideLast<Stored extends Row | undefined>(
  limit: Limit,
  share: Bucket,
  row: Stored,
  last: Row,
  now: number,
): Stored | State {
  if (limit.kind !== "fixed window") return row;
  const live = row !== undefined && isLive(row, now) ? row : undefined;
  return live !== undefined && tellsWindows(limit, live, now)
    ? live
    : broughtTo(last, live, limit, share);
}

/**
 * A row's state at the time of the newest row, as if both had been written then; full if the row
 * was absent or full by that time. From then on, both gain tokens at the same times.
 *
 * @param share The bucket of one row at that time.
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
  // The newest row has an earlier `ts`: it is full by now, or a clock was ahead.
  if (row.ts > ts) return { value: row.value, ts: row.ts, nextAt: row.nextAt };
  const before = isOfBucket(row)
    ? { ...share, arrivals: trickle(period) }
    : share;
  return { value: project(before, row, ts).value, ts, nextAt };
}

/** The balance of rows in total. */
export function total(held: readonly Held[]): number {
  return held.length === 1 ? held[0]!.value : sum(held.map((row) => row.value));
}

/** The total of rows of another split or capacity, divided evenly over the rows of the limit. */
function heldBefore(
  limit: Limit,
  rows: readonly Row[],
  last: Row,
  at: number,
): Held[] {
  const held = rowsBefore(limit, rows, last, at).map(({ state, parts }) => ({
    shard: 0,
    parts,
    ...project(partOf(limit.whole, parts), state, at),
  }));
  if (limit.isAuto) return [gathered(limit, held)];
  const { value, ts, nextAt } = together(held);
  const { shards } = limit;
  return Array.from({ length: shards }, (_, shard) => ({
    shard,
    parts: shards,
    value: value / shards,
    ts,
    nextAt,
  }));
}

/**
 * All rows of a limit that splits itself, merged into row 0, which is then split evenly into at
 * most this many rows. Writing it replaces all others.
 */
export function gathered(
  { whole }: Limit,
  held: readonly Held[],
  most: number = held.length,
): Held {
  const into = Math.min(most, mostChildren(whole.capacity));
  return {
    shard: 0,
    parts: 1,
    ...together(held),
    into: into > 1 ? into : undefined,
    isOutdated: true,
  };
}

/** The rows of a limit after some were written. */
export function afterWrites(
  { shards, isAuto }: Limit,
  rows: readonly Row[],
  writes: readonly Row[],
): Row[] {
  const written = new Map(writes.map((row) => [row.shard, row]));
  if (isAuto && written.has(0)) return [...writes];
  return [...rows.filter(({ shard }) => !written.has(shard)), ...writes].filter(
    ({ shard }) => isAuto || shard < shards,
  );
}

/** Several rows merged into the state of one. */
export function together(held: readonly State[]): State {
  const nexts = held.flatMap(({ nextAt = [] }) => nextAt);
  return {
    value: sum(held.map(({ value }) => value)),
    ts: Math.max(...held.map(({ ts }) => ts)),
    nextAt: nexts.length > 0 ? Math.max(...nexts) : undefined,
  };
}

/**
 * All rows of the key's former split and capacity, absent and expired ones included, each as it was
 * at the last write: tokens that arrived until then were capped by the former capacity.
 */
function rowsBefore(
  limit: Limit,
  rows: readonly Row[],
  last: Row,
  at: number,
): { state: State; parts: number }[] {
  const { whole, usualCapacity } = limit;
  const { capacity = usualCapacity } = last;
  const of = splitOf(last) ?? limit.shards;
  const leaves =
    of === 1 && rows.some(isSignpost)
      ? leavesOfTree(rows)
      : equalLeaves(rows, of);
  // A page takes full rows to be full by today's capacity; a raised one was lower back then.
  const isRaised = capacity < whole.capacity;
  return leaves.map(({ parts, row }) => {
    const before = partOf({ ...whole, capacity }, parts);
    if (isRaised) return { state: broughtTo(last, row, limit, before), parts };
    const live = row && isLive(row, at) ? row : undefined;
    const { fullAt } = live ?? {};
    const state = { ...broughtTo(last, live, limit, before), fullAt };
    return { state, parts };
  });
}

/**
 * The rows of a limit in the form that a client can project. `shards` is how many rows there are;
 * those not in `rows` are full. From `fullFrom` on, all of them are. Of rows of unequal size all
 * are listed, each with its `parts`.
 */
export function shownRows(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): {
  shards: number;
  rows: (State & { parts?: number })[];
  fullFrom?: number;
} {
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
  if (!isBehind(limit, rows, last)) {
    const leaves = leavesOf(limit, rows);
    return {
      shards: leaves.length,
      rows: leaves.flatMap(({ parts, row }) => {
        if (row === undefined) return [];
        const share = shareOf(limit, parts);
        const state = besideLast(limit, share, row, last, at);
        const shown =
          state === row ? asState(row) : { ...state, fullAt: fullFrom };
        return [parts === leaves.length ? shown : { ...shown, parts }];
      }),
    };
  }
  const before = rowsBefore(limit, rows, last, at);
  return {
    shards: before.length,
    rows: before.map(({ state, parts }) =>
      parts === before.length ? state : { ...state, parts },
    ),
    fullFrom,
  };
}

function asState({ value, ts, fullAt, nextAt }: State): State {
  return { value, ts, fullAt, nextAt };
}

/** The row to store for a balance. */
export function toRow(
  limit: Limit,
  { shard, parts, value, ts, nextAt, into, isOutdated }: Held,
  now: number,
): Row {
  const { shards, isAuto, whole, usualCapacity } = limit;
  const share = shareOf(limit, parts);
  const next = nextAfter(share, ts);
  // Without a calendar, `nextAt` is dropped.
  const settled = next && (nextAt ?? next);
  const state = { value, ts, nextAt: settled };
  const fullAt = Math.max(now, timeWhenAbsent(share, state));
  // Without spreads, which V8 is slow with.
  const row: Row = { shard, value, ts, nextAt: settled, fullAt };
  if (limit.kind === "fixed window") row.usedAt = now;
  if (shards > 1 || isOutdated) row.of = isAuto ? undefined : shards;
  const isOverridden = whole.capacity !== usualCapacity;
  if (isOverridden && (shards > 1 || isAuto)) row.capacity = whole.capacity;
  if (into !== undefined) row.into = into;
  return row;
}
