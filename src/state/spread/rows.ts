import {
  partOf,
  project,
  type State,
  timeOfArrival,
} from "../../core/bucket.js";
import {
  configByRule,
  toleratedDeficit,
  type Limit,
  partOfLimit,
  ruleOf,
  toLimit,
} from "../../core/limit.js";
import { giveBack, heldByAll } from "../../core/held.js";
import { sum } from "../../core/sum.js";
import type { Row, View } from "../../core/view.js";
import type { Credit } from "../../core/decide.js";
import { isIdle, lastUsedAt, toRow } from "../row/row.js";
import type { Place } from "../state.js";
import { canSplit, leastRows, mostRows, toSplitRow } from "./split.js";
import {
  isSplitRow,
  type Leaf,
  leavesOfTree,
  parentOf,
  rootLeaf,
  type SplitRow,
} from "./tree.js";

/* All rows of a limit key together: what they hold, and how that changes. */

type Dated = Pick<Row, "shard" | "into" | "fullAt">;

/**
 * When all of these rows are full; `Infinity` if one of them does not store it. A split row tells
 * of its parts that are not stored.
 */
export function allFullAt(rows: readonly Dated[]): number {
  let last = -Infinity;
  for (const { shard, into, fullAt = Infinity } of rows) {
    const isPart = (row: Dated) => parentOf(row.shard) === shard;
    if (into === undefined || rows.filter(isPart).length < into) {
      last = Math.max(last, fullAt);
    }
  }
  return last;
}

/** Whether a key with these rows is idle, see {@link isIdle}. */
export function areIdle(rows: readonly Dated[], now: number): boolean {
  return isIdle(allFullAt(rows), now);
}

/** The time of a limit: the clock's, or the latest `ts` of its rows if the clock stepped back. */
function timeOf(rows: readonly Row[], now: number): number {
  return Math.max(now, ...rows.map(({ ts }) => ts));
}

/** Row 0 of a key. */
export function rootOf(rows: readonly Row[]): Row | undefined {
  return rows.find(({ shard }) => shard === 0);
}

/**
 * Whether `@convex-dev/rate-limiter` wrote the rows of a key. Row 0 tells: that package stores no
 * `fullAt`, and not always a row 0. Only for a key that has rows.
 */
export function isUnmigrated(root: Row | undefined): boolean {
  return root?.fullAt === undefined;
}

/**
 * Whether a key's stored rows can be used as they are: a single row, or rows that count under the
 * limit's current rule. A row that is not split needs no rule: its balance follows from the rule of
 * whoever reads it.
 */
export function isUsable(
  limit: Limit,
  root: Row | undefined,
  now: number,
): boolean {
  if (root === undefined || !isSplitRow(root)) return true;
  return countsAlike(limit, root) && !mayBeginAnew(limit, root, now);
}

/** Whether the rows below this row 0 count as the limit's rows do now. */
function countsAlike(limit: Limit, root: Row | undefined): boolean {
  return canSplit(limit) && root?.rule === ruleOf(limit);
}

/**
 * Whether a key with this row 0 may start over with different windows: with the next use, if the
 * window from the first use is over, or if the key is idle. Row 0 alone cannot tell either: that
 * takes all rows.
 */
function mayBeginAnew({ whole }: Limit, root: SplitRow, now: number): boolean {
  if (whole.refill.startsWithUse) {
    return now >= timeOfArrival(whole, root, whole.rate);
  }
  if (!areIdle([root], now)) return false;
  const { ts, nextAt } = root;
  if (whole.refill.startAt(ts) !== ts) return true;
  return (
    nextAt !== undefined && nextAt !== timeOfArrival(whole, { ts }, whole.rate)
  );
}

/**
 * The rows of a key as the limit counts them: those that are stored, if they are usable (see
 * {@link isUsable}). Otherwise all of them, gathered in a new row 0, which the next write of the
 * key stores in their place.
 */
