import { useState } from "react";
import type { Done } from "../convex/done.js";
import { wait, wordsOf } from "./words.js";

/** Calls a function, and says in words why it did not do what it should. */
export function useSending(call: (text: string) => Promise<Done>) {
  const [problem, setProblem] = useState<string>();

  /** True if it is done. */
  const send = async (text: string): Promise<boolean> => {
    setProblem(undefined);
    try {
      const done = await call(text);
      if (!done.ok)
        setProblem(`Not yet. Try again in ${wait(done.retryAfter)}.`);
      return done.ok;
    } catch (error) {
      setProblem(wordsOf(error));
      return false;
    }
  };
  return { send, problem };
}
