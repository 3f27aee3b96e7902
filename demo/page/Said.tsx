import type { ReactNode } from "react";
import { useWaiting } from "./useCalls.js";

type Props = {
  /** How many calls have not been answered yet. */
  pending: number;
  /** What came of the last call. */
  children?: ReactNode;
};

/** The answer to what one has done, or that it waits for the server. */
export function Said({ pending, children }: Props) {
  const waiting = useWaiting(pending);
  return (
    <p role="status" className="said" data-pending={waiting !== undefined}>
      {waiting ?? children}
    </p>
  );
}
