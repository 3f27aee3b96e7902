export type { Check, CheckResult, GetValueReturns } from "./check.js";
export type { RateLimitStatus, UseRateLimitResult } from "./rateLimitAt.js";
export {
  useRateLimit,
  type GetRateLimitValueQuery,
  type GetValueArgs,
  type UseRateLimitOptions,
} from "./useRateLimit.js";
export { useRetryCountdown } from "./useRetryCountdown.js";
export type { GetServerTimeMutation } from "./useServerOffset.js";
