import { HOUR, MINUTE, RateLimiter, SECOND } from "convex-rate-limiter";
import { components } from "./_generated/api.js";
import { countDenial } from "./denials.js";

/** How long a render that is not heard of keeps its place. */
export const RENDER_LEASE_MS = 5 * SECOND;

/** Every limit of this app, in one place. */
export const rateLimiter = new RateLimiter(
  components.rateLimiter,
  {
    // One limit for all: a wave of sign-ups must not drown the app.
    signUp: { kind: "fixed window", rate: 100, period: HOUR },

    // One per user: bursts of three, ten a minute in the long run.
    sendMessage: {
      kind: "token bucket",
      rate: 10,
      period: MINUTE,
      capacity: 3,
      overrides: true,
      stats: true,
    },

    // One per account that somebody tries to log in to.
    failedLogins: { kind: "token bucket", rate: 5, period: HOUR },

    // What the provider of the language model allows us, for all users together.
    llmRequests: { kind: "fixed window", rate: 500, period: MINUTE },
    llmTokens: {
      kind: "token bucket",
      rate: 40_000,
      period: MINUTE,
      shards: 10,
    },

    // What the answers for one user may cost in a day.
    answers: { kind: "fixed window", rate: 1000, period: "day" },

    // Background work: one job every two seconds, at most ten waiting.
    jobs: {
      kind: "token bucket",
      rate: 1,
      period: 2 * SECOND,
      capacity: 1,
      maxReserved: 10,
    },

    // An operation takes from the organisation, from the user and from its own limit.
    organisation: { kind: "token bucket", rate: 20, period: MINUTE },
    user: { kind: "token bucket", rate: 12, period: MINUTE, stats: true },
    read: { kind: "token bucket", rate: 8, period: MINUTE },
    upload: { kind: "token bucket", rate: 10, period: MINUTE, stats: true },

    // Three renders at once for each user, however often they ask.
    render: { kind: "concurrency", capacity: 3, lease: RENDER_LEASE_MS },

    // A public HTTP endpoint, one limit per caller.
    quotes: { kind: "fixed window", rate: 5, period: 10 * SECOND },

    // An expensive export, guarded by one line in `reports`.
    report: { kind: "token bucket", rate: 2, period: MINUTE },
  },
  { onDenied: countDenial },
);
