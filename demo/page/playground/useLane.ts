import { useMutation, useQuery } from "convex/react";
import { useEffect, useRef, useState } from "react";
import { api } from "../../convex/_generated/api.js";
import type { PlaygroundConfig } from "../../convex/playground.js";
import { LONGEST_TIMEOUT_MS, useClock } from "../clock.js";
import { explain } from "../explain.js";
import { session } from "../session.js";
import { useCalls } from "../useCalls.js";
import { useLatest } from "../useLatest.js";
import { History } from "./history.js";

export type Ask = { count: number; reserve: boolean };

/** What came of the last call. Times are the server's. */
export type Outcome = { count: number } & (
  | { kind: "granted"; readyAt?: number; wouldDeny: boolean }
  | { kind: "denied"; retryAt: number }
  | { kind: "checked"; ok: boolean; waitUntil?: number }
  | { kind: "failed"; message: string }
  | { kind: "reset" }
);

/** An answer takes no longer to get here; what does has waited for the server. */
const LONGEST_WAY_MS = 500;

/** One limit of the playground: its state, its history, and what can be done with it. */
export function useLane(config: PlaygroundConfig) {
  const clock = useClock();
  const limit = useMutation(api.playground.limit);
  const checkLimit = useMutation(api.playground.check);
  const resetLimit = useMutation(api.playground.reset);
  const stored = useLatest(
    useQuery(api.playground.getValue, { session, config }),
  );
  const [history] = useState(() => new History());
  const {
    answer: outcome,
    pending,
    run,
  } = useCalls<Outcome>((error) => ({
    kind: "failed",
    count: 0,
    message: explain(error),
  }));
  const retry = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    if (stored !== undefined) history.hold(stored, clock.now());
  }, [stored, history, clock]);
  // What was asked of another config is not asked again.
  const configKey = JSON.stringify(config);
  useEffect(() => () => clearTimeout(retry.current), [configKey]);

  const attempt = (call: () => Promise<Outcome>) => {
    clearTimeout(retry.current);
    return run(call);
  };

  const take = async ({ count, reserve }: Ask, retries: boolean) => {
    const result = await attempt(async () => {
      const asked = clock.now();
      const status = await limit({ session, config, count, reserve });
      // The server decided somewhere on the way, unless it was away.
      const answered = clock.now();
      const at = Math.max((asked + answered) / 2, answered - LONGEST_WAY_MS);
      const wouldDeny = status.ok && status.wouldDeny === true;
      const isGranted = status.ok && !wouldDeny;
      history.mark({ at, count, outcome: isGranted ? "granted" : "denied" });
      if (!status.ok) {
        return { kind: "denied", count, retryAt: at + status.retryAfter };
      }
      return status.retryAfter === undefined
        ? { kind: "granted", count, wouldDeny }
        : {
            kind: "granted",
            count,
            wouldDeny,
            readyAt: at + status.retryAfter,
          };
    });
    if (retries && result.kind === "denied") {
      const again = () => void take({ count, reserve }, retries);
      const wait = Math.min(result.retryAt - clock.now(), LONGEST_TIMEOUT_MS);
      retry.current = setTimeout(again, wait);
    }
  };

  const check = async ({ count, reserve }: Ask) => {
    await attempt(async () => {
      const args = { session, config, count, reserve };
      const { ok, retryAfter } = await checkLimit(args);
      return retryAfter === undefined
        ? { kind: "checked", count, ok }
        : { kind: "checked", count, ok, waitUntil: clock.now() + retryAfter };
    });
  };

  const reset = async () => {
    await attempt(async () => {
      await resetLimit({ session, config });
      return { kind: "reset", count: 0 };
    });
  };

  const stopRetrying = () => clearTimeout(retry.current);

  return {
    stored,
    history,
    outcome,
    pending,
    take,
    check,
    reset,
    stopRetrying,
  };
}

export type Lane = ReturnType<typeof useLane>;
