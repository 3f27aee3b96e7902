import { MINUTE } from "convex-rate-limiter";
import type { Who } from "../../convex/exports.js";

type Status =
  | { ok: true; wanted: number; taken: number }
  | { ok: false; wanted: number; retryAfter: number };

type Place = { now: number; timeZone: string; city: string };

const GRANTED: Record<Who, string> = {
  free: "Granted to a free user.",
  paying: "Granted to a paying user.",
  job: "The job took all 50.",
};

const DENIED: Record<Who, string> = {
  free: "Denied: 20 are for paying users.",
  paying: "Denied: fewer than 20 are left.",
  job: "Denied: 20 are for paying users.",
};

/** What came of a request, and when a window begins in which it would be granted. */
export function describe(
  who: Who,
  status: Status,
  { now, timeZone, city }: Place,
): string {
  if (status.ok) {
    const { wanted, taken } = status;
    return taken < wanted
      ? `The job took ${taken} of ${wanted}.`
      : GRANTED[who];
  }
  // The page's clock is not quite the server's, and windows begin on the minute.
  const opensAt = Math.round((now + status.retryAfter) / MINUTE) * MINUTE;
  const time = new Intl.DateTimeFormat("en-GB", {
    timeZone,
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  return `${DENIED[who]} Try again on ${time.format(opensAt)} in ${city}.`;
}
