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
    grid: { left: 34, right: 4, top: 12, bottom: 24 },
    tooltip: {
      trigger: "item",
      formatter: ({ name, value }: { name: string; value: number }) =>
        `Shard ${name}: ${formatTokens(value)} tokens`,
      backgroundColor: colors.card,
      borderColor: colors.line,
      textStyle: { color: colors.text, fontSize: 12 },
    },
    xAxis: {
      type: "category",
      data: balances.map((_, i) => String(i + 1)),
      axisTick: { show: false },
      axisLine: { lineStyle: { color: colors.line } },
      axisLabel: { color: colors.muted, fontSize: 11, hideOverlap: true },
    },
    yAxis: {
      type: "value",
      min: 0,
      max: share,
      splitNumber: 2,
      axisLabel: {
        color: colors.muted,
        fontSize: 11,
        formatter: (value: number) => formatTokens(value),
      },
      splitLine: { lineStyle: { color: colors.line } },
    },
    series: [
      {
        type: "bar",
        data: balances,
        barMaxWidth: 48,
        barCategoryGap: "20%",
        showBackground: true,
        backgroundStyle: { color: colors.soft, borderRadius: 3 },
        itemStyle: { color: colors.accent, borderRadius: 3 },
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