export function rowsAsCounted(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): readonly Row[] {
  const root = rootOf(rows);
  const time = timeOf(rows, now);
  // An idle key is full.
  if (areIdle(rows, time)) return [];
  const isAlone = root && rows.length === 1;
  const isOwn = !isUnmigrated(root) || (isAlone && leastRows(limit) === 1);
  if (isOwn && isUsable(limit, root, time)) return rows;
  const one = gatherStored(limit, root, rows, time);
  const into = fanOutAfter(limit, root, rows);
  if (into === 1) return [one];
  // Projected, so that all parts have the window of row 0.
  const { value, ts, nextAt } = project(limit.whole, one, time);
  return [{ ...one, value, ts, nextAt, into, rule: ruleOf(limit) }];
}

/**
 * The leaves of a key as a client is to count them, and those that are to be gathered as they count
 * until then; undefined for an idle key.
 */
export function countedRows(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): Pick<Leaf, "parts" | "row">[] | undefined {
  const time = timeOf(rows, now);
  if (areIdle(rows, time)) return undefined;
  const root = rootOf(rows);
  // As they are to be gathered when their window is over.
  if (limit.whole.refill.startsWithUse && rows.length > 1) {
    return [{ parts: 1, row: gatherStored(limit, root, rows, time) }];
  }
  const present = countsAlike(limit, root)
    ? rows
    : rowsAsCounted(limit, rows, time);
  // A row 0 with no stored row below it holds the whole limit.
  return present.length === 1
    ? [{ parts: 1, row: present[0] }]
    : leavesOfTree(present);
}

/**
 * All rows as one, as if the limit had never been split: what they held together when the last of
 * them was written, under the rule of that time. If only the windows of the limit have moved, what
 * they hold now, since until then they count as they are.
 */
function gatherStored(
  limit: Limit,
  root: Row | undefined,
  rows: readonly Row[],
  now: number,
): Row {
  const isUnmigratedKey = isUnmigrated(root);
  // If no row below row 0 was written, row 0 holds the whole limit.
  if (!isUnmigratedKey && rows.length === 1) {
    return { ...root!, into: undefined, rule: undefined, owes: undefined };
  }
  const usedAt = Math.max(...rows.map(lastUsedAt));
  const haveMoved =
    countsAlike(limit, root) && !limit.whole.refill.startsWithUse;
  const time = timeOf(rows, haveMoved ? now : usedAt);
  const leaves = isUnmigratedKey
    ? equalLeaves(rows, leastRows(limit))
    : leavesOfTree(rows);
  const whole =
    root?.rule === undefined
      ? limit.whole
      : toLimit(limit.name, configByRule(root.rule, root.ts)).whole;
  const { value, ts, nextAt, held } = gatherStates(
    leaves.map(({ row, parts }) => project(partOf(whole, parts), row, time)),
  );
  const [{ parts }] = leaves as [Leaf];
  const absent = isUnmigratedKey ? 1 - leaves.length / parts : 0;
  const fullAt = allFullAt(rows);
  return {
    shard: 0,
    value: value + absent * whole.capacity,
    ts,
    nextAt,
    fullAt: fullAt === Infinity ? undefined : fullAt,
    usedAt,
    held,
  };
}

/**
 * The rows of `@convex-dev/rate-limiter` as leaves of equal size. That package does not store how
 * many there are: as many as the limit has shards, or more if a row has a higher number.
 */
function equalLeaves(rows: readonly Row[], least: number): Leaf[] {
  const parts = Math.max(least, ...rows.map(({ shard }) => shard + 1));
  return rows.map((row) => ({ shard: row.shard, parts, row }));
}

/** Into how many rows to split the row that these are gathered in: as many as there are. */
function fanOutAfter(
  limit: Limit,
  root: Row | undefined,
  rows: readonly Row[],
): number {
  if (isUnmigrated(root)) return leastRows(limit);
  return canSplit(limit) && isSplitRow(root!)
    ? mostRows(leavesOfTree(rows).length, limit.usual)
    : 1;
}

