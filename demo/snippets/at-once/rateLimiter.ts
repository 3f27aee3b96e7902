import { RateLimiter, SECOND } from "convex-rate-limiter";
import { components } from "./_generated/api";

export const rateLimiter = new RateLimiter(components.rateLimiter, {
  // A crash frees its place after five seconds.
  render: { kind: "concurrency", capacity: 3, lease: 5 * SECOND },
});
