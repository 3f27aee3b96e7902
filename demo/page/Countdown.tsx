import { formatDuration } from "../../dashboard/page/words.js";
import { useNow } from "./clock.js";

type Props = {
  /** A time of the server. */
  until: number;
  /**
   * When the server said so, if it is known. The page may take its clock to be slow, but
   * no wait is ever longer than it was then.
   */
  since?: number;
  /** What to show before the time. */
  prefix?: string;
  /** What to show afterwards. */
  done: string;
};

/** Counts down to a time of the server. Silent for screen readers. */
export function Countdown(props: Props) {
  const { until, since = -Infinity, prefix = "", done } = props;
  const left = until - Math.max(useNow(100, until), since);
  return (
    <span role="timer" className="countdown">
      {left > 0 ? prefix + formatDuration(left) : done}
    </span>
  );
}
