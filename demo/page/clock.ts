import { useCallback, useMemo, useSyncExternalStore } from "react";
import { api } from "../convex/_generated/api.js";
import {
  timedValue,
  type Moment,
  type TimedValue,
} from "../../src/react/timedValue.js";
import { browserTiming } from "../../src/react/timing.js";
import { useServerOffset } from "../../src/react/useServerOffset.js";

const useOffset = () => useServerOffset(api.messages.getServerTime);

/** Tells the server's time: balances are projected by it, and the browser's clock may be wrong. */
export function useClock(): () => number {
  const offset = useOffset();
  return useCallback(() => Date.now() + offset, [offset]);
}

/** A value at the server's time. Renders again when it is another one, and not otherwise. */
export function useTimed<T>(evaluate: (now: number) => Moment<T>): T {
  const offset = useOffset();
  const { subscribe, getSnapshot } = useMemo(() => {
    const timed = timedValue<T>(browserTiming, (now) => {
      const { value, until } = evaluate(now + offset);
      return { value, until: until - offset };
    });
    return stillWhileDrawn(timed);
  }, [evaluate, offset]);
  return useSyncExternalStore(subscribe, getSnapshot);
}

/** While React draws the page a value has to stay the same, and time does not. */
function stillWhileDrawn<T>(timed: TimedValue<T>): TimedValue<T> {
  let value = timed.getSnapshot();
  const read = () => (value = timed.getSnapshot());
  return {
    getSnapshot: () => value,
    subscribe: (listener) => {
      read();
      return timed.subscribe(() => {
        read();
        listener();
      });
    },
  };
}

/** The server's time, which renders again every `stepMs` up to `until`, and then no more. */
export function useNow(stepMs: number, until = Infinity): number {
  const evaluate = useCallback(
    (now: number) => {
      if (now >= until) return { value: until, until: Infinity };
      const value = Math.floor(now / stepMs) * stepMs;
      return { value, until: Math.min(until, value + stepMs) };
    },
    [stepMs, until],
  );
  return useTimed(evaluate);
}
