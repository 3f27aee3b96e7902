import { MAX_DELAY_MS, type Cancel, type Timing } from "./timing.js";

/** A value, and the time at which it is another one; `Infinity` if never. */
export type Moment<T> = { value: T; until: number };

/**
 * A value that depends on the time, for `useSyncExternalStore`. While somebody
 * listens, one timer is set, for the moment at which the value changes; none if it
 * never does.
 */
export class TimedValue<T> {
  private readonly listeners = new Set<() => void>();
  private moment: (Moment<T> & { since: number }) | undefined;
  private clearTimer: Cancel | undefined;
  private stopWaking: Cancel | undefined;

  /**
   * @param evaluate The value at a time, by the browser's clock. It is given the
   * value before, to return it again if it is the same.
   */
  constructor(
    private readonly timing: Timing,
    private readonly evaluate: (now: number, previous?: T) => Moment<T>,
  ) {}

  /** The value now, also if the timer is late. */
  readonly getSnapshot = (): T => this.current(this.timing.now()).value;

  readonly subscribe = (listener: () => void): Cancel => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) {
      this.stopWaking = this.timing.onWake(this.ring);
      this.setTimer();
    }
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      this.stopWaking?.();
      this.clearTimer?.();
    };
  };

  private current(now: number): Moment<T> {
    const { moment } = this;
    // A time before `since` is a clock that was set back.
    const holds =
      moment !== undefined && now >= moment.since && now < moment.until;
    if (holds) return moment;
    this.moment = { ...this.evaluate(now, moment?.value), since: now };
    return this.moment;
  }

  private setTimer(): void {
    this.clearTimer?.();
    const now = this.timing.now();
    const { until } = this.current(now);
    if (until === Infinity) return;
    // A wait that is too long for one timer is continued when that one rings.
    this.clearTimer = this.timing.setTimer(
      this.ring,
      Math.min(until - now, MAX_DELAY_MS),
    );
  }

  private readonly ring = (): void => {
    // A timer that reports the page's waking may have ended the subscription by it.
    if (this.listeners.size === 0) return;
    this.setTimer();
    for (const listener of this.listeners) listener();
  };
}
