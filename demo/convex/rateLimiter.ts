import { MINUTE, RateLimiter, SECOND } from "convex-rate-limiter";
import { components } from "./_generated/api.js";

export const ANSWERS_AT_ONCE = 3;
/** How long an answer that nobody ends keeps its place. */
export const ANSWER_LEASE_MS = 6 * SECOND;

/** What the dashboard shows of every limit, and lets operators do. */
const shown = { overrides: true, stats: true } as const;

/** Every limit of this app, in one place. */
export const rateLimiter = new RateLimiter(components.rateLimiter, {
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

  // Answers that are written at the same time, for each user.
  writing: {
    kind: "concurrency",
    capacity: ANSWERS_AT_ONCE,
    lease: ANSWER_LEASE_MS,
    ...shown,
  },

  // Background work: one job every two seconds, at most ten waiting.
  jobs: {
    kind: "token bucket",
    rate: 1,
    period: 2 * SECOND,
    maxReserved: 10,
    ...shown,
  },
});
