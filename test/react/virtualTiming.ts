import { MAX_DELAY_MS, type Timing } from "../../src/react/timing.js";

/** A browser's time that passes only when a test says so. */
export class VirtualTiming implements Timing {
  /** Running timers, with the tick at which each fires. */
  readonly timers = new Map<object, { tick: number; callback: () => void }>();
  readonly wakeListeners = new Set<() => void>();
  /** Timers that were set with a delay that no browser takes. */
  refused = 0;
  /** What timers go by: stands still while the machine sleeps. */
  private tick = 0;
  /** By how much the clock was set forward. */
  private set = 0;

  /** @param time The clock, in ms since the epoch. */
  constructor(public time = 0) {}

  readonly now = () => this.time;

  readonly ahead = () => this.set;

  readonly setTimer = (callback: () => void, delayMs: number) => {
    const isLegal = delayMs >= 0 && delayMs <= MAX_DELAY_MS;
    if (!isLegal) this.refused += 1;
    const id = {};
    this.timers.set(id, { tick: this.tick + delayMs, callback });
    return () => void this.timers.delete(id);
  };

  readonly onWake = (listener: () => void) => {
    this.wakeListeners.add(listener);
    return () => void this.wakeListeners.delete(listener);
  };

  /** Time passes, and the timers that are due fire in turn. */
  pass(ms: number): void {
    const end = this.tick + ms;
    for (;;) {
      const [next] = [...this.timers].sort(([, a], [, b]) => a.tick - b.tick);
      if (next === undefined || next[1].tick > end) break;
      const [id, { tick, callback }] = next;
      this.timers.delete(id);
      this.time += tick - this.tick;
      this.tick = tick;
      callback();
    }
    this.time += end - this.tick;
    this.tick = end;
  }

  /** The machine sleeps: the clocks go on, the timers stand still. */
  sleep(ms: number): void {
    this.time += ms;
  }

  /** Somebody sets the clock, forward or back. */
  setBy(ms: number): void {
    this.time += ms;
    this.set += ms;
  }

  wake(): void {
    for (const listener of this.wakeListeners) listener();
  }
}
