import type { Colors } from "../chart/colors.js";
import { Chart } from "../chart/Chart.js";
import { markLines, timeAxis, timeRange } from "../chart/timeAxis.js";
import { useClock } from "../clock.js";
import { numberOf } from "../numberOf.js";
import type { Job } from "./job.js";

/** The longest wait is twenty seconds. */
const RANGE = timeRange(10_000, 22_000);

const timeOf = ({ ranAt, dueAt }: Job): number => ranAt ?? dueAt;

/** Jobs where their tokens are in time: hollow while they wait, filled when they have run. */
export function JobTimeline({ jobs }: { jobs: Job[] }) {
  const clock = useClock();
  const shown = jobs.filter(({ cancelled }) => !cancelled);
  const draw = (colors: Colors, width: number) => {
    const now = clock.now();
    const dots = shown.map((job) => {
      const { id, label, ranAt } = job;
      return {
        id,
        value: [(timeOf(job) - now) / 1000, 0],
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
      };
    });
    return {
      animation: false,
      grid: { left: 12, right: 12, top: 12, bottom: 24 },
      xAxis: timeAxis(RANGE, colors),
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
          markLine: markLines(colors, [{ xAxis: 0 }]),
        },
      ],
    };
  };
  const waiting = shown.filter(({ ranAt }) => ranAt === undefined);
  return (
    <div className="timeline">
      <Chart
        label={`Jobs on a time line: ${waiting.length} waiting`}
        motion={{
          until: Math.max(0, ...shown.map(timeOf)) + RANGE.pastMs,
          spanMs: RANGE.pastMs + RANGE.futureMs,
        }}
        draw={draw}
      />
    </div>
  );
}
