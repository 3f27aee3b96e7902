import { FORGOTTEN_AFTER } from "../../core/row.js";

/** A key that was full at this time, or before, is forgotten: the vacuum may delete its state. */
export function idleBefore(now: number): number {
  return now - FORGOTTEN_AFTER;
}
