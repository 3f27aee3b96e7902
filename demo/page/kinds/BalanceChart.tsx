import { useSyncExternalStore } from "react";
import type { KindConfig } from "../../convex/kinds.js";
import { TimeChart, type Placing } from "../chart/TimeChart.js";
import { plural } from "../words.js";
import type { History, Mark, Point } from "./history.js";

type Props = { config: KindConfig; history: History };

/** A balance over time: what it was, what was asked of it, and what it will be if nobody asks. */
export function BalanceChart({ config, history }: Props) {
  useSyncExternalStore(history.subscribe, history.getVersion);
  const { kind, rate, period, capacity = rate } = config;
  const span = Math.max(period, (capacity / rate) * period);
  const pastMs = 1.5 * span;
  return (
    <TimeChart
      label={`Balance of the ${kind} over time, with grants and denials`}
      pastMs={pastMs}
      futureMs={0.75 * span}
      most={capacity}
      restsAt={history.restsAt(pastMs)}
    >
      {(placing) => <Course history={history} placing={placing} />}
    </TimeChart>
  );
}

function Course({
  history,
  placing: { now, from, to, x, y },
}: {
  history: History;
  placing: Placing;
}) {
  const line = (points: Point[]) =>
    points.map(([at, balance]) => `${x(at)} ${100 - y(balance)}`).join(" L ");
  const known = history.curve(from, now);
  const begin = known[0]?.[0] ?? now;
  const marks = history.marks.filter(({ at }) => at > from);
  return (
    <>
      <svg viewBox="0 0 100 100" preserveAspectRatio="none">
        {known.length > 0 && (
          <>
            <path
              className="area"
              d={`M ${x(begin)} 100 L ${line(known)} L ${x(now)} 100 Z`}
            />
            <path d={`M ${line(known)}`} />
            <path className="ahead" d={`M ${line(history.curve(now, to))}`} />
          </>
        )}
      </svg>
      {marks.map((mark, i) => {
        const [at, balance] = history.pointOf(mark);
        return (
          <span
            key={i}
            className="mark"
            data-kind={mark.outcome}
            title={describe(mark)}
            style={{ left: `${x(at)}%`, bottom: `${y(balance)}%` }}
          />
        );
      })}
    </>
  );
}

function describe({ outcome, count }: Mark): string {
  const verdict = outcome === "granted" ? "Granted" : "Denied";
  return `${verdict} ${plural(count, "token")}`;
}
