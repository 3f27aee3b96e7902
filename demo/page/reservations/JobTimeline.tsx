import type { FunctionReturnType } from "convex/server";
import type { api } from "../../convex/_generated/api.js";
import { TimeChart } from "../chart/TimeChart.js";
import { numberOf } from "../words.js";

export type Job = FunctionReturnType<typeof api.jobs.list>[number];

/** The longest wait is twenty seconds. */
const PAST_MS = 8000;
const FUTURE_MS = 21_000;

const timeOf = ({ ranAt, dueAt }: Job): number => ranAt ?? dueAt;

/** Jobs where their tokens are in time: hollow while they wait, filled when they have run. */
export function JobTimeline({ jobs }: { jobs: readonly Job[] }) {
  const shown = jobs.filter(({ cancelled }) => !cancelled);
  const waiting = shown.filter(({ ranAt }) => ranAt === undefined);
  return (
    <TimeChart
      label={`Jobs on a line of time: ${waiting.length} waiting`}
      pastMs={PAST_MS}
      futureMs={FUTURE_MS}
      restsAt={Math.max(0, ...shown.map(timeOf)) + PAST_MS}
    >
      {({ from, x, y }) =>
        shown
          .filter((job) => timeOf(job) > from)
          .map((job) => (
            <span
              key={job.id}
              className="job-dot"
              data-done={job.ranAt !== undefined}
              style={{ left: `${x(timeOf(job))}%`, bottom: `${y(0)}%` }}
            >
              {numberOf(job.label)}
            </span>
          ))
      }
    </TimeChart>
  );
}
