import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { components } from "./_generated/api";

export const rateLimiter = new RateLimiter(components.rateLimiter, {
  comment: {
    kind: "token bucket",
    rate: 1,
    period: MINUTE,
    enforce: 0, // A dry run for all.
    overrides: true,
  },
});
