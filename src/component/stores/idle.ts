/**
 * The vacuum leaves a row alone for this long after it is full, so that a clock that differs or
 * steps back by less cannot bring it back into use.
 */
const GRACE_MS = 60 * 60 * 1000;

/** The vacuum may delete rows that became full before this time. */
export function idleBefore(now: number): number {
  return now - GRACE_MS;
}

/** Whether the vacuum may delete a row. Never one without `fullAt`. */
export function isIdleRow(
  { fullAt = Infinity }: { fullAt?: number },
  now: number,
): boolean {
  return fullAt < idleBefore(now);
}
