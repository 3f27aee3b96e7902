import { MINUTE, RateLimiter, SECOND } from "convex-rate-limiter";
import { components } from "./_generated/api.js";
import { countDenial } from "./denials.js";

/** How long a render that is not heard of keeps its place. */
export const RENDER_LEASE_MS = 5 * SECOND;

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
      overrides: true,
      stats: true,
    },

    // What the answers for one user may cost in a day.
    answers: { kind: "fixed window", rate: 1000, period: "day" },

    // Background work: one job every two seconds, at most ten waiting.
    jobs: {
      kind: "token bucket",
      rate: 1,
      period: 2 * SECOND,
      maxReserved: 10,
    },

    // Three renders at once for each user, however often they ask.
    render: { kind: "concurrency", capacity: 3, lease: RENDER_LEASE_MS },

    user: { kind: "token bucket", rate: 12, period: MINUTE, stats: true },
    upload: { kind: "token bucket", rate: 10, period: MINUTE, stats: true },
  },
  { onDenied: countDenial },
);
