import { useConvexConnectionState } from "convex/react";
import { ConvexError } from "convex/values";
import { isExceedsCapacityError, isRateLimitError } from "convex-rate-limiter";
import { useState } from "react";
import { formatBalance } from "../../dashboard/page/words.js";
import { useClock } from "./clock.js";

/** What came of a call, in the same few words everywhere. */
export type Answer = {
  kind: "granted" | "denied" | "done" | "failed";
  text: string;
  /** What happens at a time of the server: `Retry`. */
  then?: { label: string; at: number };
};

export const granted = (text: string, then?: Answer["then"]): Answer => ({
  kind: "granted",
  text,
  then,
});

/** @param at When to ask again, if that is worth a countdown. */
export const denied = (text: string, at?: number, label = "Retry"): Answer => ({
  kind: "denied",
  text,
  ...(at !== undefined && { then: { label, at } }),
});

export const done = (text: string): Answer => ({ kind: "done", text });

/**
 * The calls of one part of the page: what came of the last one, and how many have not been
 * answered yet. Convex's client sends what it could not send when the server is back, in order.
 */
export function useAnswers() {
  const now = useClock();
  const [answer, setAnswer] = useState<Answer>();
  const [pending, setPending] = useState(0);

  /** A denial that is thrown is a denial, too. */
  const explain = (error: unknown): Answer =>
    isRateLimitError(error)
      ? denied("", now() + error.data.retryAfter)
      : { kind: "failed", text: messageOf(error) };
  const run = async (call: () => Promise<Answer>): Promise<void> => {
    setPending((n) => n + 1);
    const answer = await call().catch(explain);
    setPending((n) => n - 1);
    setAnswer(answer);
  };
  return { answer, pending, run, forget: () => setAnswer(undefined) };
}

export type Answers = ReturnType<typeof useAnswers>;

function messageOf(error: unknown): string {
  if (isExceedsCapacityError(error)) {
    return `Never granted: ${formatBalance(error.data.max)} is the most.`;
  }
  if (error instanceof ConvexError) return JSON.stringify(error.data);
  return error instanceof Error ? error.message : String(error);
}

/** What is to be said of calls that wait because there is no connection, if there are any. */
export function useWaiting(pending: number): string | undefined {
  const { isWebSocketConnected } = useConvexConnectionState();
  if (pending === 0 || isWebSocketConnected) return undefined;
  return pending === 1
    ? "Runs when the server is back."
    : `${pending} calls run when the server is back.`;
}
