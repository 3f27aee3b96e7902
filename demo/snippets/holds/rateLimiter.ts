import { RateLimiter } from "convex-rate-limiter";
import { components } from "./_generated/api";

export const rateLimiter = new RateLimiter(components.rateLimiter, {
  // What the answers for one user may cost in a day.
  answers: { kind: "fixed window", rate: 1000, period: "day" },
});
