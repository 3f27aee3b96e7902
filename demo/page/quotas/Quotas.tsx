import { useMutation, useQuery } from "convex/react";
import { MINUTE } from "convex-rate-limiter";
import { useState } from "react";
import { api } from "../../convex/_generated/api.js";
import type { TimeZone, Who } from "../../convex/exports.js";
import { denied, granted, useAnswers } from "../answer.js";
import { useClock } from "../clock.js";
import { Segmented } from "../Segmented.js";
import { session } from "../session.js";
import { Trial } from "../Trial.js";
import { useLatest } from "../useLatest.js";

const ZONES = [
  { value: "America/New_York", label: "New York" },
  { value: "Europe/Berlin", label: "Berlin" },
  { value: "Asia/Tokyo", label: "Tokyo" },
] as const;

/** Quotas by the month, of which free users leave a part. */
export function Quotas() {
  const [timeZone, setTimeZone] = useState<TimeZone>("Europe/Berlin");
  const now = useClock();
  const calls = useAnswers();
  const state = useLatest(useQuery(api.exports.state, { session, timeZone }));
  const take = useMutation(api.exports.take);
  const startOver = useMutation(api.exports.startOver);

  const takeFor = (who: Who) =>
    calls.run(async () => {
      const status = await take({ session, timeZone, who });
      if (status.ok) {
        return granted(
          status.taken < status.wanted
            ? `${status.taken} of the ${status.wanted} that it wanted.`
            : `${status.taken} exports.`,
        );
      }
      const opens = openingOf(now() + status.retryAfter, timeZone);
      return denied(`Opens again ${opens} there.`);
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
      onStartOver={() => startOver({ session, timeZone })}
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
      <div>
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
    </Trial>
  );
}

/** When the month begins. The page's clock is not quite the server's; months begin on the minute. */
function openingOf(time: number, timeZone: TimeZone): string {
  const format = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return format.format(Math.round(time / MINUTE) * MINUTE);
}
