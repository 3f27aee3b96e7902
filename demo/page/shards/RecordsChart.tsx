import { useState } from "react";
import { balanceAxis, tooltip } from "../chart/balanceAxis.js";
import { Chart } from "../chart/Chart.js";
import type { Colors } from "../chart/colors.js";
import { reducedMotion } from "../motion.js";
import { plural } from "../format.js";

type Stored = { left: number; records: number };
type Props = { stored: Stored; capacity: number };

/** The least number of records that the axis has room for. */
const ROOM = 20;

/** How many records there were after so many grants: one more with each, until some go. */
export function RecordsChart({ stored, capacity }: Props) {
  const [seen, setSeen] = useState<Stored[]>([stored]);
  const last = seen.at(-1);
  if (last?.left !== stored.left || last.records !== stored.records) {
    setSeen([...seen, stored]);
  }
  const points = seen.map(({ left, records }) => [capacity - left, records]);
  const most = Math.max(ROOM, ...seen.map(({ records }) => records));
  const draw = (colors: Colors) => {
    const name = { color: colors.muted, fontSize: 11 };
    const records = balanceAxis(0, most, colors);
    const granted = balanceAxis(0, capacity, colors);
    return {
      animation: !reducedMotion.matches,
      animationDuration: 0,
      animationDurationUpdate: 150,
      grid: { left: 40, right: 16, top: 26, bottom: 40 },
      tooltip: tooltip(colors, ({ data }: { data: number[] }) => {
        const [granted = 0, records = 0] = data;
        return `${plural(granted, "token")} granted, ${plural(records, "record")} stored`;
      }),
      xAxis: {
        ...granted,
        axisLine: { lineStyle: { color: colors.muted } },
        splitLine: { show: false },
        name: "tokens granted",
        nameLocation: "middle",
        nameGap: 24,
        nameTextStyle: name,
      },
      yAxis: {
        ...records,
        name: "records",
        nameGap: 10,
        nameTextStyle: { ...name, align: "right", padding: [0, 6, 0, 0] },
      },
      series: [
        {
          type: "line",
          data: points,
          symbol: "circle",
          symbolSize: 5,
          lineStyle: { color: colors.accent, width: 2 },
          itemStyle: { color: colors.accent },
          areaStyle: { color: colors.soft, opacity: 0.6 },
        },
      ],
    };
  };
  return (
    <div className="bars">
      <Chart
        label={`${plural(stored.records, "record")} stored, after ${plural(capacity - stored.left, "token")} granted`}
        draw={draw}
      />
    </div>
  );
}
