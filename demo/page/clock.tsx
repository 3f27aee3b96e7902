import { useConvex } from "convex/react";
import {
  createContext,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
  type ReactNode,
} from "react";
import { api } from "../convex/_generated/api.js";

/** How often the server is asked for its time, and how long between. */
const QUESTIONS = 5;
const QUESTIONS_EVERY_MS = 700;

/** The server's time: balances are projected by it, and the browser's clock may be wrong. */
class Clock {
  private offset = 0;
  private bestRoundTrip = Infinity;

  readonly now = (): number => Date.now() + this.offset;

  /** Asks a few times: the quickest answer is the one that tells the time best. */
  sync(getServerTime: () => Promise<number>): () => void {
    let asked = 0;
    const interval = setInterval(() => {
      if (++asked >= QUESTIONS) clearInterval(interval);
      // Without an answer the browser's own time has to do.
      this.ask(getServerTime).catch(() => undefined);
    }, QUESTIONS_EVERY_MS);
    return () => clearInterval(interval);
  }

  private async ask(getServerTime: () => Promise<number>): Promise<void> {
    const asked = Date.now();
    const serverTime = await getServerTime();
    const roundTrip = Date.now() - asked;
    if (roundTrip > this.bestRoundTrip) return;
    this.bestRoundTrip = roundTrip;
    this.offset = serverTime - (asked + roundTrip / 2);
  }
}

const ClockContext = createContext(new Clock());

export function ClockProvider({ children }: { children: ReactNode }) {
  const convex = useConvex();
  const [clock] = useState(() => new Clock());
  useEffect(
    () => clock.sync(() => convex.mutation(api.messages.getServerTime, {})),
    [clock, convex],
  );
  return <ClockContext value={clock}>{children}</ClockContext>;
}

export function useClock(): Clock {
  return useContext(ClockContext);
}

/**
 * What the clock says. Read again only when `watch` calls back: while React draws the page
 * it has to stay the same, and time does not.
 */
function readingOf<Value>(
  read: () => Value,
  watch: (onChange: () => void) => () => void,
) {
  let value = read();
  return {
    get: () => value,
    subscribe: (onChange: () => void) => {
      value = read();
      return watch(() => {
        value = read();
        onChange();
      });
    },
  };
}

export function useReading<Value>(
  ...[read, watch]: Parameters<typeof readingOf<Value>>
) {
  const { subscribe, get } = useMemo(
    () => readingOf(read, watch),
    [read, watch],
  );
  return useSyncExternalStore(subscribe, get);
}

/**
 * The server's time, which renders again every `stepMs` up to `until`, and then no more.
 */
export function useNow(stepMs: number, until = Infinity): number {
  const clock = useClock();
  const read = useCallback(() => {
    const now = clock.now();
    return now >= until ? until : Math.floor(now / stepMs) * stepMs;
  }, [clock, stepMs, until]);
  const watch = useCallback(
    (onChange: () => void) => {
      if (clock.now() >= until) return () => {};
      const interval = setInterval(() => {
        if (clock.now() >= until) clearInterval(interval);
        onChange();
      }, stepMs);
      return () => clearInterval(interval);
    },
    [clock, stepMs, until],
  );
  return useReading(read, watch);
}

/** Timers overflow beyond this, and fire at once. */
export const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** Whether a time of the server is still to come. Renders again once, when it has come. */
export function useIsBefore(time: number): boolean {
  const clock = useClock();
  const read = useCallback(() => clock.now() < time, [clock, time]);
  const watch = useCallback(
    (onChange: () => void) => {
      let timeout: ReturnType<typeof setTimeout> | undefined;
      const wait = () => {
        const left = time - clock.now();
        if (left > 0) {
          timeout = setTimeout(wait, Math.min(left + 1, LONGEST_TIMEOUT_MS));
        } else {
          onChange();
        }
      };
      if (time > clock.now()) wait();
      return () => clearTimeout(timeout);
    },
    [clock, time],
  );
  return useReading(read, watch);
}
