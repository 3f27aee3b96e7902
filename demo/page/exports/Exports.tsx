import { useMutation, useQuery } from "convex/react";
import { calculateRateLimit } from "convex-rate-limiter";
import { useMemo, useState } from "react";
import { api } from "../../convex/_generated/api.js";
import type { Plan, Who } from "../../convex/exports.js";
import { Balance } from "../Balance.js";
import { useClock, useIsBefore } from "../clock.js";
import { explain } from "../explain.js";
import { Meter } from "../Meter.js";
import { Said } from "../Said.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { useCalls } from "../useCalls.js";
import { useLatest } from "../useLatest.js";
import { WithCode } from "../WithCode.js";
import { codeOf } from "./code.js";
import { describe } from "./describe.js";
import { calendarOf, nextChange, windowAt } from "./windows.js";
import { WindowStrip, type Zone } from "./WindowStrip.js";
import "./exports.css";

const ZONES: Zone[] = [
  { timeZone: "America/New_York", weekStart: "sunday", label: "New York" },
  { timeZone: "Europe/Berlin", weekStart: "monday", label: "Berlin" },
  { timeZone: "Asia/Tokyo", weekStart: "sunday", label: "Tokyo" },
];
const CHOICES = ZONES.map(({ timeZone, label }) => ({
  value: timeZone,
  label,
}));
const PERIODS: { value: Plan["period"]; label: string }[] = [
  { value: "day", label: "Day" },
  { value: "week", label: "Week" },
  { value: "month", label: "Month" },
  { value: "year", label: "Year" },
];
type View = "now" | "change";
const VIEWS: { value: View; label: string }[] = [
  { value: "now", label: "Now" },
  { value: "change", label: "DST" },
];

/** Quotas by the calendar, of which free users leave a part. */
export function Exports() {
  const [period, setPeriod] = useState<Plan["period"]>("month");
  const [timeZone, setTimeZone] = useState<Plan["timeZone"]>("Europe/Berlin");
  const { label: city, weekStart } = ZONES.find(
    (zone) => zone.timeZone === timeZone,
  )!;
  const plan = { period, timeZone, weekStart };
  const [view, setView] = useState<View>("now");
  const [who, setWho] = useState<Who>("free");
  const clock = useClock();
  const now = useWindowTime(plan);
  const change = useMemo(
    () => (view === "change" ? nextChange(timeZone, now) : undefined),
    [view, timeZone, now],
  );
  const { answer, pending, run, forget } = useCalls<string>(explain);
  const take = useMutation(api.exports.take);
  const startOver = useMutation(api.exports.startOver);

  const takeFor = (who: Who) => {
    setWho(who);
    return run(async () => {
      const status = await take({ session, plan, who });
      return describe(who, status, {
        now: clock.now(),
        timeZone,
        city,
      });
    });
  };
  const startAgain = () =>
    run(async () => {
      await startOver({ session, plan });
      return "Full again.";
    });

  return (
    <WithCode title="Your code for a quota" code={codeOf(plan, who)}>
      <div className="take-row">
        <Segmented
          label="Period"
          options={PERIODS}
          value={period}
          onChange={(period) => {
            setPeriod(period);
            forget();
          }}
        />
        <Segmented
          label="Time zone"
          options={CHOICES}
          value={timeZone}
          onChange={(timeZone) => {
            setTimeZone(timeZone);
            forget();
          }}
        />
        <Segmented
          label="Windows now, or when clocks change"
          options={VIEWS}
          value={view}
          onChange={setView}
        />
      </div>
      <WindowStrip
        zones={ZONES}
        period={period}
        chosen={timeZone}
        at={change?.from ?? now}
        mark={
          view === "now"
            ? "now"
            : change === undefined
              ? "now: clocks never change here"
              : "clocks change"
        }
      />
      <div className="take-row">
        <button
          type="button"
          className="primary"
          onClick={() => void takeFor("free")}
        >
          Free user, 20
        </button>
        <button type="button" onClick={() => void takeFor("paying")}>
          Paying user, 20
        </button>
        <button type="button" onClick={() => void takeFor("job")}>
          Job, up to 50
        </button>
        <button
          type="button"
          className="quiet"
          onClick={() => void startAgain()}
        >
          Start over
        </button>
        <Said pending={pending}>{answer}</Said>
      </div>
      <Quota plan={plan} now={now} />
    </WithCode>
  );
}

/**
 * When the page was opened; later the begin of the window that has come since. So a page
 * that rests has nothing to do until then.
 */
function useWindowTime(plan: Plan): number {
  const clock = useClock();
  const [seenAt, setSeenAt] = useState(clock.now);
  const { to } = windowAt(calendarOf(plan), seenAt);
  const isCurrent = useIsBefore(to);
  if (!isCurrent) setSeenAt(to);
  return seenAt;
}

function Quota({ plan, now }: { plan: Plan; now: number }) {
  const state = useLatest(useQuery(api.exports.state, { session, plan }));
  if (state === undefined) return <p className="budget muted">Loading</p>;
  const { balance, forPaying } = state;
  const { config } = balance;
  const { value } = calculateRateLimit(balance, config, now);
  const capacity = config.capacity ?? config.rate;
  return (
    <div className="budget">
      <Balance value={value} capacity={capacity} noun="exports left" />
      <p className="legend small muted">
        <span className="key-floor">the last {forPaying} for paying users</span>
      </p>
      <Meter
        label="Exports left"
        value={value}
        capacity={capacity}
        floor={forPaying}
      />
    </div>
  );
}
