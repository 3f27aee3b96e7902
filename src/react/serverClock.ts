import type { Cancel, Timing } from "./timing.js";

/** What the clock needs of a `ConvexReactClient`. */
export type Connection = {
  connectionState(): { isWebSocketConnected: boolean; connectionCount: number };
  subscribeToConnectionState(listener: () => void): Cancel;
};

/** On waking and for further components, a measurement of this age is good enough. */
const FRESH_MS = 60_000;

/**
 * What takes this long has probably waited its turn, behind another mutation or for
 * the user to be authenticated, and says little about the time.
 */
const SLOW_MS = 500;

/**
 * How far the server's clock is ahead of the browser's. Measured while somebody
 * listens: once per connection, and again when the page wakes or is listened to
 * anew and the last measurement is older than a minute.
 *
 * The request is taken to have travelled as long as the answer, so the offset is
 * wrong by at most half the round trip. If that took over half a second it is
 * repeated once, and the faster of the two counts. A measurement during which the
 * browser's clock was set back is asked again. One that fails leaves the offset as it is.
 */
export class ServerClock {
  private readonly listeners = new Set<() => void>();
  private offset = 0;
  private askedAt = -Infinity;
  private askedOnConnection: number | undefined;
  private question: Promise<number> | undefined;
  private stops: Cancel[] = [];

  /** @param askTime Asks the server for its time, in ms from the epoch. */
  constructor(
    private readonly askTime: () => Promise<number>,
    private readonly connection: Connection,
    private readonly timing: Pick<Timing, "now" | "onWake">,
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
    // What is asked without a connection is answered after a wait of unknown length.
    if (!isWebSocketConnected) return;
    // The age is negative if the browser's clock was set back since.
    const age = Math.abs(this.timing.now() - this.askedAt);
    if (connectionCount === this.askedOnConnection && age <= ageMs) return;
    this.askedOnConnection = connectionCount;
    // Where it fails, the next connection asks again.
    this.measure().catch(() => {});
  }

  /** @param toBeatMs The round trip of a measurement that was slow. */
  private async measure(toBeatMs = Infinity): Promise<void> {
    const askedAt = (this.askedAt = this.timing.now());
    const question = (this.question = this.askTime());
    const serverTime = await question;
    // An answer that comes after a later question waited out a broken connection.
    if (question !== this.question) return;
    const roundTrip = this.timing.now() - askedAt;
    // Below 0, the browser's clock was set back meanwhile.
    if (roundTrip < 0) return this.measure(toBeatMs);
    if (roundTrip >= toBeatMs) return;
    this.setOffset(Math.round(serverTime - askedAt - roundTrip / 2));
    const isToRepeat = roundTrip > SLOW_MS && toBeatMs === Infinity;
    if (isToRepeat && this.listeners.size > 0) await this.measure(roundTrip);
  }

  private setOffset(offset: number): void {
    if (offset === this.offset) return;
    this.offset = offset;
    for (const listener of this.listeners) listener();
  }
}
