export { calculateRateLimit } from "../core/calculateRateLimit.js";
export type { CalendarPeriod, Weekday } from "../core/calendar.js";
export type {
  CalendarWindowConfig,
  ConcurrencyConfig,
  FixedWindowConfig,
  LimitConfig,
  RateLimitConfig,
  TokenBucketConfig,
  RefillingConfig,
} from "../core/config.js";
export type { ExceedsCapacityError, RateLimitError } from "../core/errors.js";
export { DAY, HOUR, MINUTE, SECOND, WEEK } from "../core/periods.js";
export type { GetValueArgs, GetValueReturns } from "../core/value.js";
export {
  isExceedsCapacityError,
  isRateLimitError,
  isWriteConflictError,
} from "./errors.js";
export {
  rateLimitHeaders,
  tooManyRequests,
  type RateLimitHeaderOptions,
} from "./http.js";
export { ipKey } from "./ipKey.js";
export { limitHttp, type LimitHttpOptions } from "./limitHttp.js";
export { RateLimiter, RateLimiter as default } from "./RateLimiter.js";
export type {
  ActionCtx,
  CancellingCtx,
  ChargeReturns,
  HttpCtx,
  DeniedKey,
  ForgetOptions,
  ForgetReturns,
  HoldAllItem,
  HoldAllOptions,
  HoldAllReturns,
  HoldReturns,
  HoldId,
  HoldOptions,
  HookAPIFunctions,
  HookAPIOptions,
  LeaseId,
  LimitAllItem,
  LimitAllReturns,
  ListedKey,
  MutationCtx,
  PenalizeOptions,
  QueryCtx,
  RateLimitArgs,
  RateLimitDenial,
  RateLimitDetails,
  RateLimiterOptions,
  RateLimitListOptions,
  RateLimitName,
  RateLimitOverride,
  RateLimitReturns,
  ResetAllReturns,
  ScheduleReturns,
  ScheduleOptions,
  SchedulingCtx,
  SetOverrideOptions,
  SetOverrideReturns,
  SettleAllItem,
  SettleOptions,
  RateLimitStats,
  RateLimitStatsOptions,
  RateLimitWarning,
  RateLimitWouldDeny,
  TopDeniedOptions,
  WhileHoldingAllReturns,
  WhileHoldingReturns,
} from "./types.js";

// So that each type that TypeScript infers for an app has a name that the app's declaration files
// can import. The reference explains only the types above.
export type * from "./inference.js";
export type * from "./types.js";
