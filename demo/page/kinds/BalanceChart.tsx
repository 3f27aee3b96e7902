import { areaY, dot, lineY, text } from "@observablehq/plot";
import type { KindConfig } from "../../convex/kinds.js";
import { TimeChart, type Frame } from "../chart/TimeChart.js";
import { plural } from "../words.js";
import {
  heldAt,
  pointOf,
  restsAt,
  type History,
  type Mark,
} from "./history.js";

/** About how many points a curve has. */
const POINTS = 600;

type Props = { config: KindConfig; history: History };

/** A balance over time: what it was, which calls took from it, and what it will be if none do. */
export function BalanceChart({ config, history }: Props) {
  const { kind, rate, period, capacity = rate } = config;
  const span = Math.max(period, (capacity / rate) * period);
  const pastMs = 1.5 * span;
  const futureMs = 0.75 * span;
  const stepMs = (pastMs + futureMs) / POINTS;

  const marksAt = ({ now, from, to, x }: Frame) => {
    const course = (times: number[]) =>
      times.map((time) => ({ x: x(time), y: heldAt(history, time) }));
    const known = course([...timesWithin(from, now, stepMs), now]);
    const ahead = course([now, ...timesWithin(now, to, stepMs), to]);
    const seen = history.marks.filter(({ time }) => time > from);
    const call = {
      x: (mark: Mark) => x(pointOf(history, mark)[0]),
      y: (mark: Mark) => pointOf(history, mark)[1],
      title: describe,
    };
    const [granted, denied] = (["granted", "denied"] as const).map((outcome) =>
      seen.filter((mark) => mark.outcome === outcome),
    );
    const curve = { x: "x", y: "y" };
    const stroke = { stroke: "var(--accent)", strokeWidth: 2 };
    return [
      areaY(known, { ...curve, fill: "var(--accent-soft)", fillOpacity: 0.75 }),
      lineY(known, { ...curve, ...stroke }),
      lineY(ahead, { ...curve, ...stroke, strokeDasharray: "4 4" }),
      dot(granted, { ...call, ...stroke, r: 4, fill: "var(--card)" }),
      text(denied, {
        ...call,
        text: () => "✕",
        fill: "var(--danger)",
        fontWeight: 800,
      }),
    ];
  };
  return (
    <TimeChart
      label={`Balance of the ${kind} over time, with grants and denials`}
      pastMs={pastMs}
      futureMs={futureMs}
      max={capacity}
      restsAt={restsAt(history, pastMs)}
      marksAt={marksAt}
    />
  );
}

/** Multiples of `stepMs`, so that the points of the curve do not shift as the chart moves. */
function timesWithin(from: number, to: number, stepMs: number): number[] {
  const first = Math.floor(from / stepMs) + 1;
  const count = Math.max(0, Math.ceil(to / stepMs) - first);
  return Array.from({ length: count }, (_, i) => (first + i) * stepMs);
}

function describe({ outcome, count }: Mark): string {
  const verdict = outcome === "granted" ? "Granted" : "Denied";
  return `${verdict} ${plural(count, "token")}`;
}
