import { DAY, HOUR, MINUTE, SECOND } from "convex-rate-limiter";
import type { ReactNode } from "react";
import { amountTicks, timeStep } from "../../../dashboard/page/ticks.js";
import { balance } from "../../../dashboard/page/words.js";
import { useNow } from "../clock.js";

/** How often a chart that moves is drawn at most, in ms. */
const FRAME_MS = 100;
const CALM_FRAME_MS = 1000;

/** Whether the visitor wants things to stay calm. */
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

/** A chart has about so many ticks of time, and is about so many pixels wide. */
const TICKS = 5;
const PIXELS = 600;

/** Where something is in the chart, in percent of its width and height. */
export type Placing = {
  now: number;
  from: number;
  to: number;
  x: (time: number) => number;
  y: (amount: number) => number;
};

type Props = {
  /** What the chart shows, in words. */
  label: string;
  /** How much of the past and of the future it shows. */
  pastMs: number;
  futureMs: number;
  /** The largest amount; without it the chart is a line of time alone. */
  most?: number;
  /** From when on time alone changes nothing in it. */
  restsAt: number;
  children: (placing: Placing) => ReactNode;
};

/** What was and what will be, on an axis of time that moves along. */
export function TimeChart(props: Props) {
  const { label, pastMs, futureMs, most, restsAt, children } = props;
  const spanMs = pastMs + futureMs;
  // It need not be drawn before it has moved by half a pixel.
  const frameMs = Math.max(
    reducedMotion.matches ? CALM_FRAME_MS : FRAME_MS,
    Math.floor(spanMs / PIXELS / 2),
  );
  const now = useNow(frameMs, restsAt);
  const from = now - pastMs;
  const x = (time: number) => (100 * (time - from)) / spanMs;
  const amounts = most === undefined ? [] : amountTicks(most);
  const top = amounts.at(-1);
  const y = (amount: number) =>
    top === undefined ? 50 : Math.min(100, (100 * amount) / top);
  return (
    <div className="chart-place">
      <div className="time-chart" role="img" aria-label={label}>
        {timeTicks(pastMs, futureMs).map(({ after, text }) => (
          <span
            key={after}
            className="tick-x"
            data-now={after === 0}
            style={{ left: `${x(now + after)}%` }}
          >
            <span>{text}</span>
          </span>
        ))}
        {amounts.map((amount) => (
          <span
            key={amount}
            className="tick-y"
            style={{ bottom: `${y(amount)}%` }}
          >
            <span>{balance(amount)}</span>
          </span>
        ))}
        {children({ now, from, to: now + futureMs, x, y })}
      </div>
    </div>
  );
}

/** Round distances from now, which rest while the data moves. */
function timeTicks(pastMs: number, futureMs: number) {
  const stepMs = timeStep(pastMs + futureMs, TICKS);
  const { unit, ms } = unitFor(pastMs + futureMs);
  const first = -Math.floor(pastMs / stepMs);
  const last = Math.floor(futureMs / stepMs);
  return Array.from({ length: last - first + 1 }, (_, i) => {
    const after = (first + i) * stepMs;
    const amount = Math.round((1000 * Math.abs(after)) / ms) / 1000;
    const text =
      after === 0 ? "now" : `${after > 0 ? "+" : "−"}${amount} ${unit}`;
    return { after, text };
  });
}

/** The unit in which a span of time reads best. */
function unitFor(spanMs: number): { unit: string; ms: number } {
  if (spanMs < 5000) return { unit: "ms", ms: 1 };
  if (spanMs < 5 * MINUTE) return { unit: "s", ms: SECOND };
  if (spanMs < 5 * HOUR) return { unit: "min", ms: MINUTE };
  if (spanMs < 5 * DAY) return { unit: "h", ms: HOUR };
  return { unit: "d", ms: DAY };
}
