import { useSyncExternalStore } from "react";
import { balanceAxis, tooltip } from "../chart/balanceAxis.js";
import type { Colors } from "../chart/colors.js";
import { Chart } from "../chart/Chart.js";
import { markLines, timeAxis, timeRange, unitFor } from "../chart/timeAxis.js";
import { useClock } from "../clock.js";
import { plural } from "../format.js";
import type { History, Mark, Point } from "./history.js";
import type { Kind, Settings } from "./settings.js";

type Props = {
  kind: Kind;
  settings: Settings;
  history: History;
  /** The deepest debt to have room for; more is made when the balance was deeper. */
  debt: number;
};

/** A balance over time: what it was, what was asked of it, and what it will be if nobody asks. */
export function BalanceChart({ kind, settings, history, debt }: Props) {
  const clock = useClock();
  useSyncExternalStore(history.subscribe, history.getVersion);
  const { rate, period, capacity = rate } = settings;
  const span = Math.max(period, (capacity / rate) * period);
  const range = timeRange(1.5 * span, 0.75 * span);
  const { pastMs, futureMs } = range;
  const spanMs = pastMs + futureMs;

  const draw = (colors: Colors) => {
    const now = clock.now();
    const { ms } = unitFor(spanMs);
    const place = ([time, balance]: Point): Point => [
      (time - now) / ms,
      Math.round(balance * 1000) / 1000,
    ];
    const known = history.curve(now - pastMs, now).map(place);
    const ahead = history.curve(now, now + futureMs).map(place);
    const marks = history.marks.filter(({ at }) => at > now - pastMs);
    const lowest = Math.min(-debt, ...known.map(([, balance]) => balance));
    const marked = (outcome: Mark["outcome"]) =>
      marks
        .filter((mark) => mark.outcome === outcome)
        .map((mark) => ({
          value: place(history.pointOf(mark)),
          name: `${outcome === "granted" ? "Granted" : "Denied"} ${plural(mark.count, "token")}`,
        }));
    return {
      animation: false,
      grid: { left: 40, right: 10, top: 10, bottom: 22 },
      tooltip: tooltip(colors, ({ name }: { name: string }) => name),
      xAxis: timeAxis(range, colors),
      yAxis: balanceAxis(lowest, capacity, colors),
      series: [
        {
          type: "line",
          data: known,
          symbol: "none",
          silent: true,
          lineStyle: { color: colors.accent, width: 2 },
          areaStyle: { color: colors.soft, opacity: 0.7, origin: 0 },
          markLine: markLines(colors, [{ xAxis: 0 }, { yAxis: 0 }]),
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
      motion={{ until: history.restsAt(pastMs), spanMs }}
      draw={draw}
    />
  );
}
