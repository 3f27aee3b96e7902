import { timeOfArrival } from "./bucket.js";
import { type Demand, takeInTurn } from "./demand.js";
import {
  forgiven,
  type Limit,
  partOfLimit,
  remainingOf,
  shareReached,
} from "./limit.js";
import type { Phase, Phases } from "./phases.js";
import {
  gatheredRoot,
  type Balance,
  allBalances,
  type Row,
  toLeaseRow,
  toRow,
  total,
} from "./rows.js";
import { sum } from "./sum.js";
import {
  type Forecast,
  forecastByDebt,
  forecastByTotal,
  timeUntilPaid,
} from "./wait.js";

/** The decision on the demands on one limit key. */
export type Decision =
  | {
      ok: true;
      /** The tokens that each demand takes. */
      taken: number[];
      /** The rows to write. */
      writes: Row[];
      /** When reserved work may run, in ms from now. */
      retryAfter?: number | undefined;
      /** In a dry run, the indexes of the demands that would have been refused. */
      spared?: number[] | undefined;
      /**
       * If the demands are the first to use a share of `warnAt`: that share, and the whole tokens
       * left.
       */
      warning?: { share: number; remaining: number } | undefined;
    }
  | {
      ok: false;
      /** The indexes of the refused demands, at least one. */
      refused: number[];
      /** When all demands would be granted: see {@link timeUntilGranted}. */
      forecast: Forecast;
    };

/**
 * Decides on demands on a limit by the total of its rows, one demand after the other. Grants all of
 * them or none; a dry run takes what it can and lets all through.
 *
 * @param phases The phase that applies now, and those known to follow.
 * @param rows All rows that are stored for the key.
 */
export function decide(
  phases: Phases,
  rows: readonly Row[],
  demands: readonly Demand[],
  now: number,
): Decision {
  const [phase] = phases;
  const { effect, limit, config } = phase;
  const nothing = () => demands.map(() => 0);
  if (effect === "unlimited") return { ok: true, taken: nothing(), writes: [] };
  const balances = allBalances(limit, rows, now);
  const balance = total(balances);
  const { taken, left, refused } = isRefusedByBan(phase, demands)
    ? { taken: nothing(), left: balance, refused: [...demands.keys()] }
    : takeInTurn(limit, balance, demands);
  const isRefused = refused.length > 0;
  if (isRefused && limit.enforce) {
    if (demands.every(({ debt }) => debt !== "denied")) {
      return { ok: false, refused, forecast: forecastByTotal(rows, demands) };
    }
    const owing = balance - sum(demands.map(({ count }) => count));
    const writes = changeTo(limit, balances, owing, now);
    const forecast = forecastByDebt(phases, rows, writes, now);
    return { ok: false, refused, forecast };
  }
  const writes = changeTo(limit, balances, left, now);
  const spared = isRefused ? refused : undefined;
  // A dry run that took nothing has nothing to wait for.
  const isAllLetThrough = isRefused && writes.length === 0;
  const retryAfter =
    left < -limit.tolerance && !isAllLetThrough
      ? timeUntilPaid(phases, rows, writes, now)
      : undefined;
  const share = shareReached(limit, balance, left, config.warnAt);
  const warning =
    share === undefined
      ? undefined
      : { share, remaining: remainingOf(limit, left) };
  return { ok: true, taken, writes, retryAfter, spared, warning };
}

/**
 * Whether a ban refuses the demands. It never refuses `debt: "any"`, which takes whatever the
 * balance.
 */
export function isRefusedByBan(
  { effect }: Phase,
  demands: readonly Demand[],
): boolean {
  return effect === "banned" && demands.some(({ debt }) => debt !== "any");
}

/**
 * Takes a demand from a few rows without reading the others, and without a debt. Undefined if these
 * rows do not hold enough.
 */
export function takeFrom(
  limit: Limit,
  balances: readonly Balance[],
  demand: Demand,
  now: number,
): Row[] | undefined {
  const plain: Demand = { ...demand, debt: "none", upTo: false };
  const { left, refused } = takeInTurn(limit, total(balances), [plain]);
  if (refused.length > 0) return undefined;
  return drainTo(limit, balances, left, now);
}

