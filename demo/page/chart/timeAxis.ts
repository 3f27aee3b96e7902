import type { Colors } from "./colors.js";
import { timeStep } from "./scale.js";

/** As many ticks are aimed at. */
const TICKS = 7;

export type TimeRange = { pastMs: number; futureMs: number; stepMs: number };

/** A stretch of time around now. Ticks are counted from its beginning, which is one. */
export function timeRange(pastMs: number, futureMs: number): TimeRange {
  const stepMs = timeStep(pastMs + futureMs, TICKS);
  return { pastMs: Math.ceil(pastMs / stepMs) * stepMs, futureMs, stepMs };
}

/** An axis of time around now: its labels rest while the data moves. */
export function timeAxis(
  { pastMs, futureMs, stepMs }: TimeRange,
  { muted, line }: Colors,
) {
  const { unit, ms } = unitFor(pastMs + futureMs);
  return {
    type: "value",
    min: -pastMs / ms,
    max: futureMs / ms,
    interval: stepMs / ms,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: {
      show: true,
      showMinLine: false,
      showMaxLine: false,
      lineStyle: { color: line, opacity: 0.6 },
    },
    axisLabel: {
      color: muted,
      fontSize: 11,
      hideOverlap: true,
      showMinLabel: false,
      showMaxLabel: false,
      formatter: (value: number) =>
        value === 0
          ? "now"
          : `${value > 0 ? "+" : "−"}${rounded(Math.abs(value))} ${unit}`,
    },
  };
}

/** The unit in which a span of time reads best. */
export function unitFor(spanMs: number): { unit: string; ms: number } {
  if (spanMs < 5000) return { unit: "ms", ms: 1 };
  if (spanMs < 5 * 60_000) return { unit: "s", ms: 1000 };
  if (spanMs < 5 * 3_600_000) return { unit: "min", ms: 60_000 };
  if (spanMs < 5 * 86_400_000) return { unit: "h", ms: 3_600_000 };
  return { unit: "d", ms: 86_400_000 };
}

/** Sums of steps are not exact. */
function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** Lines that say where something is, such as now: `{ xAxis: 0 }`. */
export function markLines(
  { muted }: Colors,
  data: ({ xAxis: number } | { yAxis: number })[],
) {
  return {
    z: 1,
    silent: true,
    symbol: "none",
    animation: false,
    label: { show: false },
    lineStyle: { color: muted, type: "solid", width: 1 },
    data,
  };
}
