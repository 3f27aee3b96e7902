/*
 * What apps call most. Each call loads this module with all that it imports, so that what is rare
 * stands in other modules. The names here are those of `@convex-dev/rate-limiter`.
 */

export {
  checkRateLimit,
  clearAll,
  enqueueUpdates,
  getValue,
  rateLimit,
  resetRateLimit,
} from "../verbs/limit.js";
export { getServerTime } from "../verbs/getServerTime.js";
