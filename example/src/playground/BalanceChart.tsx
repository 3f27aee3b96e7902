import type { Colors } from "../chart/colors.js";
import { Chart } from "../chart/Chart.js";
import { nowLine, timeAxis, unitFor } from "../chart/timeAxis.js";
import { useClock } from "../clock.js";
import { formatTokens, plural } from "../format.js";
import type { History, Mark, Point } from "./history.js";
import type { Kind, Settings } from "./settings.js";

type Props = { kind: Kind; settings: Settings; history: History };

/** A balance over time: what it was, what was asked of it, and what it will be if nobody asks. */
export function BalanceChart({ kind, settings, history }: Props) {
  const clock = useClock();
  const { rate, period, capacity = rate } = settings;
  const span = Math.max(period, (capacity / rate) * period);
  const [past, future] = [1.5 * span, 0.75 * span];

  const draw = (colors: Colors, width: number) => {
    const now = clock.now();
    const { ms } = unitFor(past + future);
    const place = ([time, balance]: Point): Point => [
      (time - now) / ms,
      Math.round(balance * 1000) / 1000,
    ];
    const known = history.curve(now - past, now).map(place);
    const ahead = history.curve(now, now + future).map(place);
    const marks = history.marks.filter(({ at }) => at > now - past);
    const lowest = Math.min(0, ...known.map(([, balance]) => balance));
    const marked = (outcome: Mark["outcome"]) =>
      marks
        .filter((mark) => mark.outcome === outcome)
        .map((mark) => ({
          value: place(history.pointOf(mark)),
          name: `${outcome === "granted" ? "Granted" : "Denied"} ${plural(mark.count, "token")}`,
        }));
    return {
      animation: false,
      grid: { left: 34, right: 10, top: 12, bottom: 24 },
      tooltip: {
        trigger: "item",
        formatter: ({ name }: { name: string }) => name,
        backgroundColor: colors.card,
        borderColor: colors.line,
        textStyle: { color: colors.text, fontSize: 12 },
      },
      xAxis: timeAxis(-past, future, colors, width),
      yAxis: {
        type: "value",
        min: Math.floor(lowest),
        max: capacity === 0 ? 1 : capacity,
        interval: (capacity === 0 ? 1 : capacity) / 2,
        axisLine: { show: false },
        axisTick: { show: false },
        axisLabel: {
          color: colors.muted,
          fontSize: 11,
          hideOverlap: true,
          formatter: formatTokens,
        },
        splitLine: { lineStyle: { color: colors.line } },
      },
      series: [
        {
          type: "line",
          data: known,
          symbol: "none",
          silent: true,
          lineStyle: { color: colors.accent, width: 2 },
          areaStyle: { color: colors.soft, opacity: 0.7, origin: 0 },
          markLine: nowLine(colors),
        },
        {
          type: "line",
          data: ahead,
          symbol: "none",
          silent: true,
          lineStyle: { color: colors.accent, width: 1.5, type: "dashed" },
        },
        {
          type: "scatter",
          z: 4,
          data: marked("granted"),
          symbol: "circle",
          symbolSize: 8,
          itemStyle: {
            color: colors.card,
            borderColor: colors.accent,
            borderWidth: 2,
            opacity: 1,
          },
        },
        {
          type: "scatter",
          z: 4,
          data: marked("denied"),
          symbol:
            "path://M2 0 L5 3 L8 0 L10 2 L7 5 L10 8 L8 10 L5 7 L2 10 L0 8 L3 5 L0 2 Z",
          symbolSize: 10,
          itemStyle: { color: colors.danger, opacity: 1 },
        },
      ],
    };
  };

  return (
    <Chart
      label={`Balance of the ${kind} over time, with grants and denials`}
      isMoving
      draw={draw}
    />
  );
}
