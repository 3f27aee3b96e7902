import { useMutation, useQuery } from "convex/react";
import { MINUTE } from "convex-rate-limiter";
import { useState } from "react";
import { api } from "../../convex/_generated/api.js";
import type { Plan, Who } from "../../convex/exports.js";
import { denied, granted, useAnswers } from "../answer.js";
import { useClock, useIsBefore } from "../clock.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { Trial } from "../Trial.js";
import { useLatest } from "../useLatest.js";
import { windowAt } from "./windows.js";
import { WindowStrip } from "./WindowStrip.js";
import "./quotas.css";

const ZONES = [
  { value: "America/New_York", label: "New York" },
  { value: "Europe/Berlin", label: "Berlin" },
  { value: "Asia/Tokyo", label: "Tokyo" },
] as const;
const PERIODS = [
  { value: "day", label: "Day" },
  { value: "week", label: "Week" },
  { value: "month", label: "Month" },
] as const;

/** Quotas by the calendar, of which free users leave a part. */
export function Quotas() {
  const [period, setPeriod] = useState<Plan["period"]>("month");
  const [timeZone, setTimeZone] = useState<Plan["timeZone"]>("Europe/Berlin");
  const plan = { period, timeZone };
  const now = useClock();
  const seenAt = useWindowTime(plan);
  const calls = useAnswers();
  const state = useLatest(useQuery(api.exports.state, { session, plan }));
  const take = useMutation(api.exports.take);
  const startOver = useMutation(api.exports.startOver);

  const takeFor = (who: Who) =>
    calls.run(async () => {
      const status = await take({ session, plan, who });
      if (status.ok) {
        return granted(
          status.taken < status.wanted
            ? `${status.taken} of the ${status.wanted} that it wanted.`
            : `${status.taken} exports.`,
        );
      }
      const opens = openingOf(now() + status.retryAfter, timeZone);
      return denied(`Opens again ${opens}.`);
    });

  return (
    <Trial
      calls={calls}
      hint="Run the job twice, then ask as a free user."
      actions={[
        ["Job, up to 50", () => takeFor("job")],
        ["Free user, 20", () => takeFor("free")],
        ["Paying user, 20", () => takeFor("paying")],
      ]}
      onStartOver={() => startOver({ session, plan })}
      balance={{
        stored: state?.balance,
        noun: "exports left",
        floor: state?.forPaying,
        legend: <span data-key="floor">the last 20 are for paying users</span>,
      }}
    >
      <p className="small muted">
        {state?.mailed === undefined
          ? "A mail goes out at 80%. None was sent yet."
          : `A mail went out: 80% is used, ${state.mailed} exports are left.`}
      </p>
      <div className="actions choices">
        <Segmented
          label="Period"
          options={PERIODS}
          value={period}
          onChange={(period) => {
            setPeriod(period);
            calls.forget();
          }}
        />
        <Segmented
          label="Time zone"
          options={ZONES}
          value={timeZone}
          onChange={(timeZone) => {
            setTimeZone(timeZone);
            calls.forget();
          }}
        />
      </div>
      <WindowStrip zones={ZONES} plan={plan} now={seenAt} />
    </Trial>
  );
}

/** When a window opens. The page's clock is not quite the server's; windows begin on the minute. */
function openingOf(time: number, timeZone: string): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return format.format(Math.round(time / MINUTE) * MINUTE);
}

/**
 * When the page was opened; later the begin of the window that has come since. So a page
 * that rests has nothing to do until then.
 */
function useWindowTime(plan: Plan): number {
  const [seenAt, setSeenAt] = useState(useClock());
  const { to } = windowAt(plan, seenAt);
  const isCurrent = useIsBefore(to);
  if (!isCurrent) setSeenAt(to);
  return seenAt;
}
