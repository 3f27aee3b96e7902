import { useId } from "react";
import type { Plan } from "../../convex/exports.js";
import { formatDuration } from "../format.js";
import { calendarOf, windowsAround, type Window } from "./windows.js";

export type Zone = Pick<Plan, "timeZone" | "weekStart"> & { label: string };

type Props = {
  zones: readonly Zone[];
  period: Plan["period"];
  chosen: Plan["timeZone"];
  /** Which windows are shown: those around this time. */
  at: number;
  /** What to call that time. */
  mark: string;
};

/** How much is shown before and after the current windows, as a share of their length. */
const MARGIN = 0.45;

/** The windows of several zones on one line of time, to scale. */
export function WindowStrip({ zones, period, chosen, at, mark }: Props) {
  const rows = zones.map((zone) => ({
    ...zone,
    windows: windowsAround(calendarOf({ ...zone, period }), at),
  }));
  const currents = rows.map(({ windows: [, current] }) => current);
  const margin =
    MARGIN * Math.min(...currents.map(({ from, to }) => to - from));
  const axis = {
    from: Math.min(...currents.map(({ from }) => from)) - margin,
    to: Math.max(...currents.map(({ to }) => to)) + margin,
  };
  const place = share(at, axis);
  return (
    <div className="strip">
      <ul>
        {rows.map(({ timeZone, label, windows }) => (
          <ZoneRow
            key={timeZone}
            label={label}
            timeZone={timeZone}
            windows={windows}
            axis={axis}
            isChosen={timeZone === chosen}
            period={period}
            mark={place}
          />
        ))}
      </ul>
      <p
        className="strip-mark muted"
        data-right={place > 50}
        style={{
          [place > 50 ? "right" : "left"]:
            `${place > 50 ? 100 - place : place}%`,
        }}
      >
        {mark}
      </p>
    </div>
  );
}

function ZoneRow({
  label,
  timeZone,
  windows,
  axis,
  isChosen,
  period,
  mark,
}: {
  label: string;
  timeZone: string;
  windows: readonly [Window, Window, Window];
  axis: Window;
  isChosen: boolean;
  period: Plan["period"];
  /** Where the time is that all rows share, in percent. */
  mark: number;
}) {
  const id = useId();
  const [, { from, to }] = windows;
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "numeric",
    month: "short",
    ...(period === "year" && { year: "numeric" }),
    ...(period === "week" && { weekday: "short" }),
    hour: "2-digit",
    minute: "2-digit",
  });
  return (
    <li data-chosen={isChosen} aria-labelledby={id}>
      <p>
        <strong id={id}>{label}</strong>
        <span className="muted small">
          {format.format(from)} to {format.format(to)}
        </span>
      </p>
      <div className="windows">
        {windows.map((window, i) => (
          <Piece
            key={window.from}
            window={window}
            axis={axis}
            isCurrent={i === 1}
          />
        ))}
        <span style={{ left: `${mark}%` }} />
      </div>
    </li>
  );
}

/** As much of a window as is on the line. */
function Piece({
  window: { from, to },
  axis,
  isCurrent,
}: {
  window: Window;
  axis: Window;
  isCurrent: boolean;
}) {
  const left = share(Math.max(from, axis.from), axis);
  const right = share(Math.min(to, axis.to), axis);
  return (
    <div
      data-current={isCurrent}
      style={{ left: `${left}%`, width: `${right - left}%` }}
    >
      {formatDuration(to - from)}
    </div>
  );
}

/** Where a time is on the line, in percent. */
function share(time: number, { from, to }: Window): number {
  return (100 * (time - from)) / (to - from);
}
