export { calculateRateLimit } from "../core/calculateRateLimit.js";
export type {
  ExceedsCapacityError,
  FixedWindowConfig,
  RateLimitConfig,
  RateLimitError,
  TokenBucketConfig,
} from "../core/config.js";
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
