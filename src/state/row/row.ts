import {
  type Bucket,
  project,
  type State,
  timeOfArrival,
} from "../../core/bucket.js";
import { withRoom } from "../../core/held.js";
import { fullAtByAllRules, type Limit, partOfLimit } from "../../core/limit.js";
import { HOUR } from "../../core/periods.js";
import type { Row, View } from "../../core/view.js";

/** When a row was last written. */
export function lastUsedAt({ usedAt, ts }: Pick<Row, "usedAt" | "ts">): number {
  return usedAt ?? ts;
}

/**
 * A key is idle this long after all of its rows were full, so that clocks that differ by less
 * agree.
 */
export const IDLE_AFTER = HOUR;

/** Whatever was full or had ended by this time may be deleted: an hour has passed since. */
export function idleBefore(now: number): number {
  return now - IDLE_AFTER;
}

/**
 * Whether a key is idle: what it holds has been full for an hour. Then it is full, whatever its rule
 * is by now, and whether the vacuum has deleted its rows or not.
 */
export function isIdle(fullAt: number = Infinity, now: number): boolean {
  return now >= fullAt + IDLE_AFTER;
}

/** The state of a key with one row at a time; without it, or once it is idle, it is full. */
export function balanceOf(
  limit: Limit,
  row: Row | undefined,
  now: number,
): State {
  const time = Math.max(now, row?.ts ?? now);
  const isFull = row === undefined || isIdle(row.fullAt, time);
  return project(limit.whole, isFull ? undefined : row, time);
}

/** The view of a key with one row. */
export function viewOfRow(row: Row | undefined): View {
  return {
    balance: (limit, time) => balanceOf(limit, row, time).value,
    arrival: (limit, tokens, from) =>
      timeOfArrival(limit.whole, balanceOf(limit, row, from), tokens),
    isIdle: (time) => row === undefined || isIdle(row.fullAt, time),
    leaving(limit, value, now) {
      const next = toRow(limit, { ...balanceOf(limit, row, now), value }, now);
      return { writes: [next], view: viewOfRow(next) };
    },
  };
}

/**
 * The row to store for a balance.
 *
 * @param parts How many such rows make up the whole limit.
 */
export function toRow(
  limit: Limit,
  { value, ts, nextAt, held }: State,
  now: number,
  parts: number = 1,
): Row {
  const usedAt = limit.kind === "fixed window" ? now : undefined;
  const state = {
    value,
    ts,
    nextAt: nextArrival(limit.whole, ts, nextAt),
    usedAt,
  };
  const fullAt = Math.max(now, fullAtByAllRules(limit, parts, state));
  const { capacity } = partOfLimit(limit, parts);
  // No spread here: V8 is slow with it.
  return {
    shard: 0,
    value,
    ts,
    fullAt,
    nextAt: state.nextAt,
    usedAt,
    held: withRoom(held, capacity - value),
  };
}

/** When the next tokens of a calendar arrive; without a calendar, nothing is stored. */
function nextArrival(
  { refill, rate }: Bucket,
  ts: number,
  nextAt: number | undefined,
): number | undefined {
  return refill.isCalendar
    ? (nextAt ?? refill.when({ ts }, rate, rate))
    : undefined;
}
