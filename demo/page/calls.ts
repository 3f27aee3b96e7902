import { useConvexConnectionState } from "convex/react";
import { ConvexError } from "convex/values";
import { isExceedsCapacityError, isRateLimitError } from "convex-rate-limiter";
import { useState } from "react";
import { formatBalance } from "../../dashboard/page/words.js";
import { useClock } from "./clock.js";

/** What came of a call, in the same few words on the whole page. */
export type CallResult = {
  kind: "granted" | "denied" | "done" | "failed";
  text: string;
  /** What happens next, such as `Retry`, and when by the server's clock. */
  then?: { label: string; time: number };
};

export const granted = (
  text: string,
  then?: CallResult["then"],
): CallResult => ({
  kind: "granted",
  text,
  then,
});

/** @param time When to ask again, if that is worth a countdown. */
export const denied = (
  text: string,
  time?: number,
  label = "Retry",
): CallResult => ({
  kind: "denied",
  text,
  ...(time !== undefined && { then: { label, time } }),
});

export const done = (text: string): CallResult => ({ kind: "done", text });

/**
 * The calls of one part of the page: the result of the last one, and how many are unanswered.
 * While the server is away, Convex's client keeps calls and sends them later, in order.
 */
export function useCalls() {
  const now = useClock();
  const [result, setResult] = useState<CallResult>();
  const [pending, setPending] = useState(0);

  /** A denial may also be thrown. */
  const explain = (error: unknown): CallResult =>
    isRateLimitError(error)
      ? denied("", now() + error.data.retryAfter)
      : { kind: "failed", text: messageOf(error) };
  const run = async (call: () => Promise<CallResult>): Promise<void> => {
    setPending((n) => n + 1);
    const latest = await call().catch(explain);
    setPending((n) => n - 1);
    setResult(latest);
  };
  return { result, pending, run, forget: () => setResult(undefined) };
}

export type Calls = ReturnType<typeof useCalls>;

function messageOf(error: unknown): string {
  if (isExceedsCapacityError(error)) {
    return `Never granted: ${formatBalance(error.data.max)} is the most.`;
  }
  if (error instanceof ConvexError) return JSON.stringify(error.data);
  return error instanceof Error ? error.message : String(error);
}

/** Says that calls wait for the connection, if any do. */
export function useWaiting(pending: number): string | undefined {
  const { isWebSocketConnected } = useConvexConnectionState();
  if (pending === 0 || isWebSocketConnected) return undefined;
  return pending === 1
    ? "Runs when the server is back."
    : `${pending} calls run when the server is back.`;
}
