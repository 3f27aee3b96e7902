/** The time as the stores need it, so that tests can pass their own. */
export type Timing = {
  /** The browser's clock, in ms from the epoch. */
  now: () => number;
  /**
   * Calls back once, after `delayMs`, at most {@link MAX_DELAY_MS}, unless the returned
   * function is called first.
   */
  setTimer: (callback: () => void, delayMs: number) => Cancel;
  /** Calls back whenever timers may have been suspended or the clock may have been set. */
  onWake: (listener: () => void) => Cancel;
};

export type Cancel = () => void;

/** Browsers treat a longer delay as 0. */
export const MAX_DELAY_MS = 2 ** 31 - 1;

/** A timer that is off by more than this was not just delayed by a busy page. */
const LATE_MS = 5000;

const wakeListeners = new Set<() => void>();

/**
 * The page's own time. The page wakes when it is shown again, when the network is back, and
 * when a timer fires seconds off its time: the laptop slept or the clock was set.
 */
export const browserTiming: Timing = {
  now: () => Date.now(),
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
