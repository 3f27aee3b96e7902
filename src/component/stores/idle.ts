import { FORGOTTEN_AFTER } from "../../core/row.js";

/** The vacuum may delete rows that were full before this time: their keys are forgotten. */
export function idleBefore(now: number): number {
  return now - FORGOTTEN_AFTER;
}

/** Whether the vacuum may delete a row. Never one without `fullAt`. */
export function isIdleRow(
  { fullAt = Infinity }: { fullAt?: number },
  now: number,
): boolean {
  return fullAt < idleBefore(now);
}
