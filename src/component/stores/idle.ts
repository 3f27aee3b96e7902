import { FORGOTTEN_AFTER, isForgotten, type Row } from "../../core/row.js";

/** The vacuum may delete rows that were full by this time. */
export function idleBefore(now: number): number {
  return now - FORGOTTEN_AFTER;
}

/** Whether the vacuum may delete a row. Never one without `fullAt`. */
export function isIdleRow(row: Pick<Row, "fullAt">, now: number): boolean {
  return isForgotten([row], now);
}
