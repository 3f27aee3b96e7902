/** A clock and timers, so that tests can pass their own. */
export type Timing = {
  /** The browser's clock, in ms since the epoch. */
  now: () => number;
  /** How far that clock is ahead of one that nobody can set, in ms. */
  ahead: () => number;
  /**
   * Calls back once, after `delayMs`, at most {@link MAX_DELAY_MS}, unless the returned function is
   * called first.
   */
  setTimer: (callback: () => void, delayMs: number) => Cancel;
  /** Calls back whenever timers may have been suspended or the clock may have been set. */
  onWake: (listener: () => void) => Cancel;
};

export type Cancel = () => void;

/** Browsers treat a longer delay as 0. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/** A busy page does not delay a timer by more than this. */
const LATE_MS = 5000;

/** A larger jump means that the clock was set. Browsers that round to 100 ms cause smaller ones. */
const SET_MS = 500;

/** Whether the clock was set between two readings of `ahead`. */
export const wasClockSet = (before: number, after: number): boolean =>
  !(Math.abs(after - before) <= SET_MS);

const wakeListeners = new Set<() => void>();

let lastAhead = NaN;

/**
 * The page's own clock and timers. The page wakes when it is shown again, when the network is back,
 * when a timer fires seconds too early or late, and when a reading finds that the clock was set.
 */
export const browserTiming: Timing = {
  now: () => {
    const ahead = browserTiming.ahead();
    if (wasClockSet(lastAhead, ahead)) {
      lastAhead = ahead;
      // Not at once: a component may be rendering.
      queueMicrotask(wake);
    }
    return Date.now();
  },
  ahead: () => Date.now() - performance.now(),
  setTimer: (callback, delayMs) => {
    const due = Date.now() + delayMs;
    const id = setTimeout(() => {
      if (Math.abs(Date.now() - due) > LATE_MS) wake();
      callback();
    }, delayMs);
    return () => clearTimeout(id);
  },
  onWake: (listener) => {
    if (wakeListeners.size === 0) listen("addEventListener");
    wakeListeners.add(listener);
    return () => {
      wakeListeners.delete(listener);
      if (wakeListeners.size === 0) listen("removeEventListener");
    };
  },
};

function wake(): void {
  for (const listener of wakeListeners) listener();
}

function wakeIfShown(): void {
  if (!document.hidden) wake();
}

function listen(how: "addEventListener" | "removeEventListener"): void {
  // React Native has no document, and its window has no events.
  if (typeof document === "undefined") return;
  document[how]("visibilitychange", wakeIfShown);
  window[how]("pageshow", wake);
  window[how]("online", wake);
}
