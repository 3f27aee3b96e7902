import { formatDuration } from "../../dashboard/page/words.js";
import { useNow } from "./clock.js";

type Props = {
  /** By the server's clock. */
  until: number;
  /**
   * When the server set `until`, if known. The countdown never starts above the difference, even
   * while the page thinks that the server's clock is slow.
   */
  since?: number;
  /** What to show before the time. */
  prefix?: string;
  /** What to show afterwards. */
  done: string;
};

/** Counts down to a time by the server's clock. Silent for screen readers. */
export function Countdown(props: Props) {
  const { until, since = -Infinity, prefix = "", done } = props;
  const left = until - Math.max(useNow(100, until), since);
  return (
    <span role="timer" className="countdown">
      {left > 0 ? prefix + formatDuration(left) : done}
    </span>
  );
}
