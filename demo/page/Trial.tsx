import type { ReactNode } from "react";
import { Answered } from "./Answered.js";
import type { Answers } from "./answer.js";

type Props = {
  actions: ReactNode;
  calls: Answers;
  /** What to try first. */
  hint: ReactNode;
  children: ReactNode;
};

/** What one can do, what was answered, and what it is about. */
export function Trial({ actions, calls, hint, children }: Props) {
  return (
    <div className="trial">
      <div className="actions">{actions}</div>
      <Answered answer={calls.answer} pending={calls.pending} hint={hint} />
      {children}
    </div>
  );
}
