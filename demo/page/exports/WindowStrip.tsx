import { HOUR } from "convex-rate-limiter";
import { useId } from "react";
import type { Plan } from "../../convex/exports.js";
import { formatDuration } from "../format.js";
import { calendarOf, windowAt, windowsWithin, type Window } from "./windows.js";

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

/** What is narrower has no room for its length, in percent. */
const NARROWEST = 12;

/** The windows of several zones on one line of time, to scale. */
export function WindowStrip({ zones, period, chosen, at, mark }: Props) {
  const rows = zones.map((zone) => {
    const calendar = calendarOf({ ...zone, period });
    return { ...zone, calendar, current: windowAt(calendar, at) };
  });
  const currents = rows.map(({ current }) => current);
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
        {rows.map(({ timeZone, label, calendar, current }) => (
          <ZoneRow
            key={timeZone}
            label={label}
            timeZone={timeZone}
            current={current}
            windows={windowsWithin(calendar, axis)}
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
  current,
  windows,
  axis,
  isChosen,
  period,
  mark,
}: {
  label: string;
  timeZone: string;
  current: Window;
  windows: readonly Window[];
  axis: Window;
  isChosen: boolean;
  period: Plan["period"];
  /** Where the time is that all rows share, in percent. */
  mark: number;
}) {
  const id = useId();
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
          {format.format(current.from)} to {format.format(current.to)}
        </span>
      </p>
      <div className="windows">
        {windows.map((window) => (
          <Piece
            key={window.from}
            window={window}
            axis={axis}
            isCurrent={window.from === current.from}
            length={lengthOf(window, period)}
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
  length,
}: {
  window: Window;
  axis: Window;
  isCurrent: boolean;
  length: string;
}) {
  const left = share(Math.max(from, axis.from), axis);
  const right = share(Math.min(to, axis.to), axis);
  return (
    <div
      data-current={isCurrent}
      style={{ left: `${left}%`, width: `${right - left}%` }}
    >
      {right - left > NARROWEST && length}
    </div>
  );
}

/** A day in hours, for those are what changes. */
function lengthOf({ from, to }: Window, period: Plan["period"]): string {
  const ms = to - from;
  return period === "day" ? `${ms / HOUR} h` : formatDuration(ms);
}

/** Where a time is on the line, in percent. */
function share(time: number, { from, to }: Window): number {
  return (100 * (time - from)) / (to - from);
}
