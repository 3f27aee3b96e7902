import type { Infer } from "convex/values";
import { partOf, project, type State, timeOfArrival } from "./bucket.js";
import {
  fullAtByAllRules,
  type Limit,
  configByRule,
  ruleOf,
  mostRows,
  partOfLimit,
  toLimit,
} from "./limit.js";
import { HOUR } from "./periods.js";
import { sum } from "./sum.js";
import { isSplitRow, type Leaf, leavesOfTree, parentOf, rootLeaf } from "./tree.js";
import type { vRow } from "./validators.js";

/**
 * One stored row of a limit key: a balance, and when it is full. A split limit has several rows:
 * see core/tree.ts. A lease of a concurrency limit is shown as a row, too.
 */
export type Row = Infer<ReturnType<typeof vRow>> & {
  /** For a lease, when it ends. */
  endsAt?: number | undefined;
};

/** A row that was split. */
export type SplitRow = Row & { into: number };

/** When a row was last written. */
export function lastUsedAt({ usedAt, ts }: Pick<Row, "usedAt" | "ts">): number {
  return usedAt ?? ts;
}

/** Mutations that write one row within this many ms often run at the same time, and conflict. */
const CLOSE_MS = 50;

/**
 * How many ms ago another transaction wrote one of these rows, if that was so recent that the two
 * could have conflicted. For a call that has read these rows and writes.
 */
export function ageOfCloseWrite(
  { kind }: Limit,
  read: readonly Row[],
  now: number,
): number | undefined {
  // Windows from `@convex-dev/rate-limiter` do not store when they were written.
  let least = Infinity;
  for (const { usedAt, ts } of read) {
    const age = now - (usedAt ?? (kind === "fixed window" ? NaN : ts));
    // A row of age 0 was written by this transaction, whose clock stands still.
    if (age > 0 && age < least) least = age;
  }
  return least <= CLOSE_MS ? least : undefined;
}

/** From when to when the last write of a row took, in ms; undefined if that is not stored. */
export type RowWrite = { from: number; to: number };

export function writeOf(row: Row): RowWrite | undefined {
  if (row.at === undefined) return undefined;
  return { from: lastUsedAt(row), to: Math.floor(Number(row.at) / 1e6) };
}

/** Whether a write that began then followed another one sooner than that took. */
export function isClose({ from, to }: RowWrite, next: number): boolean {
  return next - to < to - from;
}

/**
 * A key is idle this long after all of its rows were full, so that clocks that differ by less
 * agree.
 */
export const IDLE_AFTER = HOUR;

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

type Dated = Pick<Row, "shard" | "into" | "fullAt">;

/**
 * Whether a key is idle: it has no rows, or all have been full for an hour. Then it is full,
 * whatever its rule is by now, and whether the vacuum has deleted the rows or not.
 */
export function isIdle(rows: readonly Dated[], now: number): boolean {
  return now >= allFullAt(rows) + IDLE_AFTER;
}

/** Whatever was full or had ended by this time may be deleted: an hour has passed since. */
export function idleBefore(now: number): number {
  return now - IDLE_AFTER;
}

/** The time of a limit: the clock's, or the latest `ts` of its rows if the clock stepped back. */
function timeOf(rows: readonly Row[], now: number): number {
  let time = now;
  for (const { ts } of rows) time = Math.max(time, ts);
  return time;
}

/** Row 0 of a key. */
export function rootOf(rows: readonly Row[]): Row | undefined {
  return rows.find(({ shard }) => shard === 0);
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
  return limit.canSplit && root?.rule === ruleOf(limit);
}

/**
 * Whether a key with this row 0 would start over with different windows if it is idle. Row 0 alone
 * cannot tell whether it is idle: that takes all rows.
 */
function mayBeginAnew({ whole }: Limit, root: SplitRow, now: number): boolean {
  if (!isIdle([root], now)) return false;
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
  if (isIdle(rows, time)) return [];
  const isAlone = root && rows.length === 1;
  const isOwn = !isUnmigrated(root) || (isAlone && limit.firstRows === 1);
  if (isOwn && isUsable(limit, root, time)) return rows;
  const one = gatherStored(limit, root, rows, time);
  const into = fanOutAfter(limit, root, rows);
  return into === 1 ? [one] : [{ ...one, into, rule: ruleOf(limit) }];
}

