import { MINUTE, RateLimiter, SECOND } from "convex-rate-limiter";
import { components } from "./_generated/api.js";
import { mailWarning } from "./mails.js";

/** How long a render that is not heard of keeps its place. */
export const RENDER_LEASE_MS = 5 * SECOND;

/** What the dashboard shows of every limit, and lets operators do. */
const shown = { overrides: true, stats: true } as const;

/** Every limit of this app, in one place. */
export const rateLimiter = new RateLimiter(
  components.rateLimiter,
  {
    // One per user: bursts of three, ten a minute in the long run.
    sendMessage: {
      kind: "token bucket",
      rate: 10,
      period: MINUTE,
      capacity: 3,
      ...shown,
    },

    // What the answers for one user may cost in a day.
    answers: { kind: "fixed window", rate: 1000, period: "day", ...shown },

    // Background work: one job every two seconds, at most ten waiting.
    jobs: {
      kind: "token bucket",
      rate: 1,
      period: 2 * SECOND,
      maxReserved: 10,
      ...shown,
    },

    // Three renders at once for each user, however often they ask.
    render: {
      kind: "concurrency",
      capacity: 3,
      lease: RENDER_LEASE_MS,
      ...shown,
    },
  },
  { onWarning: mailWarning },
);
