import { MINUTE, RateLimiter } from "convex-rate-limiter";
import { components } from "./_generated/api";

export const rateLimiter = new RateLimiter(components.rateLimiter, {
  sendMessage: {
    kind: "token bucket",
    rate: 10,
    period: MINUTE,
    capacity: 3,
    overrides: true, // Keys can be banned and raised.
    stats: true, // Calls are counted.
  },
});
