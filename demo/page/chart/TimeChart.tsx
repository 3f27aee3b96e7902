import type { ReactNode } from "react";
import { useNow } from "../clock.js";
import { formatTokens } from "../format.js";
import { reducedMotion } from "../motion.js";
import { timeStep, type Scale } from "./scale.js";
import { unitFor } from "./timeAxis.js";

/** How often a chart that moves is drawn at most, in ms. */
const FRAME_MS = 100;
const CALM_FRAME_MS = 1000;

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
  /** Of the amounts; without it the chart is a line of time alone. */
  scale?: Scale;
  /** From when on time alone changes nothing in it. */
  restsAt: number;
  children: (placing: Placing) => ReactNode;
};

/** What was and what will be, on an axis of time that moves along. */
export function TimeChart(props: Props) {
  const { label, pastMs, futureMs, scale, restsAt, children } = props;
  const spanMs = pastMs + futureMs;
  // It need not be drawn before it has moved by half a pixel.
  const frameMs = Math.max(
    reducedMotion.matches ? CALM_FRAME_MS : FRAME_MS,
    Math.floor(spanMs / PIXELS / 2),
  );
  const now = useNow(frameMs, restsAt);
  const from = now - pastMs;
  const x = (time: number) => (100 * (time - from)) / spanMs;
  const y = (amount: number) =>
    scale === undefined
      ? 50
      : Math.min(100, (100 * (amount - scale.min)) / (scale.max - scale.min));
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
        {scale !== undefined &&
          amountTicks(scale).map((amount) => (
            <span
              key={amount}
              className="tick-y"
              style={{ bottom: `${y(amount)}%` }}
            >
              <span>{formatTokens(amount)}</span>
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

function amountTicks({ min, max, interval }: Scale): number[] {
  const count = Math.round((max - min) / interval);
  return Array.from({ length: count + 1 }, (_, i) => min + i * interval);
}