/**
 * Takes a demand from one row of several, into debt. Undefined if the row would owe more than its
 * part of `maxReserved`.
 */
export function takeIntoDebt(
  limit: Limit,
  row: Balance,
  demand: Demand,
  now: number,
): { writes: Row[]; waitMs: number } | undefined {
  const part = { ...limit, maxReserved: limit.maxReserved / row.parts };
  const { left, refused } = takeInTurn(part, row.value, [demand]);
  if (refused.length > 0) return undefined;
  const bucket = partOfLimit(limit, row.parts);
  const paidAt = left < 0 ? timeOfArrival(bucket, row, -left) : now;
  return { writes: drainTo(limit, [row], left, now), waitMs: paidAt - now };
}

/**
 * Takes tokens from all rows of a limit, or gives them tokens, until `left` remain; returns the rows
 * to write.
 */
function changeTo(
  limit: Limit,
  balances: readonly Balance[],
  left: number,
  now: number,
): Row[] {
  const rows = gatheredIfOwing(balances, left);
  const given = left - total(rows);
  return given > 0
    ? creditRows(limit, rows, given, now).writes
    : drainTo(limit, rows, left, now);
}

/**
 * All rows of a limit; gathered in row 0 if they are in debt now, or are to have `left` tokens and
 * that is a debt. Then all must be written anyway, and in row 0 each owes an equal part: all pay it
 * off at the same time, and none grants before then.
 */
export function gatheredIfOwing(
  all: readonly Balance[],
  left = 0,
): readonly Balance[] {
  const isOwing = left < 0 || all.some(({ value }) => value < 0);
  if (!isOwing || all.length === 1) return all;
  // As many rows as before: they were split because they are hot.
  return [gatheredRoot(all, all.length)];
}

/**
 * Takes tokens from rows until `left` remain in total, and returns the rows to write. The first row
 * that holds enough gives all; otherwise the fullest rows give first. Only a single row may go into
 * debt.
 */
export function drainTo(
  limit: Limit,
  balances: readonly Balance[],
  left: number,
  now: number,
): Row[] {
  const count = total(balances) - left;
  if (count === 0) return [];
  if (limit.kind === "concurrency") {
    return [toLeaseRow(count, now, now + limit.period)];
  }
  if (balances.length === 1) {
    return [toRow(limit, { ...balances[0]!, value: left }, now)];
  }
  const values = drained(limit, balances, left);
  return changedRows(limit, balances, values, now);
}

/** The balances of the rows once `left` tokens remain in total. */
function drained(
  limit: Limit,
  balances: readonly Balance[],
  left: number,
): number[] {
  const values = balances.map(({ value }) => value);
  const count = total(balances) - left;
  const least = count - forgiven(limit, count);
  const single = values.findIndex((value) => value >= least);
  if (single !== -1) {
    values[single] = Math.max(0, values[single]! - count);
    return values;
  }
  // The emptiest keep what they have. Summing from the smallest up, large counts lose no digits.
  const kept: number[] = [];
  for (const i of byValue(values)) {
    const value = Math.min(values[i]!, Math.max(0, left - sum(kept)));
    kept.push(value);
    values[i] = value;
  }
  return values;
}

/** The result of a credit: how many tokens found room, and the rows to write. */
export type Credit = { credited: number; writes: Row[] };

/** Gives tokens back to rows, up to the capacity: first to rows in debt, then to the emptiest. */
export function creditRows(
  limit: Limit,
  balances: readonly Balance[],
  count: number,
  now: number,
): Credit {
  const values = balances.map(({ value }) => value);
  let missing = count;
  for (const i of byValue(values)) {
    const { capacity } = partOfLimit(limit, balances[i]!.parts);
    const value = values[i]!;
    const given = Math.min(missing, capacity - value);
    if (given <= 0) continue;
    values[i] = Math.min(value + missing, capacity);
    missing -= given;
  }
  return {
    credited: count - missing,
    writes: changedRows(limit, balances, values, now),
  };
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
  for (const [i, row] of balances.entries()) {
    const value = values[i]!;
    if (value === row.value) continue;
    rows.push(toRow(limit, { ...row, value }, now));
  }
  return rows;
}
