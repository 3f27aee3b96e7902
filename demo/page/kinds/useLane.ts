import { useMutation, useQuery } from "convex/react";
import { useEffect, useEffectEvent, useReducer } from "react";
import { api } from "../../convex/_generated/api.js";
import type { KindConfig } from "../../convex/kinds.js";
import { denied, done, granted, useAnswers } from "../answer.js";
import { useClock } from "../clock.js";
import { session } from "../session.js";
import { useLatest } from "../useLatest.js";
import { plural } from "../words.js";
import { withMark, withState, type History, type Segment } from "./history.js";

/** An answer takes no longer to get here; what does has waited for the server. */
const LONGEST_WAY_MS = 500;

const changed = (history: History, change: (history: History) => History) =>
  change(history);

/** One limit: its state, its history, and what can be done with it. */
export function useLane(config: KindConfig) {
  const now = useClock();
  const limit = useMutation(api.kinds.limit);
  const resetLimit = useMutation(api.kinds.reset);
  const stored = useLatest(useQuery(api.kinds.getValue, { session, config }));
  const [history, change] = useReducer(changed, { segments: [], marks: [] });
  const calls = useAnswers();

  const hold = useEffectEvent((stored: Omit<Segment, "from">) =>
    change((history) => withState(history, stored, now())),
  );
  useEffect(() => {
    if (stored !== undefined) hold(stored);
  }, [stored]);

  const take = (count: number) =>
    calls.run(async () => {
      const asked = now();
      const status = await limit({ session, config, count });
      // The server decided somewhere on the way, unless it was away.
      const answered = now();
      const at = Math.max((asked + answered) / 2, answered - LONGEST_WAY_MS);
      const outcome = status.ok ? "granted" : "denied";
      change((history) => withMark(history, { at, count, outcome }));
      const tokens = `${plural(count, "token")}.`;
      return status.ok
        ? granted(tokens)
        : denied(tokens, at + status.retryAfter);
    });

  const reset = () =>
    calls.run(async () => {
      await resetLimit({ session, config });
      return done("Full again.");
    });

  return { config, stored, history, calls, take, reset };
}

export type Lane = ReturnType<typeof useLane>;
