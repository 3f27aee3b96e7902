import type { ReactNode } from "react";
import { ThemeToggle } from "./ThemeToggle.js";

type Props = {
  /** What leads around the page. */
  nav?: ReactNode;
  status?: ReactNode;
};

/** The bar on top. */
export function Header({ nav, status }: Props) {
  return (
    <header className="header">
      <div className="header-row page">
        <a className="wordmark" href="./">
          convex-rate-limiter
        </a>
        {nav}
        <div className="header-tools">
          {status}
          <ThemeToggle />
        </div>
      </div>
    </header>
  );
}
