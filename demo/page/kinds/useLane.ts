import { useMutation, useQuery } from "convex/react";
import { useEffect, useEffectEvent, useReducer } from "react";
import { api } from "../../convex/_generated/api.js";
import type { KindConfig } from "../../convex/kinds.js";
import { denied, done, granted, useCalls } from "../calls.js";
import { useClock } from "../clock.js";
import { session } from "../session.js";
import { useLatest } from "../useLatest.js";
import { plural } from "../words.js";
import { withMark, withState, type History, type Segment } from "./history.js";

/** A slower answer has waited for the server to come back. */
const MAX_WAY_MS = 500;

const changed = (history: History, change: (history: History) => History) =>
  change(history);

/** One limit: its state, its history, and what can be done with it. */
export function useLane(config: KindConfig) {
  const now = useClock();
  const limit = useMutation(api.kinds.limit);
  const resetLimit = useMutation(api.kinds.reset);
  const stored = useLatest(useQuery(api.kinds.getValue, { session, config }));
  const [history, change] = useReducer(changed, { segments: [], marks: [] });
  const calls = useCalls();

  const addState = useEffectEvent((state: Omit<Segment, "from">) =>
    change((before) => withState(before, state, now())),
  );
  useEffect(() => {
    if (stored !== undefined) addState(stored);
  }, [stored]);

  const take = (count: number) =>
    calls.run(async () => {
      const askedAt = now();
      const status = await limit({ session, config, count });
      const answeredAt = now();
      // The server decided about half way in between, unless the call had to wait for it.
      const time = Math.max(
        (askedAt + answeredAt) / 2,
        answeredAt - MAX_WAY_MS,
      );
      const outcome = status.ok ? "granted" : "denied";
      change((before) => withMark(before, { time, count, outcome }));
      const tokens = `${plural(count, "token")}.`;
      return status.ok
        ? granted(tokens)
        : denied(tokens, time + status.retryAfter);
    });

  const reset = () =>
    calls.run(async () => {
      await resetLimit({ session, config });
      return done("Full again.");
    });

  return { config, stored, history, calls, take, reset };
}

export type Lane = ReturnType<typeof useLane>;
