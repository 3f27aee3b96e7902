import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { StatsSeries } from "../../src/dashboard/reads.js";
import { DAY } from "../../src/core/periods.js";
import { barsOf, totalsOf, type ChartBar } from "./bars.js";
import { amountTicks, timeTicks } from "./ticks.js";
import {
  formatCount,
  formatDay,
  formatHourAndMinute,
  formatShortCount,
} from "./words.js";

/** The height of the box that bars are drawn in. It is stretched to the place that there is. */
const HEIGHT = 100;
/** So that one denial among a thousand grants is visible. */
const MIN_HEIGHT = 3;

function Bars({
  bars,
  top,
  marked,
}: {
  bars: ChartBar[];
  top: number;
  marked?: number | undefined;
}) {
  const heightOf = (value: number) =>
    value === 0 ? 0 : Math.max(MIN_HEIGHT, (value / top) * HEIGHT);
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${bars.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {marked !== undefined && (
        <rect class="marked" x={marked} y={0} width={1} height={HEIGHT} />
      )}
      {bars.map(({ from, granted, denied }, i) => {
        const denials = heightOf(denied);
        const grants = Math.min(heightOf(granted), HEIGHT - denials);
        const place = { x: i + 0.12, width: 0.76 };
        return (
          <g key={from}>
            <rect
              class="granted"
              {...place}
              y={HEIGHT - grants}
              height={grants}
            />
            <rect
              class="denied"
              {...place}
              y={HEIGHT - grants - denials}
              height={denials}
            />
          </g>
        );
      })}
    </svg>
  );
}

const topOf = (bars: ChartBar[]) =>
  Math.max(1, ...bars.map(({ granted, denied }) => granted + denied));

/** A small chart with its sums. */
export function SmallChart({
  title,
  stats,
}: {
  title: string;
  stats: StatsSeries;
}) {
  const bars = barsOf(stats);
  const { granted, denied } = totalsOf(stats);
  return (
    <div class="small-chart">
      <h3>{title}</h3>
      <Bars bars={bars} top={topOf(bars)} />
      <p>
        <b>{formatShortCount(granted)}</b> granted{" "}
        <span class={denied > 0 ? "denials" : "muted"}>
          <b>{formatShortCount(denied)}</b> denied
        </span>
      </p>
    </div>
  );
}

/** What was granted and denied over time. */
export function LargeChart({ stats }: { stats: StatsSeries }) {
  const bars = barsOf(stats);
  const isDryRun = bars.some(({ wouldDeny }) => wouldDeny > 0);
  return (
    <Chart
      label="Calls over time"
      bars={bars}
      say={({ granted, denied, wouldDeny }) =>
        `${formatCount(granted)} granted, ${formatCount(denied)} denied${isDryRun ? `, ${formatCount(wouldDeny)} would be denied` : ""}`
      }
    >
      <i class="swatch granted" /> granted <i class="swatch denied" /> denied.
    </Chart>
  );
}

/** A chart whose bars can be read one by one, with the pointer or the arrow keys. */
export function Chart({
  label,
  bars,
  say,
  children,
}: {
  label: string;
  bars: ChartBar[];
  /** What a bar says, after its time. */
  say: (bar: ChartBar) => string;
  /** What the colours mean. */
  children: ComponentChildren;
}) {
  const [chosen, setChosen] = useState<number>();
  const top = amountTicks(topOf(bars)).at(-1)!;
  const from = bars[0]!.from;
  const to = bars.at(-1)!.to;
  const isDays = to - from > 2 * DAY;
  const current =
    chosen === undefined ? undefined : Math.min(chosen, bars.length - 1);
  const last = bars.length - 1;

  const onKeyDown = (event: KeyboardEvent) => {
    const shown = current ?? last;
    const next = {
      ArrowLeft: shown - 1,
      ArrowDown: shown - 1,
      ArrowRight: shown + 1,
      ArrowUp: shown + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(next, last)));
  };
  const onPointerMove = (event: PointerEvent) => {
    const { left, width } = (
      event.currentTarget as HTMLElement
    ).getBoundingClientRect();
    const i = Math.floor(((event.clientX - left) / width) * bars.length);
    setChosen(Math.max(0, Math.min(i, last)));
  };

  const sayBar = (bar: ChartBar) =>
    `${timeText(bar.from, isDays)} to ${timeText(bar.to, isDays)}: ${say(bar)}`;
  return (
    <figure class="large-chart">
      <div class="y-axis" aria-hidden="true">
        <span>{formatShortCount(top)}</span>
        <span>{top % 2 === 0 ? formatShortCount(top / 2) : ""}</span>
        <span>0</span>
      </div>
      <div
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={current ?? last}
        aria-valuetext={sayBar(bars[current ?? last]!)}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setChosen(undefined)}
        onBlur={() => setChosen(undefined)}
      >
        <Bars bars={bars} top={top} marked={current} />
      </div>
      <div class="x-axis" aria-hidden="true">
        {timeTicks(from, to, 6)
          .filter((tick) => isWithin(tick, from, to))
          .map((tick) => (
            <span
              key={tick}
              style={{ left: `${((tick - from) / (to - from)) * 100}%` }}
            >
              {isDays ? formatDay(tick) : formatHourAndMinute(tick)}
            </span>
          ))}
      </div>
      <figcaption class="muted small">
        {current === undefined ? (
          <>{children} Point at a bar, or use the arrow keys.</>
        ) : (
          sayBar(bars[current]!)
        )}
      </figcaption>
    </figure>
  );
}

/** Whether the label of a tick fits: half of it is on either side. */
const isWithin = (tick: number, from: number, to: number) =>
  Math.min(tick - from, to - tick) > (to - from) * 0.05;

const timeText = (ms: number, isDays: boolean) =>
  isDays
    ? `${formatDay(ms)}, ${formatHourAndMinute(ms)}`
    : formatHourAndMinute(ms);
