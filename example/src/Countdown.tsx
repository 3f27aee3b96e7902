import { useNow } from "./clock.js";
import { formatCountdown } from "./format.js";

/** Counts down to a time of the server; then shows `done`. Silent for screen readers. */
export function Countdown({ until, done }: { until: number; done: string }) {
  const left = until - useNow(100, until);
  return (
    <span role="timer" className="countdown">
      {left > 0 ? formatCountdown(left) : done}
    </span>
  );
}