/**
 * Whether `@convex-dev/rate-limiter` wrote the rows of a key. Row 0 tells: that package stores no
 * `fullAt`, and not always a row 0. Only for a key that has rows.
 */
export function isUnmigrated(root: Row | undefined): boolean {
  return root?.fullAt === undefined;
}

/**
 * All rows as one, as if the limit had never been split: what they held together when the last of
 * them was written, under the rule of that time. If only their windows have moved, what they hold
 * now, since until then they count as they are.
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
    return {
      ...root!,
      into: undefined,
      rule: undefined,
    };
  }
  const usedAt = Math.max(...rows.map(lastUsedAt));
  const time = timeOf(rows, countsAlike(limit, root) ? now : usedAt);
  const leaves = isUnmigratedKey
    ? equalLeaves(rows, limit.firstRows)
    : leavesOfTree(rows);
  const whole =
    root?.rule === undefined
      ? limit.whole
      : toLimit(limit.name, configByRule(root.rule, root.ts)).whole;
  const { value, ts, nextAt } = gatherStates(
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
  if (isUnmigrated(root)) return limit.firstRows;
  return limit.canSplit && isSplitRow(root!)
    ? mostRows(leavesOfTree(rows).length, limit.whole.capacity)
    : 1;
}

/** The leaves of a limit now, each with its row if that is stored. */
export function leavesOf(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): Leaf[] {
  const counted = rowsAsCounted(limit, rows, now);
  const [root] = counted;
  // Most limits are not split.
  return counted.length < 2 && root?.into === undefined
    ? [rootLeaf(root)]
    : leavesOfTree(counted);
}

/** The balance of one row of a limit. */
export type Balance = Pick<
  Row,
  "shard" | "value" | "ts" | "nextAt" | "into"
> & {
  /** How many such rows make up the whole limit. */
  parts: number;
};

/**
 * The balance of each row of a limit at the time `now`, given all rows stored for its key. All are
 * projected to the same time: `now`, or the latest `ts` if the clock stepped back.
 */
export function allBalances(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): Balance[] {
  if (limit.kind === "concurrency") return [ofLeases(limit, rows, now)];
  const time = timeOf(rows, now);
  return leavesOf(limit, rows, time).map((leaf) =>
    balanceOf(limit, leaf, time),
  );
}

/**
 * What leases leave of a concurrency limit; negative if the capacity was lowered below what is
 * held. Uses the clock's time even if the clock stepped back: a lease that had ended is then held
 * again.
 */
function ofLeases(
  { whole }: Limit,
  leases: readonly Row[],
  now: number,
): Balance {
  const taken = leases.map(({ value, endsAt = Infinity }) =>
    now < endsAt ? value : 0,
  );
  const value = sum([whole.capacity, ...taken]);
  return { shard: 0, parts: 1, value, ts: now };
}

/** A lease as a row of a concurrency limit: it takes `count` from the capacity until it ends. */
export function toLeaseRow(count: number, ts: number, endsAt: number): Row {
  return { shard: 0, value: -count, ts, endsAt };
}

/** The balance of one row of a limit; an absent one is full. */
export function balanceOf(
  limit: Limit,
  { shard, parts, row }: Leaf,
  now: number,
): Balance {
  const { value, ts, nextAt } = project(partOfLimit(limit, parts), row, now);
  return { shard, parts, value, ts, nextAt };
}

/** The balance of rows in total. */
export function total(balances: readonly Balance[]): number {
  return balances.length === 1
    ? balances[0]!.value
    : sum(balances.map(({ value }) => value));
}

/**
 * Gathers all rows of a limit into row 0, and splits that evenly again over `into` rows. Writing it
 * replaces all other rows.
 */
