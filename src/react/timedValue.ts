import { MAX_DELAY_MS, type Cancel, type Timing } from "./timing.js";

/** A value, and the time at which it changes; `Infinity` if never. */
export type Moment<T> = { value: T; until: number };

/** What `useSyncExternalStore` reads. */
export type TimedValue<T> = {
  /** The current value, even if the timer is late. */
  getSnapshot: () => T;
  subscribe: (listener: () => void) => Cancel;
};

/**
 * A value that depends on the time, for `useSyncExternalStore`. While there are listeners, one
 * timer is set for the moment at which the value changes; none if it never does.
 *
 * @param evaluate The value at a time, by the browser's clock. It gets the previous value, to
 * return the same object if nothing has changed.
 */
export function timedValue<T>(
  timing: Timing,
  evaluate: (now: number, previous?: T) => Moment<T>,
): TimedValue<T> {
  const listeners = new Set<() => void>();
  let moment: (Moment<T> & { since: number }) | undefined;
  let clearTimer: Cancel | undefined;
  let stopWaking: Cancel | undefined;

  const momentAt = (now: number): Moment<T> => {
    // A time before `since` means that the clock was set back.
    const isCurrent =
      moment !== undefined && now >= moment.since && now < moment.until;
    if (!isCurrent) moment = { ...evaluate(now, moment?.value), since: now };
    return moment!;
  };

  const setTimer = (): void => {
    clearTimer?.();
    const now = timing.now();
    const { until } = momentAt(now);
    if (until === Infinity) return;
    // If the wait is too long for one timer, the next one continues it.
    clearTimer = timing.setTimer(ring, Math.min(until - now, MAX_DELAY_MS));
  };

  const ring = (): void => {
    // A late timer first wakes the page, and a listener may then have unsubscribed.
    if (listeners.size === 0) return;
    setTimer();
    for (const listener of listeners) listener();
  };

  return {
    getSnapshot: () => momentAt(timing.now()).value,
    subscribe: (listener) => {
      listeners.add(listener);
      if (listeners.size === 1) {
        stopWaking = timing.onWake(ring);
        setTimer();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        stopWaking?.();
        clearTimer?.();
      };
    },
  };
}
