import { HOUR, MINUTE, RateLimiter, SECOND } from "convex-rate-limiter";
import { components } from "./_generated/api.js";
import { recordDenial, recordWarning } from "./denials.js";

/** The limits that have to be named: for the hook, for HTTP, and for scheduled work. */
export const rateLimiter = new RateLimiter(
  components.rateLimiter,
  {
    sendMessage: {
      kind: "token bucket",
      rate: 10,
      period: MINUTE,
      capacity: 3,
      overrides: true,
      warnAt: 0.6,
    },
    signUp: { kind: "fixed window", rate: 100, period: HOUR },
    jobs: {
      kind: "token bucket",
      rate: 1,
      period: 2 * SECOND,
      capacity: 1,
      maxReserved: 10,
    },
    renders: {
      kind: "concurrency",
      capacity: 2,
      lease: MINUTE,
      overrides: true,
    },
    invites: { kind: "fixed window", rate: 5, period: HOUR, overrides: true },
    words: { kind: "fixed window", rate: 1000, period: HOUR, start: 0 },
    quotes: { kind: "fixed window", rate: 5, period: 10 * SECOND },
  },
  { onDenied: recordDenial, onWarning: recordWarning },
);
