export { calculateRateLimit } from "../core/calculateRateLimit.js";
export type {
  FixedWindowConfig,
  RateLimitConfig,
  TokenBucketConfig,
} from "../core/config.js";
export type { ExceedsCapacityError, RateLimitError } from "../core/errors.js";
export { DAY, HOUR, MINUTE, SECOND, WEEK } from "../core/periods.js";
export { isExceedsCapacityError, isRateLimitError } from "./errors.js";
export {
  rateLimitHeaders,
  tooManyRequests,
  type DetailedAnswer,
  type DetailedDenial,
  type RateLimitHeaderOptions,
} from "./http.js";
export { RateLimiter, RateLimiter as default } from "./RateLimiter.js";
export type * from "./types.js";
