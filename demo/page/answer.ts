import { isRateLimitError } from "convex-rate-limiter";
import { useClock } from "./clock.js";
import { explain } from "./explain.js";
import { useCalls } from "./useCalls.js";

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

/** The calls of one part of the page. A denial that is thrown is a denial, too. */
export function useAnswers() {
  const clock = useClock();
  return useCalls<Answer>((error) =>
    isRateLimitError(error)
      ? denied("", clock.now() + error.data.retryAfter)
      : { kind: "failed", text: explain(error) },
  );
}

export type Answers = ReturnType<typeof useAnswers>;
