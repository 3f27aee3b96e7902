import type { State } from "./bucket.js";

/** One stored row of a limit and key. */
export type Row = State & {
  /** The number of the row, from 0 up; 0 for a limit that is not split. */
  shard: number;
  /** When the row was last written, in ms; absent if `ts` tells. */
  usedAt?: number | undefined;
  /** How many rows the limit was split over when the row was written: see core/rows.ts. */
  of?: number | undefined;
  /** The capacity of the whole limit when the row was written; absent for the config's. */
  capacity?: number | undefined;
  /** Into how many rows this one was split: see core/tree.ts. */
  into?: number | undefined;
  /** When the row was committed, in ns. Only of limits that split themselves, as `calm` is. */
  at?: bigint | undefined;
  /** How long the row rests between writes, in units of what a write takes: see core/heat.ts. */
  calm?: number | undefined;
};

/** When a row was last written. */
export function lastUse({ usedAt, ts }: Pick<Row, "usedAt" | "ts">): number {
  return usedAt ?? ts;
}
