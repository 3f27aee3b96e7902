import { RateLimiter, SECOND } from "convex-rate-limiter";
import { components } from "./_generated/api";

export const rateLimiter = new RateLimiter(components.rateLimiter, {
  // What the model may cost a user in a day.
  answers: { kind: "fixed window", rate: 1000, period: "day" },
  // A crash frees its place after six seconds.
  writing: { kind: "concurrency", capacity: 3, lease: 6 * SECOND },
});
