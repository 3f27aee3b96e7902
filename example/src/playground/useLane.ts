import { useConvex, useMutation, useQuery } from "convex/react";
import { ConvexError } from "convex/values";
import { isExceedsCapacityError } from "convex-rate-limiter";
import { useEffect, useRef, useState } from "react";
import { api } from "../../convex/_generated/api.js";
import type { PlaygroundConfig } from "../../convex/playground.js";
import { useClock } from "../clock.js";
import { session } from "../session.js";
import { useLatest } from "../useLatest.js";
import { History } from "./history.js";

export type Ask = { count: number; reserve: boolean };

/** What came of the last call. Times are the server's. */
export type Outcome = { count: number; at: number } & (
  | { kind: "granted"; readyAt?: number; wouldDeny: boolean }
  | { kind: "denied"; retryAt: number }
  | { kind: "checked"; ok: boolean; waitUntil?: number }
  | { kind: "failed"; message: string }
  | { kind: "reset" }
);

/** Timers overflow beyond this, and fire at once. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** One limit of the playground: its state, its history, and what can be done with it. */
export function useLane(config: PlaygroundConfig) {
  const clock = useClock();
  const convex = useConvex();
  const limit = useMutation(api.playground.limit);
  const resetLimit = useMutation(api.playground.reset);
  const stored = useLatest(
    useQuery(api.playground.getValue, { session, config }),
  );
  const [history] = useState(() => new History());
  const [outcome, setOutcome] = useState<Outcome>();
  const retry = useRef<ReturnType<typeof setTimeout>>(undefined);

  useEffect(() => {
    if (stored !== undefined) history.hold(stored, clock.now());
  }, [stored, history, clock]);
  // What was asked of another config is not asked again.
  const configKey = JSON.stringify(config);
  useEffect(() => () => clearTimeout(retry.current), [configKey]);

  const attempt = async (count: number, call: () => Promise<Outcome>) => {
    clearTimeout(retry.current);
    try {
      const result = await call();
      setOutcome(result);
      return result;
    } catch (error) {
      const result: Outcome = {
        kind: "failed",
        count,
        at: clock.now(),
        message: explain(error),
      };
      setOutcome(result);
      return result;
    }
  };

  const take = async ({ count, reserve }: Ask, retries: boolean) => {
    const result = await attempt(count, async () => {
      const asked = clock.now();
      const status = await limit({ session, config, count, reserve });
      // The server decided somewhere on the way.
      const at = (asked + clock.now()) / 2;
      const wouldDeny = status.ok && status.wouldDeny === true;
      const isGranted = status.ok && !wouldDeny;
      history.mark({ at, count, outcome: isGranted ? "granted" : "denied" });
      if (!status.ok) {
        return { kind: "denied", count, at, retryAt: at + status.retryAfter };
      }
      return status.retryAfter === undefined
        ? { kind: "granted", count, at, wouldDeny }
        : {
            kind: "granted",
            count,
            at,
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
    await attempt(count, async () => {
      const args = { session, config, count, reserve };
      const { ok, retryAfter } = await convex.query(api.playground.check, args);
      const at = clock.now();
      return retryAfter === undefined
        ? { kind: "checked", count, at, ok }
        : { kind: "checked", count, at, ok, waitUntil: at + retryAfter };
    });
  };

  const reset = async () => {
    await attempt(0, async () => {
      await resetLimit({ session, config });
      return { kind: "reset", count: 0, at: clock.now() };
    });
  };

  const stopRetrying = () => clearTimeout(retry.current);

  return { stored, history, outcome, take, check, reset, stopRetrying };
}

export type Lane = ReturnType<typeof useLane>;

function explain(error: unknown): string {
  if (isExceedsCapacityError(error)) {
    const { count, max } = error.data;
    return `Never possible: ${count} tokens are asked for, and at most ${max} can ever be granted.`;
  }
  if (error instanceof ConvexError) return JSON.stringify(error.data);
  return error instanceof Error ? error.message : String(error);
}
