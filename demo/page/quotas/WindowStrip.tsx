import { HOUR } from "convex-rate-limiter";
import { useId } from "react";
import type { Plan } from "../../convex/exports.js";
import { duration } from "../../../dashboard/page/words.js";
import { windowAt, windowsWithin, type Window } from "./windows.js";

type Zone = { value: Plan["timeZone"]; label: string };

type Props = {
  zones: readonly Zone[];
  /** Whose zone is the chosen one. */
  plan: Plan;
  now: number;
};

/** How much is shown before and after the current windows, as a share of their length. */
const MARGIN = 0.45;

/** What is narrower has no room for its length, in percent. */
const NARROWEST = 15;

/** The windows of several zones on one line of time, to scale. */
export function WindowStrip({ zones, plan, now }: Props) {
  const plans = zones.map(({ value }) => ({ ...plan, timeZone: value }));
  const currents = plans.map((plan) => windowAt(plan, now));
  const [{ from, to }] = currents as [Window, ...Window[]];
  const margin = MARGIN * (to - from);
  const axis = {
    from: Math.min(...currents.map(({ from }) => from)) - margin,
    to: Math.max(...currents.map(({ to }) => to)) + margin,
  };
  const place = share(now, axis);
  return (
    <ul className="strip">
      {zones.map(({ value, label }, i) => (
        <ZoneRow
          key={value}
          label={label}
          plan={plans[i]!}
          current={currents[i]!}
          axis={axis}
          isChosen={value === plan.timeZone}
          place={place}
        />
      ))}
    </ul>
  );
}

type RowProps = {
  label: string;
  plan: Plan;
  current: Window;
  axis: Window;
  isChosen: boolean;
  /** Where the time is that all rows share, in percent. */
  place: number;
};

function ZoneRow({ label, plan, current, axis, isChosen, place }: RowProps) {
  const id = useId();
  const dates = new Intl.DateTimeFormat("en-GB", {
    timeZone: plan.timeZone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return (
    <li data-chosen={isChosen} aria-labelledby={id}>
      <p>
        <strong id={id}>{label}</strong>
        <span className="muted small">
          {dates.format(current.from)} to {dates.format(current.to)}
        </span>
      </p>
      <div className="windows">
        {windowsWithin(plan, axis).map((window) => {
          const left = share(Math.max(window.from, axis.from), axis);
          const width = share(Math.min(window.to, axis.to), axis) - left;
          return (
            <div
              key={window.from}
              data-current={window.from === current.from}
              style={{ left: `${left}%`, width: `${width}%` }}
            >
              {width > NARROWEST && lengthOf(window, plan.period)}
            </div>
          );
        })}
        <span style={{ left: `${place}%` }} />
      </div>
    </li>
  );
}

/** A day in hours, for those are what changes. */
function lengthOf({ from, to }: Window, period: Plan["period"]): string {
  const ms = to - from;
  return period === "day" ? `${ms / HOUR} h` : duration(ms);
}

/** Where a time is on the line, in percent. */
function share(time: number, { from, to }: Window): number {
  return (100 * (time - from)) / (to - from);
}
