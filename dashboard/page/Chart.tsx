import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Figures } from "../../src/dashboard/reads.js";
import { DAY } from "../../src/core/periods.js";
import { bucketsOf, totalsOf, type Bucket } from "./buckets.js";
import { amountTicks, timeTicks } from "./ticks.js";
import { count, dayOfMonth, hourAndMinute, shortCount } from "./words.js";

/** Bars are drawn in a box of this height, and stretched to their place. */
const HEIGHT = 100;
/** One denial among a thousand grants is still seen. */
const LEAST = 3;

function Bars({
  buckets,
  top,
  marked,
}: {
  buckets: Bucket[];
  top: number;
  marked?: number | undefined;
}) {
  const heightOf = (value: number) =>
    value === 0 ? 0 : Math.max(LEAST, (value / top) * HEIGHT);
  return (
    <svg
      class="bars"
      viewBox={`0 0 ${buckets.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {marked !== undefined && (
        <rect class="marked" x={marked} y={0} width={1} height={HEIGHT} />
      )}
      {buckets.map(({ from, granted, denied }, i) => {
        const denials = heightOf(denied);
        const grants = Math.min(heightOf(granted), HEIGHT - denials);
        const bar = { x: i + 0.12, width: 0.76 };
        return (
          <g key={from}>
            <rect
              class="granted"
              {...bar}
              y={HEIGHT - grants}
              height={grants}
            />
            <rect
              class="denied"
              {...bar}
              y={HEIGHT - grants - denials}
              height={denials}
            />
          </g>
        );
      })}
    </svg>
  );
}

const topOf = (buckets: Bucket[]) =>
  Math.max(1, ...buckets.map(({ granted, denied }) => granted + denied));

/** A chart for one glance, with its sums beside it. */
export function SmallChart({
  title,
  figures,
}: {
  title: string;
  figures: Figures;
}) {
  const buckets = bucketsOf(figures);
  const { granted, denied } = totalsOf(figures);
  return (
    <div class="small-chart">
      <h3>{title}</h3>
      <Bars buckets={buckets} top={topOf(buckets)} />
      <p>
        <b>{shortCount(granted)}</b> granted{" "}
        <span class={denied > 0 ? "denials" : "muted"}>
          <b>{shortCount(denied)}</b> denied
        </span>
      </p>
    </div>
  );
}

/** What was granted and denied, to be read bar by bar. */
export function LargeChart({ figures }: { figures: Figures }) {
  const buckets = bucketsOf(figures);
  const isDryRun = buckets.some(({ wouldDeny }) => wouldDeny > 0);
  return (
    <Chart
      label="Calls over time"
      buckets={buckets}
      say={({ granted, denied, wouldDeny }) =>
        `${count(granted)} granted, ${count(denied)} denied${isDryRun ? `, ${count(wouldDeny)} would be denied` : ""}`
      }
    >
      <i class="swatch granted" /> granted <i class="swatch denied" /> denied.
    </Chart>
  );
}

/** A chart that can be read bar by bar, by the pointer or the arrow keys. */
export function Chart({
  label,
  buckets,
  say,
  children,
}: {
  label: string;
  buckets: Bucket[];
  /** What a bar says, after its time. */
  say: (bucket: Bucket) => string;
  /** What the colours mean. */
  children: ComponentChildren;
}) {
  const [chosen, setChosen] = useState<number>();
  const top = amountTicks(topOf(buckets)).at(-1)!;
  const from = buckets[0]!.from;
  const to = buckets.at(-1)!.to;
  const isDays = to - from > 2 * DAY;
  const at =
    chosen === undefined ? undefined : Math.min(chosen, buckets.length - 1);
  const last = buckets.length - 1;

  const onKeyDown = (event: KeyboardEvent) => {
    const now = at ?? last;
    const to = {
      ArrowLeft: now - 1,
      ArrowDown: now - 1,
      ArrowRight: now + 1,
      ArrowUp: now + 1,
      Home: 0,
      End: last,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    setChosen(Math.max(0, Math.min(to, last)));
  };
  const onPointerMove = (event: PointerEvent) => {
    const { left, width } = (
      event.currentTarget as HTMLElement
    ).getBoundingClientRect();
    const i = Math.floor(((event.clientX - left) / width) * buckets.length);
    setChosen(Math.max(0, Math.min(i, last)));
  };

  const sayBar = (bucket: Bucket) =>
    `${timeText(bucket.from, isDays)} to ${timeText(bucket.to, isDays)}: ${say(bucket)}`;
  return (
    <figure class="large-chart">
      <div class="y-axis" aria-hidden="true">
        <span>{shortCount(top)}</span>
        <span>{top % 2 === 0 ? shortCount(top / 2) : ""}</span>
        <span>0</span>
      </div>
      <div
        class="plot"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={at ?? last}
        aria-valuetext={sayBar(buckets[at ?? last]!)}
        onKeyDown={onKeyDown}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setChosen(undefined)}
        onBlur={() => setChosen(undefined)}
      >
        <Bars buckets={buckets} top={top} marked={at} />
      </div>
      <div class="x-axis" aria-hidden="true">
        {timeTicks(from, to, 6)
          .filter((tick) => isWithin(tick, from, to))
          .map((tick) => (
            <span
              key={tick}
              style={{ left: `${((tick - from) / (to - from)) * 100}%` }}
            >
              {isDays ? dayOfMonth(tick) : hourAndMinute(tick)}
            </span>
          ))}
      </div>
      <figcaption class="muted small">
        {at === undefined ? (
          <>{children} Point at a bar, or use the arrow keys.</>
        ) : (
          sayBar(buckets[at]!)
        )}
      </figcaption>
    </figure>
  );
}

/** Whether there is room for the time, half of which is on either side. */
const isWithin = (tick: number, from: number, to: number) =>
  Math.min(tick - from, to - tick) > (to - from) * 0.05;

const timeText = (ms: number, isDays: boolean) =>
  isDays ? `${dayOfMonth(ms)}, ${hourAndMinute(ms)}` : hourAndMinute(ms);
