import type { ReactNode } from "react";

type Props = {
  onClick: () => unknown;
  /** The first thing to do, or one that is seldom done. */
  rank?: "first" | "quiet";
  /** What it does, where the text alone does not say it. */
  label?: string;
  children: ReactNode;
};

export function ActionButton({ onClick, rank, label, children }: Props) {
  return (
    <button
      type="button"
      className={rank}
      aria-label={label}
      onClick={() => void onClick()}
    >
      {children}
    </button>
  );
}
