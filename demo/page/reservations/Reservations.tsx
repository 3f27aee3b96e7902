import { useMutation, useQuery } from "convex/react";
import { api } from "../../convex/_generated/api.js";
import { denied, done, granted, useCalls } from "../calls.js";
import { useClock } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { session } from "../session.js";
import { Trial } from "../Trial.js";
import { useLatest } from "../useLatest.js";
import { numberOf, plural } from "../words.js";
import { JobTimeline, type Job } from "./JobTimeline.js";
import "./reservations.css";

/** Jobs that are reserved now and run at their time. */
export function Reservations() {
  const now = useClock();
  const jobs = useLatest(useQuery(api.jobs.list, { session }));
  const add = useMutation(api.jobs.add);
  const cancel = useMutation(api.jobs.cancel);
  const calls = useCalls();

  const reserve = (count: number) =>
    calls.run(async () => {
      const last = Math.max(
        0,
        ...(jobs ?? []).map(({ label }) => numberOf(label)),
      );
      const answers = await Promise.all(
        Array.from({ length: count }, (_, i) =>
          add({ session, label: `Invoice ${last + 1 + i}` }),
        ),
      );
      const refused = answers.find((answer) => !answer.ok);
      if (refused !== undefined) {
        const rest = answers.filter(({ ok }) => !ok).length;
        const roomAt = now() + refused.retryAfter;
        return denied(`${rest} of ${plural(count, "job")}.`, roomAt, "Room");
      }
      const dueTimes = answers.map((answer) => (answer.ok ? answer.dueAt : 0));
      return granted(`${plural(count, "job")}.`, {
        label: "The last runs",
        time: Math.max(...dueTimes),
      });
    });
  const cancelJob = ({ id, label }: Job) =>
    calls.run(async () => {
      const { cancelled } = await cancel({ session, id });
      return done(
        cancelled ? `${label} is cancelled.` : `Too late: ${label} has run.`,
      );
    });

  return (
    <Trial
      calls={calls}
      hint="Reserve five, and watch them run."
      actions={[
        ["Reserve 5", () => reserve(5)],
        ["Reserve 1", () => reserve(1)],
      ]}
    >
      <JobTimeline jobs={jobs ?? []} />
      <ol className="jobs" tabIndex={0} aria-label="Jobs, the soonest first">
        {jobs?.map((job) => (
          <JobRow key={job.id} job={job} onCancel={() => cancelJob(job)} />
        ))}
        {jobs?.length === 0 && <li className="muted">No jobs yet.</li>}
      </ol>
    </Trial>
  );
}

function JobRow({ job, onCancel }: { job: Job; onCancel: () => unknown }) {
  const { label, addedAt, dueAt, ranAt, state } = job;
  return (
    <li data-state={state}>
      <strong>{label}</strong>
      <span className="pill" data-tone={state === "done" ? "good" : undefined}>
        {state}
      </span>
      <span className="when">
        {state === "waiting" && (
          <Countdown until={dueAt} since={addedAt} done="now" />
        )}
        {ranAt !== undefined && `${ranAt - dueAt} ms late`}
      </span>
      {state === "waiting" && (
        <button
          type="button"
          className="quiet"
          aria-label={`Cancel ${label}`}
          onClick={() => void onCancel()}
        >
          Cancel
        </button>
      )}
    </li>
  );
}
