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

/** Tells the server's time, by which balances are projected: the browser's clock may be wrong. */
export function useClock(): () => number {
  const offset = useOffset();
  return useCallback(() => Date.now() + offset, [offset]);
}

/** A value that depends on the server's time. Renders again only when it changes. */
export function useTimed<T>(evaluate: (now: number) => Moment<T>): T {
  const offset = useOffset();
  const { subscribe, getSnapshot } = useMemo(() => {
    const timed = timedValue<T>(browserTiming, (now) => {
      const { value, until } = evaluate(now + offset);
      return { value, until: until - offset };
    });
    return heldStill(timed);
  }, [evaluate, offset]);
  return useSyncExternalStore(subscribe, getSnapshot);
}

/** Holds the value still between changes, as React requires while it renders. */
function heldStill<T>(timed: TimedValue<T>): TimedValue<T> {
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

/** The server's time. Renders again every `stepMs` until `until`. */
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