/** A row 0 that is to replace all others, as it is stored. */
export function rootToStore(limit: Limit, one: Row, now: number): Row {
  if (!isSplitRow(one)) return one;
  const row = toRow(limit, project(limit.whole, one, now), now);
  // Keeps `usedAt`: this write must not make the limit busy.
  const usedAt = lastUsedAt(one);
  return { ...toSplitRow(limit, row, one.into, now), usedAt };
}

/** The balance of one row of a limit. */
export type Balance = State & {
  shard: number;
  /** How many such rows make up the whole limit. */
  parts: number;
  /** For row 0, into how many rows it is to be split. */
  into?: number | undefined;
};

/** The leaves of a limit now, each with its row if that is stored. */
export function leavesOf(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): Leaf[] {
  const counted = rowsAsCounted(limit, rows, now);
  return counted.length === 0 ? [rootLeaf(undefined)] : leavesOfTree(counted);
}

/**
 * The balance of each row of a limit at the time `now`, given all rows stored for its key. All are
 * projected to the same time: `now`, or the latest `ts` if the clock stepped back.
 */
export function allBalances(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): Balance[] {
  const time = timeOf(rows, now);
  return balancesOf(limit, leavesOf(limit, rows, time), time);
}

/** The balances of leaves; those without a row are full. */
export function balancesOf(
  limit: Limit,
  leaves: readonly Leaf[],
  time: number,
): Balance[] {
  return leaves.map((leaf) => balanceOfLeaf(limit, leaf, time));
}

export function balanceOfLeaf(
  limit: Limit,
  { shard, parts, row }: Leaf,
  time: number,
): Balance {
  const bucket = partOfLimit(limit, parts);
  const { value, ts, nextAt, held } = project(bucket, row, time);
  return { shard, parts, value, ts, nextAt, held };
}

/** The balance of rows in total. */
export function total(balances: readonly Pick<State, "value">[]): number {
  return sum(balances.map(({ value }) => value));
}

/** Gathers several rows into the state of one. */
export function gatherStates(states: readonly State[]): State {
  const nexts = states.flatMap(({ nextAt = [] }) => nextAt);
  return {
    value: total(states),
    ts: Math.max(...states.map(({ ts }) => ts)),
    nextAt: nexts.length > 0 ? Math.max(...nexts) : undefined,
    held: heldByAll(states.map(({ held }) => held)),
  };
}

/** The view of a key with all its rows. */
export function viewOfRows(rows: readonly Row[]): View {
  return {
    balance: (limit, time) => total(allBalances(limit, rows, time)),
    arrival: (limit, tokens, from) =>
      timeOfArrival(limit.whole, allBalances(limit, rows, from)[0]!, tokens),
    isIdle: (time) => areIdle(rows, time),
    leaving(limit, left, now) {
      const { owes } = rootOf(rows) ?? {};
      const all = gatheredIfOwing(allBalances(limit, rows, now), left, owes);
      const given = left - total(all);
      const writes =
        given > 0
          ? credited(limit, all, given, now).writes
          : drained(limit, all, left, now);
      return { writes, view: viewOfRows(afterWrites(rows, writes)) };
    },
  };
}

/** The rows of a limit after some were written. */
function afterWrites(rows: readonly Row[], writes: readonly Row[]): Row[] {
  const written = new Set(writes.map(({ shard }) => shard));
  if (written.has(0)) return [...writes];
  return [...rows.filter(({ shard }) => !written.has(shard)), ...writes];
}

/**
 * All rows of a limit; gathered in row 0 if they are in debt now, or are to have `left` tokens and
 * that is a debt. Then all must be written anyway, and in row 0 each owes an equal part: all pay it
 * off at the same time, and none grants before then.
 *
 * @param owes What row 0 says. Even if all debts are paid by now, only gathering makes it forget.
 */
