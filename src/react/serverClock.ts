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

/** How far the server's clock is ahead of the browser's, for `useSyncExternalStore`. */
export type ServerClock = {
  /** Server time minus browser time, in whole ms; 0 until it has been measured. */
  getOffset: () => number;
  subscribe: (listener: () => void) => Cancel;
};

/**
 * Measures the offset of the server's clock while there are listeners, once per connection. When
 * the page wakes or the first listener subscribes, it is measured again if the last measurement is
 * older than a minute, or if the browser's clock was set since.
 *
 * It assumes that the request takes as long as the answer, so the offset is wrong by at most half
 * the round trip. If the round trip took over half a second, it measures once more and keeps the
 * faster of the two. If the browser's clock was set during a measurement, it measures again. A
 * failed measurement leaves the offset as it is.
 *
 * @param askTime Asks the server for its time, in ms since the epoch.
 */
export function serverClock(
  askTime: () => Promise<number>,
  connection: Connection,
  timing: Pick<Timing, "now" | "ahead" | "onWake">,
): ServerClock {
  const listeners = new Set<() => void>();
  let offset = 0;
  let askedAt = -Infinity;
  let aheadThen = NaN;
  let askedOnConnection: number | undefined;
  let question: Promise<number> | undefined;
  let stops: Cancel[] = [];

  /** Whether the browser's clock was set since the last question. */
  const wasSet = () => wasClockSet(aheadThen, timing.ahead());

  /**
   * @param toBeatMs The round trip of the slow measurement before this one, which counts only if it
   * is faster.
   */
  const measure = async (toBeatMs = Infinity): Promise<void> => {
    const start = (askedAt = timing.now());
    aheadThen = timing.ahead();
    const own = (question = askTime());
    const serverTime = await own;
    // A later question was asked meanwhile, so this answer waited for a broken connection.
    if (own !== question) return;
    if (wasSet()) return measure();
    const roundTrip = timing.now() - start;
    if (roundTrip >= toBeatMs) return;
    const measured = Math.round(serverTime - start - roundTrip / 2);
    if (measured !== offset) {
      offset = measured;
      for (const listener of listeners) listener();
    }
    const isToRepeat = roundTrip > SLOW_MS && toBeatMs === Infinity;
    if (isToRepeat && listeners.size > 0) await measure(roundTrip);
  };

  const measureIfOlderThan = (ageMs: number): void => {
    const { isWebSocketConnected, connectionCount } =
      connection.connectionState();
    // Without a connection the answer would come after a wait of unknown length.
    if (!isWebSocketConnected) return;
    const isCurrent =
      connectionCount === askedOnConnection && timing.now() - askedAt <= ageMs;
    if (isCurrent && !wasSet()) return;
    askedOnConnection = connectionCount;
    // If it fails, the next connection measures again.
    measure().catch(() => {});
  };

  return {
    getOffset: () => offset,
    subscribe: (listener) => {
      listeners.add(listener);
      if (listeners.size === 1) {
        const refresh = () => measureIfOlderThan(FRESH_MS);
        stops = [
          connection.subscribeToConnectionState(() =>
            measureIfOlderThan(Infinity),
          ),
          timing.onWake(refresh),
        ];
        refresh();
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        for (const stop of stops) stop();
      };
    },
  };
}
