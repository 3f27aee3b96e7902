import type { Colors } from "./colors.js";

/** An axis of time around now: its labels rest while the data moves. */
export function timeAxis(
  fromMs: number,
  toMs: number,
  { muted, line }: Colors,
  width: number,
) {
  const { unit, ms } = unitFor(toMs - fromMs);
  return {
    type: "value",
    min: fromMs / ms,
    max: toMs / ms,
    splitNumber: width < 360 ? 4 : 6,
    axisLine: { show: false },
    axisTick: { show: false },
    splitLine: { show: true, lineStyle: { color: line, opacity: 0.6 } },
    axisLabel: {
      color: muted,
      fontSize: 11,
      hideOverlap: true,
      showMinLabel: false,
      showMaxLabel: false,
      formatter: (value: number) =>
        value === 0
          ? "now"
          : `${value > 0 ? "+" : "−"}${Math.abs(value)} ${unit}`,
    },
  };
}

/** The unit in which a span of time reads best. */
export function unitFor(spanMs: number): { unit: string; ms: number } {
  if (spanMs < 5 * 60_000) return { unit: "s", ms: 1000 };
  if (spanMs < 5 * 3_600_000) return { unit: "min", ms: 60_000 };
  return { unit: "h", ms: 3_600_000 };
}

/** A line that says where now is. */
export function nowLine({ muted }: Colors) {
  return {
    silent: true,
    symbol: "none",
    animation: false,
    label: { show: false },
    lineStyle: { color: muted, type: "solid", width: 1 },
    data: [{ xAxis: 0 }],
  };
}
