import { RateLimiter, SECOND } from "convex-rate-limiter";
import { components } from "./_generated/api";

export const rateLimiter = new RateLimiter(components.rateLimiter, {
  // One every two seconds, and at most ten that wait.
  jobs: {
    kind: "token bucket",
    rate: 1,
    period: 2 * SECOND,
    maxReserved: 10,
  },
});
