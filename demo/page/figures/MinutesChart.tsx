import { balanceAxis, tooltip } from "../chart/balanceAxis.js";
import { Chart } from "../chart/Chart.js";
import type { Colors } from "../chart/colors.js";
import { formatTokens, plural } from "../format.js";
import { reducedMotion } from "../motion.js";
import type { Hour } from "./Figures.js";

/** The least number of calls that the axis has room for. */
const ROOM = 10;
const LABEL_EVERY = 10;

const clockTime = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
});

/** The calls of an hour, minute by minute: those denied on top of those granted. */
export function MinutesChart({ minutes }: { minutes: Hour["minutes"] }) {
  const calls = minutes.map(({ granted, denied }) => granted + denied);
  const denied = minutes.reduce((sum, minute) => sum + minute.denied, 0);
  const draw = (colors: Colors) => ({
    animation: !reducedMotion.matches,
    animationDuration: 0,
    animationDurationUpdate: 300,
    grid: { left: 32, right: 8, top: 10, bottom: 22 },
    tooltip: tooltip(colors, ({ dataIndex }: { dataIndex: number }) => {
      const { from, granted, denied } = minutes[dataIndex]!;
      return `${clockTime.format(from)}: ${plural(granted, "call")} granted, ${formatTokens(denied)} denied`;
    }),
    xAxis: {
      type: "category",
      data: minutes.map(({ from }) => clockTime.format(from)),
      axisTick: {
        alignWithLabel: true,
        interval: (index: number) => index % LABEL_EVERY === 0,
      },
      axisLine: { lineStyle: { color: colors.muted } },
      axisLabel: {
        color: colors.muted,
        fontSize: 11,
        interval: (index: number) => index % LABEL_EVERY === 0,
        hideOverlap: true,
      },
    },
    yAxis: balanceAxis(0, Math.max(ROOM, ...calls), colors),
    series: [
      {
        type: "bar",
        stack: "calls",
        data: minutes.map(({ granted }) => granted),
        barCategoryGap: "15%",
        itemStyle: { color: colors.accent },
      },
      {
        type: "bar",
        stack: "calls",
        data: minutes.map(({ denied }) => denied),
        itemStyle: { color: colors.danger },
      },
    ],
  });
  return (
    <Chart
      label={`Calls in each minute of this hour, ${formatTokens(denied)} of them denied`}
      draw={draw}
    />
  );
}
