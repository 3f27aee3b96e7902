export type { ShownConfig } from "../core/config.js";
export type { GetValueArgs, GetValueReturns } from "../core/value.js";
export type { Check, CheckResult } from "./check.js";
export type { RateLimitStatus, UseRateLimitResult } from "./rateLimitAt.js";
export {
  useRateLimit,
  type GetRateLimitValueQuery,
  type UseRateLimitOptions,
} from "./useRateLimit.js";
export { useBrowserTime } from "./useBrowserTime.js";
export { useRetryCountdown } from "./useRetryCountdown.js";
export type { GetServerTimeMutation } from "./useServerOffset.js";
