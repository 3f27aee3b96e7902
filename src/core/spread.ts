import { forgiven, shareOf, type Limit } from "./limit.js";
import {
  gathered,
  type Held,
  type Row,
  sum,
  toLease,
  toRow,
  total,
} from "./rows.js";

/**
 * Takes tokens from rows until `left` remain in total, and returns the rows to write. The first
 * row that holds enough gives all; else the fullest rows give first. A debt is stored in row 0
 * alone, and so divided evenly: all rows pay it off at the same time, and none grants while the
 * limit is in debt.
 */
export function spread(
  limit: Limit,
  held: readonly Held[],
  left: number,
  now: number,
): Row[] {
  const amount = total(held) - left;
  if (amount === 0) return [];
  if (limit.kind === "concurrency") {
    return [toLease(amount, now, now + limit.period)];
  }
  if (mustGather(held, left)) {
    return [toRow(limit, { ...gathered(limit, held), value: left }, now)];
  }
  if (left < 0) return [toRow(limit, { ...held[0]!, value: left }, now)];
  const values = drained(limit, held, left);
  return changed(limit, held, values, now);
}

/** Whether to gather the rows: in debt before or after, all have to be written anyway. */
function mustGather(held: readonly Held[], left: number): boolean {
  return held.length > 1 && (left < 0 || held.some(({ value }) => value < 0));
}

/** The balances of the rows once `left` tokens remain in total. */
function drained(limit: Limit, held: readonly Held[], left: number): number[] {
  const values = held.map(({ value }) => value);
  const amount = total(held) - left;
  const least = amount - forgiven(limit, amount);
  const single = values.findIndex((value) => value >= least);
  if (single !== -1) {
    values[single] = Math.max(0, values[single]! - amount);
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

/** The result of giving tokens back: how many found room, and the rows to write. */
export type Gift = { credited: number; writes: Row[] };

/**
 * Gives tokens back to rows, up to the capacity: first to rows in debt, then to the emptiest.
 */
export function give(
  limit: Limit,
  held: readonly Held[],
  count: number,
  now: number,
): Gift {
  const values = held.map(({ value }) => value);
  const debt = -total(held.filter(({ value }) => value < 0));
  if (mustGather(held, 0)) {
    const all = gathered(limit, held);
    return give(limit, [all], count, now);
  }
  if (debt > count) {
    const after = values.map((value) => value + count);
    return { credited: count, writes: changed(limit, held, after, now) };
  }
  const after = values.map((value) => Math.max(0, value));
  let missing = count - debt;
  for (const i of byValue(after)) {
    const { capacity } = shareOf(limit, held[i]!.parts);
    const given = Math.min(missing, capacity - after[i]!);
    if (given <= 0) continue;
    after[i] = after[i]! + given;
    missing -= given;
  }
  const credited = count - missing;
  const writes = credited > 0 ? changed(limit, held, after, now) : [];
  return { credited, writes };
}

/** The indexes of the values, the smallest value first. */
function byValue(values: readonly number[]): number[] {
  return Array.from(values.keys()).sort((a, b) => values[a]! - values[b]!);
}

function changed(
  limit: Limit,
  held: readonly Held[],
  values: readonly number[],
  now: number,
): Row[] {
  const rows: Row[] = [];
  for (const [i, row] of held.entries()) {
    const value = values[i]!;
    if (value === row.value) continue;
    rows.push(toRow(limit, { ...row, value }, now));
  }
  return rows;
}
