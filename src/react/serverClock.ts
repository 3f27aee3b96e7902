import { wasClockSet, type Cancel, type Timing } from "./timing.js";

/** The part of a `ConvexReactClient` that the clock needs. */
export type Connection = {
  connectionState(): { isWebSocketConnected: boolean; connectionCount: number };
  subscribeToConnectionState(listener: () => void): Cancel;
};

/** A measurement of this age is good enough when the page wakes or a component subscribes. */
const FRESH_MS = 60_000;

/**
 * A slower answer has probably waited, behind another mutation or until the user was authenticated,
 * and says little about the time.
 */
const SLOW_MS = 500;

/**
 * How far the server's clock is ahead of the browser's. Measured while there are listeners, once
 * per connection. When the page wakes or the first listener subscribes, it is measured again if the
 * last measurement is older than a minute, or if the browser's clock was set since.
 *
 * It assumes that the request takes as long as the answer, so the offset is wrong by at most half
 * the round trip. If the round trip took over half a second, it measures once more and keeps the
 * faster of the two. If the browser's clock was set during a measurement, it measures again. A
 * failed measurement leaves the offset as it is.
 */
export class ServerClock {
  private readonly listeners = new Set<() => void>();
  private offset = 0;
  private askedAt = -Infinity;
  private aheadThen = NaN;
  private askedOnConnection: number | undefined;
  private question: Promise<number> | undefined;
  private stops: Cancel[] = [];

  /** @param askTime Asks the server for its time, in ms since the epoch. */
  constructor(
    private readonly askTime: () => Promise<number>,
    private readonly connection: Connection,
    private readonly timing: Pick<Timing, "now" | "ahead" | "onWake">,
  ) {}

  /** Server time minus browser time, in whole ms; 0 until it has been measured. */
  readonly getOffset = (): number => this.offset;

  readonly subscribe = (listener: () => void): Cancel => {
    this.listeners.add(listener);
    if (this.listeners.size === 1) this.start();
    return () => {
      this.listeners.delete(listener);
      if (this.listeners.size > 0) return;
      for (const stop of this.stops) stop();
    };
  };

  private start(): void {
    const refresh = () => this.measureIfOlderThan(FRESH_MS);
    this.stops = [
      this.connection.subscribeToConnectionState(() =>
        this.measureIfOlderThan(Infinity),
      ),
      this.timing.onWake(refresh),
    ];
    refresh();
  }

  private measureIfOlderThan(ageMs: number): void {
    const { isWebSocketConnected, connectionCount } =
      this.connection.connectionState();
    // Without a connection the answer would come after a wait of unknown length.
    if (!isWebSocketConnected) return;
    const age = this.timing.now() - this.askedAt;
    const isCurrent =
      connectionCount === this.askedOnConnection && age <= ageMs;
    if (isCurrent && !this.wasSet()) return;
    this.askedOnConnection = connectionCount;
    // If it fails, the next connection measures again.
    this.measure().catch(() => {});
  }

  /**
   * @param toBeatMs The round trip of the slow measurement before this one, which counts only if it
   * is faster.
   */
  private async measure(toBeatMs = Infinity): Promise<void> {
    const askedAt = (this.askedAt = this.timing.now());
    this.aheadThen = this.timing.ahead();
    const question = (this.question = this.askTime());
    const serverTime = await question;
    // A later question was asked meanwhile, so this answer waited for a broken connection.
    if (question !== this.question) return;
    if (this.wasSet()) return this.measure();
    const roundTrip = this.timing.now() - askedAt;
    if (roundTrip >= toBeatMs) return;
    this.setOffset(Math.round(serverTime - askedAt - roundTrip / 2));
    const isToRepeat = roundTrip > SLOW_MS && toBeatMs === Infinity;
    if (isToRepeat && this.listeners.size > 0) await this.measure(roundTrip);
  }

  /** Whether the browser's clock was set since the last question. */
  private wasSet(): boolean {
    return wasClockSet(this.aheadThen, this.timing.ahead());
  }

  private setOffset(offset: number): void {
    if (offset === this.offset) return;
    this.offset = offset;
    for (const listener of this.listeners) listener();
  }
}
