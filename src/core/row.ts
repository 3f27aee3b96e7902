import type { State } from "./bucket.js";
import { HOUR } from "./periods.js";

/**
 * One stored row of a limit and key: a balance, and when to forget it. A split limit has several
 * rows: see core/tree.ts. A lease of a concurrency limit is shown as a row, too.
 */
export type Row = State & {
  /** The number of the row: 0, or that of a row below it. */
  shard: number;
  /**
   * When the row is full by every rule that was known when it was written: see
   * {@link isForgotten}. Absent in rows of `@convex-dev/rate-limiter`.
   */
  fullAt?: number | undefined;
  /** Of a lease: when it ends. */
  endsAt?: number | undefined;
  /** When the row was last written, in ms; absent if that is `ts`. */
  usedAt?: number | undefined;
  /** Into how many rows this one was split. */
  into?: number | undefined;
  /**
   * Of row 0: by which rule it was written, see core/limit.ts. Stored once it is split, since the
   * rows below it count by that rule; or if the config came with the call, since a hold may be
   * settled by it.
   */
  rule?: string | undefined;
  /** When the row was committed, in ns. Only for limits that split themselves, like `calm`. */
  at?: bigint | undefined;
  /** How long the row rests between writes, in units of what a write takes: see core/heat.ts. */
  calm?: number | undefined;
};

/** A row that was split. */
export type Signpost = Row & { into: number };

/** When a row was last written. */
export function lastUse({ usedAt, ts }: Pick<Row, "usedAt" | "ts">): number {
  return usedAt ?? ts;
}

/** When a row was committed, in ms; undefined if it does not say. */
export function committedAt({ at }: Pick<Row, "at">): number | undefined {
  return at === undefined ? undefined : Math.floor(Number(at) / 1e6);
}

/**
 * A key is forgotten this long after all of its rows were full, so that clocks that differ by less
 * agree.
 */
export const FORGOTTEN_AFTER = HOUR;

/** When all of these rows are full; `Infinity` if one of them does not say. */
export function allFullAt(rows: readonly Pick<Row, "fullAt">[]): number {
  let last = -Infinity;
  for (const { fullAt = Infinity } of rows) last = Math.max(last, fullAt);
  return last;
}

/**
 * Whether a key is forgotten: it has no rows, or all have been full for an hour. Then it is full,
 * whatever its rule is by now, and whether the vacuum has deleted the rows or not.
 */
export function isForgotten(
  rows: readonly Pick<Row, "fullAt">[],
  now: number,
): boolean {
  return now >= allFullAt(rows) + FORGOTTEN_AFTER;
}
