import { ConnectionDot } from "./connection.js";
import { SectionNav } from "./nav/SectionNav.js";

/** The bar on top. */
export function Header() {
  return (
    <header className="header">
      <div className="header-row page">
        <a className="wordmark" href="./">
          convex-rate-limiter
        </a>
        <SectionNav />
        <ConnectionDot />
      </div>
    </header>
  );
}
