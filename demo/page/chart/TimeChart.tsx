import { plot, ruleX, type Markish } from "@observablehq/plot";
import { DAY, HOUR, MINUTE, SECOND } from "convex-rate-limiter";
import { useEffect, useRef } from "react";
import { useNow } from "../clock.js";
import "./chart.css";

/** The shortest time between two drawings. */
const FRAME_MS = 100;
const CALM_FRAME_MS = 1000;

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

const AXIS = { ticks: 5, tickSize: 0, label: null };

/** About how wide a chart is. */
const PIXELS = 600;

/** What a chart shows when it is drawn. */
export type Frame = {
  now: number;
  from: number;
  to: number;
  /** Where a time is on the axis. */
  x: (time: number) => number;
};

type Props = {
  /** What the chart shows, in words. */
  label: string;
  /** How much of the past and of the future the chart shows. */
  pastMs: number;
  futureMs: number;
  /** The largest amount. Without it the chart is only a line of time. */
  max?: number;
  /** The time from which on the chart no longer changes by itself. */
  restsAt: number;
  marksAt: (frame: Frame) => Markish[];
};

const compact = new Intl.NumberFormat("en", {
  notation: "compact",
  maximumSignificantDigits: 3,
});
const scientific = new Intl.NumberFormat("en", {
  notation: "scientific",
  maximumSignificantDigits: 3,
});

/** Whether an amount is short enough without a power of ten. */
const isPlain = (amount: number) =>
  amount === 0 || (amount >= 0.1 && amount < 1e15);

/** An amount in about four characters, or six with a power of ten. */
const short = (amount: number) =>
  (isPlain(amount) ? compact : scientific).format(amount);

/** A chart of the past and the future on a moving axis of time. */
export function TimeChart(props: Props) {
  const { label, pastMs, futureMs, max, restsAt, marksAt } = props;
  const spanMs = pastMs + futureMs;
  // Drawing sooner than after half a pixel would show no difference.
  const frameMs = Math.max(
    reducedMotion.matches ? CALM_FRAME_MS : FRAME_MS,
    Math.floor(spanMs / PIXELS / 2),
  );
  const now = useNow(frameMs, restsAt);
  const { unit, ms } = unitFor(spanMs);
  const x = (time: number) => (time - now) / ms;
  const [from, to] = [now - pastMs, now + futureMs];
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const draw = () => {
      const chart = plot({
        className: "plot",
        width: current.clientWidth,
        height: current.clientHeight,
        marginTop: 8,
        marginRight: 12,
        marginBottom: 24,
        marginLeft: max === undefined ? 0 : isPlain(max) ? 48 : 66,
        grid: true,
        x: {
          ...AXIS,
          domain: [x(from), x(to)],
          tickFormat: (after: number) =>
            after === 0
              ? "now"
              : `${after > 0 ? "+" : "−"}${short(Math.abs(after))} ${unit}`,
        },
        y:
          max === undefined
            ? { axis: null }
            : {
                ...AXIS,
                domain: [0, max],
                nice: AXIS.ticks,
                clamp: true,
                tickFormat: short,
              },
        marks: [
          ruleX([0], { stroke: "var(--edge)" }),
          ...marksAt({ now, from, to, x }),
        ],
      });
      // The `aria-label` says it in words.
      chart.ariaHidden = "true";
      current.replaceChildren(chart);
    };
    // It also reports the initial size, which draws the chart.
    const observer = new ResizeObserver(draw);
    observer.observe(current);
    return () => observer.disconnect();
  });
  return (
    <div ref={place} className="time-chart" role="img" aria-label={label} />
  );
}

/** The unit in which a span of time reads best. */
function unitFor(spanMs: number): { unit: string; ms: number } {
  if (spanMs < 5000) return { unit: "ms", ms: 1 };
  if (spanMs < 5 * MINUTE) return { unit: "s", ms: SECOND };
  if (spanMs < 5 * HOUR) return { unit: "min", ms: MINUTE };
  if (spanMs < 5 * DAY) return { unit: "h", ms: HOUR };
  return { unit: "d", ms: DAY };
}
