import { MAX_DELAY_MS, type Cancel, type Timing } from "./timing.js";

/** A value, and the time at which it is another one; `Infinity` if never. */
export type Moment<T> = { value: T; until: number };

/** What `useSyncExternalStore` reads. */
export type TimedValue<T> = {
  /** The value now, also if the timer is late. */
  getSnapshot: () => T;
  subscribe: (listener: () => void) => Cancel;
};

/**
 * A value that depends on the time, for `useSyncExternalStore`. While somebody
 * listens, one timer is set, for the moment at which the value changes; none if it
 * never does.
 *
 * @param evaluate The value at a time, by the browser's clock. It is given the
 * value before, to return it again if it is the same.
 */
export function timedValue<T>(
  timing: Timing,
  evaluate: (now: number, previous?: T) => Moment<T>,
): TimedValue<T> {
  const listeners = new Set<() => void>();
  let moment: (Moment<T> & { since: number }) | undefined;
  let clearTimer: Cancel | undefined;
  let stopWaking: Cancel | undefined;

  const current = (now: number): Moment<T> => {
    // A time before `since` is a clock that was set back.
    const holds =
      moment !== undefined && now >= moment.since && now < moment.until;
    if (!holds) moment = { ...evaluate(now, moment?.value), since: now };
    return moment!;
  };

  const setTimer = (): void => {
    clearTimer?.();
    const now = timing.now();
    const { until } = current(now);
    if (until === Infinity) return;
    // A wait that is too long for one timer is continued when that one rings.
    clearTimer = timing.setTimer(ring, Math.min(until - now, MAX_DELAY_MS));
  };

  const ring = (): void => {
    // A timer that reports the page's waking may have ended the subscription by it.
    if (listeners.size === 0) return;
    setTimer();
    for (const listener of listeners) listener();
  };

  return {
    getSnapshot: () => current(timing.now()).value,
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
