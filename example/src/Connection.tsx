import { useConvexConnectionState } from "convex/react";
import { useEffect, useState } from "react";

/** Shorter interruptions are not worth mentioning. */
const PATIENCE_MS = 1500;

/** Lies over the page, so that nothing moves when it comes and goes. */
export function Connection() {
  const { isWebSocketConnected } = useConvexConnectionState();
  return (
    <div role="status" className="connection">
      {isWebSocketConnected ? null : <Lost />}
    </div>
  );
}

function Lost() {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    const timeout = setTimeout(() => setLong(true), PATIENCE_MS);
    return () => clearTimeout(timeout);
  }, []);
  if (!isLong) return null;
  return <p>You are offline. What you send goes out when you are back.</p>;
}
