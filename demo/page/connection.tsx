import { useConvexConnectionState } from "convex/react";
import { useEffect, useState } from "react";

/** Shorter gaps than this are not worth a word. */
const PATIENCE_MS = 1500;

export function ConnectionDot() {
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

/** Over the page, so that nothing moves when it comes and goes. */
export function ConnectionBanner() {
  const { isWebSocketConnected, hasEverConnected } = useConvexConnectionState();
  return (
    <div role="alert" className="banner-place">
      {isWebSocketConnected ? null : <Banner wasThere={hasEverConnected} />}
    </div>
  );
}

function Banner({ wasThere }: { wasThere: boolean }) {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timeout = setTimeout(() => setLong(true), PATIENCE_MS);
    return () => clearTimeout(timeout);
  }, []);
  if (!isLong) return null;
  return (
    <p className="banner">
      <strong>The server cannot be reached.</strong>{" "}
      {wasThere
        ? "What you do meanwhile runs when it is back."
        : "Is it running? Trying again."}
    </p>
  );
}
