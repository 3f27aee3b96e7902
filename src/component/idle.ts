/**
 * A row is left alone for this long after it is full, so that clocks that differ,
 * or step back, by less than that cannot revive it.
 */
const GRACE_MS = 60 * 60 * 1000;

/** Rows that became full before this time are idle: the vacuum may take them. */
export function idleBefore(now: number): number {
  return now - GRACE_MS;
}

/** Whether a row is so: see {@link idleBefore}. One without `fullAt` never is. */
export function isIdleRow(
  { fullAt = Infinity }: { fullAt?: number },
  now: number,
): boolean {
  return fullAt < idleBefore(now);
}
