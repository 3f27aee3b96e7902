import { useConvexConnectionState } from "convex/react";
import { SECTIONS } from "./sections.js";
import "./styles/nav.css";

/** The bar at the top. */
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

function SectionNav() {
  return (
    <nav className="nav" aria-label="Sections">
      <ul>
        {SECTIONS.map(({ id, nav }) => (
          <li key={id}>
            <a href={`#${id}`}>{nav}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Whether the server is there. Calls that wait for it say so where they were made. */
function ConnectionDot() {
  const { isWebSocketConnected } = useConvexConnectionState();
  return (
    <p
      className="connection"
      data-connected={isWebSocketConnected}
      aria-live="polite"
    >
      {isWebSocketConnected ? "Live" : "Connecting"}
    </p>
  );
}
