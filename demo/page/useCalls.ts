import { useConvexConnectionState } from "convex/react";
import { useState } from "react";

/**
 * Calls of one part of the page: what came of the last one, and whether some have not
 * been answered yet. Convex's client sends what it could not send when the server is
 * back, in order.
 *
 * @param explain - What to say of an error.
 */
export function useCalls<Answer>(explain: (error: unknown) => Answer) {
  const [answer, setAnswer] = useState<Answer>();
  const [pending, setPending] = useState(0);

  const run = async (call: () => Promise<Answer>): Promise<Answer> => {
    setPending((n) => n + 1);
    let result: Answer;
    try {
      result = await call();
    } catch (error) {
      result = explain(error);
    }
    setPending((n) => n - 1);
    setAnswer(result);
    return result;
  };
  const forget = () => setAnswer(undefined);

  return { answer, pending, run, forget };
}

/** What is to be said of calls that wait because there is no connection, if there are any. */
export function useWaiting(pending: number): string | undefined {
  const { isWebSocketConnected } = useConvexConnectionState();
  if (pending === 0 || isWebSocketConnected) return undefined;
  return pending === 1
    ? "Runs when the server is back."
    : `${pending} calls run when the server is back.`;
}
