import { balanceAxis, tooltip } from "../chart/balanceAxis.js";
import type { Colors } from "../chart/colors.js";
import { Chart } from "../chart/Chart.js";
import { reducedMotion } from "../motion.js";
import { formatTokens } from "../format.js";

type Props = { balances: number[]; share: number };

/** What each row holds of its share. */
export function ShardBars({ balances, share }: Props) {
  const draw = (colors: Colors) => ({
    animation: !reducedMotion.matches,
    animationDurationUpdate: 300,
    grid: { left: 40, right: 4, top: 10, bottom: 22 },
    tooltip: tooltip(
      colors,
      ({ dataIndex }: { dataIndex: number }) =>
        `Shard ${dataIndex + 1}: ${formatTokens(balances[dataIndex] ?? 0)} of ${formatTokens(share)} tokens`,
    ),
    xAxis: {
      type: "category",
      data: balances.map((_, i) => String(i + 1)),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: colors.muted } },
      axisLabel: { color: colors.muted, fontSize: 11, hideOverlap: true },
    },
    yAxis: balanceAxis(0, share, colors),
    series: [
      {
        type: "bar",
        data: balances.map(() => share),
        barMaxWidth: 48,
        barCategoryGap: "20%",
        animation: false,
        itemStyle: { color: colors.soft, borderRadius: [3, 3, 0, 0] },
      },
      {
        type: "bar",
        data: balances,
        barMaxWidth: 48,
        barGap: "-100%",
        itemStyle: { color: colors.accent, borderRadius: [3, 3, 0, 0] },
      },
    ],
  });
  return (
    <div className="bars">
      <Chart
        label={`Tokens in each of ${balances.length} shards: ${balances.map(formatTokens).join(", ")}`}
        draw={draw}
      />
    </div>
  );
}