export function gatheredIfOwing(
  all: readonly Balance[],
  left: number = 0,
  owes: boolean = false,
): readonly Balance[] {
  const isOwing = owes || left < 0 || all.some(({ value }) => value < 0);
  if (!isOwing || all.length === 1) return all;
  // As many rows as before: they were split because they are hot.
  return [{ shard: 0, parts: 1, ...gatherStates(all), into: all.length }];
}

/**
 * Takes tokens from rows until `left` remain in total, and returns the rows to write. The first row
 * that holds enough gives all; otherwise the fullest rows give first. Only a single row may go into
 * debt.
 */
export function drained(
  limit: Limit,
  balances: readonly Balance[],
  left: number,
  now: number,
): Row[] {
  const count = total(balances) - left;
  const values = balances.map(({ value }) => value);
  const least = count - toleratedDeficit(limit, count);
  const single = values.findIndex((value) => value >= least);
  if (values.length === 1) values[0] = left;
  else if (single !== -1) values[single] = Math.max(0, values[single]! - count);
  else {
    // The emptiest keep what they have. Summing from the smallest up, large counts lose no digits.
    const kept: number[] = [];
    for (const i of byValue(values)) {
      const value = Math.min(values[i]!, Math.max(0, left - sum(kept)));
      kept.push(value);
      values[i] = value;
    }
  }
  return changedRows(limit, balances, values, now);
}

/**
 * Gives tokens back to rows, up to the capacity: first to rows in debt, then to the emptiest. With
 * the place of a hold, only what the refill has not replaced since.
 */
export function given(
  limit: Limit,
  balances: readonly Balance[],
  count: number,
  place: Place | undefined,
  now: number,
): Credit {
  return place
    ? givenBack(limit, balances, count, place, now)
    : credited(limit, balances, count, now);
}

export function credited(
  limit: Limit,
  balances: readonly Balance[],
  count: number,
  now: number,
): Credit {
  const values = balances.map(({ value }) => value);
  let missing = count;
  for (const i of byValue(values)) {
    const room = roomIn(limit, balances[i]!);
    const given = Math.min(missing, room);
    if (given <= 0) continue;
    // Without a rounding error where it fits.
    values[i] =
      missing < room
        ? values[i]! + missing
        : partOfLimit(limit, balances[i]!.parts).capacity;
    missing -= given;
  }
  const writes = changedRows(limit, balances, values, now);
  return { credited: count - missing, writes };
}

/** Gives back to rows what a hold did not use, as far as the refill has not replaced it. */
function givenBack(
  limit: Limit,
  balances: readonly Balance[],
  count: number,
  { since, shard }: Place,
  now: number,
): Credit {
  let missing = count;
  const writes: Row[] = [];
  for (const balance of balances) {
    const isOwn = balance.shard === shard;
    const { given, held } = giveBack(balance.held, since, missing, isOwn);
    if (given <= 0) continue;
    missing -= given;
    const value = balance.value + given;
    writes.push(toStoredRow(limit, { ...balance, value, held }, now));
  }
  return { credited: count - missing, writes };
}

/** How many tokens fit into a row. */
export function roomIn(limit: Limit, { value, parts }: Balance): number {
  return partOfLimit(limit, parts).capacity - value;
}

/** The indexes of the values, the smallest value first. */
function byValue(values: readonly number[]): number[] {
  return Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
}

function changedRows(
  limit: Limit,
  balances: readonly Balance[],
  values: readonly number[],
  now: number,
): Row[] {
  const rows: Row[] = [];
  for (const [i, balance] of balances.entries()) {
    const value = values[i]!;
    if (value !== balance.value) {
      rows.push(toStoredRow(limit, { ...balance, value }, now));
    }
  }
  return rows;
}

function toStoredRow(limit: Limit, balance: Balance, now: number): Row {
  const { shard, parts, into = 1 } = balance;
  const row = { ...toRow(limit, balance, now, parts), shard };
  return into > 1 ? toSplitRow(limit, row, into, now) : row;
}
