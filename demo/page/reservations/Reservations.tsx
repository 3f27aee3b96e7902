import { useMutation, useQuery } from "convex/react";
import { api } from "../../convex/_generated/api.js";
import type { Id } from "../../convex/_generated/dataModel.js";
import { useClock } from "../clock.js";
import { Countdown } from "../Countdown.js";
import { formatDuration, plural } from "../format.js";
import { numberOf } from "../numberOf.js";
import { session } from "../session.js";
import { Said } from "../Said.js";
import { explain } from "../explain.js";
import { useCalls } from "../useCalls.js";
import { useLatest } from "../useLatest.js";
import type { Job } from "./job.js";
import { JobTimeline } from "./JobTimeline.js";
import "./reservations.css";

/** Jobs that are reserved now and run at their time. */
export function Reservations() {
  const clock = useClock();
  const jobs = useLatest(useQuery(api.jobs.list, { session }));
  const add = useMutation(api.jobs.add);
  const cancel = useMutation(api.jobs.cancel);
  const { answer, pending, run } = useCalls<string>(explain);

  const reserve = (count: number) =>
    run(async () => {
      const last = numberOf(jobs?.[0]?.label ?? "");
      const answers = await Promise.all(
        Array.from({ length: count }, (_, i) =>
          add({ session, label: `Invoice ${last + 1 + i}` }),
        ),
      );
      return describe(answers, clock.now());
    });
  const cancelJob = (id: Id<"jobs">) =>
    run(async () => {
      const { cancelled } = await cancel({ session, id });
      return cancelled
        ? "Cancelled. Its token is free again."
        : "Too late: it has run.";
    });

  return (
    <div className="card reservations">
      <div className="take-row">
        <button
          type="button"
          className="primary"
          onClick={() => void reserve(5)}
        >
          Reserve 5
        </button>
        <button type="button" onClick={() => void reserve(1)}>
          Reserve 1
        </button>
        <Said pending={pending}>{answer}</Said>
      </div>
      <JobTimeline jobs={jobs ?? []} />
      <JobTable jobs={jobs} onCancel={(id) => void cancelJob(id)} />
    </div>
  );
}

type Answer =
  | { ok: true; addedAt: number; dueAt: number }
  | { ok: false; retryAfter: number };

function describe(answers: Answer[], now: number): string {
  const granted = answers.filter((answer) => answer.ok);
  const refused = answers.find((answer) => !answer.ok);
  const jobs = plural(granted.length, "job");
  const waits = granted.map(
    ({ addedAt, dueAt }) => dueAt - Math.max(now, addedAt),
  );
  const wait = Math.max(0, ...waits);
  const reserved =
    granted.length === 0
      ? []
      : wait === 0
        ? [`Reserved ${jobs} to run now.`]
        : granted.length === 1
          ? [`Reserved 1 job; it runs in ${formatDuration(wait)}.`]
          : [`Reserved ${jobs}; the last runs in ${formatDuration(wait)}.`];
  if (refused === undefined) return reserved.join("");
  const rest = plural(answers.length - granted.length, "job");
  return [
    ...reserved,
    `Refused ${rest}: ten are waiting. There is room in ${formatDuration(refused.retryAfter)}.`,
  ].join(" ");
}

function JobTable({
  jobs,
  onCancel,
}: {
  jobs: Job[] | undefined;
  onCancel: (id: Id<"jobs">) => void;
}) {
  return (
    <div
      className="table-place jobs"
      tabIndex={0}
      role="region"
      aria-label="Jobs"
    >
      <table>
        <caption className="visually-hidden">Jobs, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col">State</th>
            <th scope="col" className="number">
              When
            </th>
            <th scope="col">
              <span className="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {jobs?.map((job) => (
            <JobRow key={job.id} job={job} onCancel={onCancel} />
          ))}
        </tbody>
      </table>
      {jobs === undefined && <p className="empty">Loading</p>}
      {jobs?.length === 0 && (
        <p className="empty">No jobs yet. Reserve five and watch them run.</p>
      )}
    </div>
  );
}

function JobRow({
  job,
  onCancel,
}: {
  job: Job;
  onCancel: (id: Id<"jobs">) => void;
}) {
  const { id, label, addedAt, dueAt, ranAt, cancelled } = job;
  const state =
    ranAt !== undefined ? "done" : cancelled ? "cancelled" : "waiting";
  return (
    <tr data-state={state}>
      <th scope="row">{label}</th>
      <td>
        <span className="pill" data-state={state}>
          {state}
        </span>
      </td>
      <td className="number">
        {state === "waiting" && (
          <Countdown until={dueAt} since={addedAt} done="now" />
        )}
        {ranAt !== undefined && `${ranAt - dueAt} ms late`}
      </td>
      <td className="actions">
        {state === "waiting" && (
          <button
            type="button"
            className="quiet"
            aria-label={`Cancel ${label}`}
            onClick={() => onCancel(id)}
          >
            Cancel
          </button>
        )}
      </td>
    </tr>
  );
}
