import type { Colors } from "../chart/colors.js";
import { Chart } from "../chart/Chart.js";
import { nowLine, timeAxis } from "../chart/timeAxis.js";
import { useClock } from "../clock.js";
import { numberOf, type Job } from "./job.js";

const PAST_MS = 8000;
const FUTURE_MS = 22_000;

/** Jobs where their tokens are in time: hollow while they wait, filled when they have run. */
export function JobTimeline({ jobs }: { jobs: Job[] }) {
  const clock = useClock();
  const draw = (colors: Colors, width: number) => {
    const now = clock.now();
    const dots = jobs
      .filter(({ cancelled }) => !cancelled)
      .map(({ id, label, dueAt, ranAt }) => ({
        id,
        value: [((ranAt ?? dueAt) - now) / 1000, 0],
        label: {
          show: true,
          formatter: String(numberOf(label)),
          fontSize: 11,
          fontWeight: 600,
          color: ranAt === undefined ? colors.accent : colors.card,
        },
        itemStyle: {
          color: ranAt === undefined ? colors.card : colors.accent,
          borderColor: colors.accent,
          borderWidth: 2,
          opacity: 1,
        },
      }));
    return {
      animation: false,
      grid: { left: 12, right: 12, top: 12, bottom: 24 },
      xAxis: timeAxis(-PAST_MS, FUTURE_MS, colors, width),
      yAxis: {
        type: "value",
        min: -1,
        max: 1,
        interval: 1,
        axisLine: { show: false },
        axisTick: { show: false },
        axisLabel: { show: false },
        splitLine: { lineStyle: { color: colors.line } },
      },
      series: [
        {
          type: "scatter",
          z: 4,
          data: dots,
          symbol: "circle",
          symbolSize: width < 420 ? 18 : 24,
          silent: true,
          clip: true,
          markLine: nowLine(colors),
        },
      ],
    };
  };
  const waiting = jobs.filter(
    (job) => job.ranAt === undefined && !job.cancelled,
  );
  return (
    <div className="timeline">
      <Chart
        label={`Jobs on a time line: ${waiting.length} waiting`}
        isMoving
        draw={draw}
      />
    </div>
  );
}