export function gatheredRoot(
  balances: readonly Balance[],
  into: number,
): Balance {
  return {
    shard: 0,
    parts: 1,
    ...gatherStates(balances),
    into: into > 1 ? into : undefined,
  };
}

/** The rows of a limit after some were written. */
export function afterWrites(
  rows: readonly Row[],
  writes: readonly Row[],
): Row[] {
  const written = new Map(writes.map((row) => [row.shard, row]));
  if (written.has(0)) return [...writes];
  return [...rows.filter(({ shard }) => !written.has(shard)), ...writes];
}

/** Gathers several rows into the state of one. */
export function gatherStates(states: readonly State[]): State {
  const nexts = states.flatMap(({ nextAt = [] }) => nextAt);
  return {
    value: sum(states.map(({ value }) => value)),
    ts: Math.max(...states.map(({ ts }) => ts)),
    nextAt: nexts.length > 0 ? Math.max(...nexts) : undefined,
  };
}

/**
 * The rows of a limit in the form that a client can project. `shards` is how many rows there are;
 * those not in `rows` are full. From `fullFrom` on, all of them are. If rows differ in size, all
 * are listed, each with its `parts`.
 */
export function shownRows(
  limit: Limit,
  rows: readonly Row[],
  now: number,
): {
  shards: number;
  rows: (State & Pick<Row, "endsAt"> & { parts?: number })[];
  fullFrom?: number;
} {
  if (limit.kind === "concurrency") {
    const { capacity } = limit.whole;
    const leases = rows.map((lease) => ({
      value: capacity + lease.value,
      ts: lease.ts,
      endsAt: lease.endsAt,
    }));
    return { shards: 1, rows: leases };
  }
  const time = timeOf(rows, now);
  if (isIdle(rows, time)) return { shards: limit.firstRows, rows: [] };
  // Rows that are to be gathered count as they are until then.
  const present = countsAlike(limit, rootOf(rows))
    ? rows
    : rowsAsCounted(limit, rows, time);
  // A row 0 with no stored row below it holds the whole limit.
  const leaves: Pick<Leaf, "parts" | "row">[] =
    present.length === 1
      ? [{ parts: 1, row: present[0] }]
      : leavesOfTree(present);
  const isEven = leaves.every(({ parts }) => parts === leaves.length);
  return {
    shards: leaves.length,
    rows: leaves.flatMap(({ parts, row }) => {
      if (row === undefined) return [];
      const { value, ts, nextAt, usedAt = ts } = row;
      const last = usedAt > ts && { usedAt };
      return [{ value, ts, nextAt, ...last, ...(!isEven && { parts }) }];
    }),
    fullFrom: allFullAt(rows) + IDLE_AFTER,
  };
}

/** A row 0 that is to replace all others, as it is stored. */
export function rootToStore(limit: Limit, one: Row, now: number): Row {
  if (!isSplitRow(one)) return one;
  const { into } = one;
  const state = project(limit.whole, one, now);
  const row = toRow(limit, { shard: 0, parts: 1, ...state, into }, now);
  // Keeps `usedAt`: this write must not make the limit busy.
  return { ...row, usedAt: lastUsedAt(one) };
}

/** The row to store for a balance. */
export function toRow(
  limit: Limit,
  { shard, parts, value, ts, nextAt, into }: Balance,
  now: number,
): Row {
  const { refill, rate } = limit.whole;
  // Without a calendar, `nextAt` is dropped.
  const nextArrival = refill.isCalendar
    ? (nextAt ?? refill.when({ ts }, rate, rate))
    : undefined;
  const isSplit = into !== undefined;
  const isStamped = isSplit || limit.kind === "fixed window";
  const usedAt = isStamped ? now : undefined;
  const state = { value, ts, nextAt: nextArrival, usedAt };
  const fullAt = Math.max(now, fullAtByAllRules(limit, parts, state));
  const rule = isSplit ? ruleOf(limit) : undefined;
  // No spread here: V8 is slow with it.
  return { shard, value, ts, fullAt, nextAt: nextArrival, usedAt, into, rule };
}
