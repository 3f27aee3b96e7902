import { useState } from "react";
import type { Done } from "../convex/done.js";
import { formatWait, wordsOf } from "./words.js";

/** Calls a function. If it fails or is denied, `problem` says why. */
export function useSending(call: (text: string) => Promise<Done>) {
  const [problem, setProblem] = useState<string>();

  /** Resolves to whether it succeeded. */
  const send = async (text: string): Promise<boolean> => {
    setProblem(undefined);
    try {
      const done = await call(text);
      if (!done.ok)
        setProblem(`Not yet. Try again in ${formatWait(done.retryAfter)}.`);
      return done.ok;
    } catch (error) {
      setProblem(wordsOf(error));
      return false;
    }
  };
  return { send, problem };
}
