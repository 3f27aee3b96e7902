import { dot, text } from "@observablehq/plot";
import type { FunctionReturnType } from "convex/server";
import type { api } from "../../convex/_generated/api.js";
import { TimeChart, type Frame } from "../chart/TimeChart.js";
import { numberOf } from "../words.js";

export type Job = FunctionReturnType<typeof api.jobs.list>[number];

/** The longest wait is twenty seconds. */
const PAST_MS = 8000;
const FUTURE_MS = 21_000;

const timeOf = ({ ranAt, dueAt }: Job): number => ranAt ?? dueAt;
const isDone = ({ state }: Job): boolean => state === "done";

/** Jobs on a line of time: hollow while they wait, filled when they have run. */
export function JobTimeline({ jobs }: { jobs: readonly Job[] }) {
  const shown = jobs.filter(({ state }) => state !== "cancelled");
  const waiting = shown.filter((job) => !isDone(job));
  const marksAt = ({ from, x }: Frame) => {
    const seen = shown.filter((job) => timeOf(job) > from);
    const place = { x: (job: Job) => x(timeOf(job)) };
    return [
      dot(seen, {
        ...place,
        r: 12,
        stroke: "var(--accent)",
        strokeWidth: 2,
        fill: (job: Job) => (isDone(job) ? "var(--accent)" : "var(--card)"),
      }),
      text(seen, {
        ...place,
        text: ({ label }: Job) => numberOf(label),
        fill: (job: Job) =>
          isDone(job) ? "var(--on-accent)" : "var(--accent)",
        fontWeight: 700,
      }),
    ];
  };
  return (
    <TimeChart
      label={`Jobs on a line of time: ${waiting.length} waiting`}
      pastMs={PAST_MS}
      futureMs={FUTURE_MS}
      restsAt={Math.max(0, ...shown.map(timeOf)) + PAST_MS}
      marksAt={marksAt}
    />
  );
}
