import { useConvexConnectionState } from "convex/react";

/** Whether the server is there. Calls that cannot reach it wait, and say so where they were made. */
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
