import { plot, ruleX, type Markish } from "@observablehq/plot";
import { DAY, HOUR, MINUTE, SECOND } from "convex-rate-limiter";
import { useEffect, useRef } from "react";
import { useNow } from "../clock.js";
import "./chart.css";

/** How often a chart that moves is drawn at most, in ms. */
const FRAME_MS = 100;
const CALM_FRAME_MS = 1000;

/** Whether the visitor wants things to stay calm. */
const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");

const AXIS = { ticks: 5, tickSize: 0, label: null };

/** A chart is about so many pixels wide. */
const PIXELS = 600;

/** What a chart shows at a time. */
export type Moment = {
  now: number;
  from: number;
  to: number;
  /** Where a time is on the axis. */
  x: (time: number) => number;
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
  marksAt: (moment: Moment) => Markish[];
};

const compact = new Intl.NumberFormat("en", {
  notation: "compact",
  maximumSignificantDigits: 3,
});
const scientific = new Intl.NumberFormat("en", {
  notation: "scientific",
  maximumSignificantDigits: 3,
});

/** Whether an amount, or a part of it, is short enough without a power of ten. */
const isPlain = (amount: number) =>
  amount === 0 || (amount >= 0.1 && amount < 1e15);

/** A number in four characters, or six with a power of ten, if it has two digits that count. */
const short = (amount: number) =>
  (isPlain(amount) ? compact : scientific).format(amount);

/** What was and what will be, on an axis of time that moves along. */
export function TimeChart(props: Props) {
  const { label, pastMs, futureMs, most, restsAt, marksAt } = props;
  const spanMs = pastMs + futureMs;
  // It need not be drawn before it has moved by half a pixel.
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
        marginLeft: most === undefined ? 0 : isPlain(most) ? 48 : 66,
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
          most === undefined
            ? { axis: null }
            : {
                ...AXIS,
                domain: [0, most],
                nice: AXIS.ticks,
                clamp: true,
                tickFormat: short,
              },
        marks: [
          ruleX([0], { stroke: "var(--edge)" }),
          ...marksAt({ now, from, to, x }),
        ],
      });
      // The label says it in words.
      chart.ariaHidden = "true";
      current.replaceChildren(chart);
    };
    // It tells of the size that there is, too, and so draws the chart.
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
